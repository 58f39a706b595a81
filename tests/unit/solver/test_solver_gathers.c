/* Every gather must be a valid structure, for every number of seeds and every number of seeds sown.
 * The kernels rely on that without checking. test_solver_tables.c compares the contents of gathers
 * with the reference.
 *
 * Expected values: numbers of halves, and the contract of solver/rows/tables.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "solver/rows/tables.h"
#include "tests/support/scale.h"
#include "tests/support/sow_half.h"
#include "tests/unit/groups.h"

static struct wari_gather made(enum wari_rules rules, enum wari_parents kind, int seeds, int sown)
{
    struct wari_gather gather;
    assert_int_equal(wari_gather_create(&gather, wari_host_system(),
                                        (struct wari_gather_key){rules, kind, seeds, sown}, NULL),
                     WARI_OK);
    return gather;
}

static void release(struct wari_gather *gather)
{
    wari_release(wari_host_system(), gather->memory);
}

/* ---- Structure ------------------------------------------------------------------------------- */

enum { BAND_WORDS = WARI_BAND_ROWS / 64 };

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t parents_in_strip(const struct wari_gather *gather, uint32_t strip)
{
    return least_of(gather->parents - strip * WARI_STRIP, WARI_STRIP);
}

/* Marks a row of a band that a list contains. The row must be the row of a parent, and must not be
 * marked yet. */
static void mark(uint64_t marks[BAND_WORDS], uint32_t offset, uint32_t parents)
{
    uint64_t bit = UINT64_C(1) << offset % 64;
    assert_true(offset < parents);
    assert_false(marks[offset / 64] & bit);
    marks[offset / 64] |= bit;
}

/* Checks that each parent occurs once, either as quiet or in one of the two lists, and that
 * captures are sorted. */
static void check_lists(const struct wari_gather *gather, uint32_t band, int seeds)
{
    const uint32_t parents = least_of(gather->parents - band * WARI_BAND_ROWS, WARI_BAND_ROWS);
    const uint32_t strips = (parents + WARI_STRIP - 1) / WARI_STRIP;
    const uint32_t first = gather->first_capture[band];
    uint64_t marks[BAND_WORDS] = {0};

    memcpy(marks, gather->quiet + band * WARI_BAND_STRIPS, strips * sizeof *marks);
    for (uint32_t i = first; i < gather->first_capture[band + 1]; i++) {
        const struct wari_capture *capture = &gather->capture[i];
        mark(marks, capture->row, parents);
        assert_in_range(capture->captured, 2, WARI_CAPTURE_MAX);
        assert_true(capture->captured < seeds);
        assert_true(capture->column < wari_half_count(seeds - capture->captured));
        if (i > first && capture[-1].captured == capture->captured)
            assert_true(capture[-1].row < capture->row);
        else if (i > first)
            assert_true(capture[-1].captured < capture->captured);
    }
    for (uint32_t i = gather->first_slam[band]; i < gather->first_slam[band + 1]; i++)
        mark(marks, gather->slam[i], parents);
    for (uint32_t offset = 0; offset < WARI_BAND_ROWS; offset++)
        assert_int_equal(marks[offset / 64] >> offset % 64 & 1, offset < parents);
}

/* Checks the words of a strip (struct wari_word). They are in increasing order, do not overlap, and
 * contain the parents of the strip one after the other: `start` is the offset of a word's first
 * parent, and the mask has one bit for each parent of the word, bit 0 for the first one. `index`
 * has the number of this bit for each parent, and 0 after the last parent. At the call, *next is a
 * lower bound of the first column of the strip's words; on return, of the first column of the next
 * strip's words. */
static void check_words(const struct wari_gather *gather, uint32_t strip, uint32_t *next)
{
    const uint8_t *index = gather->index + (size_t)strip * WARI_STRIP;
    uint32_t offset = 0;

    assert_true(gather->first_word[strip] < gather->first_word[strip + 1]);
    for (uint32_t i = gather->first_word[strip]; i < gather->first_word[strip + 1]; i++) {
        const struct wari_word *word = &gather->word[i];
        assert_true(word->column >= *next);
        assert_true(word->mask & 1);
        assert_int_equal(word->start, offset);
        for (uint32_t bit = 0; bit < 64; bit++)
            if (word->mask >> bit & 1)
                assert_int_equal(index[offset++], bit);
        *next = word->column + 64 - (uint32_t)__builtin_clzll(word->mask);
    }
    assert_int_equal(offset, parents_in_strip(gather, strip));
    while (offset < WARI_STRIP)
        assert_int_equal(index[offset++], 0);
}

/* Checks one gather (solver/rows/tables.h) completely. Returns the number of parents in its list of
 * grand slams. */
static uint32_t check_gather(enum wari_rules rules, enum wari_parents kind, int seeds, int sown)
{
    const uint32_t rows = wari_row_count(seeds);
    struct wari_gather gather = made(rules, kind, seeds, sown);
    uint32_t next = 0;

    assert_int_equal(gather.parents,
                     kind == WARI_PARENTS_ROWS ? rows : wari_half_count(seeds) - rows);
    assert_int_equal(gather.strips, (gather.parents + WARI_STRIP - 1) / WARI_STRIP);
    assert_int_equal(gather.bands, (gather.parents + WARI_BAND_ROWS - 1) / WARI_BAND_ROWS);
    assert_int_equal(gather.first_word[0], 0);
    assert_int_equal(gather.first_capture[0], 0);
    assert_int_equal(gather.first_slam[0], 0);
    for (uint32_t strip = 0; strip < gather.strips; strip++)
        check_words(&gather, strip, &next);
    for (uint32_t band = 0; band < gather.bands; band++)
        check_lists(&gather, band, seeds + sown);
    assert_true(next <= wari_half_count(seeds + sown));
    const uint32_t slams = gather.first_slam[gather.bands];
    release(&gather);
    return slams;
}

static void gathers_of_small_halves_are_sound(void **state)
{
    const int seeds_max = test_scale_long(24, 20, 12);
    uint32_t slams = 0;

    (void)state;
    for (int seeds = 0; seeds <= seeds_max; seeds++)
        for (int sown = 0; sown <= WARI_SOWN_MAX; sown++)
            for (int kind = 0; kind < WARI_PARENTS_KINDS; kind++) {
                assert_int_equal(check_gather(WARI_ABAPA, (enum wari_parents)kind, seeds, sown), 0);
                slams += check_gather(WARI_WARRI, (enum wari_parents)kind, seeds, sown);
            }
    assert_true(slams > 0);
}

/* Tests the gathers of opponent halves that contain all or nearly all of the 48 seeds of a game.
 * The seeds in the half and the seeds sown into it are at most 48 together. */
static void gathers_of_the_largest_halves_are_sound(void **state)
{
    const int least = test_scale(45, 48);

    (void)state;
    for (int seeds = least; seeds <= WARI_SEEDS_MAX; seeds++)
        for (int sown = 0; seeds + sown <= WARI_SEEDS_MAX; sown++)
            for (int kind = 0; kind < WARI_PARENTS_KINDS; kind++)
                assert_int_equal(check_gather(WARI_AWARI, (enum wari_parents)kind, seeds, sown), 0);
}

/* ---- Counted by hand ------------------------------------------------------------------------- */

/* One seed is sown from F against an empty half. The opponent half becomes 1 0 0 0 0 0, which is
 * the last of the six halves with one seed. */
static void gather_of_the_empty_half_has_one_parent(void **state)
{
    struct wari_gather gather = made(WARI_AWARI, WARI_PARENTS_ROWS, 0, 1);

    (void)state;
    assert_int_equal(gather.parents, 1);
    assert_int_equal(gather.first_word[1], 1);
    assert_int_equal(gather.word[0].column, 5);
    assert_int_equal(gather.word[0].mask, 1);
    assert_int_equal(gather.quiet[0], 1);
    release(&gather);
}

/* One seed in a, and one sown into it, make 2. Capturing them is a slam, the only one of the six
 * halves. One seed in b, and two sown into a and b, make 1 and 2: a capture of 2 that leaves 1
 * in a. */
static void captures_and_slams_of_one_seed_are_those_by_hand(void **state)
{
    struct wari_gather one = made(WARI_AWARI, WARI_PARENTS_ROWS, 1, 1);
    struct wari_gather two = made(WARI_AWARI, WARI_PARENTS_ROWS, 1, 2);

    (void)state;
    assert_int_equal(one.parents, 6);
    assert_int_equal(one.first_capture[1], 0);
    assert_int_equal(one.first_slam[1], 1);
    assert_int_equal(one.slam[0], 5); /* half 5 is 1 0 0 0 0 0, the last one with one seed */
    assert_int_equal(one.quiet[0], 0x1f);

    assert_int_equal(two.first_slam[1], 0);
    assert_int_equal(two.first_capture[1], 1);
    assert_int_equal(two.capture[0].row, 4); /* 0 1 0 0 0 0 */
    assert_int_equal(two.capture[0].captured, 2);
    assert_int_equal(two.capture[0].column, 5); /* 1 0 0 0 0 0 */
    assert_int_equal(two.quiet[0], 0x2f);
    release(&one);
    release(&two);
}

/* ---- Rules ----------------------------------------------------------------------------------- */

static void assert_equal_arrays(const void *a, const void *b, size_t bytes)
{
    if (bytes > 0)
        assert_memory_equal(a, b, bytes);
}

/* With `abapa`, slams are quiet moves; with the other rule sets they are not. Nothing else in a
 * gather depends on the rules. */
static void rule_sets_differ_only_in_quiet_slams(void **state)
{
    const int seeds = 6, sown = 4; /* a slam leaves 2, 2, 3 and 3 seeds, in any order, in the
                                    * first four pits */
    struct wari_gather quiet = made(WARI_ABAPA, WARI_PARENTS_ROWS, seeds, sown);
    struct wari_gather listed = made(WARI_AWARI, WARI_PARENTS_ROWS, seeds, sown);
    const uint32_t end = quiet.bands, strips = quiet.strips;

    (void)state;
    assert_int_equal(quiet.first_slam[end], 0);
    assert_int_equal(listed.first_slam[end], 6); /* C(4,2) */
    assert_equal_arrays(quiet.index, listed.index, strips * WARI_STRIP);
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        struct wari_gather gather = made((enum wari_rules)rules, WARI_PARENTS_ROWS, seeds, sown);
        const struct wari_gather *like = rules == WARI_ABAPA ? &quiet : &listed;
        assert_int_equal(gather.first_word[strips], like->first_word[strips]);
        assert_int_equal(gather.first_capture[end], like->first_capture[end]);
        assert_int_equal(gather.first_slam[end], like->first_slam[end]);
        assert_equal_arrays(gather.index, like->index, strips * WARI_STRIP);
        for (uint32_t i = 0; i < gather.first_word[strips]; i++) {
            assert_int_equal(gather.word[i].mask, like->word[i].mask);
            assert_int_equal(gather.word[i].column, like->word[i].column);
        }
        assert_equal_arrays(gather.quiet, like->quiet, strips * sizeof *gather.quiet);
        assert_equal_arrays(gather.slam, like->slam, gather.first_slam[end] * sizeof *gather.slam);
        release(&gather);
    }
    release(&quiet);
    release(&listed);
}

/* ---- Sowing ---------------------------------------------------------------------------------- */

/* Computes the fewest seeds that sow `sown` of them on the opponent's side, by trying every pit
 * and every number of seeds. */
static void seeds_to_sow_are_the_fewest(void **state)
{
    int most = 0;

    (void)state;
    for (int sown = 0; sown <= WARI_SOWN_MAX; sown++) {
        int fewest = 0;
        for (int seeds = WARI_SEEDS_MAX; seeds > 0; seeds--)
            for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
                uint8_t half[WARI_HALF_PITS] = {0};
                half[pit] = (uint8_t)seeds;
                const int across = wari_sowing_sown(sow_half(half, pit));
                fewest = across == sown ? seeds : fewest;
                most = across > most ? across : most;
            }
        assert_int_equal(wari_seeds_to_sow(sown), sown == 0 ? 0 : fewest);
    }
    assert_int_equal(most, WARI_SOWN_MAX);
    assert_int_equal(wari_seeds_to_sow(6), 6);  /* from F */
    assert_int_equal(wari_seeds_to_sow(7), 12); /* the first six seeds fall on the opponent's side,
                                                 * the next five on the mover's side, and the last
                                                 * one on the opponent's side */
}

TEST_GROUP(test_solver_gathers)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gathers_of_small_halves_are_sound),
        cmocka_unit_test(gathers_of_the_largest_halves_are_sound),
        cmocka_unit_test(gather_of_the_empty_half_has_one_parent),
        cmocka_unit_test(captures_and_slams_of_one_seed_are_those_by_hand),
        cmocka_unit_test(rule_sets_differ_only_in_quiet_slams),
        cmocka_unit_test(seeds_to_sow_are_the_fewest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

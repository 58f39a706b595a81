/* Position numbers in the public interface: the order of the files, stepping through a level,
 * and refused arguments.
 *
 * Expected values: the order comes from nested loops, one for each of the three sort keys in
 * db/FORMAT.md ("Order of the values"); sizes of levels are computed by hand or published. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "db/wari.h"
#include "tests/reference/random_positions.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

static void assert_position(const struct wari_position *position, const uint8_t pits[WARI_PITS])
{
    assert_memory_equal(position->pits, pits, WARI_PITS);
}

/* ---- Order ---- */

/* The next expected position, and the library's results for it. */
struct walk {
    struct wari_position stepped;
    uint64_t number;
    uint64_t size;
    int seeds;
};

static void expect_next(struct walk *walk, const uint8_t pits[WARI_PITS])
{
    struct wari_position position;
    uint64_t number = UINT64_MAX;

    memcpy(position.pits, pits, WARI_PITS);
    assert_int_equal(wari_position_number(&position, &number, NULL), WARI_OK);
    assert_int_equal(number, walk->number);
    memset(&position, 99, sizeof position);
    assert_int_equal(wari_position_numbered(walk->seeds, number, &position, NULL), WARI_OK);
    assert_position(&position, pits);
    assert_position(&walk->stepped, pits);
    walk->number++;
    assert_int_equal(wari_position_next(&walk->stepped), walk->number < walk->size);
}

/* Visits all ways to distribute `left` seeds among the pits from `place` to the end of their half.
 * The first pit is the most significant digit. If the half is the opponent's and has an empty pit,
 * then distributes `mover_seeds` seeds in the mover's half; after that the position is complete. */
static void fill(struct walk *walk, uint8_t pits[WARI_PITS], int place, int left, int mover_seeds)
{
    bool opponent = place >= WARI_HALF_PITS;
    int end = opponent ? WARI_PITS : WARI_HALF_PITS;
    if (place == end - 1) {
        pits[place] = (uint8_t)left;
        if (!opponent)
            expect_next(walk, pits);
        else if (memchr(pits + WARI_HALF_PITS, 0, WARI_HALF_PITS))
            fill(walk, pits, 0, mover_seeds, 0);
        return;
    }
    for (int here = 0; here <= left; here++) {
        pits[place] = (uint8_t)here;
        fill(walk, pits, place + 1, left - here, mover_seeds);
    }
}

static void positions_are_numbered_and_stepped_through_in_the_order_of_the_files(void **state)
{
    int most = test_scale(9, 7); /* from 6 seeds on, opponent halves can be full */

    (void)state;
    for (int n = 0; n <= most; n++) {
        uint8_t pits[WARI_PITS];
        struct walk walk = {.size = wari_level_size(n), .seeds = n};
        assert_int_equal(wari_position_numbered(n, 0, &walk.stepped, NULL), WARI_OK);
        for (int across = 0; across <= n; across++)
            fill(&walk, pits, WARI_HALF_PITS, across, n - across);
        assert_int_equal(walk.number, walk.size);

        /* After the last position, the first one follows again: all seeds in pit F. */
        const uint8_t first[WARI_PITS] = {0, 0, 0, 0, 0, (uint8_t)n};
        assert_position(&walk.stepped, first);
    }
}

static uint64_t random_number(struct random_positions *random, uint64_t size)
{
    uint64_t high = random_below(random, 1u << 31);
    return (high << 31 | random_below(random, 1u << 31)) % size;
}

static void a_step_leads_to_the_next_number_in_levels_of_any_size(void **state)
{
    struct random_positions random;
    int tries = test_scale(200000, 20000);

    (void)state;
    random_positions_seed(&random, 7);
    for (int i = 0; i < tries; i++) {
        int seeds = (int)random_below(&random, WARI_SEEDS_MAX + 1);
        uint64_t size = wari_level_size(seeds);
        uint64_t number = random_number(&random, size);
        uint64_t back = 0;
        struct wari_position position;
        struct wari_position next;
        assert_int_equal(wari_position_numbered(seeds, number, &position, NULL), WARI_OK);
        assert_int_equal(wari_seeds(&position), seeds);
        assert_int_equal(wari_position_number(&position, &back, NULL), WARI_OK);
        assert_int_equal(back, number);
        assert_int_equal(wari_position_next(&position), number + 1 < size);
        assert_int_equal(wari_position_numbered(seeds, (number + 1) % size, &next, NULL), WARI_OK);
        assert_position(&position, next.pits);
    }
}

/* ---- Sizes and limits ---- */

static void levels_have_the_published_sizes(void **state)
{
    (void)state;
    /* The size of level 1, 12, was counted by hand; the sizes for 12, 20 and 24 seeds are
     * C(n+11,11) - C(n+5,11). */
    assert_int_equal(wari_level_size(0), 1);
    assert_int_equal(wari_level_size(1), 12);
    assert_int_equal(wari_level_size(12), 1352078 - 12376);
    assert_int_equal(wari_level_size(20), 80214915);
    assert_int_equal(wari_level_size(24), 382628610);
    assert_int_equal(wari_level_size(48), 203648015935);
    assert_int_equal(wari_level_size(-1), 0);
    assert_int_equal(wari_level_size(49), 0);

    /* Romein and Bal give 889,063,398,406 positions; this includes the start position, which has
     * no number. */
    uint64_t all = 1;
    for (int n = 0; n <= WARI_SEEDS_MAX; n++)
        all += n == 47 ? 0 : wari_level_size(n);
    assert_int_equal(all, 889063398406);
}

static void
the_last_position_of_the_largest_level_has_all_seeds_in_the_opponents_first_pit(void **state)
{
    struct wari_position position;
    const uint8_t last[WARI_PITS] = {[WARI_HALF_PITS] = WARI_SEEDS_MAX};

    (void)state;
    assert_int_equal(wari_position_numbered(48, 203648015934, &position, NULL), WARI_OK);
    assert_position(&position, last);
}

static void invalid_numbers_and_positions_are_refused_and_change_nothing(void **state)
{
    static const struct wari_position full = {{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}};
    static const struct wari_position heavy = {{49, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
    static const struct wari_position huge = {
        {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0}};
    static const struct wari_position start = {{4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}};
    static const struct wari_position *const none[] = {&full, &heavy, &huge, &start};
    struct wari_position position = full;
    struct wari_error error;
    uint64_t number = 5;

    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(wari_position_number(none[i], &number, &error), WARI_BAD_INPUT);
        assert_int_equal(error.status, WARI_BAD_INPUT);
    }
    assert_non_null(strstr(error.text, "no pit of the opponent is empty"));
    assert_int_equal(number, 5);

    assert_int_equal(wari_position_numbered(1, 12, &position, &error), WARI_BAD_INPUT);
    assert_string_equal(error.text,
                        "level 1 has 12 stored positions, numbered from 0; there is no number 12");
    assert_int_equal(wari_position_numbered(48, UINT64_MAX, &position, NULL), WARI_BAD_INPUT);
    assert_int_equal(wari_position_numbered(-1, 0, &position, NULL), WARI_BAD_INPUT);
    assert_int_equal(wari_position_numbered(49, 0, &position, &error), WARI_BAD_INPUT);
    assert_string_equal(error.text, "there is no level 49; a level has 0 to 48 seeds");
    assert_position(&position, full.pits);
}

TEST_GROUP(test_db_numbers)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_numbered_and_stepped_through_in_the_order_of_the_files),
        cmocka_unit_test(a_step_leads_to_the_next_number_in_levels_of_any_size),
        cmocka_unit_test(levels_have_the_published_sizes),
        cmocka_unit_test(
            the_last_position_of_the_largest_level_has_all_seeds_in_the_opponents_first_pit),
        cmocka_unit_test(invalid_numbers_and_positions_are_refused_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

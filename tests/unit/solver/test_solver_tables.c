/* The solver's tables of moves compared with the reference's moves, for random positions of 12 to
 * 48 seeds under all rule sets.
 *
 * A gather depends on the rules in only one respect: a slam is a quiet move under `abapa`, but not
 * under the other rule sets; test_solver_gathers.c checks that. Complete tables for 48 seeds would
 * need gigabytes. Therefore the sowings of the reference are stored first, sorted by (s, t) and
 * kind of parents; then each gather is made once, compared with all of its sowings, and released.
 * The threads of the test divide the gathers among themselves; only the main thread uses
 * assertions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "solver/rows/tables.h"
#include "tests/reference/random_positions.h"
#include "tests/reference/reference.h"
#include "tests/support/scale.h"
#include "tests/support/sow_half.h"
#include "tests/unit/groups.h"

enum { THREADS = 2, GATHERS = (WARI_SEEDS_MAX + 1) * (WARI_SOWN_MAX + 1) * WARI_PARENTS_KINDS };

/* A sowing and its result, computed by the reference. */
struct sowing {
    uint32_t gather;         /* gather_number() of the gather (rows/tables.h) that contains the
                              * child */
    uint32_t parent;         /* number of the opponent half among the halves of its kind (rows or
                              * full halves) */
    uint32_t column;         /* opponent half after the sowing without the capture */
    uint32_t capture_column; /* opponent half after the capture */
    uint8_t captured;        /* seeds captured; 0 for a slam */
    bool last, slam;
};

struct sowings {
    struct sowing *list;
    size_t count, captures, slams;
};

static uint32_t gather_number(int seeds, int sown, enum wari_parents kind)
{
    return (uint32_t)((seeds * (WARI_SOWN_MAX + 1) + sown) * WARI_PARENTS_KINDS + (int)kind);
}

/* ---- Sowings of the reference ---------------------------------------------------------------- */

/* Returns the pit (counted from the mover's A) of the last of `seeds` seeds sown from `pit`.
 * Each lap sows 11 seeds. */
static int last_pit(int pit, int seeds)
{
    return (pit + (seeds - 1) % 11 + 1) % WARI_PITS;
}

/* Returns how many of `seeds` seeds from `pit` fall on the opponent's side: 6 in each complete lap,
 * and in the last lap the seeds that fall into pit 6 or later. */
static int seeds_across(int pit, int seeds)
{
    int end = pit + seeds % 11 < WARI_PITS ? pit + seeds % 11 : WARI_PITS - 1;
    return seeds / 11 * WARI_HALF_PITS + (end >= WARI_HALF_PITS ? end - WARI_HALF_PITS + 1 : 0);
}

/* Returns the number of an opponent half among the halves of its kind: the rows, which have an
 * empty pit, or the full halves, which have none. Removing one seed from each pit maps the full
 * halves, in order, to all halves with six seeds fewer, so the number of a full half is that of
 * the half that remains. */
static uint32_t parent_number(const uint8_t half[WARI_HALF_PITS], enum wari_parents kind)
{
    uint8_t thinner[WARI_HALF_PITS];

    if (kind == WARI_PARENTS_ROWS)
        return wari_row_rank(half);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        thinner[pit] = (uint8_t)(half[pit] - 1);
    return wari_half_rank(thinner);
}

/* The moves of one position, computed by the reference under each rule set. */
struct views {
    struct ref_move move[REF_RULE_SETS][REF_ROW];
};

/* Checks that all rule sets have the stored result of a sowing; they differ only in slams. */
static void rule_sets_agree(const struct views *views, int pit)
{
    const struct ref_move *abapa = &views->move[REF_ABAPA][pit];

    for (int rules = 0; rules < REF_RULE_SETS; rules++) {
        const struct ref_move *move = &views->move[rules][pit];
        assert_int_equal(move->slam, abapa->slam);
        if (abapa->slam)
            continue;
        assert_true(move->legal && !move->ends && !move->again);
        assert_int_equal(move->captured, abapa->captured);
        assert_memory_equal(move->next, abapa->next, REF_PITS);
    }
    if (abapa->slam) {
        assert_int_equal(abapa->captured, 0);
        /* warri: the same player moves again, with the half that the sowing leaves */
        assert_true(views->move[REF_WARRI][pit].again);
        assert_memory_equal(views->move[REF_WARRI][pit].next, abapa->next + REF_ROW, REF_ROW);
    }
}

/* Compares the result of sow_half() for one pit with the reference, and stores the sowing, which is
 * compared with the gathers later. Returns false if the reference has no such move, because the pit
 * is empty or does not feed. */
static bool note_sowing(const unsigned char pits[REF_PITS], int pit, const struct views *views,
                        struct sowing *noted)
{
    const struct ref_move *move = &views->move[REF_ABAPA][pit];
    const wari_sowing sowing = sow_half(pits, pit);
    const int seeds = wari_half_seeds(pits + REF_ROW);
    const int sown = seeds_across(pit, pits[pit]);
    const bool last = last_pit(pit, pits[pit]) >= WARI_HALF_PITS;
    uint8_t whole[WARI_HALF_PITS];

    if (pits[pit] == 0) {
        assert_int_equal(sowing, WARI_NO_SOWING);
        return false;
    }
    assert_int_equal(wari_sowing_sown(sowing), sown);
    assert_int_equal(wari_sowing_last(sowing), last);
    assert_true(wari_seeds_to_sow(sown) <= pits[pit]);
    if (!move->legal) { /* with abapa, a move is illegal only because it does not feed */
        assert_int_equal(seeds + sown, 0);
        return false;
    }
    rule_sets_agree(views, pit);
    assert_int_equal(wari_half_seeds(move->next) + move->captured, seeds + sown);
    assert_int_equal(wari_sowing_row(sowing), wari_row_rank(move->next + REF_ROW));

    for (int i = 0; i < WARI_HALF_PITS;
         i++) /* the reference's child does not have the captured seeds */
        whole[i] =
            (uint8_t)(pits[REF_ROW + i] + sown / WARI_HALF_PITS + (i < sown % WARI_HALF_PITS));
    const enum wari_parents kind =
        wari_half_full(pits + REF_ROW) ? WARI_PARENTS_FULL : WARI_PARENTS_ROWS;
    *noted = (struct sowing){
        .gather = gather_number(seeds, sown, kind),
        .parent = parent_number(pits + REF_ROW, kind),
        .column = wari_half_rank(move->captured ? whole : move->next),
        .capture_column = wari_half_rank(move->next),
        .captured = (uint8_t)move->captured,
        .last = last,
        .slam = move->slam,
    };
    return true;
}

static int by_gather(const void *left, const void *right)
{
    const struct sowing *a = left, *b = right;
    return (a->gather > b->gather) - (a->gather < b->gather);
}

/* Draws positions and stores their sowings, sorted by gather (solver/rows/tables.h). The small
 * scale uses only positions with few seeds in the opponent half, because creating the gathers of
 * larger halves would take most of the time. */
static struct sowings draw_sowings(int positions, int opponent_most)
{
    struct sowings sowings = {.list = malloc((size_t)positions * REF_ROW * sizeof *sowings.list)};
    struct random_positions random;

    assert_non_null(sowings.list);
    random_positions_seed(&random, 20);
    for (int i = 0; i < positions;) {
        unsigned char pits[REF_PITS];
        struct views views;
        int end_value;
        random_position(&random, pits);
        if (wari_half_seeds(pits + REF_ROW) > opponent_most)
            continue;
        i++;
        for (int rules = 0; rules < REF_RULE_SETS; rules++)
            ref_moves(rules, pits, views.move[rules], &end_value);
        for (int pit = 0; pit < REF_ROW; pit++)
            sowings.count += note_sowing(pits, pit, &views, &sowings.list[sowings.count]);
    }
    for (size_t j = 0; j < sowings.count; j++) {
        sowings.captures += sowings.list[j].captured > 0;
        sowings.slams += sowings.list[j].slam;
    }
    qsort(sowings.list, sowings.count, sizeof *sowings.list, by_gather);
    return sowings;
}

/* ---- One gather ------------------------------------------------------------------------------ */

/* Returns the column of the child that belongs to the parent at offset `place` of a strip. The bits
 * that are set in the masks of the strip's words stand for the children, in the order of their
 * parents. */
static uint32_t column_of(const struct wari_gather *gather, uint32_t strip, uint32_t place)
{
    uint32_t word = gather->first_word[strip];
    uint64_t mask = gather->word[word].mask;

    while (place >= (uint32_t)__builtin_popcountll(mask)) {
        place -= (uint32_t)__builtin_popcountll(mask);
        mask = gather->word[++word].mask;
    }
    while (place-- > 0)
        mask &= mask - 1;
    return gather->word[word].column + (uint32_t)__builtin_ctzll(mask);
}

static bool agrees(const struct wari_gather *gather, const struct sowing *sowing, bool slams_quiet)
{
    const uint32_t band = sowing->parent / WARI_BAND_ROWS, place = sowing->parent % WARI_BAND_ROWS;
    const bool slam_listed = sowing->slam && !slams_quiet;
    const struct wari_capture *capture = NULL;
    bool slam = false;

    if (sowing->parent >= gather->parents ||
        column_of(gather, sowing->parent / WARI_STRIP, sowing->parent % WARI_STRIP) !=
            sowing->column)
        return false;
    /* The lists of captures and slams are only for moves whose last seed falls on the opponent's
     * side. */
    if (!sowing->last)
        return sowing->captured == 0 && !sowing->slam;
    for (uint32_t i = gather->first_capture[band]; i < gather->first_capture[band + 1]; i++)
        if (gather->capture[i].row == place)
            capture = &gather->capture[i];
    for (uint32_t i = gather->first_slam[band]; i < gather->first_slam[band + 1]; i++)
        slam = slam || gather->slam[i] == place;
    if (sowing->captured != (capture ? capture->captured : 0))
        return false;
    if (capture && capture->column != sowing->capture_column)
        return false;
    return slam == slam_listed && (gather->quiet[sowing->parent / 64] >> sowing->parent % 64 & 1) ==
                                      (sowing->captured == 0 && !slam_listed);
}

/* ---- Comparison by several threads ----------------------------------------------------------- */

struct work {
    struct sowings sowings;
    size_t first[GATHERS + 1]; /* [gather_number()]: index in sowings.list of the first sowing that
                                * uses this gather (rows/tables.h) */
    atomic_int next;           /* next gather for a free thread */
    atomic_long failed, wrong;
};

static void check_gather(struct work *work, int number, bool slams_quiet)
{
    const enum wari_rules rules = slams_quiet ? WARI_ABAPA : WARI_AWARI;
    const enum wari_parents kind = (enum wari_parents)(number % WARI_PARENTS_KINDS);
    const int sown = number / WARI_PARENTS_KINDS % (WARI_SOWN_MAX + 1);
    const int seeds = number / WARI_PARENTS_KINDS / (WARI_SOWN_MAX + 1);
    struct wari_gather gather;
    long wrong = 0;

    if (wari_gather_create(&gather, wari_host_system(),
                           (struct wari_gather_key){rules, kind, seeds, sown}, NULL) != WARI_OK) {
        atomic_fetch_add(&work->failed, 1);
        return;
    }
    for (size_t i = work->first[number]; i < work->first[number + 1]; i++)
        wrong += !agrees(&gather, &work->sowings.list[i], slams_quiet);
    atomic_fetch_add(&work->wrong, wrong);
    wari_release(wari_host_system(), gather.memory);
}

/* Goes from the last gather down, so that the large ones come first. One half of the gathers is
 * made under `abapa`, the other half under another rule set. Gathers of small opponent halves, and
 * all gathers in `make test-long`, are made under both. */
static void *check_gathers(void *context)
{
    struct work *work = context;
    const int both_below = test_scale_long(WARI_SEEDS_MAX + 1, 24, 24);

    for (int number; (number = atomic_fetch_sub(&work->next, 1)) >= 0;) {
        if (work->first[number] == work->first[number + 1])
            continue;
        const int seeds = number / WARI_PARENTS_KINDS / (WARI_SOWN_MAX + 1);
        const bool quiet = (number / WARI_PARENTS_KINDS) % 2;
        check_gather(work, number, quiet);
        if (seeds < both_below)
            check_gather(work, number, !quiet);
    }
    return NULL;
}

static void tables_agree_with_the_reference_on_random_positions(void **state)
{
    const int positions = test_scale_long(1000000, 300000, 20000);
    struct work *work = calloc(1, sizeof *work);
    pthread_t thread[THREADS];

    (void)state;
    assert_non_null(work);
    work->sowings = draw_sowings(positions, test_scale(WARI_SEEDS_MAX, 20));
    assert_true(work->sowings.count > 2 * (size_t)positions);
    assert_true(work->sowings.captures > (size_t)positions / 10);
    assert_true(work->sowings.slams > (size_t)positions / 100);
    for (size_t i = 0; i < work->sowings.count; i++)
        work->first[work->sowings.list[i].gather + 1]++;
    for (int number = 0; number < GATHERS; number++)
        work->first[number + 1] += work->first[number];
    atomic_store(&work->next, GATHERS - 1);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, check_gathers, work), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(atomic_load(&work->failed), 0);
    assert_int_equal(atomic_load(&work->wrong), 0);
    free(work->sowings.list);
    free(work);
}

TEST_GROUP(test_solver_tables)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_agree_with_the_reference_on_random_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

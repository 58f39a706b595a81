/* Ways of sweeping: how soon single cells are swept by their events, how many events there is room
 * for, how many threads take part, how many cells have to ask for their captures. None of it may
 * matter: every value of the level is that of the reference solver. And the inverse of sowing, by
 * which events find their parents, against sowing itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "solver/events.h"
#include "tests/reference/reference.h"
#include "tests/support/level_bench.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"

/* ---- Origins --------------------------------------------------------------------------------- */

/* Every sowing of every half is among the origins of the row that it leaves, once; and there are no
 * others. */
static void origins_are_the_sowings_turned_round(void **state)
{
    const int seeds_max = test_scale(16, 9);
    struct wari_tables *tables;
    uint64_t sowings = 0, origins = 0;

    (void)state;
    assert_int_equal(
        wari_tables_create(&tables, wari_host_system(), WARI_AWARI, seeds_max, 1, NULL), WARI_OK);
    for (int seeds = 0; seeds <= seeds_max; seeds++) {
        uint8_t half[WARI_HALF_PITS];
        uint32_t number = 0;
        origins += tables->origins[seeds].first[wari_row_count(seeds)];
        wari_half_unrank(seeds, 0, half);
        do {
            for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
                const wari_sowing sowing = wari_sow_half(half, pit);
                if (sowing == WARI_NO_SOWING)
                    continue;
                const struct wari_origins *found =
                    &tables->origins[seeds - wari_sowing_sown(sowing)];
                const uint32_t row = wari_sowing_row(sowing);
                int times = 0;
                for (uint32_t i = found->first[row]; i < found->first[row + 1]; i++)
                    times += wari_sowing_row(found->origin[i]) == number &&
                             wari_sowing_sown(found->origin[i]) == wari_sowing_sown(sowing) &&
                             wari_sowing_last(found->origin[i]) == wari_sowing_last(sowing);
                assert_true(times >= 1); /* two pits may leave the same row */
                sowings++;
            }
            number++;
        } while (wari_half_next(half));
    }
    assert_true(sowings == origins);
    wari_tables_destroy(tables);
}

/* By plain enumeration of all parents: where each one's child is, and that no other column has a
 * parent. */
static void check_parents(const struct wari_gather *gather, int seeds, int sown)
{
    const uint32_t columns = wari_half_count(seeds + sown);
    uint32_t *parent_of = malloc(columns * sizeof *parent_of);
    uint8_t half[WARI_HALF_PITS];
    uint32_t row = 0;

    assert_non_null(parent_of);
    memset(parent_of, 0xff, columns * sizeof *parent_of);
    wari_half_unrank(seeds, 0, half);
    do {
        uint8_t child[WARI_HALF_PITS];
        if (wari_half_full(half))
            continue;
        memcpy(child, half, sizeof child);
        for (int i = 0; i < sown; i++)
            child[i % WARI_HALF_PITS]++;
        parent_of[wari_half_rank(child)] = row++;
    } while (wari_half_next(half));
    for (uint32_t column = 0; column < columns; column++) {
        uint32_t parent = 0;
        const bool found = wari_gather_parent(gather, column, false, &parent);
        assert_true(found == (parent_of[column] != UINT32_MAX));
        if (!found)
            continue;
        assert_int_equal(parent, parent_of[column]);
        const bool quiet = gather->quiet[parent / WARI_STRIP] >> parent % WARI_STRIP & 1;
        assert_true(wari_gather_parent(gather, column, true, &parent) == quiet);
    }
    free(parent_of);
}

static void columns_lead_back_to_their_parents(void **state)
{
    (void)state;
    for (int seeds = 0; seeds <= test_scale(13, 8); seeds++)
        for (int sown = 0; sown <= 9; sown++) {
            struct wari_gather gather;
            assert_int_equal(wari_gather_create(&gather, wari_host_system(), WARI_AWARI,
                                                WARI_PARENTS_ROWS, seeds, sown, NULL),
                             WARI_OK);
            check_parents(&gather, seeds, sown);
            wari_host_system()->release(NULL, gather.memory);
        }
}

/* Seeds are taken back from a half one by one, in the order in which a move drops them, until a pit
 * has none. */
static void most_sown_is_what_can_be_taken_back(void **state)
{
    const int seeds_max = test_scale(14, 8);
    struct wari_tables *tables;

    (void)state;
    assert_int_equal(
        wari_tables_create(&tables, wari_host_system(), WARI_AWARI, seeds_max, 1, NULL), WARI_OK);
    for (int seeds = 0; seeds <= seeds_max; seeds++) {
        uint8_t half[WARI_HALF_PITS], left[WARI_HALF_PITS];
        uint32_t number = 0;
        wari_half_unrank(seeds, 0, half);
        do {
            int sown = 0;
            memcpy(left, half, sizeof left);
            while (left[sown % WARI_HALF_PITS]-- > 0)
                sown++;
            assert_int_equal(tables->origins[seeds].most_sown[number++], sown);
        } while (wari_half_next(half));
    }
    wari_tables_destroy(tables);
}

static void events_hold_what_is_put_into_them(void **state)
{
    const uint32_t last = wari_half_count(WARI_SEEDS_MAX) - 1;

    (void)state;
    for (int code = -128; code < 128; code++) {
        const wari_event event = wari_event_of(last - 5, last, (int8_t)code, (int8_t)-code);
        assert_int_equal(wari_event_row(event), last - 5);
        assert_int_equal(wari_event_column(event), last);
        assert_int_equal(wari_event_code(event), code);
        assert_int_equal(wari_event_before(event), (int8_t)-code);
    }
}

/* ---- Sweeps ---------------------------------------------------------------------------------- */

struct way {
    double events_share, cells_share;
    uint32_t pages; /* at most */
    int threads;
    int told; /* best captures below -told are not told apart: some cells have to ask */
};

/* Returns the cells that were computed, in levels. */
static double solve(const struct bench *bench, const struct way *way)
{
    struct bench_run run;

    bench_begin(&run, bench, way->threads);
    assert_int_equal(wari_level_init(&run.level, bench->seeds, bench->variant.cycle, NULL),
                     WARI_OK);
    if (way->pages < run.level.page_count)
        run.level.page_count = way->pages;
    bench_solve(&run, way->told, way->events_share, way->cells_share);
    bench_end(&run);
    return run.measure.work;
}

static void sweep_in_all_ways(struct wari_variant variant, int reference_rules)
{
    static const struct way ways[] = {
        {0, 0, UINT32_MAX, 1, 99},       /* never by events */
        {0.05, 0.03, UINT32_MAX, 1, 99}, /* late */
        {0.3, 0.25, UINT32_MAX, 2, 2},   /* early, and there is hardly room */
        {1, 1, UINT32_MAX, 1, 0},        /* from the second sweep on */
        {0.05, 0.03, 40, 2, 1},          /* without room: events get lost */
        {1, 1, 0, 2, 99},                /* always */
        {0.05, 0.03, UINT32_MAX, 3, 0},
        {0, 0, UINT32_MAX, 2, 0},
    };
    struct bench bench = bench_create(variant, reference_rules, test_scale(10, 8));
    double work[sizeof ways / sizeof ways[0]];

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        work[i] = solve(&bench, &ways[i]);
    assert_true(work[1] < 0.9 * work[0]); /* events did save work */
    bench_free(&bench);
}

static void ways_of_sweeping_do_not_matter(void **state)
{
    (void)state;
    sweep_in_all_ways((struct wari_variant){WARI_AWARI, WARI_EVEN}, REF_AWARI);
}

static void nor_under_cycle_rule_own(void **state)
{
    (void)state;
    sweep_in_all_ways((struct wari_variant){WARI_ABAPA, WARI_OWN}, REF_ABAPA);
}

static void nor_where_the_mover_moves_again(void **state)
{
    (void)state;
    sweep_in_all_ways((struct wari_variant){WARI_WARRI, WARI_EVEN}, REF_WARRI);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(origins_are_the_sowings_turned_round),
        cmocka_unit_test(columns_lead_back_to_their_parents),
        cmocka_unit_test(most_sown_is_what_can_be_taken_back),
        cmocka_unit_test(events_hold_what_is_put_into_them),
        IN_FOLDER(ways_of_sweeping_do_not_matter),
        IN_FOLDER(nor_under_cycle_rule_own),
        IN_FOLDER(nor_where_the_mover_moves_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

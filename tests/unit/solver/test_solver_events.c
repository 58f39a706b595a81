/* Every value of a level equals the value that the reference solver computes. This holds for sweeps
 * that become event-driven early or late, and for any capacity for events, any number of threads
 * and any number of cells that have to query their captures. Also compares the functions that find
 * the children and the parents of a cell with the plain move code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "solver/level/recheck.h"
#include "solver/memory/memory.h"
#include "solver/solve.h"
#include "tests/reference/random_positions.h"
#include "tests/reference/reference.h"
#include "tests/support/level_bench.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

/* ---- Parents and children ------------------------------------------------------------------- */

/* Makes tables without gathers, which event-driven sweeps do not need. */
static struct wari_tables *make_tables(enum wari_rules rules)
{
    struct wari_tables *tables = calloc(1, sizeof *tables);

    assert_non_null(tables);
    tables->rules = rules;
    wari_halves_init(&tables->halves);
    return tables;
}

static struct wari_coordinates coordinates_of(const struct wari_position *position)
{
    return (struct wari_coordinates){wari_half_seeds(position->pits + WARI_HALF_PITS),
                                     wari_row_rank(position->pits + WARI_HALF_PITS),
                                     wari_half_rank(position->pits)};
}

static int parents_of(const struct wari_tables *tables, int seeds, struct wari_coordinates child,
                      struct wari_coordinates parents[WARI_PARENTS_MAX])
{
    const struct wari_board board = wari_board_of(tables, seeds, child);

    return wari_parents_of_board(tables, seeds, child.block, &board, parents, NULL);
}

static int children_of(const struct wari_tables *tables, int seeds, struct wari_coordinates parent,
                       struct wari_coordinates children[WARI_HALF_PITS])
{
    const struct wari_board board = wari_board_of(tables, seeds, parent);

    return wari_children_of_board(tables, seeds, parent.block, &board, children);
}

static int times_among(struct wari_coordinates place, const struct wari_coordinates *places,
                       int count)
{
    int times = 0;

    for (int i = 0; i < count; i++)
        times += places[i].block == place.block && places[i].row == place.row &&
                 places[i].column == place.column;
    return times;
}

/* Checks that the children of a position are the results of its quiet moves by the plain move
 * code, in the order of the pits, and that the position is among the parents of each child.
 * Returns the number of children. */
static int check_children(const struct wari_tables *tables, const struct wari_position *position)
{
    const struct wari_coordinates place = coordinates_of(position);
    struct wari_coordinates children[WARI_HALF_PITS], parents[WARI_PARENTS_MAX];
    struct wari_moves moves;
    int seeds = wari_half_seeds(position->pits) + place.block, quiet = 0;
    const int count = children_of(tables, seeds, place, children);

    wari_find_moves(tables->rules, position, &moves);
    for (int i = 0; i < moves.count; i++) {
        const struct wari_move *move = &moves.list[i];
        if (move->captured > 0 || move->ends || move->again)
            continue;
        assert_true(quiet < count);
        const struct wari_coordinates child = coordinates_of(&move->next);
        assert_int_equal(times_among(child, &children[quiet++], 1), 1);
        const int found = parents_of(tables, seeds, child, parents);
        assert_in_range(found, 1, WARI_PARENTS_MAX);
        /* Two pits may lead to the same child. */
        assert_true(times_among(place, parents, found) >= 1);
    }
    assert_int_equal(quiet, count);
    return count;
}

/* Checks all positions of a level. check_children() finds each position among the parents of its
 * children. The total number of parents must equal the total number of children, so that no other
 * parents are found. */
static void check_level(const struct wari_tables *tables, int seeds)
{
    uint64_t children = 0, parents = 0;

    for (int block = 0; block <= seeds; block++)
        for (uint32_t row = 0; row < wari_row_count(block); row++)
            for (uint32_t column = 0; column < wari_half_count(seeds - block); column++) {
                struct wari_coordinates found[WARI_PARENTS_MAX];
                struct wari_position position;
                wari_half_unrank(seeds - block, column, position.pits);
                wari_row_unrank(block, row, position.pits + WARI_HALF_PITS);
                children += (uint64_t)check_children(tables, &position);
                parents += (uint64_t)parents_of(
                    tables, seeds, (struct wari_coordinates){block, row, column}, found);
            }
    assert_true(children == parents);
}

static void parents_are_those_whose_moves_lead_there(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        struct wari_tables *tables = make_tables((enum wari_rules)rules);
        for (int seeds = 0; seeds <= test_scale(7, 5); seeds++)
            check_level(tables, seeds);
        free(tables);
    }
}

/* Checks random positions of up to 48 seeds, some with pits that are sown more than once around the
 * board. Their levels are too large to count all parents. Instead, each parent that is found must
 * have a move that leads to the position. */
static void parents_of_large_pits_are_those_whose_moves_lead_there(void **state)
{
    struct random_positions random;
    int children = 0, parents = 0;

    (void)state;
    random_positions_seed(&random, 4);
    for (int i = test_scale(200000, 5000); i > 0; i--) {
        const enum wari_rules rules = i % 2 ? WARI_ABAPA : WARI_AWARI;
        static struct wari_tables *tables[WARI_RULES_COUNT];
        struct wari_coordinates found[WARI_PARENTS_MAX], back[WARI_HALF_PITS];
        struct wari_position position;
        if (!tables[rules])
            tables[rules] = make_tables(rules);
        random_position(&random, position.pits);
        if (wari_half_full(position.pits + WARI_HALF_PITS))
            position.pits[WARI_HALF_PITS] = 0;
        children += check_children(tables[rules], &position);
        const struct wari_coordinates place = coordinates_of(&position);
        const int seeds = wari_half_seeds(position.pits) + place.block;
        const int count = parents_of(tables[rules], seeds, place, found);
        for (int parent = 0; parent < count; parent++)
            assert_true(
                times_among(place, back, children_of(tables[rules], seeds, found[parent], back)));
        parents += count;
    }
    assert_true(children > 1000 && parents > 1000);
}

static void events_return_what_was_added(void **state)
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

/* ---- Sweeps -------------------------------------------------------------------------------- */

/* Dense sweeps keep the moves of a level in the memory of the event buffers, which is large enough
 * only from 17 seeds on. A small level gets more event buffers here. */
static void kept_moves_do_not_change_values(void **state)
{
    static const double shares[] = {0, 0.05}; /* 0 means that no sweep is event-driven */
    enum { BUFFERS = 1000 };                  /* 256 kB; the moves of 10 seeds take 210 kB */
    struct bench bench = bench_create((struct wari_variant){WARI_ABAPA, WARI_OWN}, 10);
    struct wari_event_buffer *buffers = malloc(BUFFERS * sizeof *buffers);

    (void)state;
    assert_non_null(buffers);
    for (int i = 0; i < 2; i++) {
        struct bench_run run;
        bench_begin(&run, &bench, 1 + i);
        assert_int_equal(wari_memory_open(&run.level, 10, WARI_OWN, UINT64_MAX, NULL), WARI_OK);
        run.level.events.buffer = buffers;
        run.level.events.buffer_count = BUFFERS;
        bench_solve(&run, 99, shares[i], shares[i]);
        assert_true((run.level.kept_moves.groups == (void *)buffers) == (shares[i] == 0));
        bench_end(&run);
    }
    free(buffers);
    bench_free(&bench);
}

struct parameters {
    double events_share, cells_share;
    uint32_t pages; /* upper limit on the number of event buffers */
    int threads;
    /* Codes do not distinguish best captures below -deepest, so some of them have to be looked up
     * again. */
    int deepest;
};

/* Returns the number of computed cells, divided by the number of cells of the level. */
static double solve(const struct bench *bench, const struct parameters *parameters)
{
    struct bench_run run;

    bench_begin(&run, bench, parameters->threads);
    assert_int_equal(
        wari_memory_open(&run.level, bench->seeds, bench->variant.cycle, UINT64_MAX, NULL),
        WARI_OK);
    if (parameters->pages < run.level.events.buffer_count)
        run.level.events.buffer_count = parameters->pages;
    bench_solve(&run, parameters->deepest, parameters->events_share, parameters->cells_share);
    bench_end(&run);
    return run.statistics.work;
}

static void compare_all_parameters(struct wari_variant variant)
{
    static const struct parameters trials[] = {
        {0, 0, UINT32_MAX, 1, 99},       /* never event-driven */
        {0.05, 0.03, UINT32_MAX, 1, 99}, /* event-driven late */
        {0.3, 0.25, UINT32_MAX, 2, 2},   /* event-driven early, with hardly enough capacity */
        {1, 1, UINT32_MAX, 1, 0},        /* pushes events from the second sweep on */
        {0.05, 0.03, 40, 2, 1},          /* only 40 event buffers: events are lost */
        {1, 1, 0, 2, 99},                /* no event buffer: all events are lost */
        {0.05, 0.03, UINT32_MAX, 3, 0},
        {0, 0, UINT32_MAX, 2, 0},
    };
    struct bench bench = bench_create(variant, test_scale(10, 8));
    double work[sizeof trials / sizeof trials[0]];

    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
        work[i] = solve(&bench, &trials[i]);
    assert_true(work[1] < 0.9 * work[0]); /* events saved work */
    bench_free(&bench);
}

static void parameters_of_sweeps_do_not_change_values(void **state)
{
    (void)state;
    compare_all_parameters((struct wari_variant){WARI_AWARI, WARI_EVEN});
}

static void parameters_of_sweeps_do_not_change_values_with_own(void **state)
{
    (void)state;
    compare_all_parameters((struct wari_variant){WARI_ABAPA, WARI_OWN});
}

static void parameters_of_sweeps_do_not_change_values_where_the_mover_moves_again(void **state)
{
    (void)state;
    compare_all_parameters((struct wari_variant){WARI_WARRI, WARI_EVEN});
}

/* With one or two threads, the middle block of 12 seeds and the largest blocks of 13 seeds are
 * divided into several patches (memory/memory_dense.c); with 9 threads each block is a single
 * patch. `alone` is the initial value of barrier.alone: if it is true, all threads but one leave
 * the first sweep at its first barrier. The expected numbers of positions are those of
 * data/awari_histograms.csv. */
static void dense_sweeps_compute_each_cell_twice(void **state)
{
    static const struct {
        int threads;
        bool alone;
    } trials[] = {{1, false}, {2, false}, {2, true}, {3, true}, {9, false}};
    static const uint64_t drawn[] = {197894, 312251}, won_all[] = {96311, 132476};

    (void)state;
    for (int seeds = 12; seeds <= test_scale(13, 12); seeds++) {
        struct bench bench = bench_open((struct wari_variant){WARI_AWARI, WARI_EVEN}, seeds);
        for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
            uint64_t histogram[2 * WARI_SEEDS_MAX + 1] = {0};
            struct bench_run run;
            bench_begin(&run, &bench, trials[i].threads);
            assert_int_equal(wari_memory_open(&run.level, seeds, WARI_EVEN, UINT64_MAX, NULL),
                             WARI_OK);
            atomic_store(&run.level.workers->barrier.alone, trials[i].alone);
            run.level.events.leave_share = 0; /* no sweep is event-driven */
            wari_solve(&run.level, histogram);
            bench_check(&run);
            assert_true(run.statistics.dense_sweeps > 1);
            assert_true(run.statistics.dense_work - 2 * run.statistics.dense_sweeps == 0);
            assert_false(atomic_load(&run.level.workers->barrier.alone));
            assert_int_equal(histogram[WARI_SEEDS_MAX], drawn[seeds - 12]);
            assert_int_equal(histogram[WARI_SEEDS_MAX + seeds], won_all[seeds - 12]);
            bench_end(&run);
        }
        bench_free(&bench);
    }
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

TEST_GROUP(test_solver_events)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_are_those_whose_moves_lead_there),
        cmocka_unit_test(parents_of_large_pits_are_those_whose_moves_lead_there),
        cmocka_unit_test(events_return_what_was_added),
        IN_FOLDER(kept_moves_do_not_change_values),
        IN_FOLDER(dense_sweeps_compute_each_cell_twice),
        IN_FOLDER(parameters_of_sweeps_do_not_change_values),
        IN_FOLDER(parameters_of_sweeps_do_not_change_values_with_own),
        IN_FOLDER(parameters_of_sweeps_do_not_change_values_where_the_mover_moves_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

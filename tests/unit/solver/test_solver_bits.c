/* Levels that are solved threshold by threshold with the bit backend (solver/bits/). Every value
 * equals that of the reference solver, for any amount of memory, any number of threads and any
 * capacity for notifications. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solver/bits/bits.h"
#include "solver/bits/bits_backend.h"
#include "solver/solve.h"
#include "tests/support/level_bench.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

enum { AS_IT_IS = -1, LEAST = 0, LOTS = 10 << 20 };

/* The parameters with which a level is solved. AS_IT_IS keeps the value that the shape already
 * has. */
struct parameters {
    int64_t more; /* bytes of memory in addition to the minimum */
    int threads;
    int pages;     /* number of buffers for notifications */
    int snapshots; /* number of snapshots that are folded together */
    int chunk;     /* size of a list node, in bytes */
    int deepest;   /* best captures below -deepest share one code for each value below 0 */
};

static bool is_enough(int seeds, enum wari_cycle cycle, uint64_t bytes, int threads)
{
    struct wari_bits_shape shape;

    return wari_bits_shape_for(seeds, cycle, bytes, 0, threads, &shape);
}

static uint64_t least_memory(int seeds, enum wari_cycle cycle, int threads)
{
    return wari_bits_bytes_needed(seeds, cycle, LOTS, 0, threads);
}

static void take_shape(struct wari_bits_shape *shape, const struct parameters *parameters)
{
    if (parameters->pages != AS_IT_IS)
        shape->worklist_buffers = (uint32_t)parameters->pages;
    if (parameters->snapshots != AS_IT_IS) {
        assert_true(parameters->snapshots <= (int)shape->snapshots);
        shape->snapshots = (uint32_t)parameters->snapshots;
    }
    if (parameters->chunk != AS_IT_IS) {
        assert_true(parameters->chunk <= (int)shape->list_node_bytes);
        shape->list_node_bytes = (uint32_t)parameters->chunk;
    }
}

/* Counts the sweeps that were reported. Only the thread that started the build reports them. */
struct reports {
    int sweeps, shrinks;
};

static void count_reports(void *context, enum wari_phase phase, int sweep, double changed)
{
    struct reports *reports = context;

    if (phase != WARI_PHASE_SWEEP && phase != WARI_PHASE_SHRINK)
        return;
    reports->shrinks += phase == WARI_PHASE_SHRINK;
    assert_int_equal(sweep, ++reports->sweeps);
    assert_true(changed >= 0 && changed <= 1);
}

/* Compares the level's histogram with the values of all placements in the reference. */
static void compare_histogram(struct wari_level *level, const signed char *expected)
{
    uint64_t counted[2 * WARI_SEEDS_MAX + 1] = {0}, histogram[2 * WARI_SEEDS_MAX + 1];
    const size_t placements = (size_t)wari_level_placements(level->layout.seeds);

    for (size_t i = 0; i < placements; i++)
        counted[expected[i] + WARI_SEEDS_MAX]++;
    wari_solve_count(level, histogram);
    assert_memory_equal(histogram, counted, sizeof histogram);
}

static struct wari_level_statistics solve(const struct bench *bench,
                                          const struct parameters *parameters)
{
    const enum wari_cycle cycle = bench->variant.cycle;
    struct bench_run run;
    struct reports reports = {0, 0};

    bench_begin_by_bits(&run, bench, parameters->threads, (uint64_t)parameters->more);
    if (parameters->deepest < bench->seeds)
        wari_cells_init_within(&run.level.codes, bench->seeds, WARI_EVEN, parameters->deepest);
    take_shape(&wari_bits_of(&run.level)->shape, parameters);
    run.level.progress.report = count_reports;
    run.level.progress.context = &reports;
    wari_solve_captures(&run.level);
    while (wari_solve_next_threshold(&run.level)) {
        do
            wari_solve_sweeps(&run.level, WARI_GROW);
        while (wari_solve_shrink(&run.level));
    }
    bench_check(&run);
    assert_int_equal(reports.sweeps, run.statistics.sweeps);
    assert_true(reports.sweeps > reports.shrinks);
    if (bench->seeds >= 7) /* lower levels may have no upper bounds above 0 */
        assert_int_equal(reports.shrinks > 0, cycle == WARI_OWN);
    bench_compare(&run);
    compare_histogram(&run.level, ref_level(bench->reference, bench->seeds));
    /* Counts again, as after a checkpoint: without the recorded captures of full halves, and
     * without the counts of cells from the last folding of snapshots. */
    assert_false(run.level.full_halves.complete);
    compare_histogram(&run.level, ref_level(bench->reference, bench->seeds));
    bench_check(&run); /* counting reads the scratch file */
    wari_scratch_add_statistics(&run.level);
    bench_end(&run);
    return run.statistics;
}

/* ---- Parameters ------------------------------------------------------------------------- */

static void compare_all_parameters(struct wari_variant variant)
{
    enum { UNIT = 4096 };
    static const struct parameters trials[] = {
        {LOTS, 1, AS_IT_IS, AS_IT_IS, AS_IT_IS, 99},
        {LOTS, 2, AS_IT_IS, 1, AS_IT_IS, 99},
        {LOTS, 3, AS_IT_IS, 2, UNIT, 2}, /* smallest list nodes */
        {LOTS, 1, 0, 3, UNIT, 0},        /* no notifications: every sweep visits all cells */
        {LOTS, 2, 1, 4, AS_IT_IS, 99},
        {LOTS, 3, 2, 5, AS_IT_IS, 1},
        {LOTS, 1, 1, 6, AS_IT_IS, 99},
        {LOTS, 3, 9, 6, UNIT, 99},
        {1 << 20, 2, 4, AS_IT_IS, UNIT, 99}, /* more ranges */
        {LEAST, 1, AS_IT_IS, AS_IT_IS, AS_IT_IS, 99},
        {LEAST, 2, 3, AS_IT_IS, UNIT, 99},
        {LEAST, 3, AS_IT_IS, AS_IT_IS, AS_IT_IS, 99},
    };
    enum { TRIALS = sizeof trials / sizeof trials[0] };
    struct bench bench = bench_create(variant, test_scale(10, 8));
    struct wari_level_statistics statistics[TRIALS];

    for (int i = 0; i < TRIALS; i++)
        statistics[i] = solve(&bench, &trials[i]);
    /* If notifications are lost, the next sweep checks all cells again. If none are lost, some
     * thresholds need no dense sweep after their first sweep. */
    assert_true(statistics[3].dense_sweeps > 2 * statistics[0].dense_sweeps);
    assert_true(statistics[6].dense_sweeps > statistics[0].dense_sweeps);
    assert_true(statistics[0].sweeps > statistics[0].dense_sweeps);
    bench_free(&bench);
}

static void parameters_do_not_change_values_that_grow(void **state)
{
    (void)state;
    compare_all_parameters((struct wari_variant){WARI_AWARI, WARI_EVEN});
}

static void parameters_do_not_change_values_that_shrink(void **state)
{
    (void)state;
    compare_all_parameters((struct wari_variant){WARI_ABAPA, WARI_OWN});
}

/* ---- Rules ----------------------------------------------------------------------------------- */

static void values_of_bits_are_those_of_the_reference_under_all_rules(void **state)
{
    static const struct parameters trials[] = {
        {LOTS, 2, AS_IT_IS, AS_IT_IS, AS_IT_IS, 99},
        {LOTS, 3, 1, 2, 4096, 3},
    };
    (void)state;
    for (int i = 0; i < WARI_VARIANT_COUNT; i += test_for_races() ? 9 : 1) {
        const struct wari_variant variant = {(enum wari_rules)(i / 2), (enum wari_cycle)(i % 2)};
        /* The small scale combines each rule set with one cycle rule, and solves each of these
         * variants with one of the two sets of parameters. */
        if (test_scale(0, 1) && !test_for_races() && i / 2 % 2 != i % 2)
            continue;
        struct bench bench = bench_create(variant, test_scale(8, 7));
        for (int j = 0; j < 2; j++)
            if (test_scale(1, 0) || j == i / 4 % 2)
                (void)solve(&bench, &trials[j]);
        bench_free(&bench);
        assert_true(table_folder_remove(folder));
        assert_int_equal(make_folder(NULL), 0);
    }
}

static void values_of_bits_are_those_of_the_reference_in_small_levels(void **state)
{
    static const struct parameters trials[] = {
        {LOTS, 2, AS_IT_IS, AS_IT_IS, AS_IT_IS, 99},
        {LOTS, 1, 0, 1, 4096, 0},
    };
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int seeds = 1; seeds < 7; seeds++) {
            const struct wari_variant variant = {WARI_AWARI, i ? WARI_OWN : WARI_EVEN};
            struct bench bench = bench_create(variant, seeds);
            for (size_t j = 0; j < sizeof trials / sizeof *trials; j++)
                (void)solve(&bench, &trials[j]);
            bench_free(&bench);
        }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* With cycle rule `own` a cell takes three bits instead of two. */
static void levels_use_bits_only_with_enough_memory(void **state)
{
    const uint64_t cells = wari_level_positions(12);
    const uint64_t even = least_memory(12, WARI_EVEN, 2), own = least_memory(12, WARI_OWN, 2);

    (void)state;
    assert_false(is_enough(12, WARI_EVEN, even - 4096, 2));
    assert_true(is_enough(12, WARI_EVEN, even, 2));
    assert_true(is_enough(12, WARI_EVEN, even + LOTS, 2));
    assert_in_range(own - even, cells / 8, cells / 7);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

TEST_GROUP(test_solver_bits)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(parameters_do_not_change_values_that_grow),
        IN_FOLDER(parameters_do_not_change_values_that_shrink),
        IN_FOLDER(values_of_bits_are_those_of_the_reference_under_all_rules),
        IN_FOLDER(values_of_bits_are_those_of_the_reference_in_small_levels),
        cmocka_unit_test(levels_use_bits_only_with_enough_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

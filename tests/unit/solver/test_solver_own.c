/* Converts values to upper bounds and back (solver/memory/memory_upper_bounds.c), both with all
 * codes, and with codes that distinguish hardly any best captures, so that nearly all best captures
 * have to be queried. Every position is compared with the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "solver/level/captures.h"
#include "solver/memory/memory.h"
#include "solver/solve.h"
#include "tests/support/level_bench.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

struct totals {
    uint64_t before, after; /* sums of the values above 0 */
    int raised;             /* number of bounds that are greater than the value */
    int captured;           /* number of bounds that are below the value and above the surplus;
                             * they are the best capture */
};

static int at_least(int a, int b)
{
    return a > b ? a : b;
}

/* Returns the upper bound with which a position must begin. The surplus is the number of seeds in
 * the mover's row minus the number in the opponent's row. If the surplus is above a value >= 0,
 * the bound is the surplus. If the surplus is below a value <= 0, the bound is the surplus or the
 * best capture c, whichever is greater. Otherwise the bound is the value. */
static int expected_bound(int value, int surplus, int c)
{
    if (value >= 0 && surplus > value)
        return surplus;
    if (value <= 0 && surplus < value)
        return at_least(surplus, c);
    return value;
}

static void check_code(const struct wari_cells *codes, int8_t code, int value, int bound, int c)
{
    assert_int_equal(code, bound > 0 ? wari_upper_code(codes, bound, value > 0 ? value : c)
                                     : wari_cell_low(codes, bound, c));
}

/* Compares the initial upper bound of every position, and its code, with the bound and the code
 * that follow from the value that the position had before upper bounds began. */
static void check_bounds(struct bench_run *run, const int8_t *values, const int8_t *bounds,
                         struct totals *totals)
{
    const struct wari_level *level = &run->level;
    const int seeds = level->layout.seeds;

    for (int block = 0; block <= seeds; block++)
        for (uint32_t row = 0; row < level->layout.rows[block]; row++)
            for (uint32_t column = 0; column < level->layout.columns[block]; column++) {
                const int value = *values++, bound = *bounds++, surplus = seeds - 2 * block;
                int c;
                assert_true(
                    wari_best_capture_at(level, &run->workers.worker[0], block, row, column, &c));
                if (c == WARI_NO_CAPTURE)
                    c = level->codes.none;
                assert_int_equal(bound, expected_bound(value, surplus, c));
                check_code(&level->codes, wari_level_row(level, block, row)[column], value, bound,
                           c);
                totals->before += (uint64_t)at_least(value, 0);
                totals->after += (uint64_t)at_least(bound, 0);
                totals->raised += bound > value;
                totals->captured += bound < value && bound > surplus;
            }
    wari_reader_release(run->workers.worker[0].reader);
}

static void convert_there_and_back(const struct bench *bench, int deepest)
{
    const size_t positions = (size_t)wari_level_positions(bench->seeds);
    int8_t *values = malloc(positions), *bounds = malloc(positions);
    struct totals totals = {0};
    struct bench_run run;

    assert_non_null(values);
    assert_non_null(bounds);
    bench_begin(&run, bench, 2);
    assert_int_equal(wari_memory_open(&run.level, bench->seeds, WARI_OWN, UINT64_MAX, NULL),
                     WARI_OK);
    wari_cells_init_within(&run.level.codes, bench->seeds, WARI_OWN, deepest);
    wari_solve_captures(&run.level);
    wari_solve_sweeps(&run.level, WARI_GROW);
    run.level.backend->values(&run.level, 0, positions, values);
    wari_upper_bounds_begin(&run.level);
    run.level.backend->values(&run.level, 0, positions, bounds);
    check_bounds(&run, values, bounds, &totals);
    assert_true(totals.raised > 100 && totals.captured > 0);
    assert_true(run.level.progress.won == totals.before);
    /* every upper bound becomes a value, because no sweep has lowered any */
    assert_true(wari_upper_bounds_commit(&run.level) == totals.after - totals.before);
    run.level.backend->values(&run.level, 0, positions, values);
    assert_memory_equal(values, bounds, positions);
    bench_check(&run);
    bench_end(&run);
    free(values);
    free(bounds);
}

static void upper_bounds_begin_as_the_rules_say_and_become_values(void **state)
{
    /* from 8 seeds on, some positions have a best capture above their surplus; their upper bounds
     * begin at the best capture */
    struct bench bench =
        bench_create((struct wari_variant){WARI_AWARI, WARI_OWN}, test_scale(9, 8));

    (void)state;
    convert_there_and_back(&bench, bench.seeds);
    convert_there_and_back(&bench, 0);
    bench_free(&bench);
}

TEST_GROUP(test_solver_own)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(upper_bounds_begin_as_the_rules_say_and_become_values,
                                        make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

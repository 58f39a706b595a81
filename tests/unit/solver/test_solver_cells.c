/* The codes of cells (solver/rows/cell.h) compared with a plain list of the meaning of each code
 * (tests/support/cell_model.h): every code of every level, with every possible code of a child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solver/rows/cell.h"
#include "tests/support/cell_model.h"
#include "tests/unit/groups.h"

/* Returns the best capture in the form that the solver uses. */
static int capture_of(const struct cell_meaning *cell)
{
    return cell->floor == MODEL_NONE ? WARI_NO_CAPTURE : cell->floor;
}

/* Number of levels, counted once for each cycle rule. With `own`, some codes are reserved for
 * upper bounds. */
enum { VARIANTS = 2 * (WARI_SEEDS_MAX + 1) };

static void init_both(struct wari_cells *cells, struct cell_model *model, int seeds,
                      bool with_upper_bounds)
{
    wari_cells_init(cells, seeds, with_upper_bounds ? WARI_OWN : WARI_EVEN);
    cell_model_init(model, seeds, with_upper_bounds);
}

/* ---- Meaning of codes ------------------------------------------------------------------------ */

/* The expected limits are the largest ones for which 254 codes are enough. The codes were counted
 * by hand, from the comments at the top of solver/rows/cell.h and solver/rows/upper_bound.h. For
 * instance, with upper bounds at 20 seeds, and captures c distinguished down to -10:
 *
 *     8                      codes of value 0
 *     7 + 6 + 5 + 4 + 3      codes of values -2, -4, ..., -10
 *     15 * 3                 codes of the other 15 values below 0
 *     10 + 11 + ... + 19     codes of upper bounds 2, 4, ..., 20
 *     10 * 2                 codes of upper bounds 1, 3, ..., 19
 *
 * These are 78 codes of values and 165 codes of upper bounds. If captures were distinguished down
 * to -12, there would be 84 + 175 codes, which is more than 254. At 36 seeds there are 117 + 135
 * codes. There would be 121 + 142 if one more capture were distinguished, and 117 + 148 if one more
 * even upper bound had all its codes. */
static void captures_are_distinguished_as_far_as_codes_reach(void **state)
{
    static const int deepest[][3] = {{0, 0, 0},    {1, 1, 1},   {18, 18, 14}, {19, 19, 11},
                                     {20, 18, 10}, {24, 16, 8}, {36, 12, 6},  {48, 5, 2}};

    (void)state;
    for (size_t i = 0; i < sizeof deepest / sizeof *deepest; i++)
        for (int with_upper_bounds = 0; with_upper_bounds < 2; with_upper_bounds++) {
            struct wari_cells cells;
            struct cell_model model;
            init_both(&cells, &model, deepest[i][0], with_upper_bounds);
            assert_int_equal(cells.deepest, deepest[i][1 + with_upper_bounds]);
            assert_int_equal(model.deepest, deepest[i][1 + with_upper_bounds]);
            assert_int_equal(cells.whole, model.whole);
        }
}

static void no_more_captures_are_distinguished_than_requested(void **state)
{
    (void)state;
    for (int variant = 0; variant < VARIANTS; variant++)
        for (int deepest = 0; deepest <= variant / 2; deepest++) {
            struct wari_cells cells;
            wari_cells_init_within(&cells, variant / 2, variant % 2 ? WARI_OWN : WARI_EVEN,
                                   deepest);
            assert_in_range(cells.deepest, 0, deepest);
            assert_in_range(cells.whole, 0, deepest);
        }
}

/* Returns the upper limit of the best capture that the code of a cell implies. The code must be one
 * that does not contain the exact capture (MODEL_BELOW). */
static int bound(const struct cell_model *model, const struct cell_meaning *cell)
{
    return model->with_upper_bounds || cell->value <= -model->deepest ? cell->value - 1
                                                                      : -model->deepest - 1;
}

static void codes_mean_what_the_list_says(void **state)
{
    (void)state;
    for (int variant = 0; variant < VARIANTS; variant++) {
        const int seeds = variant / 2;
        struct wari_cells cells;
        struct cell_model model;
        init_both(&cells, &model, seeds, variant % 2);
        assert_int_equal(cells.seeds, seeds);
        assert_int_equal(cells.deepest, model.deepest);
        for (int i = 0; i < model.count; i++) {
            const struct cell_meaning *cell = &model.list[i];
            assert_int_equal(wari_cell_value(&cells, cell->code), cell->value);
            assert_int_equal(cells.floor[(uint8_t)cell->code],
                             cell->floor == MODEL_NONE    ? cells.none
                             : cell->floor == MODEL_BELOW ? WARI_FLOOR_BELOW + bound(&model, cell)
                                                          : cell->floor);
            /* neither of the two reserved codes has a meaning */
            assert_true(cell->code > INT8_MIN && cell->code < WARI_NO_QUIET);
        }
        assert_int_equal(cells.zero, cell_model_code(&model, 0, 0));
    }
}

/* The smallest code has the smallest value. Therefore the minimum over codes gives the minimum
 * over values. */
static void codes_are_in_the_order_of_values(void **state)
{
    (void)state;
    for (int variant = 0; variant < VARIANTS; variant++) {
        const int seeds = variant / 2;
        struct wari_cells cells;
        struct cell_model model;
        init_both(&cells, &model, seeds, variant % 2);
        for (int i = 1; i < model.count; i++) {
            assert_int_equal(model.list[i].code, model.list[i - 1].code - 1);
            assert_true(wari_cell_value(&cells, model.list[i].code) <=
                        wari_cell_value(&cells, model.list[i - 1].code));
        }
    }
}

/* Checks the code of every value with every best capture, and without a capture. */
static void every_pair_has_its_code(void **state)
{
    (void)state;
    for (int variant = 0; variant < VARIANTS; variant++) {
        const int seeds = variant / 2;
        struct wari_cells cells;
        struct cell_model model;
        init_both(&cells, &model, seeds, variant % 2);
        for (int value = -seeds; value <= seeds; value++) {
            assert_int_equal(wari_cell_code(&cells, value, WARI_NO_CAPTURE),
                             cell_model_code(&model, value, MODEL_NONE));
            for (int best = -seeds; best <= value; best++)
                assert_int_equal(wari_cell_code(&cells, value, best),
                                 cell_model_code(&model, value, best));
        }
    }
}

static void cells_start_at_their_captures_or_at_0(void **state)
{
    (void)state;
    for (int variant = 0; variant < VARIANTS; variant++) {
        const int seeds = variant / 2;
        struct wari_cells cells;
        struct cell_model model;
        init_both(&cells, &model, seeds, variant % 2);
        assert_int_equal(cells.start[(uint8_t)WARI_NO_CAPTURE],
                         cell_model_code(&model, 0, MODEL_NONE));
        for (int best = -seeds; best <= seeds; best++)
            assert_int_equal(cells.start[(uint8_t)best],
                             cell_model_code(&model, best > 0 ? best : 0, best));
    }
}

/* ---- Changes of a cell ----------------------------------------------------------------------- */

/* Resolves the query of a cell for each best capture that the cell may have: from minus the number
 * of seeds up to bound(). */
static void check_resolved(const struct wari_cells *cells, const struct cell_model *model,
                           const struct cell_meaning *cell, int8_t worst, int quiet)
{
    for (int best = -cells->seeds; best <= bound(model, cell); best++) {
        const int value = best > quiet ? best : quiet;
        assert_int_equal(wari_cell_resolved(cells, worst, best),
                         cell_model_code(model, value, best));
    }
}

static int check_grown(const struct wari_cells *cells, const struct cell_model *model,
                       const struct cell_meaning *cell, int8_t worst, int quiet)
{
    bool query = false;
    int8_t expected;
    const int8_t code = wari_cell_grown(cells, cell->code, worst, &query);
    const bool queries = cell_model_grow(model, cell, quiet, &expected);

    assert_int_equal(query, queries);
    if (code != expected)
        fail_msg("%d seeds: value %d, capture %d, best quiet move %d: code %d, not %d",
                 model->seeds, cell->value, capture_of(cell), quiet, code, expected);
    if (queries)
        check_resolved(cells, model, cell, worst, quiet);
    return queries;
}

/* Combines each code of a parent with each code of its worst child, and with no quiet move (then
 * the position has a capture or an end, because a position without moves is over). */
static void cells_grow_as_plain_rules_say(void **state)
{
    int queries_made[2] = {0, 0};

    (void)state;
    for (int variant = 0; variant < VARIANTS; variant++) {
        const int seeds = variant / 2;
        struct wari_cells cells;
        struct cell_model model;
        init_both(&cells, &model, seeds, variant % 2);
        for (int i = 0; i < model.count; i++) {
            const struct cell_meaning *cell = &model.list[i];
            for (int j = 0; j < model.count; j++)
                queries_made[variant % 2] +=
                    check_grown(&cells, &model, cell, model.list[j].code, -model.list[j].value);
            if (cell->floor != MODEL_NONE)
                queries_made[variant % 2] +=
                    check_grown(&cells, &model, cell, WARI_NO_QUIET, MODEL_NONE);
        }
        assert_true(seeds > 19 || queries_made[0] == 0);
    }
    assert_true(queries_made[0] > 1000 && queries_made[1] > 1000);
}

/* The tables that the kernels use agree with the formulas. */
static void tables_agree_with_the_formulas_for_each_cell_and_child(void **state)
{
    (void)state;
    for (int variant = 0; variant < VARIANTS; variant++) {
        const int seeds = variant / 2;
        struct wari_cells cells;
        struct cell_model model;
        init_both(&cells, &model, seeds, variant % 2);
        for (int i = 0; i < model.count; i++) {
            const int quiet = -model.list[i].value;
            const uint8_t worst = (uint8_t)model.list[i].code;
            assert_int_equal(cells.rise[worst],
                             quiet > 0 ? cell_model_code(&model, quiet, quiet) : INT8_MIN);
            for (int j = 0; j < model.count; j++) {
                const struct cell_meaning *cell = &model.list[j];
                const bool low = cell->value <= 0 && cell->floor != cell->value;
                assert_int_equal(model.list[i].code <=
                                     cells.lift[low || cell->value < 0 ? 0 : cell->value],
                                 quiet > (cell->value > 0 ? cell->value : 0));
                assert_int_equal(model.list[i].code > cells.hold[(uint8_t)cell->code],
                                 low && quiet < cell->value);
            }
        }
        assert_int_equal(cells.rise[WARI_NO_QUIET], INT8_MIN);
    }
}

TEST_GROUP(test_solver_cells)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captures_are_distinguished_as_far_as_codes_reach),
        cmocka_unit_test(no_more_captures_are_distinguished_than_requested),
        cmocka_unit_test(codes_mean_what_the_list_says),
        cmocka_unit_test(codes_are_in_the_order_of_values),
        cmocka_unit_test(every_pair_has_its_code),
        cmocka_unit_test(cells_start_at_their_captures_or_at_0),
        cmocka_unit_test(cells_grow_as_plain_rules_say),
        cmocka_unit_test(tables_agree_with_the_formulas_for_each_cell_and_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Compares the functions of solver/rows/upper_bound.h with plain lists of the meaning of codes
 * (tests/support/cell_model.h). For every code of every level, the test converts the value to an
 * upper bound, combines the upper bound with every possible code of a child, and converts it back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solver/rows/upper_bound.h"
#include "tests/support/cell_model.h"
#include "tests/unit/groups.h"

struct codes {
    struct wari_cells values, upper;
    struct upper_model model;
};

static void make_codes(struct codes *codes, int seeds)
{
    wari_cells_init(&codes->values, seeds, WARI_OWN);
    codes->upper = codes->values;
    wari_cells_for_upper_bounds(&codes->upper, true);
    upper_model_init(&codes->model, seeds);
}

/* Stores the best captures that a cell with this value and floor may have, from the greatest down;
 * MODEL_NONE stands for no capture. Returns their number. */
static int captures_of(const struct cell_model *model, int value, int floor,
                       int captures[WARI_SEEDS_MAX + 2])
{
    int count = 0;

    for (int c = value; c >= -model->seeds; c--)
        if (floor == c || (floor == MODEL_BELOW && cell_model_code(model, value, c) ==
                                                       cell_model_code(model, value, MODEL_BELOW)))
            captures[count++] = c;
    if (floor == MODEL_NONE)
        captures[count++] = MODEL_NONE;
    return count;
}

static int at_least(int a, int b)
{
    return a > b ? a : b;
}

/* Returns the best capture c in the form of the solver, in which `none` stands for no capture. */
static int to_none(const struct codes *codes, int c)
{
    return c == MODEL_NONE ? codes->values.none : c;
}

/* ---- Codes ----------------------------------------------------------------------------------- */

static void codes_mean_what_the_list_says(void **state)
{
    static struct codes codes;

    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        make_codes(&codes, seeds);
        for (int i = 0; i < codes.model.count; i++) {
            const struct upper_meaning *upper = &codes.model.list[i];
            assert_int_equal(wari_cell_value(&codes.upper, upper->code), upper->bound);
            assert_true(upper->code > INT8_MIN && upper->code < WARI_NO_QUIET);
            if (i > 0) /* the list is sorted by bound */
                assert_true(upper->bound <= codes.model.list[i - 1].bound);
            if (upper->bound > 0 && upper->back != MODEL_UNKNOWN)
                assert_int_equal(wari_upper_code(&codes.upper, upper->bound,
                                                 upper->back > 0              ? upper->back
                                                 : upper->floor == MODEL_NONE ? codes.values.none
                                                 : upper->floor == MODEL_BELOW
                                                     ? codes.values.none - 1
                                                     : upper->floor),
                                 upper->code);
        }
    }
}

/* ---- From values to upper bounds ------------------------------------------------------------- */

/* Checks the initial upper bound `found` of a cell with a value v <= 0, in a block whose surplus is
 * less than v. The upper bound must be the surplus, or the best capture if that is greater. */
static void check_lowered(const struct codes *codes, const struct cell_meaning *cell, int surplus,
                          int8_t found)
{
    const struct cell_model *model = &codes->model.values;
    int captures[WARI_SEEDS_MAX + 2];
    const int count = captures_of(model, cell->value, cell->floor, captures);

    if (cell->floor == MODEL_BELOW)
        assert_int_equal(found, INT8_MIN); /* the best capture has to be looked up */
    for (int i = 0; i < count; i++) {
        const int bound = at_least(surplus, captures[i]);
        const int8_t code = cell_model_code(model, bound, captures[i]);
        if (cell->floor == MODEL_BELOW)
            found = wari_upper_initial(&codes->upper, surplus, to_none(codes, captures[i]));
        assert_int_equal(found, code);
    }
}

static void upper_bounds_lie_between_values_and_surplus(void **state)
{
    static struct codes codes;
    int8_t table[256];

    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        make_codes(&codes, seeds);
        const struct cell_model *model = &codes.model.values;
        for (int surplus = -seeds; surplus <= seeds; surplus += 2) {
            wari_upper_from_values(&codes.values, &codes.upper, surplus, table);
            for (int i = 0; i < model->count; i++) {
                const struct cell_meaning *cell = &model->list[i];
                const int8_t found = table[(uint8_t)cell->code];
                if (surplus < 0 && cell->value <= 0 && cell->value > surplus)
                    check_lowered(&codes, cell, surplus, found);
                else
                    assert_int_equal(found, upper_model_code(&codes.model,
                                                             cell->value >= 0
                                                                 ? at_least(cell->value, surplus)
                                                                 : cell->value,
                                                             cell->value, cell->floor));
            }
        }
    }
}

/* ---- Shrinking ------------------------------------------------------------------------------- */

/* Resolves a query with each possible capture: the upper bound falls to the greatest of the
 * capture, the quiet moves and 0. */
static void check_resolved(const struct codes *codes, int8_t worst, int quiet)
{
    const int seeds = codes->values.seeds;

    for (int c = -seeds - 1; c <= seeds; c++) {
        const int capture = c < -seeds ? MODEL_NONE : c;
        const int bound = at_least(at_least(quiet, capture), 0);
        const int8_t expected =
            upper_model_code(&codes->model, bound, at_least(capture, 0), capture);
        assert_int_equal(wari_upper_resolved(&codes->upper, worst, to_none(codes, capture)),
                         expected);
    }
}

static void upper_bounds_shrink_as_plain_rules_say(void **state)
{
    static struct codes codes;
    int queries_made = 0;

    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        make_codes(&codes, seeds);
        for (int i = 0; i < codes.model.count; i++) {
            const struct upper_meaning *upper = &codes.model.list[i];
            for (int j = -1; j < codes.model.count; j++) {
                const int8_t worst = j < 0 ? (int8_t)WARI_NO_QUIET : codes.model.list[j].code;
                const int quiet = j < 0 ? MODEL_NONE : -codes.model.list[j].bound;
                int8_t expected;
                bool query = false;
                const bool queries = upper_model_shrink(&codes.model, upper, quiet, &expected);
                const int8_t code = wari_upper_shrunk(&codes.upper, upper->code, worst, &query);
                assert_int_equal(query, queries);
                assert_int_equal(code, expected);
                if (queries && i % 7 == 0)
                    check_resolved(&codes, worst, quiet);
                queries_made += queries;
            }
        }
    }
    assert_true(queries_made > 1000);
}

/* ---- Back to values -------------------------------------------------------------------------- */

static void upper_bounds_become_values_again(void **state)
{
    static struct codes codes;
    int8_t table[256];

    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        make_codes(&codes, seeds);
        wari_values_from_upper(&codes.upper, &codes.values, table);
        for (int i = 0; i < codes.model.count; i++) {
            const struct upper_meaning *upper = &codes.model.list[i];
            assert_int_equal(table[(uint8_t)upper->code],
                             cell_model_code(&codes.model.values, upper->bound, upper->floor));
        }
        /* the codes of values are the same as before */
        struct wari_cells again = codes.upper;
        wari_cells_for_upper_bounds(&again, false);
        for (int i = 0; i < codes.model.values.count; i++) {
            const uint8_t at = (uint8_t)codes.model.values.list[i].code;
            assert_int_equal(again.value[at], codes.values.value[at]);
            assert_int_equal(again.floor[at], codes.values.floor[at]);
            assert_int_equal(again.hold[at], codes.values.hold[at]);
            assert_int_equal(again.rise[at], codes.values.rise[at]);
        }
    }
}

TEST_GROUP(test_solver_upper_bounds)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_mean_what_the_list_says),
        cmocka_unit_test(upper_bounds_lie_between_values_and_surplus),
        cmocka_unit_test(upper_bounds_shrink_as_plain_rules_say),
        cmocka_unit_test(upper_bounds_become_values_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

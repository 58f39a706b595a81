/* The list of codes, and the rules by which values grow. A value above 0 never falls. A value at
 * or below 0 rises only to a value above 0, and never falls below its best capture. */
#include "tests/support/cell_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void add(struct cell_model *model, int value, int floor)
{
    assert_true(model->count < MODEL_CODES_MAX);
    model->list[model->count] =
        (struct cell_meaning){(int8_t)(model->greatest - model->count), value, floor};
    model->count++;
}

/* Returns true if the value is "even" as in cell.h: with upper bounds, 0 and the values that are
 * even or odd like the number of seeds; otherwise all values. */
static bool is_even(const struct cell_model *model, int value)
{
    return !model->with_upper_bounds || value == 0 || (model->seeds + value) % 2 == 0;
}

/* Returns true if codes distinguish this floor (cell_model.h) from other floors. The floor must be
 * below the value. */
static bool is_distinguished(const struct cell_model *model, int value, int floor)
{
    if (value == 0 && !model->with_upper_bounds)
        return true;
    return floor >= -model->deepest && is_even(model, value) && is_even(model, floor);
}

/* Adds the codes of the values from 0 down. */
static void add_low(struct cell_model *model)
{
    for (int value = 0; value >= -model->seeds; value--) {
        int lower = 0;
        add(model, value, value);
        for (int floor = value - 1; floor >= -model->seeds; floor--)
            if (is_distinguished(model, value, floor))
                add(model, value, floor);
            else
                lower = lower == 0 ? floor : MODEL_BELOW;
        if (model->with_upper_bounds)
            lower = MODEL_BELOW; /* with upper bounds, this code always exists */
        /* If there is only one lower floor, the code stands for this floor exactly. */
        if (lower != 0)
            add(model, value, lower);
        add(model, value, MODEL_NONE);
    }
}

/* Returns the number of codes of upper bounds above 0. Each upper bound has a code for a firm bound
 * and a code for an unknown value. Even upper bounds up to `whole` also have one code for each even
 * value between 0 and the bound, and as many codes for value 0 as value 0 has itself. */
static int upper_codes_above_0(const struct cell_model *model)
{
    /* Value 0 has one code for a best capture of 0 (the value is firm), one for no capture, one for
     * all floors that are not distinguished, and one for each distinguished floor. */
    int count = 0, zeros = 3;

    for (int floor = -1; floor >= -model->seeds; floor--)
        zeros += is_distinguished(model, 0, floor);
    for (int bound = 1; bound <= model->seeds; bound++) {
        count += 2;
        if (bound > model->whole || !is_even(model, bound))
            continue;
        count += zeros;
        for (int value = 1; value < bound; value++)
            count += is_even(model, value);
    }
    return count;
}

static bool fits(const struct cell_model *model)
{
    int count = model->with_upper_bounds ? upper_codes_above_0(model) : model->seeds;

    for (int value = 0; value >= -model->seeds; value--) {
        int lower = model->with_upper_bounds;
        count += 2; /* one code for "firm", one for "no capture" */
        for (int floor = value - 1; floor >= -model->seeds; floor--)
            if (is_distinguished(model, value, floor))
                count++;
            else
                lower = 1;
        count += lower;
    }
    return count <= MODEL_CODES_MAX;
}

/* Raises `limit` to the next size, if there are enough codes for that. */
static bool raise_limit(struct cell_model *model, int *limit)
{
    const int before = *limit;

    do {
        if (++*limit > model->seeds) {
            *limit = before;
            return false;
        }
    } while (!is_even(model, *limit));
    if (fits(model))
        return true;
    *limit = before;
    return false;
}

void cell_model_init(struct cell_model *model, int seeds, bool with_upper_bounds)
{
    *model = (struct cell_model){.seeds = seeds, .with_upper_bounds = with_upper_bounds};
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < 2 && with_upper_bounds; i++)
            more = raise_limit(model, &model->whole) || more;
        more = raise_limit(model, &model->deepest) || more;
    }
    model->greatest = 126 - (with_upper_bounds ? upper_codes_above_0(model) : seeds) + seeds;
    for (int value = seeds; value > 0; value--)
        add(model, value, value);
    add_low(model);
}

const struct cell_meaning *cell_meaning_of(const struct cell_model *model, int8_t code)
{
    const int at = model->greatest - code;

    return at >= 0 && at < model->count ? &model->list[at] : NULL;
}

int8_t cell_model_code(const struct cell_model *model, int value, int floor)
{
    const bool in_range = floor >= -model->seeds && floor < value;

    for (int i = 0; i < model->count; i++) {
        const struct cell_meaning *cell = &model->list[i];
        if (cell->value == value &&
            (value > 0 || cell->floor == floor || (cell->floor == MODEL_BELOW && in_range)))
            return cell->code; /* the list has codes that stand for a single floor first */
    }
    fail_msg("no code for value %d with floor %d", value, floor);
    return 0;
}

bool cell_model_grow(const struct cell_model *model, const struct cell_meaning *cell, int quiet,
                     int8_t *code)
{
    int value = cell->value;

    *code = cell->code;
    if (quiet > 0 && quiet > value)
        *code = cell_model_code(model, quiet, quiet);
    if (value > 0 || quiet >= value || cell->floor == value)
        return false;
    if (cell->floor == MODEL_BELOW && quiet >= -model->deepest && !model->with_upper_bounds) {
        *code = cell_model_code(model, quiet, -model->deepest - 1);
        return false;
    }
    if (cell->floor == MODEL_BELOW)
        return true;
    value = cell->floor > quiet ? cell->floor : quiet;
    *code = cell_model_code(model, value, cell->floor);
    return false;
}

/* ---- Upper bounds ---------------------------------------------------------------------------- */

static void add_upper(struct upper_model *model, int bound, int back, int floor)
{
    assert_true(model->count < MODEL_CODES_MAX);
    model->list[model->count] =
        (struct upper_meaning){(int8_t)(126 - model->count), bound, back, floor};
    model->count++;
}

void upper_model_init(struct upper_model *model, int seeds)
{
    struct cell_model *values = &model->values;

    model->count = 0;
    cell_model_init(values, seeds, true);
    for (int bound = seeds; bound > 0; bound--) {
        add_upper(model, bound, bound, bound);
        for (int back = bound - 1; back > 0 && bound <= values->whole && is_even(values, bound);
             back--)
            if (is_even(values, back))
                add_upper(model, bound, back, back);
        for (int i = 0; i < values->count && bound <= values->whole && is_even(values, bound); i++)
            if (values->list[i].value == 0)
                add_upper(model, bound, 0, values->list[i].floor);
        add_upper(model, bound, MODEL_UNKNOWN, MODEL_UNKNOWN);
    }
    for (int i = 0; i < values->count; i++)
        if (values->list[i].value <= 0)
            add_upper(model, values->list[i].value, values->list[i].value, values->list[i].floor);
}

const struct upper_meaning *upper_meaning_of(const struct upper_model *model, int8_t code)
{
    const int at = 126 - code;

    return at >= 0 && at < model->count ? &model->list[at] : NULL;
}

int8_t upper_model_code(const struct upper_model *model, int bound, int back, int floor)
{
    if (bound <= 0)
        return cell_model_code(&model->values, bound, floor);
    for (int i = 0; i < model->count; i++) {
        const struct upper_meaning *found = &model->list[i];
        if (found->bound != bound)
            continue;
        if (found->back == MODEL_UNKNOWN || (found->back == back && back > 0) ||
            (found->back == 0 && back == 0 &&
             cell_model_code(&model->values, 0, found->floor) ==
                 cell_model_code(&model->values, 0, floor)))
            return found->code; /* the code with MODEL_UNKNOWN comes last */
    }
    fail_msg("no code for upper bound %d", bound);
    return 0;
}

bool upper_model_shrink(const struct upper_model *model, const struct upper_meaning *upper,
                        int quiet, int8_t *code)
{
    *code = upper->code;
    if (upper->bound <= 0) {
        if (quiet > upper->bound && upper->bound < 0)
            *code = upper_model_code(model, quiet < 0 ? quiet : 0, 0, upper->floor);
        return false;
    }
    if (quiet >= upper->bound || upper->back == upper->bound)
        return false;
    if (upper->back == MODEL_UNKNOWN)
        return true;
    if (quiet <= upper->back) {
        *code = upper_model_code(model, upper->back, upper->back, upper->floor);
        return false;
    }
    if (quiet > model->values.whole || !is_even(&model->values, quiet))
        return true;
    *code = upper_model_code(model, quiet, upper->back, upper->floor);
    return false;
}

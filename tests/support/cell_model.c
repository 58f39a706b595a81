/* The list of codes, and the rules of growing on it: a value above 0 never falls, one at or below 0
 * never rises but above 0, and falls no deeper than its best capture. */
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

/* With room for hopes: 0, and what differs from the seeds by an even number. */
static bool is_even(const struct cell_model *model, int value)
{
    return !model->room || value == 0 || (model->seeds + value) % 2 == 0;
}

/* Whether a floor below the value has a code of its own. */
static bool is_told(const struct cell_model *model, int value, int floor)
{
    if (value == 0 && !model->room)
        return true;
    return floor >= -model->told && is_even(model, value) && is_even(model, floor);
}

/* Adds the values from 0 down. */
static void add_low(struct cell_model *model)
{
    for (int value = 0; value >= -model->seeds; value--) {
        int lower = 0;
        add(model, value, value);
        for (int floor = value - 1; floor >= -model->seeds; floor--)
            if (is_told(model, value, floor))
                add(model, value, floor);
            else
                lower = lower == 0 ? floor : MODEL_BELOW;
        if (model->room)
            lower = MODEL_BELOW; /* always there */
        if (lower != 0)          /* a single one is told, there is nothing to tell it from */
            add(model, value, lower);
        add(model, value, MODEL_NONE);
    }
}

/* How many codes hopes above 0 have: held, not known, each even value below, each code of 0. */
static int hopes_above_0(const struct cell_model *model)
{
    int count = 0, zeros = 3; /* held, others, no capture */

    for (int floor = -1; floor >= -model->seeds; floor--)
        zeros += is_told(model, 0, floor);
    for (int hope = 1; hope <= model->seeds; hope++) {
        count += 2;
        if (hope > model->whole || !is_even(model, hope))
            continue;
        count += zeros;
        for (int value = 1; value < hope; value++)
            count += is_even(model, value);
    }
    return count;
}

static bool fits(const struct cell_model *model)
{
    int count = model->room ? hopes_above_0(model) : model->seeds;

    for (int value = 0; value >= -model->seeds; value--) {
        int lower = model->room;
        count += 2; /* held, no capture */
        for (int floor = value - 1; floor >= -model->seeds; floor--)
            if (is_told(model, value, floor))
                count++;
            else
                lower = 1;
        count += lower;
    }
    return count <= MODEL_CODES_MAX;
}

/* Makes `limit` one size larger, if codes are enough for that. */
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

void cell_model_init(struct cell_model *model, int seeds, bool room)
{
    *model = (struct cell_model){.seeds = seeds, .room = room};
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < 2 && room; i++)
            more = raise_limit(model, &model->whole) || more;
        more = raise_limit(model, &model->told) || more;
    }
    model->greatest = 126 - (room ? hopes_above_0(model) : seeds) + seeds;
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
            return cell->code; /* floors that are told come first */
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
    if (cell->floor == MODEL_BELOW && quiet >= -model->told && !model->room) {
        *code = cell_model_code(model, quiet, -model->told - 1);
        return false;
    }
    if (cell->floor == MODEL_BELOW)
        return true;
    value = cell->floor > quiet ? cell->floor : quiet;
    *code = cell_model_code(model, value, cell->floor);
    return false;
}

/* ---- Hopes ----------------------------------------------------------------------------------- */

static void add_hope(struct hope_model *model, int hope, int back, int floor)
{
    assert_true(model->count < MODEL_CODES_MAX);
    model->list[model->count] =
        (struct hope_meaning){(int8_t)(126 - model->count), hope, back, floor};
    model->count++;
}

void hope_model_init(struct hope_model *model, int seeds)
{
    struct cell_model *values = &model->values;

    model->count = 0;
    cell_model_init(values, seeds, true);
    for (int hope = seeds; hope > 0; hope--) {
        add_hope(model, hope, hope, hope);
        for (int back = hope - 1; back > 0 && hope <= values->whole && is_even(values, hope);
             back--)
            if (is_even(values, back))
                add_hope(model, hope, back, back);
        for (int i = 0; i < values->count && hope <= values->whole && is_even(values, hope); i++)
            if (values->list[i].value == 0)
                add_hope(model, hope, 0, values->list[i].floor);
        add_hope(model, hope, MODEL_ASKS, MODEL_ASKS);
    }
    for (int i = 0; i < values->count; i++)
        if (values->list[i].value <= 0)
            add_hope(model, values->list[i].value, values->list[i].value, values->list[i].floor);
}

const struct hope_meaning *hope_meaning_of(const struct hope_model *model, int8_t code)
{
    const int at = 126 - code;

    return at >= 0 && at < model->count ? &model->list[at] : NULL;
}

int8_t hope_model_code(const struct hope_model *model, int hope, int back, int floor)
{
    if (hope <= 0)
        return cell_model_code(&model->values, hope, floor);
    for (int i = 0; i < model->count; i++) {
        const struct hope_meaning *found = &model->list[i];
        if (found->hope != hope)
            continue;
        if (found->back == MODEL_ASKS || (found->back == back && back > 0) ||
            (found->back == 0 && back == 0 &&
             cell_model_code(&model->values, 0, found->floor) ==
                 cell_model_code(&model->values, 0, floor)))
            return found->code; /* one that asks comes last */
    }
    fail_msg("no code for hope %d", hope);
    return 0;
}

bool hope_model_shrink(const struct hope_model *model, const struct hope_meaning *hope, int quiet,
                       int8_t *code)
{
    *code = hope->code;
    if (hope->hope <= 0) {
        if (quiet > hope->hope && hope->hope < 0)
            *code = hope_model_code(model, quiet < 0 ? quiet : 0, 0, hope->floor);
        return false;
    }
    if (quiet >= hope->hope || hope->back == hope->hope)
        return false;
    if (hope->back == MODEL_ASKS)
        return true;
    if (quiet <= hope->back) {
        *code = hope_model_code(model, hope->back, hope->back, hope->floor);
        return false;
    }
    if (quiet > model->values.whole || !is_even(&model->values, quiet))
        return true;
    *code = hope_model_code(model, quiet, hope->back, hope->floor);
    return false;
}

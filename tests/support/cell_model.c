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
    model->list[model->count] = (struct cell_meaning){(int8_t)(126 - model->count), value, floor};
    model->count++;
}

/* How many codes there are if floors are told apart down to -told. */
static int codes_with(int seeds, int told)
{
    int count = seeds;

    for (int value = 0; value >= -seeds; value--) {
        int lower = 0;
        count += 2; /* held, no capture */
        for (int floor = value - 1; floor >= -seeds; floor--)
            if (value == 0 || floor >= -told)
                count++;
            else
                lower++;
        count += lower > 0;
    }
    return count;
}

void cell_model_init(struct cell_model *model, int seeds)
{
    *model = (struct cell_model){.seeds = seeds};
    while (model->told < seeds && codes_with(seeds, model->told + 1) <= MODEL_CODES_MAX)
        model->told++;
    for (int value = seeds; value > 0; value--)
        add(model, value, value);
    for (int value = 0; value >= -seeds; value--) {
        int lower = 0;
        add(model, value, value);
        for (int floor = value - 1; floor >= -seeds; floor--)
            if (value == 0 || floor >= -model->told)
                add(model, value, floor);
            else
                lower = lower == 0 ? floor : MODEL_BELOW;
        if (lower != 0) /* a single one is told, there is nothing to tell it from */
            add(model, value, lower);
        add(model, value, MODEL_NONE);
    }
}

const struct cell_meaning *cell_meaning_of(const struct cell_model *model, int8_t code)
{
    const int at = 126 - code;

    return at >= 0 && at < model->count ? &model->list[at] : NULL;
}

int8_t cell_model_code(const struct cell_model *model, int value, int floor)
{
    for (int i = 0; i < model->count; i++) {
        const struct cell_meaning *cell = &model->list[i];
        if (cell->value == value && (value > 0 || cell->floor == floor ||
                                     (cell->floor == MODEL_BELOW && floor < -model->told &&
                                      floor >= -model->seeds && floor != value)))
            return cell->code;
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
    if (cell->floor == MODEL_BELOW && quiet >= -model->told) {
        *code = cell_model_code(model, quiet, -model->told - 1);
        return false;
    }
    if (cell->floor == MODEL_BELOW)
        return true;
    value = cell->floor > quiet ? cell->floor : quiet;
    *code = cell_model_code(model, value, cell->floor);
    return false;
}

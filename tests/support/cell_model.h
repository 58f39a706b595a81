/* What the codes of a level's cells, and of its hopes, mean, as plain lists: read off the drawings
 * in solver/rows/cell.h and solver/rows/upper_bound.h, from the top down, without the formulas and
 * tables of the code under test. */
#ifndef TESTS_SUPPORT_CELL_MODEL_H
#define TESTS_SUPPORT_CELL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MODEL_CODES_MAX = 254,
    MODEL_NONE = -100,    /* as a floor: no capture; as a move's worth: no quiet move */
    MODEL_BELOW = -101,   /* as a floor: below the value and below -told; or, with room for hopes,
                           * below the value and not told */
    MODEL_UNKNOWN = -102, /* as what a hope falls back to: not known */
};

struct cell_meaning {
    int8_t code;
    int value;
    int floor; /* the best capture, where value <= 0; MODEL_NONE or MODEL_BELOW */
};

struct cell_model {
    int seeds;
    bool with_upper_bounds; /* for hopes: cycle rule `own` */
    int deepest;  /* values below 0 have a code for each floor down to -told, 0 for all; with room
                   * for  hopes each even floor, and even values only */
    int whole;    /* hopes up to here know what they fall back to */
    int greatest; /* code */
    int count;
    struct cell_meaning list[MODEL_CODES_MAX]; /* from the greatest code down */
};

void cell_model_init(struct cell_model *model, int seeds, bool with_upper_bounds);

/* What a code means; NULL for a code that the level does not use. */
const struct cell_meaning *cell_meaning_of(const struct cell_model *model, int8_t code);

/* The code of a value with a floor (no greater than the value; ignored where the value is above 0)
 * or MODEL_NONE. */
int8_t cell_model_code(const struct cell_model *model, int value, int floor);

/* What becomes of a cell whose best quiet move is worth `quiet`, MODEL_NONE without one. True: the
 * cell has to ask how far it falls, and keeps its code. */
bool cell_model_grow(const struct cell_model *model, const struct cell_meaning *cell, int quiet,
                     int8_t *code);

/* ---- Hopes ----------------------------------------------------------------------------------- */

struct upper_meaning {
    int8_t code;
    int bound;
    int back;  /* hope > 0: the value that it falls back to, MODEL_ASKS, or the hope itself: held */
    int floor; /* hope <= 0, or back == 0: as that of a cell */
};

struct upper_model {
    struct cell_model values;
    int count;
    struct upper_meaning list[MODEL_CODES_MAX]; /* from the greatest code down, 126 first */
};

void upper_model_init(struct upper_model *model, int seeds);
const struct upper_meaning *upper_meaning_of(const struct upper_model *model, int8_t code);

/* The code of a hope; `back` and `floor` as far as they matter. Where there is none for them, of
 * one that asks. */
int8_t upper_model_code(const struct upper_model *model, int bound, int back, int floor);

/* As cell_model_grow(). */
bool upper_model_shrink(const struct upper_model *model, const struct upper_meaning *upper,
                        int quiet, int8_t *code);

#endif

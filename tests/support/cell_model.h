/* What the codes of a level's cells mean, as a plain list: read off the drawing in solver/cell.h,
 * from the top down, without the formulas and tables of the code under test. */
#ifndef TESTS_SUPPORT_CELL_MODEL_H
#define TESTS_SUPPORT_CELL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MODEL_CODES_MAX = 254,
    MODEL_NONE = -100,  /* as a floor: no capture; as a move's worth: no quiet move */
    MODEL_BELOW = -101, /* as a floor: below the value and below -told */
};

struct cell_meaning {
    int8_t code;
    int value;
    int floor; /* the best capture, where value <= 0; MODEL_NONE or MODEL_BELOW */
};

struct cell_model {
    int seeds;
    int told; /* values below 0 have a code for each floor down to -told, 0 for all */
    int count;
    struct cell_meaning list[MODEL_CODES_MAX]; /* from the greatest code down, 126 first */
};

void cell_model_init(struct cell_model *model, int seeds);

/* What a code means; NULL for a code that the level does not use. */
const struct cell_meaning *cell_meaning_of(const struct cell_model *model, int8_t code);

/* The code of a value with a floor (no greater than the value; ignored where the value is above 0)
 * or MODEL_NONE. */
int8_t cell_model_code(const struct cell_model *model, int value, int floor);

/* What becomes of a cell whose best quiet move is worth `quiet`, MODEL_NONE without one. True: the
 * cell has to ask how far it falls, and keeps its code. */
bool cell_model_grow(const struct cell_model *model, const struct cell_meaning *cell, int quiet,
                     int8_t *code);

#endif

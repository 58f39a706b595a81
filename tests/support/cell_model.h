/* The meaning of the codes of cells and of upper bounds, as plain lists. The lists follow the
 * drawings in solver/rows/cell.h and solver/rows/upper_bound.h from the top down, without the
 * formulas and tables of the code under test. */
#ifndef TESTS_SUPPORT_CELL_MODEL_H
#define TESTS_SUPPORT_CELL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MODEL_CODES_MAX = 254,
    MODEL_NONE = -100,    /* as a floor: no capture; as the value of a move: no quiet move */
    MODEL_BELOW = -101,   /* as a floor: below the value, and without a code of its own */
    MODEL_UNKNOWN = -102, /* as the value that an upper bound falls back to: the best capture must
                           * be queried */
};

struct cell_meaning {
    int8_t code;
    int value;
    int floor; /* best capture, if value <= 0; MODEL_NONE or MODEL_BELOW */
};

struct cell_model {
    int seeds;
    bool with_upper_bounds; /* cycle rule `own`: some codes are reserved for upper bounds */
    /* Values below 0 have a code for each floor down to -deepest, and value 0 for every floor. With
     * upper bounds only even values have such codes, and only for even floors. */
    int deepest;
    int whole;    /* upper bounds up to this one have codes for the value they fall back to */
    int greatest; /* greatest code */
    int count;
    struct cell_meaning list[MODEL_CODES_MAX]; /* the meanings of all codes, from the greatest
                                                * code down */
};

void cell_model_init(struct cell_model *model, int seeds, bool with_upper_bounds);

/* Returns the meaning of a code; NULL for a code that the level does not use. */
const struct cell_meaning *cell_meaning_of(const struct cell_model *model, int8_t code);

/* Returns the code of a value with a floor, or with MODEL_NONE. The floor is not above the
 * value; it is ignored if the value is above 0. */
int8_t cell_model_code(const struct cell_model *model, int value, int floor);

/* Stores in *code the new code of a cell whose best quiet move has the value `quiet`, or
 * MODEL_NONE without a quiet move. Returns true if the cell has to query its best capture first;
 * then *code is the old code. */
bool cell_model_grow(const struct cell_model *model, const struct cell_meaning *cell, int quiet,
                     int8_t *code);

/* ---- Upper bounds ---------------------------------------------------------------------------- */

struct upper_meaning {
    int8_t code;
    int bound;
    /* If bound > 0: the value that it falls back to, MODEL_UNKNOWN, or the bound itself, which is
     * then firm. */
    int back;
    int floor; /* if bound <= 0 or back == 0: as the floor of a cell */
};

struct upper_model {
    struct cell_model values;
    int count;
    struct upper_meaning list[MODEL_CODES_MAX]; /* the meanings of all codes, in descending order of
                                                 * the codes; the greatest code is 126 */
};

void upper_model_init(struct upper_model *model, int seeds);
const struct upper_meaning *upper_meaning_of(const struct upper_model *model, int8_t code);

/* Returns the code of an upper bound. `back` and `floor` are ignored where they do not matter.
 * If there is no code for them, returns the code with MODEL_UNKNOWN. */
int8_t upper_model_code(const struct upper_model *model, int bound, int back, int floor);

/* Stores the new code of an upper bound that shrinks, and returns true if it has to query its best
 * capture first. The parameters are those of cell_model_grow(). */
bool upper_model_shrink(const struct upper_model *model, const struct upper_meaning *upper,
                        int quiet, int8_t *code);

#endif

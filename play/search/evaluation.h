/* Estimates the value of a position with a small network whose weights were learned from exact
 * values (tools/learn/), and gives the typical error of the estimate. */
#ifndef PLAY_SEARCH_EVALUATION_H
#define PLAY_SEARCH_EVALUATION_H

#include "play/search/board.h"

enum {
    WARI_UNITS = 64,       /* number of units in the hidden layer */
    WARI_UNIT_COUNTS = 20, /* weights of a unit for a pit: for 0 to 18 seeds, and for 19 or more */
    WARI_UNIT_LEVELS = 25, /* weights of a unit for the level: for 0 or 1 seeds on the board, 2 or
                            * 3, and so on */
    WARI_UNIT_ONE = 256,   /* upper limit of a unit's value; the lower limit is 0 */
    WARI_OUTPUT_ONE = 256, /* the sum of products of units and `out` that stands for a hundredth of
                            * a seed */
};

/* The value of a unit is the sum of one weight for each pit, selected by its seeds, and one
 * weight for the level, clamped to 0..WARI_UNIT_ONE. The estimate is the sum of the units
 * multiplied by `out`. */
struct wari_evaluation {
    int16_t pits[WARI_PITS * WARI_UNIT_COUNTS * WARI_UNITS];
    int16_t levels[WARI_UNIT_LEVELS * WARI_UNITS];
    int16_t out[WARI_UNITS];
    int16_t bias; /* constant added to the sum, in hundredths of a seed */
};

/* Returns the learned weights for a variant, in static storage. */
const struct wari_evaluation *wari_evaluation_for(struct wari_variant variant);

/* Returns the estimate for the mover in hundredths of a seed, within -100 n..100 n for n seeds. */
int wari_evaluate(const struct wari_evaluation *evaluation, const struct wari_search_board *board);

/* Returns the standard deviation of the estimate for a variant and number of seeds, in
 * hundredths of a seed. */
int wari_evaluation_error(struct wari_variant variant, int seeds);

#endif

/* What a position is worth at a glance: a small network whose numbers were learned from exact
 * values (tools/learn/), and how far it is off as a rule.
 */
#ifndef PLAY_SEARCH_EVALUATION_H
#define PLAY_SEARCH_EVALUATION_H

#include "play/search/board.h"

enum {
    WARI_UNITS = 32,       /* of the hidden layer */
    WARI_UNIT_COUNTS = 20, /* seeds of a pit that are told apart; the last is "or more" */
    WARI_UNIT_LEVELS = 25, /* seeds on the board, by twos */
    WARI_UNIT_ONE = 256,   /* the value at which a unit is full; none goes below 0 */
    WARI_OUTPUT_ONE = 256, /* what one hundredth of a seed is in products of `out` and 1.0 */
};

/* A unit is the sum of a number for each pit and its seeds, and one for the level, kept within 0
 * and WARI_UNIT_ONE. The units by `out` add up to the estimate. */
struct wari_evaluation {
    int16_t pits[WARI_PITS * WARI_UNIT_COUNTS * WARI_UNITS];
    int16_t levels[WARI_UNIT_LEVELS * WARI_UNITS];
    int16_t out[WARI_UNITS];
    int16_t bias; /* hundredths of a seed */
};

/* The learned numbers for a variant; static storage. */
const struct wari_evaluation *wari_evaluation_for(struct wari_variant variant);

/* The estimate for the mover, in hundredths of a seed, within -100 n..100 n for n seeds. */
int wari_evaluate(const struct wari_evaluation *evaluation, const struct wari_search_board *board);

/* How far it is off with these rules: the standard deviation, in hundredths of a seed. */
int wari_evaluation_error(struct wari_variant variant, int seeds);

#endif

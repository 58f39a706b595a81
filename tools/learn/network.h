/* The network of play/search/evaluation.h while it learns: in floating point.
 */
#ifndef TOOLS_LEARN_NETWORK_H
#define TOOLS_LEARN_NETWORK_H

#include "play/search/evaluation.h"

struct sample {
    struct wari_position position;
    float value; /* seeds, for the mover */
    bool exact;  /* out of the tables */
};

enum {
    NETWORK_PITS = WARI_PITS * WARI_UNIT_COUNTS * WARI_UNITS,
    NETWORK_LEVELS = WARI_UNIT_LEVELS * WARI_UNITS,
    NETWORK_NUMBERS = NETWORK_PITS + NETWORK_LEVELS + WARI_UNITS + 1,
};

/* All numbers in a row: pits, levels, out, bias. */
struct network {
    float numbers[NETWORK_NUMBERS];
    float means[NETWORK_NUMBERS], squares[NETWORK_NUMBERS]; /* of slopes, as Adam has them */
    int64_t steps;
};

/* Small numbers at random, always the same ones for one seed. */
void network_begin(struct network *network, uint64_t seed);

/* Goes once through the samples in the given order, in steps of so much (Adam). */
void network_learn(struct network *network, const struct sample *samples, const uint32_t *order,
                   size_t count, float rate);

/* In whole numbers. */
void network_round(const struct network *network, struct wari_evaluation *evaluation);

#endif

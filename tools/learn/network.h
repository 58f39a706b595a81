/* The network of play/search/evaluation.h during learning, in floating point. */
#ifndef TOOLS_LEARN_NETWORK_H
#define TOOLS_LEARN_NETWORK_H

#include "play/search/evaluation.h"

struct sample {
    struct wari_position position;
    float value; /* in seeds, for the mover */
    bool exact;  /* the value is from the tables */
};

enum {
    SAMPLE_SEEDS_MIN = 8, /* positions with fewer seeds are not learned */
    NETWORK_PITS = WARI_PITS * WARI_UNIT_COUNTS * WARI_UNITS,
    NETWORK_LEVELS = WARI_UNIT_LEVELS * WARI_UNITS,
    NETWORK_NUMBERS = NETWORK_PITS + NETWORK_LEVELS + WARI_UNITS + 1,
};

struct network {
    float numbers[NETWORK_NUMBERS]; /* all weights, in the order pits, levels, out, bias */
    float means[NETWORK_NUMBERS],
        squares[NETWORK_NUMBERS]; /* running means of the gradients and of their squares (Adam) */
    int64_t steps;
};

/* Initialises the weights with small random numbers, which depend only on the seed. */
void network_begin(struct network *network, uint64_t seed);

/* Learns once from the samples in the given order, with this learning rate (Adam). A last batch
 * that is not full is left out. */
void network_learn(struct network *network, const struct sample *samples, const uint32_t *order,
                   size_t count, float rate);

/* Rounds the weights to integers. The levels that are not learned get the weights of the first
 * level that is learned. */
void network_round(const struct network *network, struct wari_evaluation *evaluation);

#endif

/* Random positions for tests that compare two programs. The positions are the same on every
 * machine.
 *
 * If all placements were equally likely, grand slams, empty rows and sowings of two laps would
 * hardly ever occur. Here they occur often. A generator must be used by one thread at a time. */
#ifndef TESTS_REFERENCE_RANDOM_POSITIONS_H
#define TESTS_REFERENCE_RANDOM_POSITIONS_H

#include <stdint.h>

struct random_positions {
    uint64_t state;
    uint64_t drawn;
};

/* Seeds the generator. Equal seeds give equal sequences. */
void random_positions_seed(struct random_positions *random, uint64_t seed);

/* Returns a number in 0..limit-1; `limit` is at least 1. */
uint32_t random_below(struct random_positions *random, uint32_t limit);

/* Draws the next position, with 12..48 seeds in all, the mover's pits first. In the 1st, 3rd, 5th,
 * ... position no pit holds more than 11 seeds; in the 2nd, 4th, ... position at least one pit
 * holds more. */
void random_position(struct random_positions *random, unsigned char pits[12]);

#endif

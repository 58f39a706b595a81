/* Chunks at random. */
#ifndef TESTS_SUPPORT_RANDOM_CHUNK_H
#define TESTS_SUPPORT_RANDOM_CHUNK_H

#include "db/format/chunk.h"
#include "tests/reference/random_positions.h"

/* The i-th of some sections of a level: the last chunk for 0, else one at random; every fourth is
 * only the beginning of one, as if the level ended in it. */
struct wari_chunk_range random_chunk(const struct wari_layout *layout, int i,
                                     struct random_positions *random);

#endif

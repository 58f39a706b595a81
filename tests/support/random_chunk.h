/* Random chunks. */
#ifndef TESTS_SUPPORT_RANDOM_CHUNK_H
#define TESTS_SUPPORT_RANDOM_CHUNK_H

#include "db/format/chunk.h"
#include "tests/reference/random_positions.h"

/* Returns the i-th of several test ranges of a level: the last chunk for 0, and otherwise a
 * random chunk. Every fourth range is only the beginning of a chunk, as if the level ended
 * there. */
struct wari_chunk_range random_chunk(const struct wari_layout *layout, int i,
                                     struct random_positions *random);

#endif

/* Chunks: stretches of a level's values, in index order, that are coded each on its own. All have
 * WARI_CHUNK_POSITIONS positions, but for the last one of a level, which is shorter. */
#ifndef DB_ROWS_CHUNK_H
#define DB_ROWS_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#include "index/level.h"

enum { WARI_CHUNK_POSITIONS = 8192 };

/* Chunks are coded in four streams side by side: a value in the first half of its stream, one of
 * the quarters of a full chunk, takes half of the time that all of them take. */
enum { WARI_STREAM_POSITIONS = WARI_CHUNK_POSITIONS / 4 };

/* Chunks of a level with `positions` stored positions. */
static inline uint64_t wari_chunk_count(uint64_t positions)
{
    return (positions + WARI_CHUNK_POSITIONS - 1) / WARI_CHUNK_POSITIONS;
}

/* Positions of one of them: WARI_CHUNK_POSITIONS, but for the last one. */
static inline size_t wari_chunk_size(uint64_t chunk, uint64_t positions)
{
    const uint64_t left = positions - chunk * WARI_CHUNK_POSITIONS;

    return left < WARI_CHUNK_POSITIONS ? (size_t)left : (size_t)WARI_CHUNK_POSITIONS;
}

/* What of a level is coded together: positions from number `first` on, all of which exist. */
struct wari_chunk_range {
    const struct wari_layout *layout;
    uint64_t first;
    size_t count; /* at most WARI_CHUNK_POSITIONS */
    size_t steps; /* cells of each stream that are wanted; WARI_STREAM_POSITIONS: all */
};

/* All of the first `count` positions of a chunk. */
static inline struct wari_chunk_range wari_whole_chunk_range(const struct wari_layout *layout,
                                                             uint64_t chunk, size_t count)
{
    return (struct wari_chunk_range){layout, chunk * WARI_CHUNK_POSITIONS, count,
                                     WARI_STREAM_POSITIONS};
}

#endif

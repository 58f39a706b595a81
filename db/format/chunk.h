/* Chunks: ranges of a level's values, in index order, that are encoded independently. Every chunk
 * has WARI_CHUNK_POSITIONS positions; only the last chunk of a level may be shorter. */
#ifndef DB_FORMAT_CHUNK_H
#define DB_FORMAT_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#include "index/level.h"

enum { WARI_CHUNK_POSITIONS = 8192 };

/* A full chunk is encoded as four interleaved streams, each with a quarter of the positions. All
 * streams are decoded together, so a value in the first half of its stream is reached in half of
 * the time that decoding the whole chunk takes. */
enum { WARI_STREAM_POSITIONS = WARI_CHUNK_POSITIONS / 4 };

/* Returns the number of chunks of a level with `positions` positions. */
static inline uint64_t wari_chunk_count(uint64_t positions)
{
    return (positions + WARI_CHUNK_POSITIONS - 1) / WARI_CHUNK_POSITIONS;
}

/* Returns the number of positions of a chunk: WARI_CHUNK_POSITIONS, or fewer for the last one. */
static inline size_t wari_chunk_size(uint64_t chunk, uint64_t positions)
{
    const uint64_t left = positions - chunk * WARI_CHUNK_POSITIONS;

    return left < WARI_CHUNK_POSITIONS ? (size_t)left : (size_t)WARI_CHUNK_POSITIONS;
}

/* Positions that are encoded together: `count` positions of a level from number `first` on. All
 * these positions exist. */
struct wari_chunk_range {
    const struct wari_layout *layout;
    uint64_t first;
    size_t count; /* at most WARI_CHUNK_POSITIONS */
    size_t steps; /* number of requested cells of each stream; WARI_STREAM_POSITIONS means all
                   * cells */
};

/* Returns the first `count` positions of a chunk, all of them requested. */
static inline struct wari_chunk_range wari_whole_chunk_range(const struct wari_layout *layout,
                                                             uint64_t chunk, size_t count)
{
    return (struct wari_chunk_range){layout, chunk * WARI_CHUNK_POSITIONS, count,
                                     WARI_STREAM_POSITIONS};
}

#endif

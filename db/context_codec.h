/* Codec 2: the values of a chunk under the model of their level. FORMAT.md, "Codec 2", defines it.
 */
#ifndef DB_CONTEXT_CODEC_H
#define DB_CONTEXT_CODEC_H

#include "db/model.h"

enum {
    /* No chunk takes more: 10 bits for an escape and 7 for the value behind it, and the lanes'
     * states. */
    WARI_CONTEXT_BYTES_MAX = WARI_CHUNK_POSITIONS * 17 / 8 + 64,
    /* What a decoder may read, whatever the bytes are: two words for each cell. It must be there.
     */
    WARI_CONTEXT_BYTES_READ = 4 * WARI_LANES + 4 * WARI_CHUNK_POSITIONS,
};

/* Room that coding a chunk takes. */
struct wari_context_room {
    struct wari_contexts contexts;
    struct wari_neighbours neighbours;
    uint32_t packed[WARI_CHUNK_POSITIONS + 1];
    uint16_t table[WARI_CHUNK_POSITIONS];
    uint64_t reciprocal[WARI_FREQUENCY_SUM + 1]; /* [f]: 2^42 / f, rounded down, + 1 */
};

void wari_context_room_init(struct wari_context_room *room);

/* Counts `count` values of positions first ... of the level. */
void wari_context_count(struct wari_counts *counts, struct wari_context_room *room,
                        const struct wari_layout *layout, uint64_t first, const int8_t *values,
                        size_t count);

/* The size, at most WARI_CONTEXT_BYTES_MAX. Every value is in -n..n. */
size_t wari_context_encode(const struct wari_model *model, struct wari_context_room *room,
                           const struct wari_layout *layout, uint64_t first, const int8_t *values,
                           size_t count, uint8_t *out);

/* False if the bytes are not what an encoder writes. Reads up to WARI_CONTEXT_BYTES_READ bytes,
 * more than `bytes`; what is behind these must be readable and does not matter. Any value of a byte
 * may come out of bytes that no encoder wrote. */
bool wari_context_decode(const struct wari_model *model, struct wari_context_room *room,
                         const struct wari_layout *layout, uint64_t first, int8_t *values,
                         size_t count, const uint8_t *in, size_t bytes);

#endif

/* Codec 2: the values of a chunk under the model of their level. FORMAT.md, "Codec 2", defines it.
 */
#ifndef DB_CONTEXT_CODEC_H
#define DB_CONTEXT_CODEC_H

#include "db/cell_tables.h"
#include "db/neighbours.h"

enum {
    /* No chunk takes more: 10 bits for an escape and 7 for the value behind it, and the lanes'
     * states. */
    WARI_CONTEXT_BYTES_MAX = WARI_CHUNK_POSITIONS * 17 / 8 + 64,
    WARI_STATE_BYTES = 4 * WARI_LANES, /* which a chunk begins with */
    /* Words that a decoder may take, whatever they are: two for each cell. */
    WARI_WORDS_ROOM = 2 * WARI_CHUNK_POSITIONS,
};

/* A state that falls below takes in a word of 16 bits. */
#define WARI_LOWEST_STATE (UINT32_C(1) << 16)

enum {
    WARI_RAW_BITS = 7, /* of a value behind an escape: v + 64 */
    WARI_RAW_ZERO = 64,
};

struct wari_encode_room {
    struct wari_cell_tables tables;
    uint64_t reciprocal[WARI_FREQUENCY_SUM]; /* [1024 - f]: 2^42 / f, rounded down, + 1 */
};

/* All that a decoder reads is at fixed distances from one pointer, but for the model. A value R
 * less captures is packed as R * R << 16 | R + 96. */
struct wari_decode_room {
    /* First, so that it has the address of the room. */
    uint32_t packed[WARI_CHUNK_POSITIONS + 1];              /* [cell + 1]; [0] is that of no cell */
    uint32_t packed_of_residue[WARI_RAISED + 64];           /* [R + 96] */
    uint16_t square[6 * (63 + WARI_RAISED) + 1];            /* [S + 6 * 96] -> S * S / 6 */
    uint32_t packed_of[WARI_RESIDUES + WARI_SEEDS_MAX + 1]; /* [symbol - capture + 82] */
    struct wari_neighbours neighbours;
    uint16_t words[WARI_WORDS_ROOM];
    const struct wari_model *fetched; /* of the chunk before; only compared */
};

void wari_encode_room_init(struct wari_encode_room *room);
void wari_decode_room_init(struct wari_decode_room *room);

/* Counts `count` values of positions first ... of the level. */
void wari_context_count(struct wari_counts *counts, struct wari_encode_room *room,
                        const struct wari_layout *layout, uint64_t first, const int8_t *values,
                        size_t count);

/* The size, at most WARI_CONTEXT_BYTES_MAX. Every value is in -n..n; the model comes from counts.
 */
size_t wari_context_encode(const struct wari_model *model, struct wari_encode_room *room,
                           const struct wari_layout *layout, uint64_t first, const int8_t *values,
                           size_t count, uint8_t *out);

/* Decodes the first `steps` cells of each lane and leaves the other values alone. False if the
 * bytes are not what an encoder writes, as far as they were looked at: it may be true for any bytes
 * if not all cells are decoded. Any value from -64 to 63 may come out of bytes that no encoder
 * wrote.
 */
bool wari_context_decode(const struct wari_model *model, struct wari_decode_room *room,
                         const struct wari_layout *layout, uint64_t first, int8_t *values,
                         size_t count, size_t steps, const uint8_t *in, size_t bytes);

#endif

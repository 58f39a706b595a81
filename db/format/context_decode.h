/* Codec 2 backwards: bytes to the values of a chunk. */
#ifndef DB_CODEC_CONTEXT_DECODE_H
#define DB_CODEC_CONTEXT_DECODE_H

#include "db/format/context_codec.h"
#include "db/format/model.h"
#include "db/format/neighbours.h"

/* Words that a decoder may take, whatever they are: two for each cell. */
enum { WARI_WORDS_ROOM = 2 * WARI_CHUNK_POSITIONS };

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

void wari_decode_room_init(struct wari_decode_room *room);

/* Decodes what is wanted of a section into its place in `values`, and leaves the others alone.
 * False if the bytes are not what an encoder writes, as far as they were looked at: it may be true
 * for any bytes if not all cells are wanted. Any value from -64 to 63 may come out of bytes that no
 * encoder wrote. */
bool wari_context_decode(const struct wari_model *model, struct wari_decode_room *room,
                         const struct wari_section *section, const uint8_t *in, size_t bytes,
                         int8_t *values);

#endif

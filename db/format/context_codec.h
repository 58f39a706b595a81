/* Codec 2: the values of a chunk under the model of their level. FORMAT.md, "Codec 2", defines it;
 * context_encode.h and context_decode.h do it. */
#ifndef DB_CODEC_CONTEXT_CODEC_H
#define DB_CODEC_CONTEXT_CODEC_H

#include "db/format/rows.h"

enum {
    /* No chunk takes more: 10 bits for an escape and 7 for the value behind it, and the lanes'
     * states. */
    WARI_CONTEXT_BYTES_MAX = WARI_CHUNK_POSITIONS * 17 / 8 + 64,
    WARI_STATE_BYTES = 4 * WARI_CODER_STREAMS, /* which a chunk begins with */
};

/* A state that falls below takes in a word of 16 bits. */
#define WARI_LOWEST_STATE (UINT32_C(1) << 16)

enum {
    WARI_RAW_BITS = 7, /* of a value behind an escape: v + 64 */
    WARI_RAW_ZERO = 64,
};

#endif

/* The codec, which converts the values of a chunk to bytes and back, with the model of their level.
 * FORMAT.md, "Codec 2", defines it; encoder.h and decoder.h implement it. */
#ifndef DB_FORMAT_CODEC_H
#define DB_FORMAT_CODEC_H

#include "db/format/rows.h"

/* The number of the codec, which is stored in level files. Another codec needs another number and
 * another format version, so that older programs refuse its files with the correct reason. */
enum { WARI_CODEC = 2 };

enum {
    /* Upper bound on the size of an encoded chunk, which is part of the format: for each position
     * 10 bits for an escape and 7 bits for the value after it, and the states of the streams. */
    WARI_CHUNK_BYTES_MAX = WARI_CHUNK_POSITIONS * 17 / 8 + 64,
    WARI_STATE_BYTES = 4 * WARI_CODER_STREAMS, /* size of the states at the start of every chunk */
};

/* A stream reads a word of 16 bits when its state falls below this number. */
#define WARI_LOWEST_STATE (UINT32_C(1) << 16)

/* The value v after an escape is written as v + 64 in 7 bits. */
enum {
    WARI_RAW_BITS = 7,
    WARI_RAW_ZERO = 64,
};

#endif

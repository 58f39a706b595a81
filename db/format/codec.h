/* The codecs, which convert the values of a chunk to bytes and back. A level file gives the
 * number of its codec, and all its chunks use this codec.
 *
 * Codec 2 encodes the values of a chunk with the model of their level. FORMAT.md, "Codec 2",
 * defines it; encoder.h and decoder.h implement it. */
#ifndef DB_FORMAT_CODEC_H
#define DB_FORMAT_CODEC_H

#include "db/format/rows.h"

/* The numbers are stored in files and never change. A new codec requires a new format version,
 * so that older programs refuse the file with the correct reason. */
enum {
    WARI_CODEC_ZSTD = 1,    /* format 1: the values as signed bytes in one zstd frame */
    WARI_CODEC_CONTEXT = 2, /* format 2 */
};

/* Chunks of format 1 were longer: each held the positions of four chunks of format 2. */
enum {
    WARI_OLD_CHUNK_POSITIONS = 32768,
    WARI_OLD_CHUNK_BYTES_MAX = WARI_OLD_CHUNK_POSITIONS + 256,
};

enum {
    /* Upper bound on the size of an encoded chunk of codec 2, which is part of the format: for
     * each position 10 bits for an escape and 7 bits for the value after it, and the states of
     * the streams. */
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

/* The codecs: how the values of a chunk become bytes and come back. A level file names its codec by
 * number, and all its chunks use the same one.
 *
 * Codec 2 encodes the values of a chunk with the model of their level. FORMAT.md, "Codec 2",
 * defines it; encoder.h and decoder.h implement it.
 */
#ifndef DB_FORMAT_CODEC_H
#define DB_FORMAT_CODEC_H

#include "db/format/rows.h"

/* The numbers are written into files and never change. A new codec raises the format version, so
 * that older programs report the reason when they refuse the file. */
enum {
    WARI_CODEC_ZSTD = 1,    /* format 1: the values as signed bytes in one zstd frame */
    WARI_CODEC_CONTEXT = 2, /* format 2 */
};

/* Format 1 had longer chunks: each held the positions of four of today's chunks. */
enum {
    WARI_OLD_CHUNK_POSITIONS = 32768,
    WARI_OLD_CHUNK_BYTES_MAX = WARI_OLD_CHUNK_POSITIONS + 256,
};

enum {
    /* Upper bound on the size of an encoded chunk of codec 2, which is part of the format: 10 bits
     * for an escape and 7 bits for the value after it, and the states of the streams. */
    WARI_CHUNK_BYTES_MAX = WARI_CHUNK_POSITIONS * 17 / 8 + 64,
    WARI_STATE_BYTES = 4 * WARI_CODER_STREAMS, /* at the start of every chunk */
};

/* A state that falls below this number takes in a word of 16 bits. */
#define WARI_LOWEST_STATE (UINT32_C(1) << 16)

/* The value v after an escape is written as v + 64 in 7 bits. */
enum {
    WARI_RAW_BITS = 7,
    WARI_RAW_ZERO = 64,
};

#endif

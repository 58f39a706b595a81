/* The codecs: how the values of a chunk become bytes and come back (encoder.h, decoder.h). A level
 * file names its codec by number; all its chunks use the same one. */
#ifndef DB_CODEC_CODEC_H
#define DB_CODEC_CODEC_H

#include "db/format/context_codec.h"

/* The numbers are written into files and never change. A new codec raises the format version, so
 * that older programs say what is wrong. */
enum {
    WARI_CODEC_ZSTD = 1,    /* format 1: the values as signed bytes, one zstd frame */
    WARI_CODEC_CONTEXT = 2, /* format 2: context_codec.h */
};

/* Format 1 had longer chunks. A chunk of today is a quarter of one. */
enum {
    WARI_OLD_CHUNK_POSITIONS = 32768,
    WARI_OLD_CHUNK_BYTES_MAX = WARI_OLD_CHUNK_POSITIONS + 256,
};

/* No chunk of codec 2 is longer: a part of the format. */
enum { WARI_CHUNK_BYTES_MAX = WARI_CONTEXT_BYTES_MAX };

#endif

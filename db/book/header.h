/* The layout of a book's header, which FORMAT.md draws, and the hash of books. */
#ifndef DB_BOOK_HEADER_H
#define DB_BOOK_HEADER_H

#include <stddef.h>
#include <stdint.h>

enum { /* byte offsets of the fields */
       WARI_BOOK_HEADER_FORMAT = 8,
       WARI_BOOK_HEADER_LENGTH = 12,
       WARI_BOOK_HEADER_RULES = 16,
       WARI_BOOK_HEADER_CYCLE = 20,
       WARI_BOOK_HEADER_SEEDS = 24,
       WARI_BOOK_HEADER_CELLS = 28,
       WARI_BOOK_HEADER_BLOCKS = 32,
       WARI_BOOK_HEADER_MODEL = 40,
       WARI_BOOK_HEADER_MODEL_HASH = 44,
       WARI_BOOK_HEADER_RECORD = 48,
       WARI_BOOK_HEADER_SIZE = 56,
       WARI_BOOK_HEADER_RESERVED = 64, /* 12 bytes */
       WARI_BOOK_HEADER_HASH = 76,
       WARI_BOOK_HEADER_BYTES = 80,
       WARI_BOOK_TAIL_BYTES = 8, /* number of bytes after the record: they contain the hash of
                                  * the whole file */
};

/* The first 8 bytes: a name between bytes that a transfer in text mode changes, so that such
 * damage is noticed. */
#define WARI_BOOK_HEADER_MAGIC "\x89WBOOK\r\n"

/* FNV-1a. Every step is invertible in the hash, so a single changed byte always changes the
 * result. */
#define WARI_FNV32_BEGIN 0x811c9dc5u
#define WARI_FNV64_BEGIN UINT64_C(0xcbf29ce484222325)

static inline uint32_t wari_fnv32(uint32_t hash, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 0x01000193u;
    return hash;
}

static inline uint64_t wari_fnv64(uint64_t hash, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif

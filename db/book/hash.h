/* FNV-1a, the hash of books: each byte is put in and multiplied away, so that a changed byte always
 * changes the result. */
#ifndef DB_BOOK_HASH_H
#define DB_BOOK_HASH_H

#include <stddef.h>
#include <stdint.h>

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

/* The header of a level file and the keyed hashes, shared by the writer and the reader. Byte
 * offsets are drawn in FORMAT.md. */
#ifndef DB_FILE_LEVEL_HEADER_H
#define DB_FILE_LEVEL_HEADER_H

#include "db/format/level_record.h"

enum {
    WARI_LEVEL_FORMAT = 2,     /* version that is written; FORMAT.md keeps the history */
    WARI_LEVEL_FORMAT_OLD = 1, /* version that is read, too */
    WARI_HEADER_BYTES = 128,
    WARI_ENTRY_BYTES = 16, /* of the offset table: end of the chunk, its hash */
};

/* What a hash covers, besides chunk numbers, which stay below 2^40: 48 seeds have 25 million. */
#define WARI_HASH_HEADER ((UINT64_C(1) << 40) - 1)
#define WARI_HASH_TABLE ((UINT64_C(1) << 40) - 2)
#define WARI_HASH_MODEL ((UINT64_C(1) << 40) - 3)

/* XXH3 (64 bits) seeded with what the bytes are, so that intact bytes in the wrong place fail.
 * `part` is a chunk number or one of the three constants. Format 1 did not say the codec: 0. */
uint64_t wari_seeded_hash(struct wari_level_key key, uint32_t codec, uint64_t part,
                          const void *bytes, size_t size);

/* The fields of a header that can differ between two files of a level. Everything else follows from
 * the level and is only checked. */
struct wari_level_header {
    struct wari_level_key key;
    uint32_t format;
    uint32_t codec;
    uint64_t file_bytes;
    uint64_t payload_hash;
    uint64_t table_hash;
    uint64_t model_bytes; /* 0 in format 1 */
    uint64_t model_hash;
    uint64_t stored;      /* positions */
    uint64_t header_hash; /* computed by store, checked by load */
};

/* What follows from a header. */
size_t wari_header_chunk_bytes_max(const struct wari_level_header *header);
uint64_t wari_header_chunks(const struct wari_level_header *header);
uint64_t wari_header_model_offset(const struct wari_level_header *header);
uint64_t
wari_header_payload_offset(const struct wari_level_header *header);      /* of the first chunk */
uint32_t wari_header_hash_codec(const struct wari_level_header *header); /* as in the hashes */

/* Writes a header of the newest format, with codec 2. */
void wari_level_header_store(struct wari_level_header *header, uint8_t bytes[WARI_HEADER_BYTES]);

/* WARI_MISMATCH for another format version, WARI_CORRUPT for a header that is damaged or says what
 * no writer of this version writes. `path` is for the message. */
WARI_MUST_CHECK enum wari_status wari_level_header_load(struct wari_level_header *header,
                                                        const uint8_t bytes[WARI_HEADER_BYTES],
                                                        const char *path, struct wari_error *error);

#endif

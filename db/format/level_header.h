/* The header of a level file and the seeded hashes, for the writer and the reader. FORMAT.md draws
 * the byte offsets. */
#ifndef DB_FORMAT_LEVEL_HEADER_H
#define DB_FORMAT_LEVEL_HEADER_H

#include "db/format/level_record.h"

enum {
    WARI_LEVEL_FORMAT = 2, /* the format version that is written and read */
    WARI_HEADER_BYTES = 128,
    WARI_ENTRY_BYTES = 16, /* bytes of an entry of the offset table: end of the chunk, and its
                            * hash */
    /* An offset table of at most this size is read and checked as a whole when the file is opened,
     * and stays in memory. Of a larger table, only the entries that are needed are read. All tables
     * of at most this size, one for each level, take less than 3 MB. */
    WARI_TABLE_BYTES_KEPT = 1 << 20,
};

/* Part numbers for the hashes of parts that are not chunks. The numbers of chunks are far below
 * 2^40: level 48 has 25 million chunks. */
#define WARI_HASH_HEADER ((UINT64_C(1) << 40) - 1)
#define WARI_HASH_TABLE ((UINT64_C(1) << 40) - 2)
#define WARI_HASH_MODEL ((UINT64_C(1) << 40) - 3)

/* Computes XXH3 (64 bits) of some bytes of a file. The seed identifies the bytes, so intact
 * bytes in the wrong place fail the check. `part` is the number of a chunk or one of the three
 * numbers above. */
uint64_t wari_seeded_hash(struct wari_level_key key, uint64_t part, const void *bytes, size_t size);

/* Returns the seed of that hash, for parts that are not in memory as a whole. */
uint64_t wari_hash_seed(struct wari_level_key key, uint64_t part);

/* The header fields that can differ between two files of one level. All other fields follow from
 * the level; the reader only checks them. */
struct wari_level_header {
    struct wari_level_key key;
    uint64_t file_bytes;
    uint64_t payload_hash;
    uint64_t table_hash;
    uint64_t model_bytes;
    uint64_t model_hash;
    uint64_t stored;      /* number of positions whose values are in the file */
    uint64_t header_hash; /* computed when the header is stored, checked when it is loaded */
};

/* The following two functions return the file offsets of the model and of the first chunk. */
uint64_t wari_header_model_offset(const struct wari_level_header *header);
uint64_t wari_header_payload_offset(const struct wari_level_header *header);

/* Writes a header, and sets header_hash. */
void wari_level_header_store(struct wari_level_header *header, uint8_t bytes[WARI_HEADER_BYTES]);

/* Reads and checks a header. Returns WARI_MISMATCH if it has another format version, and
 * WARI_CORRUPT if it is damaged or has values that no writer writes. `path` is for the message. */
WARI_MUST_CHECK enum wari_status wari_level_header_load(struct wari_level_header *header,
                                                        const uint8_t bytes[WARI_HEADER_BYTES],
                                                        const char *path, struct wari_error *error);

#endif

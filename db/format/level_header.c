/* Header and hashes of a level file.
 *
 * The header is written and read field by field, never copied from a struct, so padding and byte
 * order of the machine do not matter. The reader uses some of the fields; all other fields
 * follow from the level, and the reader compares them with their expected values. So no byte of
 * a header can change unnoticed, and other programs can rely on every field. */
#include "db/format/level_header.h"

#include <string.h>
#include <xxhash.h>

#include "db/format/chunk.h"
#include "db/format/codec.h"
#include "db/format/model.h"
#include "db/host/bytes.h"
#include "index/level.h"

/* Byte offsets of the fields. */
enum {
    AT_MAGIC = 0,
    AT_FORMAT = 8,
    AT_HEADER_BYTES = 12,
    AT_RULES = 16,
    AT_CYCLE = 20,
    AT_SEEDS = 24,
    AT_CODEC = 28,
    AT_CHUNK_POSITIONS = 32,
    AT_ENTRY_BYTES = 36,
    AT_POSITIONS = 40,
    AT_CHUNKS = 48,
    AT_FILE_BYTES = 56,
    AT_PAYLOAD_HASH = 64,
    AT_TABLE_HASH = 72,
    AT_MODEL_BYTES = 80,
    AT_MODEL_HASH = 88,
    AT_STORED = 96,
    AT_RESERVED = 104,
    AT_HEADER_HASH = 120,
};

/* The file's first bytes. The first one (0x89) is not text. The last three are changed by a
 * transfer that translates line ends or stops at Ctrl-Z. */
static const uint8_t magic[8] = {0x89, 'W', 'A', 'R', 'I', '\r', '\n', 0x1a};

/* Spreads the few differing bits of the seed over all 64 bits (the finaliser of SplitMix64). The
 * function is one-to-one, so different keys always have different seeds. */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t wari_hash_seed(struct wari_level_key key, uint64_t part)
{
    return mix((uint64_t)key.variant.rules << 56 | (uint64_t)WARI_CODEC << 52 |
               (uint64_t)key.variant.cycle << 48 | (uint64_t)key.seeds << 40 | part);
}

uint64_t wari_seeded_hash(struct wari_level_key key, uint64_t part, const void *bytes, size_t size)
{
    return XXH3_64bits_withSeed(bytes, size, wari_hash_seed(key, part));
}

uint64_t wari_header_model_offset(const struct wari_level_header *header)
{
    return WARI_HEADER_BYTES + wari_chunk_count(header->stored) * WARI_ENTRY_BYTES;
}

uint64_t wari_header_payload_offset(const struct wari_level_header *header)
{
    return wari_header_model_offset(header) + header->model_bytes;
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

void wari_level_header_store(struct wari_level_header *header, uint8_t bytes[WARI_HEADER_BYTES])
{
    memset(bytes, 0, WARI_HEADER_BYTES);
    memcpy(bytes + AT_MAGIC, magic, sizeof magic);
    wari_store32(bytes + AT_FORMAT, WARI_LEVEL_FORMAT);
    wari_store32(bytes + AT_HEADER_BYTES, WARI_HEADER_BYTES);
    wari_store32(bytes + AT_RULES, (uint32_t)header->key.variant.rules);
    wari_store32(bytes + AT_CYCLE, (uint32_t)header->key.variant.cycle);
    wari_store32(bytes + AT_SEEDS, (uint32_t)header->key.seeds);
    wari_store32(bytes + AT_CODEC, WARI_CODEC);
    wari_store32(bytes + AT_CHUNK_POSITIONS, WARI_CHUNK_POSITIONS);
    wari_store32(bytes + AT_ENTRY_BYTES, WARI_ENTRY_BYTES);
    wari_store64(bytes + AT_POSITIONS, wari_level_positions(header->key.seeds));
    wari_store64(bytes + AT_CHUNKS, wari_chunk_count(header->stored));
    wari_store64(bytes + AT_FILE_BYTES, header->file_bytes);
    wari_store64(bytes + AT_PAYLOAD_HASH, header->payload_hash);
    wari_store64(bytes + AT_TABLE_HASH, header->table_hash);
    wari_store64(bytes + AT_MODEL_BYTES, header->model_bytes);
    wari_store64(bytes + AT_MODEL_HASH, header->model_hash);
    wari_store64(bytes + AT_STORED, header->stored);
    header->header_hash = wari_seeded_hash(header->key, WARI_HASH_HEADER, bytes, AT_HEADER_HASH);
    wari_store64(bytes + AT_HEADER_HASH, header->header_hash);
}

static enum wari_status damaged(struct wari_error *error, const char *path, int offset,
                                const char *what)
{
    return wari_fail(error, WARI_CORRUPT, "%s: damaged header at offset %d: %s; " WARI_GET_AGAIN,
                     path, offset, what);
}

/* Checks the fields against the level and against each other. If the hash is valid but a field has
 * an impossible value, the writer of the file was not correct. */
static enum wari_status check_fields(const struct wari_level_header *header,
                                     const uint8_t bytes[WARI_HEADER_BYTES], const char *path,
                                     struct wari_error *error)
{
    const uint64_t positions = wari_level_positions(header->key.seeds);
    if (wari_load32(bytes + AT_CODEC) != WARI_CODEC)
        return damaged(error, path, AT_CODEC, "unknown codec");
    if (wari_load32(bytes + AT_CHUNK_POSITIONS) != WARI_CHUNK_POSITIONS)
        return damaged(error, path, AT_CHUNK_POSITIONS, "wrong chunk length");
    if (wari_load32(bytes + AT_ENTRY_BYTES) != WARI_ENTRY_BYTES)
        return damaged(error, path, AT_ENTRY_BYTES, "wrong size of a table entry");
    if (wari_load64(bytes + AT_POSITIONS) != positions)
        return damaged(error, path, AT_POSITIONS, "wrong number of positions");
    if (header->model_bytes == 0 || header->model_bytes > WARI_MODEL_BYTES_MAX)
        return damaged(error, path, AT_MODEL_BYTES, "impossible size of the model");
    if (header->stored != positions && header->stored != wari_packed_positions(header->key.seeds))
        return damaged(error, path, AT_STORED, "wrong number of stored positions");
    if (wari_load64(bytes + AT_CHUNKS) != wari_chunk_count(header->stored))
        return damaged(error, path, AT_CHUNKS, "wrong number of chunks");
    for (int at = AT_RESERVED; at < AT_HEADER_HASH; at++)
        if (bytes[at] != 0)
            return damaged(error, path, at, "a reserved byte is not 0");
    return WARI_OK;
}

/* Returns true if the header has the hash that it would have with our format version. Then only
 * the version number can be damaged; the header is not of another version. */
static bool has_our_hash(const uint8_t bytes[WARI_HEADER_BYTES])
{
    uint8_t ours[WARI_HEADER_BYTES];
    const struct wari_level_key key = {{(enum wari_rules)wari_load32(bytes + AT_RULES),
                                        (enum wari_cycle)wari_load32(bytes + AT_CYCLE)},
                                       (int)wari_load32(bytes + AT_SEEDS)};
    memcpy(ours, bytes, sizeof ours);
    wari_store32(ours + AT_FORMAT, WARI_LEVEL_FORMAT);
    return wari_seeded_hash(key, WARI_HASH_HEADER, ours, AT_HEADER_HASH) ==
           wari_load64(bytes + AT_HEADER_HASH);
}

enum wari_status wari_level_header_load(struct wari_level_header *header,
                                        const uint8_t bytes[WARI_HEADER_BYTES], const char *path,
                                        struct wari_error *error)
{
    const uint32_t format = wari_load32(bytes + AT_FORMAT);
    uint32_t rules = wari_load32(bytes + AT_RULES);
    uint32_t cycle = wari_load32(bytes + AT_CYCLE);
    uint32_t seeds = wari_load32(bytes + AT_SEEDS);

    if (memcmp(bytes + AT_MAGIC, magic, sizeof magic) != 0)
        return damaged(error, path, AT_MAGIC, "this is not a Wari level file");
    if (format != WARI_LEVEL_FORMAT && has_our_hash(bytes))
        return damaged(error, path, AT_FORMAT, "its hash does not match");
    if (format != WARI_LEVEL_FORMAT)
        return wari_fail(
            error, WARI_MISMATCH,
            "%s: this file has format version %u, but this program reads only version %d; build "
            "the levels again in another folder, or use the program that wrote the file",
            path, format, WARI_LEVEL_FORMAT);
    if (wari_load32(bytes + AT_HEADER_BYTES) != WARI_HEADER_BYTES)
        return damaged(error, path, AT_HEADER_BYTES, "wrong header size");
    if (rules >= WARI_RULES_COUNT || cycle >= WARI_CYCLE_COUNT || seeds > WARI_SEEDS_MAX)
        return damaged(error, path, AT_RULES, "no such rule set, cycle rule or level");

    header->key.variant.rules = (enum wari_rules)rules;
    header->key.variant.cycle = (enum wari_cycle)cycle;
    header->key.seeds = (int)seeds;
    header->file_bytes = wari_load64(bytes + AT_FILE_BYTES);
    header->payload_hash = wari_load64(bytes + AT_PAYLOAD_HASH);
    header->table_hash = wari_load64(bytes + AT_TABLE_HASH);
    header->header_hash = wari_load64(bytes + AT_HEADER_HASH);
    header->model_bytes = wari_load64(bytes + AT_MODEL_BYTES);
    header->model_hash = wari_load64(bytes + AT_MODEL_HASH);
    header->stored = wari_load64(bytes + AT_STORED);
    if (!has_our_hash(bytes))
        return damaged(error, path, AT_HEADER_HASH, "its hash does not match");
    return check_fields(header, bytes, path, error);
}

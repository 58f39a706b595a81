/* Header and hashes of a level file.
 *
 * The header is built and read field by field, never copied from a struct, so padding and byte
 * order cannot leak into files. Everything in it is either needed by the reader or fixed by the
 * level, and then it is compared: no byte of a header can change unnoticed, and a reader of another
 * program can rely on every field.
 */
#include "db/level_header.h"

#include <string.h>
#include <xxhash.h>

#include "db/bytes.h"
#include "db/codec.h"
#include "index/level.h"

/* Byte offsets. */
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
    AT_RESERVED = 80,
    AT_HEADER_HASH = 120,
};

/* Not text (0x89), and changed by a transfer that translates line ends or stops at Ctrl-Z. */
static const uint8_t magic[8] = {0x89, 'W', 'A', 'R', 'I', '\r', '\n', 0x1a};

/* Spreads the seed's few different bits over all 64 (the finaliser of SplitMix64); one-to-one, so
 * different keys always have different seeds. */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t wari_part_hash(struct wari_level_key key, uint64_t part, const void *bytes, size_t size)
{
    uint64_t what = (uint64_t)key.variant.rules << 56 | (uint64_t)key.variant.cycle << 48 |
                    (uint64_t)key.seeds << 40 | part;
    return XXH3_64bits_withSeed(bytes, size, mix(what));
}

uint64_t wari_payload_offset(uint64_t chunks)
{
    return WARI_HEADER_BYTES + chunks * WARI_ENTRY_BYTES;
}

uint64_t wari_chunk_count(uint64_t positions)
{
    return (positions + WARI_CHUNK_POSITIONS - 1) / WARI_CHUNK_POSITIONS;
}

bool wari_level_key_valid(struct wari_level_key key)
{
    return wari_rules_info(key.variant.rules) != NULL &&
           wari_cycle_name(key.variant.cycle) != NULL && key.seeds >= 0 &&
           key.seeds <= WARI_SEEDS_MAX;
}

enum wari_status wari_level_path(char path[WARI_PATH_MAX], const char *folder,
                                 struct wari_level_key key, struct wari_error *error)
{
    if (!wari_level_key_valid(key))
        return wari_fail(error, WARI_BAD_INPUT,
                         "there is no level %d of rule set %d with cycle rule %d", key.seeds,
                         (int)key.variant.rules, (int)key.variant.cycle);
    return wari_path(path, error, folder, "%s-%s-%d.wari", wari_rules_info(key.variant.rules)->name,
                     wari_cycle_name(key.variant.cycle), key.seeds);
}

void wari_level_header_store(struct wari_level_header *header, uint8_t bytes[WARI_HEADER_BYTES])
{
    uint64_t positions = wari_level_positions(header->key.seeds);
    memset(bytes, 0, WARI_HEADER_BYTES);
    memcpy(bytes + AT_MAGIC, magic, sizeof magic);
    wari_store32(bytes + AT_FORMAT, WARI_LEVEL_FORMAT);
    wari_store32(bytes + AT_HEADER_BYTES, WARI_HEADER_BYTES);
    wari_store32(bytes + AT_RULES, (uint32_t)header->key.variant.rules);
    wari_store32(bytes + AT_CYCLE, (uint32_t)header->key.variant.cycle);
    wari_store32(bytes + AT_SEEDS, (uint32_t)header->key.seeds);
    wari_store32(bytes + AT_CODEC, header->codec);
    wari_store32(bytes + AT_CHUNK_POSITIONS, WARI_CHUNK_POSITIONS);
    wari_store32(bytes + AT_ENTRY_BYTES, WARI_ENTRY_BYTES);
    wari_store64(bytes + AT_POSITIONS, positions);
    wari_store64(bytes + AT_CHUNKS, wari_chunk_count(positions));
    wari_store64(bytes + AT_FILE_BYTES, header->file_bytes);
    wari_store64(bytes + AT_PAYLOAD_HASH, header->payload_hash);
    wari_store64(bytes + AT_TABLE_HASH, header->table_hash);
    header->header_hash = wari_part_hash(header->key, WARI_HASH_HEADER, bytes, AT_HEADER_HASH);
    wari_store64(bytes + AT_HEADER_HASH, header->header_hash);
}

static enum wari_status damaged(struct wari_error *error, const char *path, int offset,
                                const char *what)
{
    return wari_fail(error, WARI_CORRUPT,
                     "%s: damaged header at offset %d: %s; get the file again or rebuild the level",
                     path, offset, what);
}

/* Fields that the level decides: a header with a valid hash that has others was not written by a
 * correct writer. */
static enum wari_status check_fixed_fields(const struct wari_level_header *header,
                                           const uint8_t bytes[WARI_HEADER_BYTES], const char *path,
                                           struct wari_error *error)
{
    uint64_t positions = wari_level_positions(header->key.seeds);
    if (!wari_codec_known(header->codec))
        return damaged(error, path, AT_CODEC, "unknown codec");
    if (wari_load32(bytes + AT_CHUNK_POSITIONS) != WARI_CHUNK_POSITIONS)
        return damaged(error, path, AT_CHUNK_POSITIONS, "wrong chunk length");
    if (wari_load32(bytes + AT_ENTRY_BYTES) != WARI_ENTRY_BYTES)
        return damaged(error, path, AT_ENTRY_BYTES, "wrong size of a table entry");
    if (wari_load64(bytes + AT_POSITIONS) != positions)
        return damaged(error, path, AT_POSITIONS, "wrong number of positions");
    if (wari_load64(bytes + AT_CHUNKS) != wari_chunk_count(positions))
        return damaged(error, path, AT_CHUNKS, "wrong number of chunks");
    for (int at = AT_RESERVED; at < AT_HEADER_HASH; at++)
        if (bytes[at] != 0)
            return damaged(error, path, at, "a reserved byte is not 0");
    return WARI_OK;
}

/* Whether the header is one of this version but for the version's number: then it is damaged, and
 * not of another version. */
static bool only_format_differs(const uint8_t bytes[WARI_HEADER_BYTES])
{
    uint8_t ours[WARI_HEADER_BYTES];
    struct wari_level_key key = {{(enum wari_rules)wari_load32(bytes + AT_RULES),
                                  (enum wari_cycle)wari_load32(bytes + AT_CYCLE)},
                                 (int)wari_load32(bytes + AT_SEEDS)};
    memcpy(ours, bytes, sizeof ours);
    wari_store32(ours + AT_FORMAT, WARI_LEVEL_FORMAT);
    return wari_part_hash(key, WARI_HASH_HEADER, ours, AT_HEADER_HASH) ==
           wari_load64(bytes + AT_HEADER_HASH);
}

enum wari_status wari_level_header_load(struct wari_level_header *header,
                                        const uint8_t bytes[WARI_HEADER_BYTES], const char *path,
                                        struct wari_error *error)
{
    uint32_t format = wari_load32(bytes + AT_FORMAT);
    uint32_t rules = wari_load32(bytes + AT_RULES);
    uint32_t cycle = wari_load32(bytes + AT_CYCLE);
    uint32_t seeds = wari_load32(bytes + AT_SEEDS);

    if (memcmp(bytes + AT_MAGIC, magic, sizeof magic) != 0)
        return damaged(error, path, AT_MAGIC, "this is no Wari level file");
    if (format != WARI_LEVEL_FORMAT && only_format_differs(bytes))
        return damaged(error, path, AT_FORMAT, "its hash does not match");
    if (format != WARI_LEVEL_FORMAT)
        return wari_fail(error, WARI_MISMATCH,
                         "%s: format version %u; this program reads version %d: use the program "
                         "that wrote the file or rebuild the level",
                         path, format, WARI_LEVEL_FORMAT);
    if (wari_load32(bytes + AT_HEADER_BYTES) != WARI_HEADER_BYTES)
        return damaged(error, path, AT_HEADER_BYTES, "wrong header size");
    if (rules >= WARI_RULES_COUNT || cycle >= WARI_CYCLE_COUNT || seeds > WARI_SEEDS_MAX)
        return damaged(error, path, AT_RULES, "no such rule set, cycle rule or level");

    header->key.variant.rules = (enum wari_rules)rules;
    header->key.variant.cycle = (enum wari_cycle)cycle;
    header->key.seeds = (int)seeds;
    header->codec = wari_load32(bytes + AT_CODEC);
    header->file_bytes = wari_load64(bytes + AT_FILE_BYTES);
    header->payload_hash = wari_load64(bytes + AT_PAYLOAD_HASH);
    header->table_hash = wari_load64(bytes + AT_TABLE_HASH);
    header->header_hash = wari_load64(bytes + AT_HEADER_HASH);
    if (wari_part_hash(header->key, WARI_HASH_HEADER, bytes, AT_HEADER_HASH) != header->header_hash)
        return damaged(error, path, AT_HEADER_HASH, "its hash does not match");
    return check_fixed_fields(header, bytes, path, error);
}

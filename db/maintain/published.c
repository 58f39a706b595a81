/* Compares a database with the hashes in data/payload_hashes.csv, data/proofs.csv and
 * data/count_hashes.csv, which the assembler includes in the program. All hashes in these files
 * belong to levels that `wari verify` proved. */
#define XXH_STATIC_LINKING_ONLY /* for a hash state on the stack */
#include "db/maintain/published.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "db/catalogue/catalogue_file.h"
#include "db/host/embedded.h"
#include "db/probe/level_reader.h"

/* Hidden visibility makes the compiler use relative addresses instead of an address table. */
extern const char published_values[] __attribute__((visibility("hidden")));
extern const char published_counts[] __attribute__((visibility("hidden")));
extern const char published_end[] __attribute__((visibility("hidden")));
/* clang-format off */
__asm__(WARI_CONSTANTS
        WARI_LABEL "published_values:\n"
        ".incbin \"data/payload_hashes.csv\"\n.incbin \"data/proofs.csv\"\n"
        WARI_LABEL "published_counts:\n.incbin \"data/count_hashes.csv\"\n"
        WARI_LABEL "published_end:\n.byte 0\n"
        WARI_CONSTANTS_END);
/* clang-format on */

/* Finds the published hash of the level. Each line of the text has rules, cycle, seeds and hash.
 * Returns false if no line is for this level. */
static bool find_published(const char *line, const char *end, struct wari_level_key key,
                           uint64_t *hash)
{
    char start[64];
    const int length =
        snprintf(start, sizeof start, "%s,%s,%d,", wari_get_rules_info(key.variant.rules)->name,
                 wari_cycle_name(key.variant.cycle), key.seeds);

    for (; line != NULL && line < end; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, start, (size_t)length) == 0)
            return sscanf(line + length, "%16" SCNx64, hash) == 1;
    }
    return false;
}

/* Computes the hash of the counts, printed as lines of seeds, value and count. */
static uint64_t hash_counts(const struct wari_level_record *record, int seeds)
{
    XXH3_state_t state;

    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    for (int value = -seeds; value <= seeds; value++) {
        const uint64_t count = record->histogram[value + WARI_SEEDS_MAX];
        char line[64];
        if (count == 0)
            continue;
        const int length = snprintf(line, sizeof line, "%d,%d,%" PRIu64 "\n", seeds, value, count);
        XXH3_64bits_update(&state, line, (size_t)length);
    }
    return XXH3_64bits_digest(&state);
}

static enum wari_status hash_values(const struct wari_level_reader *reader,
                                    struct wari_decoder *decoder, int seeds,
                                    const atomic_bool *stop, uint64_t *hash,
                                    struct wari_error *error)
{
    const uint64_t positions = wari_level_positions(seeds);
    int8_t values[WARI_CHUNK_POSITIONS];
    XXH3_state_t state;

    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    for (uint64_t chunk = 0; chunk < wari_chunk_count(positions); chunk++) {
        if (stop != NULL && atomic_load_explicit(stop, memory_order_relaxed))
            return wari_fail(error, WARI_INTERRUPTED, "stopped while reading level %d", seeds);
        const enum wari_status status =
            wari_level_reader_chunk(reader, decoder, chunk, values, error);
        if (status != WARI_OK)
            return status;
        XXH3_64bits_update(&state, values, wari_chunk_size(chunk, positions));
    }
    *hash = XXH3_64bits_digest(&state);
    return WARI_OK;
}

static enum wari_status hash_level(const struct wari_level_address *address,
                                   const struct wari_level_record *record, const atomic_bool *stop,
                                   uint64_t *hash, struct wari_error *error)
{
    struct wari_level_reader *reader;
    struct wari_decoder *decoder;
    enum wari_status status = wari_level_reader_open(&reader, address, record, error);
    if (status != WARI_OK)
        return status;
    status = wari_decoder_create(&decoder, address->host, error);
    if (status == WARI_OK) {
        status = hash_values(reader, decoder, address->key.seeds, stop, hash, error);
        wari_decoder_destroy(decoder);
    }
    wari_level_reader_close(reader);
    return status;
}

enum wari_status wari_check_published(const char *folder, struct wari_variant variant,
                                      const atomic_bool *stop, struct wari_published *published,
                                      struct wari_error *error)
{
    const struct wari_host *host = wari_host_system();
    struct wari_catalogue catalogue;
    enum wari_status status = wari_catalogue_read(&catalogue, host, folder, variant, error);

    *published = (struct wari_published){.differs = -1};
    for (int n = 0; status == WARI_OK && n <= catalogue.seeds_max; n = wari_catalogue_next(n)) {
        const struct wari_level_address address = {host, folder, {variant, n}};
        uint64_t values, counts, found = 0;
        if (!find_published(published_values, published_counts, address.key, &values) ||
            !find_published(published_counts, published_end, address.key, &counts)) {
            published->unlisted++;
            continue;
        }
        status = hash_level(&address, &catalogue.level[n], stop, &found, error);
        if (status != WARI_OK)
            return status;
        published->counts = found == values;
        if (found != values || hash_counts(&catalogue.level[n], n) != counts) {
            published->differs = n;
            return WARI_OK;
        }
        published->same++;
    }
    return status;
}

/* Writes and reads the saved state of an import; import_state.h describes the file. */
#include "solver/import/import_state.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "db/host/bytes.h"
#include "system/platform.h"

enum {
    STATE_FORMAT = 1,
    SAVED_FORMAT = 8,
    SAVED_KEY = 12,
    SAVED_HASH_VERSION = 16,
    SAVED_HASH_SIZE = 20,
    SAVED_ITEMS = 24,
    SAVED_HAS_FILE = 28,
    SAVED_SOURCE_CHANGE = 32,
    SAVED_SOURCE_SIZE = 40,
    SAVED_SOURCE_TIME = 48,
    SAVED_CHUNKS = 56,
    SAVED_PART = 64,
    SAVED_STORED = 104,
    SAVED_FULL = SAVED_STORED + 8 * WARI_IMPORT_VALUES,
    SAVED_STATE = SAVED_FULL + 8 * WARI_IMPORT_VALUES,
    SAVED_HASH = SAVED_STATE + (int)sizeof(XXH3_state_t),
    STATE_BYTES = SAVED_HASH + 8,
};

static const char magic[8] = {'W', 'A', 'R', 'I', 'I', 'M', 'P', 'T'};

static enum wari_status make_path(char path[WARI_PATH_MAX],
                                  const struct wari_level_address *address, const char *suffix,
                                  struct wari_error *error)
{
    const struct wari_level_key key = address->key;

    return wari_path(path, error, address->folder, "%s-%s-%d.import%s",
                     wari_get_rules_info(key.variant.rules)->name,
                     wari_cycle_name(key.variant.cycle), key.seeds, suffix);
}

struct wari_import_source wari_import_source(const struct wari_score_file *file)
{
    struct stat status;

    if (fstat(file->fd, &status) != 0)
        return (struct wari_import_source){0};
    return (struct wari_import_source){.size = (uint64_t)status.st_size,
                                       .data_changed = wari_data_changed_at(&status),
                                       .status_changed = wari_status_changed_at(&status)};
}

/* Stores the fields that have to be the same when the state is loaded: all fields before the number
 * of items, and the size and times of the score file. */
static void store_identity(const struct wari_level_address *address,
                           const struct wari_import_source *source, bool packed,
                           uint8_t bytes[STATE_BYTES])
{
    const struct wari_level_key key = address->key;

    memset(bytes, 0, STATE_BYTES);
    memcpy(bytes, magic, sizeof magic);
    wari_store32(bytes + SAVED_FORMAT, STATE_FORMAT);
    bytes[SAVED_KEY] = (uint8_t)key.variant.rules;
    bytes[SAVED_KEY + 1] = (uint8_t)key.variant.cycle;
    bytes[SAVED_KEY + 2] = (uint8_t)key.seeds;
    bytes[SAVED_KEY + 3] = packed;
    wari_store32(bytes + SAVED_HASH_VERSION, XXH_versionNumber());
    wari_store32(bytes + SAVED_HASH_SIZE, sizeof(XXH3_state_t));
    wari_store64(bytes + SAVED_SOURCE_CHANGE, source->status_changed);
    wari_store64(bytes + SAVED_SOURCE_SIZE, source->size);
    wari_store64(bytes + SAVED_SOURCE_TIME, source->data_changed);
}

static void store_histogram(const uint64_t histogram[WARI_IMPORT_VALUES], uint8_t *bytes)
{
    for (int i = 0; i < WARI_IMPORT_VALUES; i++)
        wari_store64(bytes + (size_t)i * 8, histogram[i]);
}

static void load_histogram(uint64_t histogram[WARI_IMPORT_VALUES], const uint8_t *bytes)
{
    for (int i = 0; i < WARI_IMPORT_VALUES; i++)
        histogram[i] = wari_load64(bytes + (size_t)i * 8);
}

static void store_state(const struct wari_import_state *state, uint8_t bytes[STATE_BYTES])
{
    const struct wari_level_part *part = &state->part;
    const uint64_t numbers[] = {part->written, part->end, part->model_bytes, part->model_hash,
                                part->table_hash};

    wari_store32(bytes + SAVED_ITEMS, (uint32_t)state->items);
    wari_store32(bytes + SAVED_HAS_FILE, state->has_file);
    wari_store64(bytes + SAVED_CHUNKS, state->chunks);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        wari_store64(bytes + SAVED_PART + i * 8, numbers[i]);
    store_histogram(state->stored, bytes + SAVED_STORED);
    store_histogram(state->full, bytes + SAVED_FULL);
    if (state->has_file)
        memcpy(bytes + SAVED_STATE, &state->hash, sizeof state->hash);
    wari_store64(bytes + SAVED_HASH, XXH3_64bits(bytes, SAVED_HASH));
}

static void load_state(struct wari_import_state *state, const uint8_t bytes[STATE_BYTES])
{
    XXH3_state_t fresh;

    *state = (struct wari_import_state){
        .items = wari_load32(bytes + SAVED_ITEMS),
        .has_file = wari_load32(bytes + SAVED_HAS_FILE) != 0,
        .chunks = wari_load64(bytes + SAVED_CHUNKS),
        .part = {.written = wari_load64(bytes + SAVED_PART),
                 .end = wari_load64(bytes + SAVED_PART + 8),
                 .model_bytes = wari_load64(bytes + SAVED_PART + 16),
                 .model_hash = wari_load64(bytes + SAVED_PART + 24),
                 .table_hash = wari_load64(bytes + SAVED_PART + 32)},
    };
    load_histogram(state->stored, bytes + SAVED_STORED);
    load_histogram(state->full, bytes + SAVED_FULL);
    XXH3_INITSTATE(&fresh);
    if (XXH3_64bits_reset(&fresh) != XXH_OK) {
        state->has_file = false;
        return;
    }
    memcpy(&state->hash, bytes + SAVED_STATE, sizeof state->hash);
    state->hash.extSecret = fresh.extSecret; /* an address of this process */
}

enum wari_status wari_import_save(const struct wari_import_state *state,
                                  const struct wari_level_address *address,
                                  const struct wari_import_source *source, bool packed,
                                  struct wari_error *error)
{
    const struct wari_host *host = address->host;
    char path[WARI_PATH_MAX], temporary[WARI_PATH_MAX];
    uint8_t bytes[STATE_BYTES];
    int fd;
    enum wari_status status = make_path(path, address, "", error);

    if (status == WARI_OK)
        status = make_path(temporary, address, ".tmp", error);
    if (status == WARI_OK)
        status = wari_create_anew(host, temporary, NULL, &fd, error);
    if (status != WARI_OK)
        return status;
    store_identity(address, source, packed, bytes);
    store_state(state, bytes);
    status = wari_write_at(host, fd, temporary, bytes, sizeof bytes, 0, error);
    if (status == WARI_OK)
        return wari_publish(host, fd, temporary, address->folder, path, error);
    host->close(host->context, fd);
    host->unlink(host->context, temporary);
    return status;
}

bool wari_import_load(struct wari_import_state *state, const struct wari_level_address *address,
                      const struct wari_import_source *source, bool packed)
{
    const struct wari_host *host = address->host;
    uint8_t expected[STATE_BYTES], bytes[STATE_BYTES];
    char path[WARI_PATH_MAX];
    int fd;

    if (make_path(path, address, "", NULL) != WARI_OK ||
        wari_open_file(host, path, O_RDONLY, &fd, NULL) != WARI_OK)
        return false;
    const enum wari_status status = wari_read_at(host, fd, path, bytes, sizeof bytes, 0, NULL);
    host->close(host->context, fd);
    store_identity(address, source, packed, expected);
    if (status != WARI_OK || wari_load64(bytes + SAVED_HASH) != XXH3_64bits(bytes, SAVED_HASH) ||
        memcmp(bytes, expected, SAVED_ITEMS) != 0 ||
        memcmp(bytes + SAVED_SOURCE_CHANGE, expected + SAVED_SOURCE_CHANGE,
               SAVED_CHUNKS - SAVED_SOURCE_CHANGE) != 0)
        return false;
    load_state(state, bytes);
    return true;
}

void wari_import_forget(const struct wari_level_address *address)
{
    char path[WARI_PATH_MAX];

    if (make_path(path, address, "", NULL) == WARI_OK)
        address->host->unlink(address->host->context, path);
}

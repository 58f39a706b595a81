/* Reads a level file.
 *
 * Opening verifies the header and the size of the file, and every size from the file is compared
 * with the limits of the level before it is used.
 *
 * Opening also verifies a small offset table: its hash, and that the chunks fill the file without a
 * gap. A large table (379 MiB for level 48, 223 MiB if packed) is neither kept in memory nor read
 * when the file is opened. Of this table, each access to a chunk reads two entries: that of the
 * chunk, and the one before it, which says where the chunk starts. These entries are checked
 * against the limits, and the chunk against the hash in its entry. If an entry is damaged, the
 * bytes that it leads to do not have the hash that it holds, so no value is ever taken from the
 * wrong bytes. Callers that read the whole file anyway call wari_level_file_check_table(), which
 * verifies the hash of the whole table.
 *
 * A chunk is hashed whenever it is read. A chunk in the wrong place, or of another level, fails its
 * hash, because the hash is seeded with the level and the number of the chunk. The struct does not
 * change after opening, so any number of threads may read at once.
 */
#define XXH_STATIC_LINKING_ONLY /* for a hash state on the stack */
#include "db/format/level_file.h"

#include <errno.h>
#include <fcntl.h>
#include <xxhash.h>

#include "db/format/level_header.h"
#include "db/host/bytes.h"
#include "index/level.h"

struct wari_level_file {
    const struct wari_host *host;
    int fd;
    struct wari_level_header header;
    struct wari_layout layout;
    struct wari_model *model;
    uint64_t chunks;
    uint8_t *table; /* the offset table, as stored in the file; NULL if it is larger than
                     * WARI_TABLE_BYTES_KEPT */
    struct wari_file_location location; /* the part of the file that is currently read; used only
                                         * while the file is opened */
    char path[WARI_PATH_MAX];
};

static uint64_t chunk_hash(const struct wari_level_file *file, uint64_t chunk, const void *bytes,
                           size_t size)
{
    return wari_seeded_hash(file->header.key, chunk, bytes, size);
}

/* ---- The offset table ----------------------------------------------------------------------- */

/* The file offsets of a chunk, and the hash of its bytes. */
struct chunk_place {
    uint64_t start, end;
    uint64_t hash;
};

static uint64_t entry_offset(uint64_t chunk)
{
    return WARI_HEADER_BYTES + chunk * WARI_ENTRY_BYTES;
}

/* Reads `count` entries of the offset table, beginning with the entry of chunk `first`. Sets
 * *entries to the first of them, which is in `buffer` unless the whole table is in memory. */
static enum wari_status read_entries(const struct wari_level_file *file, uint64_t first,
                                     size_t count, uint8_t *buffer, const uint8_t **entries,
                                     struct wari_error *error)
{
    *entries = buffer;
    if (file->table == NULL)
        return wari_read_at(file->host, file->fd, file->path, buffer, count * WARI_ENTRY_BYTES,
                            entry_offset(first), error);
    *entries = file->table + first * WARI_ENTRY_BYTES;
    return WARI_OK;
}

static enum wari_status bad_entry(const struct wari_level_file *file, uint64_t chunk,
                                  struct wari_error *error)
{
    return wari_fail(error, WARI_CORRUPT,
                     "%s: chunk %llu has an impossible size (offset table at offset "
                     "%llu); " WARI_GET_AGAIN,
                     file->path, (unsigned long long)chunk,
                     (unsigned long long)entry_offset(chunk));
}

/* Finds a chunk, which must exist. Returns WARI_CORRUPT if the chunk's entry contradicts the entry
 * before it or the size of the file. */
static enum wari_status find_chunk(const struct wari_level_file *file, uint64_t chunk,
                                   struct chunk_place *place, struct wari_error *error)
{
    const uint64_t payload = wari_header_payload_offset(&file->header);
    const uint64_t after = file->chunks - 1 - chunk; /* number of chunks after this one */
    const size_t before = chunk > 0;                 /* number of entries to read before the chunk's
                                                      * own */
    uint8_t buffer[2 * WARI_ENTRY_BYTES];
    const uint8_t *entries;
    enum wari_status status =
        read_entries(file, chunk - before, 1 + before, buffer, &entries, error);
    if (status != WARI_OK)
        return status;

    const uint8_t *entry = entries + before * WARI_ENTRY_BYTES;
    place->start = before > 0 ? wari_load64(entries) : payload;
    place->end = wari_load64(entry);
    place->hash = wari_load64(entry + 8);
    /* Every chunk before and after this one has at least one byte. */
    if (place->start < payload + chunk || place->end <= place->start ||
        place->end - place->start > WARI_CHUNK_BYTES_MAX ||
        place->end > file->header.file_bytes - after ||
        (after == 0 && place->end != file->header.file_bytes))
        return bad_entry(file, chunk, error);
    return WARI_OK;
}

/* Checks the whole offset table, which is in memory or in the file. Checks the hash of the table,
 * and that the chunks fill the file without a gap. */
static enum wari_status check_table(const struct wari_level_file *file, struct wari_error *error)
{
    enum { AT_ONCE = 1024 };
    uint8_t buffer[AT_ONCE * WARI_ENTRY_BYTES];
    uint64_t end = wari_header_payload_offset(&file->header);
    uint64_t wrong = file->chunks; /* the first chunk with an impossible size */
    XXH3_state_t state;

    XXH3_INITSTATE(&state);
    XXH3_64bits_reset_withSeed(&state, wari_hash_seed(file->header.key, WARI_HASH_TABLE));
    for (uint64_t first = 0; first < file->chunks; first += AT_ONCE) {
        const uint64_t left = file->chunks - first;
        const size_t count = left < AT_ONCE ? (size_t)left : AT_ONCE;
        const uint8_t *entries;
        enum wari_status status = read_entries(file, first, count, buffer, &entries, error);
        if (status != WARI_OK)
            return status;
        XXH3_64bits_update(&state, entries, count * WARI_ENTRY_BYTES);
        for (size_t i = 0; i < count; i++) {
            const uint64_t start = end;
            end = wari_load64(entries + i * WARI_ENTRY_BYTES);
            if ((end <= start || end - start > WARI_CHUNK_BYTES_MAX) && wrong == file->chunks)
                wrong = first + i;
        }
    }
    if (XXH3_64bits_digest(&state) != file->header.table_hash)
        return wari_fail(error, WARI_CORRUPT,
                         "%s: damaged offset table at offset %d; " WARI_GET_AGAIN, file->path,
                         WARI_HEADER_BYTES);
    if (wrong < file->chunks)
        return bad_entry(file, wrong, error);
    if (end != file->header.file_bytes)
        return wari_fail(
            error, WARI_CORRUPT,
            "%s: the last chunk ends at offset %llu, but the file ends at %llu; " WARI_GET_AGAIN,
            file->path, (unsigned long long)end, (unsigned long long)file->header.file_bytes);
    return WARI_OK;
}

enum wari_status wari_level_file_check_table(const struct wari_level_file *file,
                                             struct wari_error *error)
{
    return file->table != NULL ? WARI_OK : check_table(file, error);
}

/* ---- Opening -------------------------------------------------------------------------------- */

static enum wari_status check_identity(const struct wari_level_file *file,
                                       struct wari_level_key expected, struct wari_error *error)
{
    struct wari_level_key key = file->header.key;
    if (key.variant.rules == expected.variant.rules &&
        key.variant.cycle == expected.variant.cycle && key.seeds == expected.seeds)
        return WARI_OK;
    return wari_fail(
        error, WARI_MISMATCH,
        "%s: this file holds level %d of %s, cycle rule %s (header at offset 0), although its name "
        "says otherwise; put the right file in its place: " WARI_GET_AGAIN,
        file->path, key.seeds, wari_get_rules_info(key.variant.rules)->name,
        wari_cycle_name(key.variant.cycle));
}

static enum wari_status read_header(struct wari_level_file *file,
                                    const struct wari_level_key expected_key,
                                    const struct wari_level_record *expected,
                                    struct wari_error *error)
{
    uint8_t bytes[WARI_HEADER_BYTES];
    file->location = (struct wari_file_location){"header", 0};
    enum wari_status status =
        wari_read_at(file->host, file->fd, file->path, bytes, sizeof bytes, 0, error);
    if (status == WARI_OK)
        status = wari_level_header_load(&file->header, bytes, file->path, error);
    if (status == WARI_OK)
        status = check_identity(file, expected_key, error);
    if (status != WARI_OK || expected == NULL)
        return status;

    const struct wari_level_header *header = &file->header;
    const bool one =
        expected->header_hash == header->header_hash && expected->file_bytes == header->file_bytes;
    const bool other = expected->other_bytes > 0 && expected->other_hash == header->header_hash &&
                       expected->other_bytes == header->file_bytes;
    if ((!one && !other) || expected->payload_hash != header->payload_hash)
        return wari_fail(error, WARI_CORRUPT,
                         "%s: this file is intact, but it is not the one that the catalogue lists "
                         "(header at offset 0); copy both from the same source",
                         file->path);
    return WARI_OK;
}

/* Checks the size of the file before the offset table is read, because the size limits what the
 * table may contain and how much memory is allocated for it. */
static enum wari_status check_size(struct wari_level_file *file, struct wari_error *error)
{
    off_t size = file->host->size(file->host->context, file->fd);
    uint64_t least = wari_header_payload_offset(&file->header) + file->chunks;
    if (size < 0)
        return wari_fail_errno(error, file->path, "find the size");
    file->location = (struct wari_file_location){"end", (uint64_t)size};
    if ((uint64_t)size != file->header.file_bytes || (uint64_t)size < least)
        return wari_fail(error, WARI_CORRUPT,
                         "%s: the file ends at offset %llu instead of %llu; " WARI_GET_AGAIN,
                         file->path, (unsigned long long)size,
                         (unsigned long long)file->header.file_bytes);
    return WARI_OK;
}

uint64_t wari_level_file_memory(int seeds)
{
    const uint64_t table = wari_chunk_count(wari_level_positions(seeds)) * WARI_ENTRY_BYTES;
    return sizeof(struct wari_level_file) + wari_model_memory(seeds) +
           (table < WARI_TABLE_BYTES_KEPT ? table : WARI_TABLE_BYTES_KEPT);
}

/* Reads and checks a small offset table. Of a large one, checks only the last entry, which says
 * where the file ends. */
static enum wari_status read_table(struct wari_level_file *file, struct wari_error *error)
{
    const uint64_t bytes = file->chunks * WARI_ENTRY_BYTES;
    struct chunk_place last;
    void *memory;
    file->location = (struct wari_file_location){"offset table", WARI_HEADER_BYTES};
    if (bytes > WARI_TABLE_BYTES_KEPT)
        return find_chunk(file, file->chunks - 1, &last, error);
    enum wari_status status =
        wari_allocate(file->host, (size_t)bytes, "an offset table", &memory, error);
    if (status != WARI_OK)
        return status;
    file->table = memory;
    status = wari_read_at(file->host, file->fd, file->path, file->table, (size_t)bytes,
                          WARI_HEADER_BYTES, error);
    return status == WARI_OK ? check_table(file, error) : status;
}

static enum wari_status load_model(struct wari_level_file *file, void *packed,
                                   struct wari_error *error)
{
    const struct wari_level_header *header = &file->header;
    const uint64_t at = wari_header_model_offset(header);
    const size_t bytes = (size_t)header->model_bytes;
    struct wari_error why;
    enum wari_status status =
        wari_read_at(file->host, file->fd, file->path, packed, bytes, at, error);
    if (status != WARI_OK)
        return status;
    if (chunk_hash(file, WARI_HASH_MODEL, packed, bytes) != header->model_hash)
        return wari_fail(error, WARI_CORRUPT, "%s: damaged model at offset %llu; " WARI_GET_AGAIN,
                         file->path, (unsigned long long)at);
    status = wari_model_unpack(&file->model, file->host, header->key.seeds, packed, bytes, &why);
    if (status != WARI_OK)
        return wari_fail(error, status, "%s: model at offset %llu: %s%s", file->path,
                         (unsigned long long)at, why.text,
                         status == WARI_CORRUPT ? "; " WARI_GET_AGAIN : "");
    return WARI_OK;
}

static enum wari_status read_model(struct wari_level_file *file, struct wari_error *error)
{
    void *packed;
    enum wari_status status;
    file->location = (struct wari_file_location){"model", wari_header_model_offset(&file->header)};
    status = wari_allocate(file->host, (size_t)file->header.model_bytes, "a model", &packed, error);
    if (status != WARI_OK)
        return status;
    status = load_model(file, packed, error);
    wari_release(file->host, packed);
    return status;
}

enum wari_status wari_level_file_inspect(struct wari_level_file **file,
                                         const struct wari_level_address *address,
                                         const struct wari_level_record *expected,
                                         struct wari_file_location *location,
                                         struct wari_error *error)
{
    const struct wari_host *host = address->host;
    void *memory;
    *file = NULL;
    *location = (struct wari_file_location){"file", 0};
    enum wari_status status = wari_allocate(host, sizeof **file, "a level file", &memory, error);
    if (status != WARI_OK)
        return status;

    struct wari_level_file *new = memory;
    *new = (struct wari_level_file){.host = host, .fd = -1, .location = *location};
    status = wari_level_path(new->path, address->folder, address->key, error);
    if (status == WARI_OK)
        status = wari_open_file(host, new->path, O_RDONLY, &new->fd, error);
    if (status == WARI_IO && errno == ENOENT)
        status = wari_fail(error, WARI_IO,
                           "%s: this level file is missing; get the file again, or solve the "
                           "level with 'wari build'",
                           new->path);
    if (status == WARI_OK)
        status = read_header(new, address->key, expected, error);
    if (status != WARI_OK)
        goto out;

    wari_layout_init(&new->layout, address->key.seeds);
    new->chunks = wari_chunk_count(new->header.stored);
    status = check_size(new, error);
    if (status == WARI_OK)
        status = read_table(new, error);
    if (status == WARI_OK)
        status = read_model(new, error);

out:
    *location = new->location;
    if (status == WARI_OK)
        *file = new;
    else
        wari_level_file_close(new);
    return status;
}

enum wari_status wari_level_file_open(struct wari_level_file **file,
                                      const struct wari_level_address *address,
                                      const struct wari_level_record *expected,
                                      struct wari_error *error)
{
    struct wari_file_location location;
    return wari_level_file_inspect(file, address, expected, &location, error);
}

void wari_level_file_close(struct wari_level_file *file)
{
    if (file == NULL)
        return;
    /* The file was opened for reading only, so a failing close() loses no data. */
    if (file->fd >= 0)
        file->host->close(file->host->context, file->fd);
    wari_model_destroy(file->model);
    wari_release(file->host, file->table);
    wari_release(file->host, file);
}

/* ---- Chunks --------------------------------------------------------------------------------- */

const char *wari_level_file_path(const struct wari_level_file *file)
{
    return file->path;
}

uint64_t wari_level_file_payload_hash(const struct wari_level_file *file)
{
    return file->header.payload_hash;
}

bool wari_level_file_packed(const struct wari_level_file *file)
{
    return file->header.stored == wari_packed_positions(file->header.key.seeds);
}

void wari_level_file_record(const struct wari_level_file *file, struct wari_level_record *record)
{
    record->header_hash = file->header.header_hash;
    record->file_bytes = file->header.file_bytes;
    record->other_hash = 0;
    record->other_bytes = 0;
}

uint64_t wari_level_file_stored(const struct wari_level_file *file)
{
    return file->header.stored;
}

uint64_t wari_level_file_chunks(const struct wari_level_file *file)
{
    return file->chunks;
}

size_t wari_level_file_chunk_positions(const struct wari_level_file *file, uint64_t chunk)
{
    return chunk < file->chunks ? wari_chunk_size(chunk, file->header.stored) : 0;
}

uint64_t wari_level_file_chunk_offset(const struct wari_level_file *file, uint64_t chunk)
{
    struct chunk_place place;
    if (chunk >= file->chunks)
        return file->header.file_bytes;
    return find_chunk(file, chunk, &place, NULL) == WARI_OK ? place.start : entry_offset(chunk);
}

static bool values_in_range(const int8_t *values, size_t count, int seeds)
{
    enum { VECTOR = 64 };
    size_t i = 0;
    int8_t most = 0, least = 0;
    /* The compiler vectorises the inner loop, which has a fixed length and no branches. Checking
     * value by value took a sixth of the time to decode a chunk. */
    for (; i + VECTOR <= count; i += VECTOR) {
        for (size_t j = i; j < i + VECTOR; j++) {
            most = values[j] > most ? values[j] : most;
            least = values[j] < least ? values[j] : least;
        }
    }
    for (; i < count; i++) {
        most = values[i] > most ? values[i] : most;
        least = values[i] < least ? values[i] : least;
    }
    return most <= seeds && least >= -seeds;
}

static enum wari_status bad_chunk(const struct wari_level_file *file, uint64_t chunk,
                                  const struct chunk_place *place, enum wari_status status,
                                  const char *why, struct wari_error *error)
{
    return wari_fail(error, status, "%s: chunk %llu at offset %llu: %s%s", file->path,
                     (unsigned long long)chunk, (unsigned long long)place->start, why,
                     status == WARI_CORRUPT ? "; " WARI_GET_AGAIN : "");
}

/* Finds a chunk, reads it without decoding it, and checks its hash. `encoded` has a capacity of
 * WARI_CHUNK_BYTES_MAX bytes, which no chunk exceeds. */
static enum wari_status read_chunk(const struct wari_level_file *file, uint64_t chunk,
                                   uint8_t *encoded, struct chunk_place *place,
                                   struct wari_error *error)
{
    if (chunk >= file->chunks)
        return wari_fail(error, WARI_BAD_INPUT,
                         "%s: there is no chunk %llu; the file has %llu, and the first is 0",
                         file->path, (unsigned long long)chunk, (unsigned long long)file->chunks);

    enum wari_status status = find_chunk(file, chunk, place, error);
    if (status != WARI_OK)
        return status;
    const size_t bytes = (size_t)(place->end - place->start);
    status = wari_read_at(file->host, file->fd, file->path, encoded, bytes, place->start, error);
    if (status == WARI_OK && chunk_hash(file, chunk, encoded, bytes) != place->hash)
        status = bad_chunk(file, chunk, place, WARI_CORRUPT, "its hash does not match", error);
    return status;
}

enum wari_status wari_level_file_check_chunk(const struct wari_level_file *file, uint64_t chunk,
                                             void *buffer, struct wari_error *error)
{
    struct chunk_place place;
    return read_chunk(file, chunk, buffer, &place, error);
}

/* Returns true if the first `steps` values of each stream are in range. */
static bool prefix_in_range(const int8_t *values, size_t count, size_t steps, int seeds)
{
    if (steps >= WARI_STREAM_POSITIONS)
        return values_in_range(values, count, seeds);
    for (size_t stream = 0; stream < count; stream += WARI_STREAM_POSITIONS)
        if (!values_in_range(values + stream, steps, seeds))
            return false;
    return true;
}

size_t wari_level_file_steps(const struct wari_level_file *file, uint64_t chunk, size_t place)
{
    /* If more values of a stream than this are needed, decoding all of them costs little more. */
    enum { NEARLY_ALL = WARI_STREAM_POSITIONS / 4 * 3 };
    const size_t count = wari_level_file_chunk_positions(file, chunk);
    /* Includes all values up to `place`. */
    const size_t steps = place % WARI_STREAM_POSITIONS / WARI_STEP_MULTIPLE * WARI_STEP_MULTIPLE +
                         WARI_STEP_MULTIPLE;
    return count < WARI_CHUNK_POSITIONS || steps > NEARLY_ALL ? (size_t)WARI_STREAM_POSITIONS
                                                              : steps;
}

enum wari_status wari_level_file_chunk_prefix(const struct wari_level_file *file,
                                              struct wari_decoder *decoder, uint64_t chunk,
                                              size_t steps, int8_t *values,
                                              struct wari_error *error)
{
    const int seeds = file->header.key.seeds;
    struct wari_chunk_range range =
        wari_whole_chunk_range(&file->layout, chunk, wari_level_file_chunk_positions(file, chunk));
    struct chunk_place place;
    struct wari_error why;
    range.steps = steps;
    enum wari_status status = read_chunk(file, chunk, wari_decoder_buffer(decoder), &place, error);
    if (status != WARI_OK)
        return status;

    status = wari_chunk_decode(decoder, file->model, &range, (size_t)(place.end - place.start),
                               values, &why);
    if (status == WARI_OK && !prefix_in_range(values, range.count, steps, seeds))
        status = wari_fail(&why, WARI_CORRUPT,
                           "a value is outside the range of a level with %d seeds", seeds);
    return status == WARI_OK ? WARI_OK : bad_chunk(file, chunk, &place, status, why.text, error);
}

enum wari_status wari_level_file_chunk(const struct wari_level_file *file,
                                       struct wari_decoder *decoder, uint64_t chunk, int8_t *values,
                                       struct wari_error *error)
{
    return wari_level_file_chunk_prefix(file, decoder, chunk, WARI_STREAM_POSITIONS, values, error);
}

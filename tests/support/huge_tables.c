/* Writes databases with all levels up to 48 seeds.
 *
 * The complete files come from the writer of level files. It cannot leave holes, so the sparse
 * files are written here, part by part, as FORMAT.md describes them. Their model gives no value a
 * frequency, so that every value is an escape. Then all full chunks of a file have the same bytes,
 * about 7 KB, and the files are five times as long as real ones. The hash that
 * is stored for a sparse offset table is not the hash of its bytes. */
#include "tests/support/huge_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/catalogue/catalogue_file.h"
#include "db/format/level_header.h"
#include "db/format/level_writer.h"
#include "db/host/bytes.h"
#include "index/level.h"
#include "tests/support/level_samples.h"

const uint8_t huge_chunk[HUGE_CHUNK_BYTES] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0};

/* Numbers of chunks, in any order and possibly several times. */
struct chunk_list {
    uint64_t *numbers;
    size_t count, capacity;
};

/* The chunks that exist in the sparse files. */
struct needed {
    enum wari_rules rules;
    struct wari_layout layout[WARI_SEEDS_MAX + 1];
    struct chunk_list list[WARI_SEEDS_MAX + 1];
    bool failed; /* memory has run out */
};

static bool is_sparse(int seeds)
{
    return wari_chunk_count(wari_packed_positions(seeds)) * WARI_ENTRY_BYTES >
           WARI_TABLE_BYTES_KEPT;
}

/* ---- Models --------------------------------------------------------------------------------- */

/* Creates a model in which every context gives the whole sum of frequencies to `symbol`, and 0 to
 * all other symbols. */
static enum wari_status model_of_symbol(struct wari_model **model, int seeds, size_t symbol,
                                        struct wari_error *error)
{
    const size_t bytes = wari_model_plain_bytes(seeds);
    const size_t symbols = 2 * (size_t)seeds + 2;
    uint8_t *plain = calloc(1, bytes);
    if (plain == NULL)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for a model");
    for (size_t context = 0; context < bytes / (2 * symbols); context++)
        wari_store16(plain + 2 * (context * symbols + symbol), WARI_FREQUENCY_SUM);
    enum wari_status status = wari_model_load(model, wari_host_system(), seeds, plain, error);
    free(plain);
    return status;
}

enum wari_status huge_tables_model(struct wari_model **model, int seeds, int value,
                                   struct wari_error *error)
{
    return model_of_symbol(model, seeds, (size_t)(1 + seeds + value), error);
}

/* ---- Complete files ------------------------------------------------------------------------- */

static int sync_nothing(void *context, int fd)
{
    (void)context;
    (void)fd;
    return 0;
}

/* Returns a host that does not wait for the disk. */
static struct wari_host host_without_sync(void)
{
    struct wari_host host = *wari_host_system();
    host.fsync = sync_nothing;
    host.begin_fsync = NULL;
    return host;
}

enum wari_status huge_tables_write_level(const char *folder, struct wari_level_key key, int value,
                                         struct wari_level_record *record, struct wari_error *error)
{
    const struct wari_host host = host_without_sync();
    const uint64_t chunks = wari_chunk_count(wari_packed_positions(key.seeds));
    struct wari_level_writer *writer;
    struct wari_model *model;
    enum wari_status status = huge_tables_model(&model, key.seeds, value, error);
    if (status != WARI_OK)
        return status;
    status = wari_level_writer_open(&writer, &(struct wari_level_address){&host, folder, key},
                                    model, true, error);
    wari_model_destroy(model);
    if (status != WARI_OK)
        return status;
    for (uint64_t chunk = 0; chunk < chunks && status == WARI_OK; chunk++)
        status = wari_level_writer_append(writer, huge_chunk, sizeof huge_chunk, error);
    if (status == WARI_OK)
        return wari_level_writer_place(writer, (uint64_t)key.seeds, NULL, record, error);
    wari_level_writer_abandon(writer);
    return status;
}

/* ---- The chunks that are needed ------------------------------------------------------------- */

static void add_chunk(struct needed *needed, int seeds, uint64_t chunk)
{
    struct chunk_list *list = &needed->list[seeds];
    if (list->count == list->capacity) {
        const size_t capacity = 2 * list->capacity + 64;
        uint64_t *numbers = realloc(list->numbers, capacity * sizeof *numbers);
        if (numbers == NULL) {
            needed->failed = true;
            return;
        }
        list->numbers = numbers;
        list->capacity = capacity;
    }
    list->numbers[list->count++] = chunk;
}

static void add_moves(struct needed *needed, const struct wari_position *position);

/* Adds the chunks that are read when the position is looked up. */
static void add_position(struct needed *needed, const struct wari_position *position)
{
    const int seeds = wari_seeds(position);
    if (!wari_position_stored(position)) {
        add_moves(needed, position);
        return;
    }
    const uint64_t rank = wari_layout_rank(&needed->layout[seeds], position);
    if (rank >= wari_packed_positions(seeds))
        add_moves(needed, position);
    else if (is_sparse(seeds))
        add_chunk(needed, seeds, rank / WARI_CHUNK_POSITIONS);
}

static void add_moves(struct needed *needed, const struct wari_position *position)
{
    struct wari_moves moves;
    wari_find_moves(needed->rules, position, &moves);
    for (int i = 0; i < moves.count; i++)
        if (!moves.list[i].ends)
            add_position(needed, &moves.list[i].next);
}

/* ---- Sparse files --------------------------------------------------------------------------- */

/* A sparse file that is being written. */
struct sparse {
    int fd;
    struct wari_level_header header;
    uint8_t model[WARI_MODEL_BYTES_MAX];
    uint8_t chunk[WARI_CHUNK_BYTES_MAX]; /* the bytes of every full chunk */
    uint8_t last[WARI_CHUNK_BYTES_MAX];  /* the bytes of the last chunk */
    size_t chunk_bytes, last_bytes;
};

/* Encodes `count` values of `value` with a model in which every value is an escape. */
static size_t encode(size_t count, int value, uint8_t *bytes)
{
    int8_t values[WARI_CHUNK_POSITIONS];
    memset(values, value, sizeof values);
    return sample_encode_escapes(values, count, bytes);
}

/* Fills in everything except for the descriptor. */
static enum wari_status prepare(struct sparse *sparse, struct wari_level_key key,
                                struct wari_error *error)
{
    const uint64_t stored = wari_packed_positions(key.seeds);
    const uint64_t chunks = wari_chunk_count(stored);
    struct wari_model *model = NULL;
    size_t model_bytes = 0;
    enum wari_status status = model_of_symbol(&model, key.seeds, 0, error); /* the escape */
    if (status == WARI_OK)
        status = wari_model_pack(model, sparse->model, &model_bytes, error);
    wari_model_destroy(model);
    if (status != WARI_OK)
        return status;
    sparse->chunk_bytes = encode(WARI_CHUNK_POSITIONS, key.seeds, sparse->chunk);
    sparse->last_bytes = encode(wari_chunk_size(chunks - 1, stored), key.seeds, sparse->last);
    sparse->header = (struct wari_level_header){
        .key = key,
        .payload_hash = (uint64_t)key.seeds,
        .model_bytes = model_bytes,
        .model_hash = wari_seeded_hash(key, WARI_HASH_MODEL, sparse->model, model_bytes),
        .stored = stored,
    };
    sparse->header.file_bytes = wari_header_payload_offset(&sparse->header) +
                                (chunks - 1) * sparse->chunk_bytes + sparse->last_bytes;
    return WARI_OK;
}

static bool put(const struct sparse *sparse, const void *bytes, size_t size, uint64_t at)
{
    return pwrite(sparse->fd, bytes, size, (off_t)at) == (ssize_t)size;
}

/* Writes a chunk, its entry in the offset table, and the end of the chunk before it. */
static bool put_chunk(const struct sparse *sparse, uint64_t chunk)
{
    const bool last = chunk + 1 == wari_chunk_count(sparse->header.stored);
    const uint8_t *bytes = last ? sparse->last : sparse->chunk;
    const size_t size = last ? sparse->last_bytes : sparse->chunk_bytes;
    const uint64_t start =
        wari_header_payload_offset(&sparse->header) + chunk * sparse->chunk_bytes;
    const uint64_t place = WARI_HEADER_BYTES + chunk * WARI_ENTRY_BYTES;
    uint8_t before[8], entry[WARI_ENTRY_BYTES];
    wari_store64(before, start);
    wari_store64(entry, start + size);
    wari_store64(entry + 8, wari_seeded_hash(sparse->header.key, chunk, bytes, size));
    return (chunk == 0 || put(sparse, before, sizeof before, place - WARI_ENTRY_BYTES)) &&
           put(sparse, entry, sizeof entry, place) && put(sparse, bytes, size, start);
}

static bool fill(struct sparse *sparse, const struct chunk_list *list)
{
    uint8_t header[WARI_HEADER_BYTES];
    wari_level_header_store(&sparse->header, header);
    bool good = ftruncate(sparse->fd, (off_t)sparse->header.file_bytes) == 0 &&
                put(sparse, header, sizeof header, 0) &&
                put(sparse, sparse->model, (size_t)sparse->header.model_bytes,
                    wari_header_model_offset(&sparse->header)) &&
                put_chunk(sparse, wari_chunk_count(sparse->header.stored) - 1);
    for (size_t i = 0; i < list->count && good; i++)
        good = put_chunk(sparse, list->numbers[i]);
    return good;
}

static enum wari_status write_sparse(const char *folder, struct wari_level_key key,
                                     const struct chunk_list *list,
                                     struct wari_level_record *record, struct wari_error *error)
{
    char path[WARI_PATH_MAX];
    struct sparse *sparse = calloc(1, sizeof *sparse);
    if (sparse == NULL)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for a sparse file");
    enum wari_status status = wari_level_path(path, folder, key, error);
    if (status == WARI_OK)
        status = prepare(sparse, key, error);
    if (status == WARI_OK) {
        sparse->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (sparse->fd < 0 || !fill(sparse, list))
            status = wari_fail_errno(error, path, "write");
        if (sparse->fd >= 0)
            (void)close(sparse->fd);
    }
    *record = (struct wari_level_record){
        .payload_hash = sparse->header.payload_hash,
        .header_hash = sparse->header.header_hash,
        .file_bytes = sparse->header.file_bytes,
    };
    free(sparse);
    return status;
}

/* ---- The database --------------------------------------------------------------------------- */

static enum wari_status write_levels(const char *folder, const struct needed *needed,
                                     struct wari_catalogue *catalogue, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    for (int n = 0; n <= WARI_SEEDS_MAX && status == WARI_OK; n = wari_catalogue_next(n)) {
        const struct wari_level_key key = {catalogue->variant, n};
        struct wari_level_record *record = &catalogue->level[n];
        if (is_sparse(n))
            status = write_sparse(folder, key, &needed->list[n], record, error);
        else
            status = huge_tables_write_level(folder, key, n, record, error);
        record->histogram[n + WARI_SEEDS_MAX] = wari_level_placements(n);
    }
    if (status != WARI_OK)
        return status;
    catalogue->seeds_max = WARI_SEEDS_MAX;
    return wari_catalogue_write(catalogue, wari_host_system(), folder, error);
}

enum wari_status huge_tables_write(const char *folder, struct wari_variant variant,
                                   const struct wari_position *positions, size_t count,
                                   struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    struct needed *needed = calloc(1, sizeof *needed);
    struct wari_catalogue *catalogue = calloc(1, sizeof *catalogue);
    if (needed != NULL && catalogue != NULL) {
        needed->rules = variant.rules;
        catalogue->variant = variant;
        for (int n = 0; n <= WARI_SEEDS_MAX; n++)
            wari_layout_init(&needed->layout[n], n);
        for (size_t i = 0; i < count; i++) {
            add_position(needed, &positions[i]);
            add_moves(needed, &positions[i]);
        }
    }
    if (needed == NULL || catalogue == NULL || needed->failed)
        status = wari_fail(error, WARI_NO_MEMORY, "not enough memory for a database");
    if (status == WARI_OK)
        status = write_levels(folder, needed, catalogue, error);
    for (int n = 0; n <= WARI_SEEDS_MAX && needed != NULL; n++)
        free(needed->list[n].numbers);
    free(needed);
    free(catalogue);
    return status;
}

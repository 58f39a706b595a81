/* Reads whole levels.
 *
 * Values that the level's file holds are decoded by the decoder of the calling thread. All other
 * values of a packed level depend on values of other chunks and lower levels. A database handle
 * with a cache looks them up for all threads. */
#include "db/probe/level_reader.h"

#include "db/catalogue/level_open.h"
#include "db/probe/handle.h"
#include "index/level.h"

struct wari_level_reader {
    const struct wari_host *host;
    struct wari_level_file *file;
    struct wari_db *const *db; /* handle for values that the file leaves out: `own`, or a handle
                                * that readers share; NULL if the file holds the whole level */
    struct wari_db *own;
    int seeds;
    uint64_t positions;
};

static enum wari_status open_file(struct wari_level_reader **reader,
                                  const struct wari_level_address *address,
                                  const struct wari_level_record *expected,
                                  struct wari_error *error)
{
    const struct wari_host *host = address->host;
    const int seeds = address->key.seeds;
    void *memory;
    *reader = NULL;
    enum wari_status status =
        wari_allocate(host, sizeof **reader, "the reader of a level file", &memory, error);
    if (status != WARI_OK)
        return status;

    struct wari_level_reader *new = memory;
    *new = (struct wari_level_reader){
        .host = host, .seeds = seeds, .positions = wari_level_positions(seeds)};
    if (expected == NULL) {
        status = wari_level_file_open(&new->file, address, NULL, error);
    } else {
        struct wari_level_record record = *expected;
        status = wari_catalogue_open_level(&new->file, address, &record, error);
    }
    /* All chunks will be read, so it takes little more time to read the whole offset table first.
     */
    if (status == WARI_OK)
        status = wari_level_file_check_table(new->file, error);
    if (status == WARI_OK)
        *reader = new;
    else
        wari_level_reader_close(new);
    return status;
}

static bool is_packed(const struct wari_level_reader *reader)
{
    return wari_level_file_stored(reader->file) < reader->positions;
}

enum wari_status wari_level_reader_share(struct wari_level_reader **reader,
                                         const struct wari_level_address *address,
                                         const struct wari_level_record *expected,
                                         struct wari_db **db, size_t cache_bytes,
                                         struct wari_error *error)
{
    const struct wari_options options = {.host = address->host, .cache_bytes = cache_bytes};
    enum wari_status status = open_file(reader, address, expected, error);
    if (status != WARI_OK || !is_packed(*reader))
        return status;

    if (*db == NULL || !wari_catalogue_has(&(*db)->catalogue, address->key.seeds)) {
        wari_close(*db);
        status = wari_open(db, address->folder, &address->key.variant, &options, error);
    }
    if (status == WARI_OK) {
        (*reader)->db = db;
    } else {
        wari_level_reader_close(*reader);
        *reader = NULL;
    }
    return status;
}

enum wari_status wari_level_reader_open(struct wari_level_reader **reader,
                                        const struct wari_level_address *address,
                                        const struct wari_level_record *expected,
                                        struct wari_error *error)
{
    struct wari_db *db = NULL;
    enum wari_status status = wari_level_reader_share(reader, address, expected, &db, 0, error);
    if (status == WARI_OK && db != NULL) {
        (*reader)->own = db;
        (*reader)->db = &(*reader)->own;
    }
    return status;
}

void wari_level_reader_close(struct wari_level_reader *reader)
{
    if (reader == NULL)
        return;
    wari_close(reader->own);
    wari_level_file_close(reader->file);
    wari_release(reader->host, reader);
}

uint64_t wari_level_reader_payload_hash(const struct wari_level_reader *reader)
{
    return wari_level_file_payload_hash(reader->file);
}

enum wari_status wari_level_reader_chunk(const struct wari_level_reader *reader,
                                         struct wari_decoder *decoder, uint64_t chunk,
                                         int8_t *values, struct wari_error *error)
{
    const uint64_t first = chunk * WARI_CHUNK_POSITIONS;
    const size_t held = wari_level_file_chunk_positions(reader->file, chunk);
    enum wari_status status = WARI_OK;
    if (held > 0 || reader->db == NULL)
        status = wari_level_file_chunk(reader->file, decoder, chunk, values, error);
    if (status != WARI_OK || reader->db == NULL)
        return status;

    const uint64_t left = first < reader->positions ? reader->positions - first : 0;
    const size_t count = left < WARI_CHUNK_POSITIONS ? (size_t)left : WARI_CHUNK_POSITIONS;
    return wari_values(*reader->db, reader->seeds, first + held, count - held, values + held,
                       error);
}

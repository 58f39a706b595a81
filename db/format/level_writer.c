/* Writes a level file.
 *
 * The number of chunks follows from the level, so space for header and offset table is reserved at
 * the start. The model comes next, then the chunks as they are appended. The entries of the table
 * are collected, and many of them are written at once; the whole table of level 48 has 400 MB. The
 * last entries and the header are written last, so a truncated file has no valid header. The file
 * has a temporary name until wari_publish() has brought everything to disk.
 */
#define XXH_STATIC_LINKING_ONLY /* for a hash state inside a struct */
#include "db/format/level_writer.h"

#include <fcntl.h>
#include <string.h>
#include <xxhash.h>

#include "db/format/level_header.h"
#include "db/host/bytes.h"
#include "index/level.h"

enum {
    SYNC_BYTES = 1 << 20,      /* number of bytes whose writing to disk is started at once, while
                                * further chunks are encoded */
    ENTRIES_AT_ONCE = 1 << 16, /* number of entries of the offset table that are written at once */
    HASH_ALIGNMENT = 64,       /* the address of a hash state is a multiple of this number */
};

struct wari_level_writer {
    XXH3_state_t table_hash; /* hash of the first `saved` entries of the offset table */
    void *memory;            /* the allocation in which this struct is, at an aligned address */
    const struct wari_host *host;
    int fd;
    struct wari_level_header header; /* the header; only the fields known so far are set */
    uint64_t chunks;                 /* number of chunks of the complete file */
    uint64_t written;                /* number of chunks appended so far */
    uint64_t saved;   /* number of chunks whose entries of the table are in the file */
    uint64_t end;     /* file offset of the next chunk */
    uint64_t synced;  /* writing to disk was started for the bytes before this offset */
    uint8_t *entries; /* the entries of the chunks from number `saved` on, as stored in the file */
    char folder[WARI_PATH_MAX];
    char path[WARI_PATH_MAX];
    char temporary[WARI_PATH_MAX];
};

static enum wari_status set_names(struct wari_level_writer *writer, const char *folder,
                                  struct wari_error *error)
{
    enum wari_status status = wari_level_path(writer->path, folder, writer->header.key, error);
    if (status != WARI_OK)
        return status;
    status = wari_path(writer->temporary, error, folder, "%s.tmp", strrchr(writer->path, '/') + 1);
    if (status == WARI_OK)
        memcpy(writer->folder, folder, strlen(folder) + 1);
    return status;
}

/* Frees all resources of the writer except for the file. */
static void release(struct wari_level_writer *writer)
{
    wari_release(writer->host, writer->entries);
    wari_release(writer->host, writer->memory);
}

static void remove_file(struct wari_level_writer *writer)
{
    writer->host->close(writer->host->context, writer->fd);
    writer->host->unlink(writer->host->context, writer->temporary);
}

static enum wari_status write_model(struct wari_level_writer *writer,
                                    const struct wari_model *model, struct wari_error *error)
{
    const uint64_t at = wari_header_model_offset(&writer->header);
    size_t bytes;
    void *packed;
    enum wari_status status =
        wari_allocate(writer->host, WARI_MODEL_BYTES_MAX, "a model", &packed, error);
    if (status != WARI_OK)
        return status;
    status = wari_model_pack(model, packed, &bytes, error);
    if (status == WARI_OK)
        status =
            wari_write_at(writer->host, writer->fd, writer->temporary, packed, bytes, at, error);
    if (status == WARI_OK) {
        writer->header.model_bytes = bytes;
        writer->header.model_hash =
            wari_seeded_hash(writer->header.key, WARI_HASH_MODEL, packed, bytes);
        writer->end = wari_header_payload_offset(&writer->header);
    }
    wari_release(writer->host, packed);
    return status;
}

/* Creates the file and writes the model into it. The writer's names and header are set. On failure
 * the file is removed. */
static enum wari_status begin_file(struct wari_level_writer *writer, const struct wari_model *model,
                                   struct wari_error *error)
{
    enum wari_status status =
        wari_create_anew(writer->host, writer->temporary, writer->path, &writer->fd, error);
    if (status != WARI_OK)
        return status;
    status = write_model(writer, model, error);
    if (status != WARI_OK)
        remove_file(writer);
    return status;
}

/* Creates a writer without a file. */
static enum wari_status create_writer(struct wari_level_writer **writer,
                                      const struct wari_level_address *address, bool packed,
                                      struct wari_error *error)
{
    const int seeds = address->key.seeds;
    void *memory;
    *writer = NULL;
    enum wari_status status = wari_allocate(address->host, sizeof **writer + HASH_ALIGNMENT,
                                            "a level writer", &memory, error);
    if (status != WARI_OK)
        return status;

    const uintptr_t aligned =
        ((uintptr_t)memory + HASH_ALIGNMENT - 1) / HASH_ALIGNMENT * HASH_ALIGNMENT;
    struct wari_level_writer *new = (struct wari_level_writer *)aligned;
    *new = (struct wari_level_writer){.memory = memory, .host = address->host, .fd = -1};
    new->header.key = address->key;
    new->header.stored = packed ? wari_packed_positions(seeds) : wari_level_positions(seeds);
    new->chunks = wari_chunk_count(new->header.stored);
    status = set_names(new, address->folder, error);
    if (status == WARI_OK) {
        const uint64_t entries = new->chunks < ENTRIES_AT_ONCE ? new->chunks : ENTRIES_AT_ONCE;
        status = wari_allocate(new->host, (size_t)entries * WARI_ENTRY_BYTES, "an offset table",
                               &memory, error);
        new->entries = memory;
        XXH3_INITSTATE(&new->table_hash);
        XXH3_64bits_reset_withSeed(&new->table_hash, wari_hash_seed(address->key, WARI_HASH_TABLE));
    }
    if (status == WARI_OK)
        *writer = new;
    else
        release(new);
    return status;
}

enum wari_status wari_level_writer_open(struct wari_level_writer **writer,
                                        const struct wari_level_address *address,
                                        const struct wari_model *model, bool packed,
                                        struct wari_error *error)
{
    enum wari_status status = create_writer(writer, address, packed, error);
    if (status == WARI_OK)
        status = begin_file(*writer, model, error);
    if (status != WARI_OK && *writer != NULL) {
        release(*writer);
        *writer = NULL;
    }
    return status;
}

/* Writes the entries of the offset table that are not in the file yet. */
static enum wari_status write_entries(struct wari_level_writer *writer, struct wari_error *error)
{
    const size_t bytes = (size_t)(writer->written - writer->saved) * WARI_ENTRY_BYTES;
    const uint64_t at = WARI_HEADER_BYTES + writer->saved * WARI_ENTRY_BYTES;
    enum wari_status status = wari_write_at(writer->host, writer->fd, writer->temporary,
                                            writer->entries, bytes, at, error);
    if (status != WARI_OK)
        return status;
    XXH3_64bits_update(&writer->table_hash, writer->entries, bytes);
    writer->saved = writer->written;
    return WARI_OK;
}

/* Adds the next chunk to the offset table. */
static enum wari_status enter(struct wari_level_writer *writer, const void *encoded, size_t bytes,
                              struct wari_error *error)
{
    const struct wari_level_header *header = &writer->header;
    uint8_t *entry = writer->entries + (writer->written - writer->saved) * WARI_ENTRY_BYTES;

    if (writer->written == writer->chunks)
        return wari_fail(error, WARI_BAD_INPUT,
                         "%s: the level has only %llu chunks, which are all written", writer->path,
                         (unsigned long long)writer->chunks);
    if (bytes == 0 || bytes > WARI_CHUNK_BYTES_MAX)
        return wari_fail(error, WARI_BAD_INPUT, "%s: a chunk has 1 to %d bytes, not %llu",
                         writer->path, WARI_CHUNK_BYTES_MAX, (unsigned long long)bytes);
    writer->end += bytes;
    wari_store64(entry, writer->end);
    wari_store64(entry + 8, wari_seeded_hash(header->key, writer->written, encoded, bytes));
    writer->written++;
    return WARI_OK;
}

static void begin_sync(struct wari_level_writer *writer)
{
    const struct wari_host *host = writer->host;
    const uint64_t bytes = writer->end - writer->synced;

    if (bytes < SYNC_BYTES || !host->begin_fsync)
        return;
    host->begin_fsync(host->context, writer->fd, (off_t)writer->synced, (off_t)bytes);
    writer->synced = writer->end;
}

enum wari_status wari_level_writer_append(struct wari_level_writer *writer, const void *encoded,
                                          size_t bytes, struct wari_error *error)
{
    const uint64_t at = writer->end;
    enum wari_status status = enter(writer, encoded, bytes, error);
    if (status == WARI_OK)
        status =
            wari_write_at(writer->host, writer->fd, writer->temporary, encoded, bytes, at, error);
    if (status == WARI_OK)
        begin_sync(writer);
    if (status == WARI_OK && writer->written - writer->saved == ENTRIES_AT_ONCE)
        status = write_entries(writer, error);
    return status;
}

static enum wari_status write_front(struct wari_level_writer *writer, struct wari_error *error)
{
    struct wari_level_header *header = &writer->header;
    uint8_t bytes[WARI_HEADER_BYTES];
    enum wari_status status = write_entries(writer, error);
    if (status != WARI_OK)
        return status;
    header->table_hash = XXH3_64bits_digest(&writer->table_hash);
    wari_level_header_store(header, bytes);
    return wari_write_at(writer->host, writer->fd, writer->temporary, bytes, sizeof bytes, 0,
                         error);
}

/* Writes the last entries of the table, and the header. After this the file only needs its final
 * name. */
static enum wari_status complete(struct wari_level_writer *writer, uint64_t payload_hash,
                                 const struct wari_level_ready *ready,
                                 struct wari_level_record *record, struct wari_error *error)
{
    writer->header.file_bytes = writer->end;
    writer->header.payload_hash = payload_hash;
    if (writer->written != writer->chunks)
        return wari_fail(error, WARI_BAD_INPUT, "%s: %llu chunks were written instead of %llu",
                         writer->path, (unsigned long long)writer->written,
                         (unsigned long long)writer->chunks);
    enum wari_status status = write_front(writer, error);
    if (status != WARI_OK)
        return status;
    record->payload_hash = payload_hash;
    record->header_hash = writer->header.header_hash;
    record->file_bytes = writer->header.file_bytes;
    record->other_hash = 0;
    record->other_bytes = 0;
    return ready != NULL ? ready->call(ready->context, record, error) : WARI_OK;
}

static enum wari_status publish(struct wari_level_writer *writer, struct wari_error *error)
{
    enum wari_status status = wari_publish(writer->host, writer->fd, writer->temporary,
                                           writer->folder, writer->path, error);
    release(writer);
    return status;
}

enum wari_status wari_level_writer_place(struct wari_level_writer *writer, uint64_t payload_hash,
                                         const struct wari_level_ready *ready,
                                         struct wari_level_record *record, struct wari_error *error)
{
    enum wari_status status = complete(writer, payload_hash, ready, record, error);

    if (status != WARI_OK) {
        wari_level_writer_abandon(writer);
        return status;
    }
    status = wari_put_in_place(writer->host, writer->fd, writer->temporary, writer->path, error);
    release(writer);
    return status;
}

/* ---- Interruptions --------------------------------------------------------------------------- */

enum wari_status wari_level_writer_save(struct wari_level_writer *writer,
                                        struct wari_level_part *part, struct wari_error *error)
{
    enum wari_status status = write_entries(writer, error);
    if (status == WARI_OK)
        status = wari_sync_file(writer->host, writer->fd, writer->temporary, error);
    if (status != WARI_OK)
        return status;
    *part = (struct wari_level_part){
        .written = writer->written,
        .end = writer->end,
        .model_bytes = writer->header.model_bytes,
        .model_hash = writer->header.model_hash,
        .table_hash = XXH3_64bits_digest(&writer->table_hash),
    };
    return WARI_OK;
}

/* Computes the hash of the entries of the first `count` chunks, which are in the file. */
static enum wari_status hash_entries(struct wari_level_writer *writer, uint64_t count,
                                     struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    while (writer->saved < count && status == WARI_OK) {
        const uint64_t left = count - writer->saved;
        const uint64_t entries = left < ENTRIES_AT_ONCE ? left : ENTRIES_AT_ONCE;
        const size_t bytes = (size_t)entries * WARI_ENTRY_BYTES;
        status = wari_read_at(writer->host, writer->fd, writer->temporary, writer->entries, bytes,
                              WARI_HEADER_BYTES + writer->saved * WARI_ENTRY_BYTES, error);
        if (status == WARI_OK)
            XXH3_64bits_update(&writer->table_hash, writer->entries, bytes);
        writer->saved += entries;
    }
    return status;
}

/* Opens the temporary file, and checks its size and the entries of the saved chunks. */
static enum wari_status read_part(struct wari_level_writer *writer,
                                  const struct wari_level_part *part, struct wari_error *error)
{
    const struct wari_host *host = writer->host;
    if (part->written > writer->chunks || part->model_bytes > WARI_MODEL_BYTES_MAX)
        return wari_fail(error, WARI_CORRUPT, "%s: the saved state is not one of this level",
                         writer->temporary);
    enum wari_status status =
        wari_open_file(host, writer->temporary, O_RDWR | O_NOFOLLOW, &writer->fd, error);
    if (status != WARI_OK)
        return status;
    writer->header.model_bytes = part->model_bytes;
    writer->header.model_hash = part->model_hash;
    writer->written = part->written;
    writer->end = writer->synced = part->end;
    status = hash_entries(writer, part->written, error);
    const int64_t size = host->size(host->context, writer->fd);
    if (status == WARI_OK && (XXH3_64bits_digest(&writer->table_hash) != part->table_hash ||
                              size < 0 || (uint64_t)size < part->end))
        status = wari_fail(error, WARI_CORRUPT, "%s: the file is not the one that was saved",
                           writer->temporary);
    if (status != WARI_OK)
        host->close(host->context, writer->fd);
    return status;
}

enum wari_status wari_level_writer_resume(struct wari_level_writer **writer,
                                          const struct wari_level_address *address,
                                          const struct wari_level_part *part, bool packed,
                                          struct wari_error *error)
{
    enum wari_status status = create_writer(writer, address, packed, error);
    if (status == WARI_OK)
        status = read_part(*writer, part, error);
    if (status != WARI_OK && *writer != NULL) {
        release(*writer);
        *writer = NULL;
    }
    return status;
}

void wari_level_writer_close(struct wari_level_writer *writer)
{
    writer->host->close(writer->host->context, writer->fd);
    release(writer);
}

void wari_level_writer_abandon(struct wari_level_writer *writer)
{
    if (writer == NULL)
        return;
    remove_file(writer);
    release(writer);
}

/* ---- A whole level --------------------------------------------------------------------------- */

struct writing {
    const struct wari_level_source *source;
    struct wari_encoder *encoder;
    struct wari_model *model;
    uint64_t stored;
    uint64_t chunks;
    int8_t values[WARI_CHUNK_POSITIONS];
    uint8_t encoded[WARI_CHUNK_BYTES_MAX];
};

static enum wari_status read_source(struct writing *writing, uint64_t chunk,
                                    struct wari_chunk_values *values, struct wari_error *error)
{
    *values =
        (struct wari_chunk_values){chunk, writing->values, wari_chunk_size(chunk, writing->stored)};
    return writing->source->read(writing->source->context, chunk, writing->values, values->count,
                                 error);
}

static enum wari_status survey_level(struct writing *writing, int seeds, struct wari_error *error)
{
    enum wari_status status = wari_encoder_begin(writing->encoder, seeds, error);
    for (uint64_t chunk = 0; chunk < writing->chunks && status == WARI_OK; chunk++) {
        struct wari_chunk_values values;
        if (!wari_chunk_surveyed(writing->chunks, chunk))
            continue;
        status = read_source(writing, chunk, &values, error);
        if (status == WARI_OK)
            status = wari_encoder_survey(writing->encoder, &values, error);
    }
    if (status == WARI_OK)
        status = wari_encoder_model(&writing->model, &writing->encoder, 1, error);
    return status;
}

static enum wari_status append_level(struct writing *writing, struct wari_level_writer *writer,
                                     struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    for (uint64_t chunk = 0; chunk < writing->chunks && status == WARI_OK; chunk++) {
        struct wari_chunk_values values;
        size_t bytes;
        status = read_source(writing, chunk, &values, error);
        if (status == WARI_OK)
            status = wari_chunk_encode(writing->encoder, writing->model, &values, writing->encoded,
                                       &bytes, error);
        if (status == WARI_OK)
            status = wari_level_writer_append(writer, writing->encoded, bytes, error);
    }
    return status;
}

enum wari_status wari_level_write(const struct wari_level_address *address,
                                  const struct wari_level_source *source,
                                  struct wari_level_record *record, struct wari_error *error)
{
    const struct wari_host *host = address->host;
    const int seeds = address->key.seeds;
    struct wari_level_writer *writer;
    void *memory;
    enum wari_status status =
        wari_allocate(host, sizeof(struct writing), "writing a level", &memory, error);
    if (status != WARI_OK)
        return status;

    struct writing *writing = memory;
    memset(writing, 0, sizeof *writing);
    writing->source = source;
    writing->stored = source->packed ? wari_packed_positions(seeds) : wari_level_positions(seeds);
    writing->chunks = wari_chunk_count(writing->stored);
    status = wari_encoder_create(&writing->encoder, host, error);
    if (status == WARI_OK)
        status = survey_level(writing, seeds, error);
    if (status == WARI_OK)
        status = wari_level_writer_open(&writer, address, writing->model, source->packed, error);
    if (status == WARI_OK) {
        status = append_level(writing, writer, error);
        if (status == WARI_OK)
            status = complete(writer, source->payload_hash, source->ready, record, error);
        if (status == WARI_OK)
            status = publish(writer, error);
        else
            wari_level_writer_abandon(writer);
    }
    wari_model_destroy(writing->model);
    wari_encoder_destroy(writing->encoder);
    wari_release(host, writing);
    return status;
}

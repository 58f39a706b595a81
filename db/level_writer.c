/* Writes a level file.
 *
 * The number of chunks is known from the level, so the room for header and offset table is left
 * free at the start, chunks are appended behind it as they come, and table and header are written
 * last: a file that was cut off has no valid header. Until wari_publish() has put everything on
 * disk, it stands under a temporary name.
 */
#include <fcntl.h>
#include <string.h>

#include "db/bytes.h"
#include "db/codec.h"
#include "db/level_header.h"
#include "index/level.h"

struct wari_level_writer {
    const struct wari_host *host;
    int fd;
    struct wari_level_key key;
    uint64_t chunks;  /* of the whole level */
    uint64_t written; /* so far */
    uint64_t end;     /* where the next chunk goes */
    uint8_t *table;   /* as in the file */
    char folder[WARI_PATH_MAX];
    char path[WARI_PATH_MAX];
    char temporary[WARI_PATH_MAX];
};

static enum wari_status set_names(struct wari_level_writer *writer, const char *folder,
                                  struct wari_error *error)
{
    enum wari_status status = wari_level_path(writer->path, folder, writer->key, error);
    if (status != WARI_OK)
        return status;
    status = wari_path(writer->temporary, error, folder, "%s.tmp", strrchr(writer->path, '/') + 1);
    if (status == WARI_OK)
        memcpy(writer->folder, folder, strlen(folder) + 1);
    return status;
}

/* Releases everything but the file. */
static void release(struct wari_level_writer *writer)
{
    wari_release(writer->host, writer->table);
    wari_release(writer->host, writer);
}

enum wari_status wari_level_writer_open(struct wari_level_writer **writer,
                                        const struct wari_host *host, const char *folder,
                                        struct wari_level_key key, struct wari_error *error)
{
    void *memory;
    *writer = NULL;
    enum wari_status status =
        wari_allocate(host, sizeof **writer, "a level writer", &memory, error);
    if (status != WARI_OK)
        return status;

    struct wari_level_writer *new = memory;
    *new = (struct wari_level_writer){.host = host, .fd = -1, .key = key};
    status = set_names(new, folder, error);
    if (status != WARI_OK)
        goto out;
    new->chunks = wari_chunk_count(wari_level_positions(key.seeds));
    new->end = wari_payload_offset(new->chunks);

    status = wari_allocate(host, (size_t) new->chunks *WARI_ENTRY_BYTES, "an offset table", &memory,
                           error);
    if (status != WARI_OK)
        goto out;
    new->table = memory;
    status = wari_open_file(host, new->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW,
                            &new->fd, error);

out:
    if (status == WARI_OK)
        *writer = new;
    else
        release(new);
    return status;
}

enum wari_status wari_level_writer_append(struct wari_level_writer *writer, const void *encoded,
                                          size_t bytes, struct wari_error *error)
{
    if (writer->written == writer->chunks)
        return wari_fail(error, WARI_BAD_INPUT, "%s: more than the level's %llu chunks",
                         writer->path, (unsigned long long)writer->chunks);
    if (bytes == 0 || bytes > WARI_CHUNK_BYTES_MAX)
        return wari_fail(error, WARI_BAD_INPUT, "%s: a chunk has 1 to %d bytes, not %zu",
                         writer->path, WARI_CHUNK_BYTES_MAX, bytes);

    enum wari_status status = wari_write_at(writer->host, writer->fd, writer->temporary, encoded,
                                            bytes, writer->end, error);
    if (status != WARI_OK)
        return status;

    uint8_t *entry = writer->table + writer->written * WARI_ENTRY_BYTES;
    writer->end += bytes;
    wari_store64(entry, writer->end);
    wari_store64(entry + 8, wari_part_hash(writer->key, writer->written, encoded, bytes));
    writer->written++;
    return WARI_OK;
}

static enum wari_status write_front(struct wari_level_writer *writer,
                                    struct wari_level_header *header, struct wari_error *error)
{
    uint8_t bytes[WARI_HEADER_BYTES];
    size_t table_bytes = (size_t)writer->chunks * WARI_ENTRY_BYTES;

    header->table_hash = wari_part_hash(writer->key, WARI_HASH_TABLE, writer->table, table_bytes);
    wari_level_header_store(header, bytes);
    enum wari_status status = wari_write_at(writer->host, writer->fd, writer->temporary,
                                            writer->table, table_bytes, WARI_HEADER_BYTES, error);
    if (status == WARI_OK)
        status = wari_write_at(writer->host, writer->fd, writer->temporary, bytes, sizeof bytes, 0,
                               error);
    return status;
}

enum wari_status wari_level_writer_finish(struct wari_level_writer *writer, uint64_t payload_hash,
                                          struct wari_level_record *record,
                                          struct wari_error *error)
{
    struct wari_level_header header = {.key = writer->key,
                                       .codec = WARI_CODEC_WRITTEN,
                                       .file_bytes = writer->end,
                                       .payload_hash = payload_hash};
    enum wari_status status = WARI_OK;
    if (writer->written != writer->chunks)
        status = wari_fail(error, WARI_BAD_INPUT, "%s: %llu chunks instead of %llu", writer->path,
                           (unsigned long long)writer->written, (unsigned long long)writer->chunks);
    if (status == WARI_OK)
        status = write_front(writer, &header, error);
    if (status != WARI_OK) {
        wari_level_writer_abandon(writer);
        return status;
    }

    status = wari_publish(writer->host, writer->fd, writer->temporary, writer->folder, writer->path,
                          error);
    if (status == WARI_OK) {
        record->header_hash = header.header_hash;
        record->file_bytes = header.file_bytes;
    }
    release(writer);
    return status;
}

void wari_level_writer_abandon(struct wari_level_writer *writer)
{
    if (writer == NULL)
        return;
    writer->host->close(writer->host->context, writer->fd);
    writer->host->unlink(writer->host->context, writer->temporary);
    release(writer);
}

/* Writes a level file, chunk by chunk, in one thread. */
#ifndef DB_FORMAT_LEVEL_WRITER_H
#define DB_FORMAT_LEVEL_WRITER_H

#include "db/format/encoder.h"
#include "db/format/level_record.h"

struct wari_level_writer;

/* Creates "<name>.tmp" in the folder, replacing an old one, and writes the model of the level's
 * chunks. The model is not needed after the call. `packed` means that only the first
 * wari_packed_positions() positions will follow. */
WARI_MUST_CHECK enum wari_status wari_level_writer_open(struct wari_level_writer **writer,
                                                        const struct wari_level_address *address,
                                                        const struct wari_model *model, bool packed,
                                                        struct wari_error *error);

/* Appends the next chunk. WARI_BAD_INPUT if the file already has all chunks of the level, or if
 * `bytes` is not in 1..WARI_CHUNK_BYTES_MAX. After a failure the only call allowed is
 * wari_level_writer_abandon(). */
WARI_MUST_CHECK enum wari_status wari_level_writer_append(struct wari_level_writer *writer,
                                                          const void *encoded, size_t bytes,
                                                          struct wari_error *error);

/* Writes offset table and header, brings the file to disk, gives it its final name and sets
 * header_hash and file_bytes of the record (and clears those of the other file). The caller must
 * then call wari_sync_folder(), which makes the name durable. WARI_BAD_INPUT if chunks are missing.
 * The writer is freed in any case; on failure the temporary file is removed. */
WARI_MUST_CHECK enum wari_status wari_level_writer_place(struct wari_level_writer *writer,
                                                         uint64_t payload_hash,
                                                         struct wari_level_record *record,
                                                         struct wari_error *error);

/* Removes the temporary file and frees the writer. NULL is allowed. */
void wari_level_writer_abandon(struct wari_level_writer *writer);

/* ---- A whole level ---- */

/* The source of a level's values. read() fills in `count` values from the first position of chunk
 * `chunk` on. */
struct wari_level_source {
    bool packed;           /* write only the first wari_packed_positions() positions */
    uint64_t payload_hash; /* of all values of the level, written or not */
    enum wari_status (*read)(void *context, uint64_t chunk, int8_t *values, size_t count,
                             struct wari_error *error);
    /* Called when the file is complete under its temporary name, before it gets its final name.
     * NULL means no call. */
    enum wari_status (*ready)(void *context, const struct wari_level_record *record,
                              struct wari_error *error);
    void *context;
};

/* Writes a whole level in the calling thread: surveys, encodes and writes its values. Some chunks
 * are read twice. */
WARI_MUST_CHECK enum wari_status wari_level_write(const struct wari_level_address *address,
                                                  const struct wari_level_source *source,
                                                  struct wari_level_record *record,
                                                  struct wari_error *error);

#endif

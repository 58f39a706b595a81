/* Writing a level file, chunk by chunk, in one thread. */
#ifndef DB_FILE_LEVEL_WRITER_H
#define DB_FILE_LEVEL_WRITER_H

#include "db/format/encoder.h"
#include "db/format/level_record.h"

struct wari_level_writer;

/* Starts "<name>.tmp" in the folder (an old one is replaced) with the model of the level's chunks,
 * which is not needed after the call. `packed`: only the wari_packed_positions() first positions
 * will follow. */
WARI_MUST_CHECK enum wari_status wari_level_writer_open(struct wari_level_writer **writer,
                                                        const struct wari_level_address *address,
                                                        const struct wari_model *model, bool packed,
                                                        struct wari_error *error);

/* Appends the next chunk. WARI_BAD_INPUT if the level has no more or `bytes` is not in
 * 1..WARI_CHUNK_BYTES_MAX. After a failure nothing may follow but wari_level_writer_abandon(). */
WARI_MUST_CHECK enum wari_status wari_level_writer_append(struct wari_level_writer *writer,
                                                          const void *encoded, size_t bytes,
                                                          struct wari_error *error);

/* Writes offset table and header, brings the file to disk, gives it its final name and fills in
 * header_hash and file_bytes of the record (and no other file). The name is durable only after
 * wari_sync_folder(), which the caller owes. WARI_BAD_INPUT if chunks are missing. The writer is
 * gone in any case, and so is the temporary file on failure. */
WARI_MUST_CHECK enum wari_status wari_level_writer_place(struct wari_level_writer *writer,
                                                         uint64_t payload_hash,
                                                         struct wari_level_record *record,
                                                         struct wari_error *error);

/* Gives up: removes the temporary file. NULL is allowed. */
void wari_level_writer_abandon(struct wari_level_writer *writer);

/* ---- A whole level ---- */

/* Where the values of a level come from. read() fills in `count` values from the first position of
 * chunk `chunk` on. */
struct wari_level_source {
    bool packed;           /* only the wari_packed_positions() first positions are written */
    uint64_t payload_hash; /* of all values of the level */
    enum wari_status (*read)(void *context, uint64_t chunk, int8_t *values, size_t count,
                             struct wari_error *error);
    /* Called before the file, complete under its temporary name, takes its final one. NULL: not. */
    enum wari_status (*ready)(void *context, const struct wari_level_record *record,
                              struct wari_error *error);
    void *context;
};

/* All of it on one thread: surveys, encodes and writes. Some chunks are read twice. */
WARI_MUST_CHECK enum wari_status wari_level_write(const struct wari_level_address *address,
                                                  const struct wari_level_source *source,
                                                  struct wari_level_record *record,
                                                  struct wari_error *error);

#endif

/* Writes a level file, chunk by chunk, in one thread. */
#ifndef DB_FORMAT_LEVEL_WRITER_H
#define DB_FORMAT_LEVEL_WRITER_H

#include "db/format/encoder.h"
#include "db/format/level_record.h"

struct wari_level_writer;

/* A function that is called when a file is complete, before it gets its final name. If it fails,
 * the file is removed. `record` is the record of the file, without its histogram. */
struct wari_level_ready {
    enum wari_status (*call)(void *context, const struct wari_level_record *record,
                             struct wari_error *error);
    void *context;
};

/* Creates the temporary file "<name>.tmp" in the folder, replacing an old one, and writes the
 * model of the level's chunks. The model is not needed after the call. `packed` means that the
 * caller will append only the first wari_packed_positions() positions. */
WARI_MUST_CHECK enum wari_status wari_level_writer_open(struct wari_level_writer **writer,
                                                        const struct wari_level_address *address,
                                                        const struct wari_model *model, bool packed,
                                                        struct wari_error *error);

/* Appends the next chunk. Returns WARI_BAD_INPUT if the file already has all chunks of the level,
 * or if `bytes` is not in 1..WARI_CHUNK_BYTES_MAX. After a failure the only call allowed is
 * wari_level_writer_abandon(). */
WARI_MUST_CHECK enum wari_status wari_level_writer_append(struct wari_level_writer *writer,
                                                          const void *encoded, size_t bytes,
                                                          struct wari_error *error);

/* Completes the offset table and writes the header, sets the hashes and file_bytes of the record,
 * and clears other_hash and other_bytes; calls `ready`, unless it is NULL; syncs the file and gives
 * it its final name. The caller must then call wari_sync_folder(), which makes the name durable.
 * Returns WARI_BAD_INPUT if chunks are missing. The writer is freed in any case; on failure the
 * temporary file is removed. */
WARI_MUST_CHECK enum wari_status wari_level_writer_place(struct wari_level_writer *writer,
                                                         uint64_t payload_hash,
                                                         const struct wari_level_ready *ready,
                                                         struct wari_level_record *record,
                                                         struct wari_error *error);

/* ---- Interruptions ---- */

/* The data that is needed to continue an unfinished file after its writer was closed. */
struct wari_level_part {
    uint64_t written; /* number of chunks in the file */
    uint64_t end;     /* offset of the first byte after the last of these chunks */
    uint64_t model_bytes;
    uint64_t model_hash;
    uint64_t table_hash; /* hash of the entries of the written chunks in the offset table */
};

/* Writes the offset table of the chunks so far, syncs the file, and fills in *part. */
WARI_MUST_CHECK enum wari_status wari_level_writer_save(struct wari_level_writer *writer,
                                                        struct wari_level_part *part,
                                                        struct wari_error *error);

/* Opens the temporary file of a writer that saved `part`, to append further chunks. The caller
 * has to append again the chunks that it appended after that call of wari_level_writer_save().
 * Returns WARI_IO if the file is missing, and WARI_CORRUPT if the file is not the saved one. */
WARI_MUST_CHECK enum wari_status wari_level_writer_resume(struct wari_level_writer **writer,
                                                          const struct wari_level_address *address,
                                                          const struct wari_level_part *part,
                                                          bool packed, struct wari_error *error);

/* Frees the writer, but leaves the temporary file. */
void wari_level_writer_close(struct wari_level_writer *writer);

/* Removes the temporary file and frees the writer. NULL is allowed. */
void wari_level_writer_abandon(struct wari_level_writer *writer);

/* ---- A whole level ---- */

/* The source of a level's values. read() fills in `count` values, beginning with the first
 * position of chunk `chunk`. */
struct wari_level_source {
    bool packed;           /* true if the file gets only the first wari_packed_positions()
                            * positions */
    uint64_t payload_hash; /* hash of all values of the level, including those left out of the
                            * file */
    enum wari_status (*read)(void *context, uint64_t chunk, int8_t *values, size_t count,
                             struct wari_error *error);
    void *context;                        /* the first argument of read() */
    const struct wari_level_ready *ready; /* called when the file is complete; may be NULL */
};

/* Writes the file of a whole level in the calling thread. First reads the chunks from which the
 * model is computed (the survey, see encoder.h), then all chunks, to encode and write them. So the
 * chunks of the survey are read twice. */
WARI_MUST_CHECK enum wari_status wari_level_write(const struct wari_level_address *address,
                                                  const struct wari_level_source *source,
                                                  struct wari_level_record *record,
                                                  struct wari_error *error);

#endif

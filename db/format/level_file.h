/* One level on disk: "<rules>-<cycle>-<seeds>.wari", described in FORMAT.md.
 *
 * The values of a level, in index order, are cut into chunks of WARI_CHUNK_POSITIONS (the last one
 * shorter); each is compressed on its own, so that a probe reads one. Every chunk, the model, the
 * offset table and the header carry a hash seeded with (variant, level, codec, chunk number).
 *
 * This reads it: one open file for any number of threads, a decoder for each. level_writer.h
 * writes.
 */
#ifndef DB_FILE_LEVEL_FILE_H
#define DB_FILE_LEVEL_FILE_H

#include "db/format/decoder.h"
#include "db/format/level_record.h"

struct wari_level_file;

/* Opens and checks header and offset table. `expected` NULL: no catalogue to compare with.
 * WARI_MISMATCH if the file holds another variant, level or format version; WARI_CORRUPT if it is
 * damaged or its size or header hash is not the expected one. */
WARI_MUST_CHECK enum wari_status wari_level_file_open(struct wari_level_file **file,
                                                      const struct wari_level_address *address,
                                                      const struct wari_level_record *expected,
                                                      struct wari_error *error);
void wari_level_file_close(struct wari_level_file *file); /* NULL is allowed */

/* Bytes of memory that an open file of a level takes at most: its offset table and its model. */
uint64_t wari_level_file_memory(int seeds);

/* A part of a level file, and the offset at which it starts. */
struct wari_file_location {
    const char *part; /* "file", "header", "end", "offset table" or "model"; static storage */
    uint64_t offset;
};

/* The same, and where it fails *place says at which part. ("end": the file is shorter or longer
 * than its header says; the offset is where it ends.) */
WARI_MUST_CHECK enum wari_status wari_level_file_inspect(struct wari_level_file **file,
                                                         const struct wari_level_address *address,
                                                         const struct wari_level_record *expected,
                                                         struct wari_file_location *place,
                                                         struct wari_error *error);

/* As it was opened: folder and name. */
const char *wari_level_file_path(const struct wari_level_file *file);

uint64_t wari_level_file_payload_hash(const struct wari_level_file *file);

/* Whether `wari pack` has nothing to do: newest format, nothing in it that can be left out. */
bool wari_level_file_packed(const struct wari_level_file *file);

/* Sets the record's header hash and size to those of this file, and no other one. */
void wari_level_file_record(const struct wari_level_file *file, struct wari_level_record *record);

/* Positions that the file holds, from number 0 on: all of the level, or wari_packed_positions(). */
uint64_t wari_level_file_stored(const struct wari_level_file *file);

/* Positions of a chunk that the file holds; 0 if there is no such chunk. */
size_t wari_level_file_chunk_positions(const struct wari_level_file *file, uint64_t chunk);

/* Reads, checks and decodes one chunk into values[0 .. wari_level_file_chunk_positions() - 1], each
 * in [-n, n] for level n. WARI_CORRUPT names the file and the part's offset. After a failure the
 * contents of `values` mean nothing. */
WARI_MUST_CHECK enum wari_status wari_level_file_chunk(const struct wari_level_file *file,
                                                       struct wari_decoder *decoder, uint64_t chunk,
                                                       int8_t *values, struct wari_error *error);

/* For a value of the chunk, number `place` of it: how many of the first values of each stream are
 * to be decoded. WARI_STREAM_POSITIONS if that is all of them, and else a multiple of
 * WARI_STEP_MULTIPLE.
 */
enum { WARI_STEP_MULTIPLE = 64 };
size_t wari_level_file_steps(const struct wari_level_file *file, uint64_t chunk, size_t place);

/* Like wari_level_file_chunk(), but fills in only the first `steps` values of each stream, as
 * wari_level_file_steps() has them. That the chunk ends as it should is seen only where all is
 * decoded; its hash is checked always. */
WARI_MUST_CHECK enum wari_status wari_level_file_chunk_prefix(const struct wari_level_file *file,
                                                              struct wari_decoder *decoder,
                                                              uint64_t chunk, size_t steps,
                                                              int8_t *values,
                                                              struct wari_error *error);

/* Parts of a file that have a hash each: its chunks, which format 1 made four times as long. */
uint64_t wari_level_file_stored_chunks(const struct wari_level_file *file);

/* Reads a part and checks its hash, no more. `room`: WARI_STORED_CHUNK_BYTES_MAX bytes. Fails like
 * wari_level_file_chunk(); after WARI_IO, errno says why. */
enum { WARI_STORED_CHUNK_BYTES_MAX = 33024 };
WARI_MUST_CHECK enum wari_status
wari_level_file_check_stored_chunk(const struct wari_level_file *file, uint64_t part, void *room,
                                   struct wari_error *error);

/* Where a part starts; where the file ends if there is no such part. */
uint64_t wari_level_file_stored_chunk_offset(const struct wari_level_file *file, uint64_t part);

#endif

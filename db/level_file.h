/* One level on disk: "<rules>-<cycle>-<seeds>.wari", described in FORMAT.md.
 *
 * The values of a level, in index order, are cut into chunks of WARI_CHUNK_POSITIONS (the last one
 * shorter); each is compressed on its own, so that a probe reads one. Every chunk, the offset table
 * and the header carry a hash seeded with (variant, level, chunk number).
 */
#ifndef DB_LEVEL_FILE_H
#define DB_LEVEL_FILE_H

#include <stdint.h>

#include "db/host.h"

enum { WARI_CHUNK_POSITIONS = 32768 };

/* Which level of which variant a file holds; part of every hash in it. */
struct wari_level_key {
    struct wari_variant variant;
    int seeds;
};

/* "<folder>/<rules>-<cycle>-<seeds>.wari". WARI_BAD_INPUT if there is no such variant or level, or
 * the path is too long. */
WARI_MUST_CHECK enum wari_status wari_level_path(char path[WARI_PATH_MAX], const char *folder,
                                                 struct wari_level_key key,
                                                 struct wari_error *error);

/* What the catalogue keeps of a level. */
struct wari_level_record {
    uint64_t payload_hash; /* XXH3 (64 bits) of the values in index order */
    uint64_t header_hash;  /* binds the catalogue to this very file: the hash in its header */
    uint64_t file_bytes;
    uint64_t histogram[2 * WARI_SEEDS_MAX + 1]; /* [v + 48], over all placements */
};

/* Chunks of a level with `positions` stored positions. */
uint64_t wari_chunk_count(uint64_t positions);

/* ---- Encoding: one per thread ---- */

struct wari_encoder;
WARI_MUST_CHECK enum wari_status wari_encoder_create(struct wari_encoder **encoder,
                                                     const struct wari_host *host,
                                                     struct wari_error *error);
void wari_encoder_destroy(struct wari_encoder *encoder); /* NULL is allowed */

/* The largest an encoded chunk can be. */
size_t wari_chunk_bound(void);

/* Encodes up to WARI_CHUNK_POSITIONS values into `out` (room for wari_chunk_bound() bytes). The
 * same values give the same bytes, whatever the thread. */
WARI_MUST_CHECK enum wari_status wari_chunk_encode(struct wari_encoder *encoder,
                                                   const int8_t *values, size_t count, void *out,
                                                   size_t *bytes, struct wari_error *error);

/* ---- Writing: one thread ---- */

struct wari_level_writer;

/* Starts "<name>.tmp" in `folder` (an old one is replaced). */
WARI_MUST_CHECK enum wari_status
wari_level_writer_open(struct wari_level_writer **writer, const struct wari_host *host,
                       const char *folder, struct wari_level_key key, struct wari_error *error);

/* Appends the next chunk. WARI_BAD_INPUT if the level has no more or `bytes` is not in
 * 1..wari_chunk_bound(). */
WARI_MUST_CHECK enum wari_status wari_level_writer_append(struct wari_level_writer *writer,
                                                          const void *encoded, size_t bytes,
                                                          struct wari_error *error);

/* Writes offset table and header, makes the file durable under its final name and fills in
 * record->header_hash and ->file_bytes. WARI_BAD_INPUT if chunks are missing. The writer is gone in
 * any case, and so is the temporary file on failure. */
WARI_MUST_CHECK enum wari_status wari_level_writer_finish(struct wari_level_writer *writer,
                                                          uint64_t payload_hash,
                                                          struct wari_level_record *record,
                                                          struct wari_error *error);

/* Gives up: removes the temporary file. NULL is allowed. */
void wari_level_writer_abandon(struct wari_level_writer *writer);

/* ---- Reading: one open file for any number of threads, a decoder for each ---- */

struct wari_level_file;
struct wari_decoder;

/* Opens and checks header and offset table. `expected` NULL: no catalogue to compare with.
 * WARI_MISMATCH if the file holds another variant, level or format version; WARI_CORRUPT if it is
 * damaged or its size or header hash is not the expected one. */
WARI_MUST_CHECK enum wari_status wari_level_file_open(struct wari_level_file **file,
                                                      const struct wari_host *host,
                                                      const char *folder, struct wari_level_key key,
                                                      const struct wari_level_record *expected,
                                                      struct wari_error *error);
void wari_level_file_close(struct wari_level_file *file); /* NULL is allowed */

/* A part of a level file, and the offset at which it starts. */
struct wari_level_place {
    const char *part; /* "file", "header", "end" or "offset table"; static storage */
    uint64_t offset;
};

/* The same, and where it fails *place says at which part. ("end": the file is shorter or longer
 * than its header says; the offset is where it ends.) */
WARI_MUST_CHECK enum wari_status
wari_level_file_inspect(struct wari_level_file **file, const struct wari_host *host,
                        const char *folder, struct wari_level_key key,
                        const struct wari_level_record *expected, struct wari_level_place *place,
                        struct wari_error *error);
uint64_t wari_level_file_payload_hash(const struct wari_level_file *file);

WARI_MUST_CHECK enum wari_status wari_decoder_create(struct wari_decoder **decoder,
                                                     const struct wari_host *host,
                                                     struct wari_error *error);
void wari_decoder_destroy(struct wari_decoder *decoder); /* NULL is allowed */

/* Reads, checks and decodes one chunk into values[0 .. wari_level_file_chunk_positions() - 1], each
 * in [-n, n] for level n. WARI_CORRUPT names the file and the chunk's offset. After a failure the
 * contents of `values` mean nothing. */
WARI_MUST_CHECK enum wari_status wari_level_file_chunk(const struct wari_level_file *file,
                                                       struct wari_decoder *decoder, uint64_t chunk,
                                                       int8_t *values, struct wari_error *error);

/* Reads a chunk and checks its hash, no more. `room`: wari_chunk_bound() bytes. Fails like
 * wari_level_file_chunk(); after WARI_IO, errno says why. */
WARI_MUST_CHECK enum wari_status wari_level_file_check_chunk(const struct wari_level_file *file,
                                                             uint64_t chunk, void *room,
                                                             struct wari_error *error);

/* Where a chunk starts; where the file ends if there is no such chunk. */
uint64_t wari_level_file_chunk_offset(const struct wari_level_file *file, uint64_t chunk);

/* Positions in a chunk; 0 if there is no such chunk. */
size_t wari_level_file_chunk_positions(const struct wari_level_file *file, uint64_t chunk);

#endif

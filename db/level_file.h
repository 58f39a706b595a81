/* One level on disk: "<rules>-<cycle>-<seeds>.wari", described in FORMAT.md.
 *
 * The values of a level, in index order, are cut into chunks of WARI_CHUNK_POSITIONS (the last one
 * shorter); each is compressed on its own, so that a probe reads one. Every chunk, the model, the
 * offset table and the header carry a hash seeded with (variant, level, codec, chunk number).
 */
#ifndef DB_LEVEL_FILE_H
#define DB_LEVEL_FILE_H

#include <stdint.h>

#include "db/host.h"

enum { WARI_CHUNK_POSITIONS = 8192 };

/* Chunks are coded in four lanes side by side: a value in the first half of its lane, one of the
 * quarters of a full chunk, takes half of the time that all of them take. */
enum { WARI_LANE_POSITIONS = WARI_CHUNK_POSITIONS / 4 };

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
    uint64_t other_hash;  /* of a file with the same values that is just taking its place */
    uint64_t other_bytes; /* its size; 0: there is none */
    uint64_t histogram[2 * WARI_SEEDS_MAX + 1]; /* [v + 48], over all placements */
};

/* Whether a level's file leaves out what its other positions decide (`wari pack`), and how many of
 * its positions it then holds: those with at most n/2 seeds on the opponent's side, which come
 * first. A quiet move from any other one leads to one of these. */
uint64_t wari_packed_positions(int seeds);

/* Chunks of a level with `positions` stored positions. */
uint64_t wari_chunk_count(uint64_t positions);

/* Positions of one of them: WARI_CHUNK_POSITIONS, but for the last one. */
static inline size_t wari_chunk_size(uint64_t chunk, uint64_t positions)
{
    const uint64_t left = positions - chunk * WARI_CHUNK_POSITIONS;

    return left < WARI_CHUNK_POSITIONS ? (size_t)left : (size_t)WARI_CHUNK_POSITIONS;
}

/* ---- Encoding: one per thread ----
 *
 * A level's values are surveyed before they are encoded: its file holds statistics that all chunks
 * share. Every encoder begins the level and surveys some of the chunks for which
 * wari_chunk_surveyed() holds, each of these once; the encoders together make the model; with it
 * any of them encodes any chunk.
 */

struct wari_encoder;
struct wari_model;
WARI_MUST_CHECK enum wari_status wari_encoder_create(struct wari_encoder **encoder,
                                                     const struct wari_host *host,
                                                     struct wari_error *error);
void wari_encoder_destroy(struct wari_encoder *encoder); /* NULL is allowed */

WARI_MUST_CHECK enum wari_status wari_encoder_begin(struct wari_encoder *encoder, int seeds,
                                                    struct wari_error *error);

/* Of a file with `chunks` chunks: all, or one in so many that some 1024 are. */
bool wari_chunk_surveyed(uint64_t chunks, uint64_t chunk);

/* `count` values: those of the chunk that the file will hold. WARI_BAD_INPUT if one is not in -n..n
 * or there are more than the chunk has. */
WARI_MUST_CHECK enum wari_status wari_encoder_survey(struct wari_encoder *encoder, uint64_t chunk,
                                                     const int8_t *values, size_t count,
                                                     struct wari_error *error);

/* From what all the encoders surveyed since they began the level; who surveyed which chunk makes no
 * difference. The model is read-only and does not need the encoders. */
WARI_MUST_CHECK enum wari_status wari_encoder_model(struct wari_model **model,
                                                    struct wari_encoder *const *encoder,
                                                    int encoders, struct wari_error *error);
void wari_model_destroy(struct wari_model *model); /* NULL is allowed */

/* The largest an encoded chunk can be. */
size_t wari_chunk_bound(void);

/* Encodes `count` values of a chunk into `out` (room for wari_chunk_bound() bytes). The same values
 * and model give the same bytes, whatever the thread. Fails like wari_encoder_survey(). */
WARI_MUST_CHECK enum wari_status wari_chunk_encode(struct wari_encoder *encoder,
                                                   const struct wari_model *model, uint64_t chunk,
                                                   const int8_t *values, size_t count, void *out,
                                                   size_t *bytes, struct wari_error *error);

/* ---- Writing: one thread ---- */

struct wari_level_writer;

/* Starts "<name>.tmp" in `folder` (an old one is replaced) with the model of the level's chunks,
 * which is not needed after the call. `packed`: only the wari_packed_positions() first positions
 * will follow. */
WARI_MUST_CHECK enum wari_status
wari_level_writer_open(struct wari_level_writer **writer, const struct wari_host *host,
                       const char *folder, struct wari_level_key key,
                       const struct wari_model *model, bool packed, struct wari_error *error);

/* Appends the next chunk. WARI_BAD_INPUT if the level has no more or `bytes` is not in
 * 1..wari_chunk_bound(). After a failure nothing may follow but wari_level_writer_abandon(). */
WARI_MUST_CHECK enum wari_status wari_level_writer_append(struct wari_level_writer *writer,
                                                          const void *encoded, size_t bytes,
                                                          struct wari_error *error);

/* Writes offset table and header, makes the file durable under its final name and fills in
 * header_hash and file_bytes of the record (and no other file). WARI_BAD_INPUT if chunks are
 * missing. The writer is gone in any case, and so is the temporary file on failure. */
WARI_MUST_CHECK enum wari_status wari_level_writer_finish(struct wari_level_writer *writer,
                                                          uint64_t payload_hash,
                                                          struct wari_level_record *record,
                                                          struct wari_error *error);

/* The same, but the name is durable only after wari_sync_folder(), which the caller owes. */
WARI_MUST_CHECK enum wari_status wari_level_writer_place(struct wari_level_writer *writer,
                                                         uint64_t payload_hash,
                                                         struct wari_level_record *record,
                                                         struct wari_error *error);

/* Gives up: removes the temporary file. NULL is allowed. */
void wari_level_writer_abandon(struct wari_level_writer *writer);

/* ---- Writing: several processes ----
 *
 * Each of them surveys and encodes some of the chunks. What their encoders counted is added up
 * before wari_encoder_model(), which then gives all of them the same model. One process has the
 * writer; the others, and it too, write runs of chunks where they belong; it enters what came of
 * them and finishes the file.
 */

/* What encoders have counted since they began the level, added up and moved to the first of them:
 * *count numbers, in the same order for all encoders of a level, to be replaced by larger sums.
 * They stay the encoder's. */
uint32_t *wari_encoder_counts(struct wari_encoder *const *encoder, int encoders, size_t *count);

/* What the offset table says of an encoded chunk. */
struct wari_chunk_entry {
    uint64_t bytes;
    uint64_t hash;
};
struct wari_chunk_entry wari_chunk_entry_of(struct wari_level_key key, uint64_t chunk,
                                            const void *encoded, size_t bytes);

/* Where in the file the next chunk goes. */
uint64_t wari_level_writer_next(const struct wari_level_writer *writer);

/* Enters the next chunks, which others write. Fails like wari_level_writer_append(). */
WARI_MUST_CHECK enum wari_status wari_level_writer_enter(struct wari_level_writer *writer,
                                                         const struct wari_chunk_entry *entries,
                                                         uint64_t count, struct wari_error *error);

/* A file that a writer has begun, for another process or place to write into. */
struct wari_level_part;
WARI_MUST_CHECK enum wari_status wari_level_part_open(struct wari_level_part **part,
                                                      const struct wari_host *host,
                                                      const char *folder, struct wari_level_key key,
                                                      struct wari_error *error);
WARI_MUST_CHECK enum wari_status wari_level_part_write(struct wari_level_part *part,
                                                       const void *encoded, size_t bytes,
                                                       uint64_t offset, struct wari_error *error);

/* Brings to disk what was written. The part is gone in any case. */
WARI_MUST_CHECK enum wari_status wari_level_part_close(struct wari_level_part *part,
                                                       struct wari_error *error);

/* Lets go of a file that is given up; NULL is allowed. */
void wari_level_part_abandon(struct wari_level_part *part);

/* Where the values of a level come from. read() fills in `count` values from the first position of
 * chunk `chunk` on. */
struct wari_level_source {
    enum wari_status (*read)(void *context, uint64_t chunk, int8_t *values, size_t count,
                             struct wari_error *error);
    /* Called before the file, complete under its temporary name, takes its final one. NULL: not. */
    enum wari_status (*ready)(void *context, const struct wari_level_record *record,
                              struct wari_error *error);
    void *context;
};

/* All of the above on one thread. Some chunks are read twice. */
WARI_MUST_CHECK enum wari_status
wari_level_write(const struct wari_host *host, const char *folder, struct wari_level_key key,
                 bool packed, const struct wari_level_source *source, uint64_t payload_hash,
                 struct wari_level_record *record, struct wari_error *error);

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

/* Bytes of memory that an open file of a level takes at most: its offset table and its model. */
uint64_t wari_level_file_memory(int seeds);

/* A part of a level file, and the offset at which it starts. */
struct wari_level_place {
    const char *part; /* "file", "header", "end", "offset table" or "model"; static storage */
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

/* Whether `wari pack` has nothing to do: newest format, nothing in it that can be left out. */
bool wari_level_file_packed(const struct wari_level_file *file);

/* Sets the record's header hash and size to those of this file, and no other one. */
void wari_level_file_record(const struct wari_level_file *file, struct wari_level_record *record);

WARI_MUST_CHECK enum wari_status wari_decoder_create(struct wari_decoder **decoder,
                                                     const struct wari_host *host,
                                                     struct wari_error *error);
void wari_decoder_destroy(struct wari_decoder *decoder); /* NULL is allowed */

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

/* The same for one value of the chunk, number `place` of it, and those that come on the way: the
 * first *known of each lane, which are WARI_LANE_POSITIONS if that is all of them, and else a
 * multiple of WARI_KNOWN_STEP. That the chunk ends as it should is seen only where all is decoded;
 * its hash is checked always. */
enum { WARI_KNOWN_STEP = 64 };
WARI_MUST_CHECK enum wari_status wari_level_file_value(const struct wari_level_file *file,
                                                       struct wari_decoder *decoder, uint64_t chunk,
                                                       size_t place, int8_t *values, size_t *known,
                                                       struct wari_error *error);

/* Parts of a file that have a hash each: its chunks, which format 1 made four times as long. */
uint64_t wari_level_file_parts(const struct wari_level_file *file);

/* Reads a part and checks its hash, no more. `room`: WARI_PART_BYTES_MAX bytes. Fails like
 * wari_level_file_chunk(); after WARI_IO, errno says why. */
enum { WARI_PART_BYTES_MAX = 33024 };
WARI_MUST_CHECK enum wari_status wari_level_file_check_part(const struct wari_level_file *file,
                                                            uint64_t part, void *room,
                                                            struct wari_error *error);

/* Where a part starts; where the file ends if there is no such part. */
uint64_t wari_level_file_part_offset(const struct wari_level_file *file, uint64_t part);

#endif

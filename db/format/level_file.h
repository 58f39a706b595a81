/* Reads level files: "<rules>-<cycle>-<seeds>.wari", described in FORMAT.md.
 *
 * The values of a level, in index order, are divided into chunks of WARI_CHUNK_POSITIONS; the last
 * one may be shorter. Each chunk is compressed independently, so a probe reads a single chunk.
 * Every chunk, the model, the offset table and the header have a hash that is seeded with the
 * variant, the level, the codec and the number of the chunk.
 *
 * Any number of threads may use one open file; each needs a decoder of its own. level_writer.h
 * writes files.
 */
#ifndef DB_FORMAT_LEVEL_FILE_H
#define DB_FORMAT_LEVEL_FILE_H

#include "db/format/decoder.h"
#include "db/format/level_record.h"

struct wari_level_file;

/* Opens a level file and checks its header, its size and its model, and its offset table unless the
 * table is large. `expected` is the catalogue's record of the level; NULL means that the file is
 * not compared with a catalogue. Returns WARI_MISMATCH if the file holds another variant, level or
 * format version, and WARI_CORRUPT if it is damaged, or if its size or header hash is not the
 * expected one.
 *
 * An offset table of more than WARI_TABLE_BYTES_KEPT bytes (level_header.h) is not read here. Its
 * entries are read and checked whenever a chunk is read. So damage to the table is noticed when one
 * of the chunks that it affects is read, or by wari_level_file_check_table(). */
WARI_MUST_CHECK enum wari_status wari_level_file_open(struct wari_level_file **file,
                                                      const struct wari_level_address *address,
                                                      const struct wari_level_record *expected,
                                                      struct wari_error *error);
void wari_level_file_close(struct wari_level_file *file); /* NULL is allowed */

/* Returns an upper bound on the memory of an open file of a level, in bytes: its model, and its
 * offset table if this table is kept in memory. */
uint64_t wari_level_file_memory(int seeds);

/* A part of a level file, and the file offset where the part begins. */
struct wari_file_location {
    const char *part; /* "file", "header", "end", "offset table" or "model"; static storage */
    uint64_t offset;
};

/* Opens a file like wari_level_file_open(). On failure sets *location to the part of the file
 * that is wrong. (Part "end" means that the file is shorter or longer than its header says; the
 * offset is then the actual size of the file.) */
WARI_MUST_CHECK enum wari_status wari_level_file_inspect(struct wari_level_file **file,
                                                         const struct wari_level_address *address,
                                                         const struct wari_level_record *expected,
                                                         struct wari_file_location *location,
                                                         struct wari_error *error);

/* Checks the whole offset table of an open file: its hash, and that the chunks fill the file
 * without a gap. A table that was checked when the file was opened is not checked again; a larger
 * one is read from the file. Returns WARI_CORRUPT if the table is damaged. */
WARI_MUST_CHECK enum wari_status wari_level_file_check_table(const struct wari_level_file *file,
                                                             struct wari_error *error);

/* Returns the path that the file was opened with: folder and name. */
const char *wari_level_file_path(const struct wari_level_file *file);

uint64_t wari_level_file_payload_hash(const struct wari_level_file *file);

/* Returns true if there is nothing left to do for `wari pack`: the file holds no value that can be
 * left out. */
bool wari_level_file_packed(const struct wari_level_file *file);

/* Sets header_hash and file_bytes of the record to those of this file, and clears other_hash and
 * other_bytes. */
void wari_level_file_record(const struct wari_level_file *file, struct wari_level_record *record);

/* Returns the number of positions whose values the file holds; they are the positions from
 * number 0 on. A packed file holds wari_packed_positions() of them, any other file holds the
 * whole level. */
uint64_t wari_level_file_stored(const struct wari_level_file *file);

/* Returns the number of chunks in the file. */
uint64_t wari_level_file_chunks(const struct wari_level_file *file);

/* Returns the number of positions of a chunk whose values the file holds; 0 if there is no such
 * chunk. */
size_t wari_level_file_chunk_positions(const struct wari_level_file *file, uint64_t chunk);

/* Returns the file offset of a chunk, or the size of the file if there is no such chunk. If the
 * chunk cannot be found, because its entry in a large offset table is damaged or cannot be read,
 * returns the file offset of this entry. */
uint64_t wari_level_file_chunk_offset(const struct wari_level_file *file, uint64_t chunk);

/* Reads, checks and decodes one chunk into values[0 .. wari_level_file_chunk_positions() - 1]. Each
 * value is in [-n, n] for level n. WARI_CORRUPT names the file and the offset of the chunk. After a
 * failure the contents of `values` are undefined. */
WARI_MUST_CHECK enum wari_status wari_level_file_chunk(const struct wari_level_file *file,
                                                       struct wari_decoder *decoder, uint64_t chunk,
                                                       int8_t *values, struct wari_error *error);

/* Returns the number of values of each stream that must be decoded to obtain value `place` of
 * the chunk. The result is WARI_STREAM_POSITIONS if the whole chunk must be decoded, otherwise a
 * multiple of WARI_STEP_MULTIPLE. */
enum { WARI_STEP_MULTIPLE = 64 };
size_t wari_level_file_steps(const struct wari_level_file *file, uint64_t chunk, size_t place);

/* Reads and checks a chunk like wari_level_file_chunk(), but fills in only the first `steps`
 * values of each stream, where `steps` is a result of wari_level_file_steps(). The hash is
 * always checked. The end of the chunk is checked only if the whole chunk is decoded. */
WARI_MUST_CHECK enum wari_status wari_level_file_chunk_prefix(const struct wari_level_file *file,
                                                              struct wari_decoder *decoder,
                                                              uint64_t chunk, size_t steps,
                                                              int8_t *values,
                                                              struct wari_error *error);

/* Reads a chunk and checks its hash, without decoding it. `buffer` has a capacity of
 * WARI_CHUNK_BYTES_MAX bytes. Fails like wari_level_file_chunk(); after WARI_IO, errno is the
 * reason. */
WARI_MUST_CHECK enum wari_status wari_level_file_check_chunk(const struct wari_level_file *file,
                                                             uint64_t chunk, void *buffer,
                                                             struct wari_error *error);

#endif

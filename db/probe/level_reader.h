/* Reads all values of one level, chunk by chunk, including those that a packed file leaves out. */
#ifndef DB_PROBE_LEVEL_READER_H
#define DB_PROBE_LEVEL_READER_H

#include "db/format/level_file.h"
#include "db/wari.h"

struct wari_level_reader;

/* Opens a level. `expected` is the record that the caller read from the catalogue, or NULL for
 * no comparison. If the file has been replaced since then, the new file is accepted. Fails like
 * wari_level_file_open(). If the file is packed, the lower levels are opened, too, and the call
 * also fails like wari_open(). */
WARI_MUST_CHECK enum wari_status wari_level_reader_open(struct wari_level_reader **reader,
                                                        const struct wari_level_address *address,
                                                        const struct wari_level_record *expected,
                                                        struct wari_error *error);

/* Opens one of several levels of a variant. The readers of all packed files share one handle,
 * *db. It must be NULL before the first call; the first call for a packed file opens it, with a
 * cache of `cache_bytes`. If the handle lacks the level, because a file of a lower level was
 * missing when it was opened, it is opened again. So no reader may be in use during the call, and
 * `db` must stay valid as long as the readers. The caller closes *db after them. */
WARI_MUST_CHECK enum wari_status wari_level_reader_share(struct wari_level_reader **reader,
                                                         const struct wari_level_address *address,
                                                         const struct wari_level_record *expected,
                                                         struct wari_db **db, size_t cache_bytes,
                                                         struct wari_error *error);
void wari_level_reader_close(struct wari_level_reader *reader); /* NULL is allowed */

uint64_t wari_level_reader_payload_hash(const struct wari_level_reader *reader);

/* Fills in all values of a chunk: WARI_CHUNK_POSITIONS values, or fewer for the last chunk of
 * the level. Any number of threads may read at once, each with its own decoder. Values that the
 * file leaves out are looked up one by one, and each takes about a hundred times as long as
 * decoding a value. Fails like wari_level_file_chunk(). */
WARI_MUST_CHECK enum wari_status wari_level_reader_chunk(const struct wari_level_reader *reader,
                                                         struct wari_decoder *decoder,
                                                         uint64_t chunk, int8_t *values,
                                                         struct wari_error *error);

#endif

/* The values of one level, chunk by chunk, whatever its file leaves out: for those who read whole
 * levels. */
#ifndef DB_PROBE_LEVEL_READER_H
#define DB_PROBE_LEVEL_READER_H

#include "db/format/level_file.h"
#include "db/wari.h"

struct wari_level_reader;

/* `expected` is what the catalogue said when it was read (NULL: nothing); a file that took the
 * other's place since then is opened as well. Fails like wari_level_file_open(); where the file is
 * a packed one, the levels below it are opened, too (like wari_open()). */
WARI_MUST_CHECK enum wari_status wari_level_reader_open(struct wari_level_reader **reader,
                                                        const struct wari_level_address *address,
                                                        const struct wari_level_record *expected,
                                                        struct wari_error *error);

/* The same for several levels of a variant: packed files share *db, which is opened with a cache of
 * `cache_bytes` when the first one needs it. *db begins as NULL and is the caller's to close, after
 * the readers. */
WARI_MUST_CHECK enum wari_status wari_level_reader_share(struct wari_level_reader **reader,
                                                         const struct wari_level_address *address,
                                                         const struct wari_level_record *expected,
                                                         struct wari_db **db, size_t cache_bytes,
                                                         struct wari_error *error);
void wari_level_reader_close(struct wari_level_reader *reader); /* NULL is allowed */

uint64_t wari_level_reader_payload_hash(const struct wari_level_reader *reader);

/* Fills in all values of the chunk: WARI_CHUNK_POSITIONS, fewer in the level's last one. Any number
 * of threads may read at once, with a decoder each. Left-out values are looked up one by one, which
 * takes some hundred times as long as decoding. Fails like wari_level_file_chunk(). */
WARI_MUST_CHECK enum wari_status wari_level_reader_chunk(const struct wari_level_reader *reader,
                                                         struct wari_decoder *decoder,
                                                         uint64_t chunk, int8_t *values,
                                                         struct wari_error *error);

#endif

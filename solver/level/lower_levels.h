/* The lower-level cache: the levels below the one that is solved, read from their files chunk by
 * chunk, in a bounded amount of memory.
 *
 * A capture from level n leads to level n - captured. There the opponent half is what the move has
 * left of the mover half, and it determines the row (index/level.h). A pass that visits mover
 * halves in order therefore also visits the rows of lower levels in order, for each pit and each
 * number of seeds captured. So a reader has one **stream** for each pit and each number of seeds
 * captured. A stream **pins** its chunk until it needs the next one. If the cache is full, it drops
 * a chunk that no stream pins and that was not used for a long time (clock algorithm). A level that
 * was just solved leaves its chunks in the cache as long as they fit, so that nothing is read from
 * files if memory is sufficient.
 */
#ifndef SOLVER_LEVEL_LOWER_LEVELS_H
#define SOLVER_LEVEL_LOWER_LEVELS_H

#include "db/probe/level_reader.h"
#include "index/level.h"
#include "solver/rows/tables.h"

struct wari_lower_cache; /* shared by all threads */
struct wari_reader;      /* one for each thread */

enum {
    WARI_STREAM_SINGLE = WARI_HALF_PITS * (WARI_CAPTURE_MAX + 1), /* for single cells */
    WARI_STREAMS
};

/* Returns the stream of a pit and a number of seeds captured. */
static inline int wari_stream(int pit, int captured)
{
    return pit * (WARI_CAPTURE_MAX + 1) + captured;
}

/* Returns the smallest size of a cache for `threads` readers, in bytes. */
uint64_t wari_lower_cache_bytes_min(int threads);

/* Returns the size of a cache that holds levels 0 to `last`, in bytes. */
uint64_t wari_lower_cache_bytes_to(int last);

/* Returns the bytes that the list of chunks and the open file of a level take in addition to the
 * cache. */
uint64_t wari_lower_cache_list_bytes(int seeds);

/* Returns the additional bytes that reading packed levels up to `seeds` takes: for the values that
 * packed files leave out, which are computed again. */
uint64_t wari_lower_cache_packed_bytes(int seeds, int threads);

/* The levels to read: those below `seeds` of a variant, in `folder`. The string has to stay valid
 * as long as the cache. */
struct wari_lower_cache_files {
    const char *folder;
    struct wari_variant variant;
    int seeds;
};

/* Creates a cache of at most `bytes` for these levels. `bytes` must be at least
 * wari_lower_cache_bytes_min(), or enough for all levels. Physical memory is used only as the cache
 * fills. */
WARI_MUST_CHECK enum wari_status wari_lower_cache_create(struct wari_lower_cache **lower,
                                                         const struct wari_host *host,
                                                         const struct wari_lower_cache_files *files,
                                                         uint64_t bytes, struct wari_error *error);
void wari_lower_cache_destroy(struct wari_lower_cache *lower); /* NULL is allowed */

/* Reduces the cache to `bytes`, with the same minimum as wari_lower_cache_create(). Does nothing if
 * the cache is already that small. Drops the chunks that no longer fit, and returns their memory to
 * the system. Must not be called while a reader is used. */
void wari_lower_cache_limit(struct wari_lower_cache *lower, uint64_t bytes);

/* Drops all chunks, and returns the memory of the cache to the system until it is used again. Must
 * not be called while a reader is used or pins a chunk. */
void wari_lower_cache_clear(struct wari_lower_cache *lower);

/* Returns true if all levels up to `seeds` fit at once, so that no chunk is ever read twice. */
bool wari_lower_cache_holds_all(const struct wari_lower_cache *lower, int seeds);

/* wari_lower_cache_lend() lends memory to the cache, which uses it in addition to its own memory
 * until wari_lower_cache_return() is called. Then the contents of the lent memory are undefined.
 * (Without lent memory, a build of 0..20 in 48 MB takes 1.69 times as long.)
 *
 * Only one block of memory can be lent at a time; it has to be aligned as by malloc(). While memory
 * is lent, the limit must not be changed. When one of the two functions is called, no reader may be
 * in use or pin a chunk (wari_reader_release()). */
void wari_lower_cache_lend(struct wari_lower_cache *lower, void *memory, uint64_t bytes);
void wari_lower_cache_return(struct wari_lower_cache *lower);

/* Adds a level whose file has its final name, whether it is published or not. Must not be called
 * while a reader is used. */
WARI_MUST_CHECK enum wari_status wari_lower_cache_add(struct wari_lower_cache *lower, int seeds,
                                                      const struct wari_level_record *record,
                                                      struct wari_error *error);

/* Copies a chunk into the cache, if it fits. The chunk must be one of the level that will be added
 * next. Any number of threads may call it at once. Ignores chunks of the last two levels, which no
 * level reads, since a capture takes at least 2 seeds. */
void wari_lower_cache_offer(struct wari_lower_cache *lower, int seeds, uint64_t chunk,
                            const int8_t *values);

WARI_MUST_CHECK enum wari_status wari_reader_create(struct wari_reader **reader,
                                                    struct wari_lower_cache *lower,
                                                    struct wari_error *error);
void wari_reader_destroy(struct wari_reader *reader); /* NULL is allowed */

/* Consecutive values of a level in index order: values[i - first] is the value of position i. */
struct wari_lower_values {
    const int8_t *values;
    uint64_t first, positions;
};

/* Returns the values around position `at` of a level. They stay valid until the stream is used for
 * another position or released. Returns NULL if they cannot be read; wari_reader_failure() then has
 * the reason. */
const struct wari_lower_values *wari_reader_at(struct wari_reader *reader, int stream, int seeds,
                                               uint64_t at);

/* Returns the index of the first position in a row of a block of a level. */
uint64_t wari_lower_cache_row(const struct wari_lower_cache *lower, int seeds, int block,
                              uint32_t row);

/* Unpins all chunks; has to be called at the end of a pass. */
void wari_reader_release(struct wari_reader *reader);

/* Returns the last failure of the reader; WARI_OK if there was none. */
enum wari_status wari_reader_failure(const struct wari_reader *reader, struct wari_error *error);

/* Returns the number of chunks read from files and decoded so far; for tests. */
uint64_t wari_lower_cache_chunks_read(const struct wari_lower_cache *lower);

#endif

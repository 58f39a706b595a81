/* The levels below the one that is being solved: read from their files, chunk by chunk, into a
 * cache of bounded size.
 *
 * A capture from level n leads to row m' of level n - captured. As mover halves go by in order, so
 * do these rows, for each pit and number of seeds captured: a reader keeps a **stream** for each,
 * which **pins** its chunk until it needs the next. Chunks that no stream pins are dropped when
 * room is needed, those first that were not used for longest (a clock). A level that was just
 * solved leaves its chunks here while there is room, so that nothing is read where memory suffices.
 */
#ifndef SOLVER_LOWER_H
#define SOLVER_LOWER_H

#include "db/probe/level_reader.h"
#include "index/level.h"
#include "solver/rows/tables.h"

struct wari_lower_cache; /* shared by all threads */
struct wari_reader;      /* one for each */

enum {
    WARI_STREAM_SINGLE = WARI_HALF_PITS * (WARI_CAPTURE_MAX + 1), /* for single cells */
    WARI_STREAMS
};

/* The stream of a pit and a number of seeds captured. */
static inline int wari_stream(int pit, int captured)
{
    return pit * (WARI_CAPTURE_MAX + 1) + captured;
}

/* The fewest bytes that a cache for `threads` readers works with. */
uint64_t wari_lower_cache_bytes_min(int threads);

/* Bytes of the cache that levels 0 to `last` fill, and bytes beside the cache that a level's list
 * of chunks and its open file take. */
uint64_t wari_lower_cache_bytes_to(int last);
uint64_t wari_lower_cache_list_bytes(int seeds);

/* Bytes that reading packed levels up to `seeds` takes besides: what looks up the values that their
 * files leave out. */
uint64_t wari_lower_cache_packed_bytes(int seeds, int threads);

/* Whose levels: those below `seeds` of a variant, in `folder`, which has to stay. */
struct wari_lower_cache_files {
    const char *folder;
    struct wari_variant variant;
    int seeds;
};

/* A cache of at most `bytes` (at least wari_lower_cache_bytes_min(), or room for all that are
 * read), for these levels. The memory is taken as it is used. */
WARI_MUST_CHECK enum wari_status wari_lower_cache_create(struct wari_lower_cache **lower,
                                                         const struct wari_host *host,
                                                         const struct wari_lower_cache_files *files,
                                                         uint64_t bytes, struct wari_error *error);
void wari_lower_cache_destroy(struct wari_lower_cache *lower); /* NULL is allowed */

/* Lets the cache have no more than so many bytes from now on: at least
 * wari_lower_cache_bytes_min(), or room for all that are read. Drops what is too much and gives its
 * memory back. Not while readers are at work. */
void wari_lower_cache_limit(struct wari_lower_cache *lower, uint64_t bytes);

/* Drops all chunks, and gives the memory of the cache back until it is used again. Not while
 * readers are at work or pin a chunk. */
void wari_lower_cache_clear(struct wari_lower_cache *lower);

/* Whether there is room for all levels up to `seeds` at once, so that nothing of them is ever read
 * twice. */
bool wari_lower_cache_holds_all(const struct wari_lower_cache *lower, int seeds);

/* Lends memory (aligned as of malloc()) that the cache uses beside its own until it is returned;
 * what is in it is lost then. Once at a time, no limit is set in between, and no reader is at work
 * or pins a chunk (wari_reader_release()) at either moment. */
void wari_lower_cache_lend(struct wari_lower_cache *lower, void *memory, uint64_t bytes);
void wari_lower_cache_return(struct wari_lower_cache *lower);

/* Adds a level whose file has its name, published or not. Not while readers are at work. */
WARI_MUST_CHECK enum wari_status wari_lower_cache_add(struct wari_lower_cache *lower, int seeds,
                                                      const struct wari_level_record *record,
                                                      struct wari_error *error);

/* Keeps a copy of a chunk while there is room, for a level that is to be added next; for any number
 * of threads at once. Nothing happens for `seeds` itself and the level below it: a capture takes at
 * least 2, so no level reads them. */
void wari_lower_cache_offer(struct wari_lower_cache *lower, int seeds, uint64_t chunk,
                            const int8_t *values);

WARI_MUST_CHECK enum wari_status wari_reader_create(struct wari_reader **reader,
                                                    struct wari_lower_cache *lower,
                                                    struct wari_error *error);
void wari_reader_destroy(struct wari_reader *reader); /* NULL is allowed */

/* A stretch of a level in index order: values[i - first] is the value of position i. */
struct wari_value_range {
    const int8_t *values;
    uint64_t first, positions;
};

/* The stretch of a level with position `at`. It stays until the stream is moved on or
 * released. NULL if it cannot be read; wari_reader_failure() says why. */
const struct wari_value_range *wari_reader_at(struct wari_reader *reader, int stream, int seeds,
                                              uint64_t at);

/* Where row `row` of a block of a level begins, in index order. */
uint64_t wari_lower_cache_row(const struct wari_lower_cache *lower, int seeds, int block,
                              uint32_t row);

/* Unpins all chunks; to be called at the end of a pass. */
void wari_reader_release(struct wari_reader *reader);

/* What the last failure was; WARI_OK if there was none. */
enum wari_status wari_reader_failure(const struct wari_reader *reader, struct wari_error *error);

/* Chunks read from files and decoded so far: for tests. */
uint64_t wari_lower_cache_chunks_read(const struct wari_lower_cache *lower);

#endif

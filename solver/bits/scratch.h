/* The cells of a level in a scratch file (scratch_file.h), one code a cell.
 *
 * Most passes read one range of rows after the other into a buffer, change it, and write it back.
 * Captures are computed in another order (scratch_captures.c). When all codes are final, ranges are
 * only read, and as many as possible are cached (scratch_reading.c).
 *
 *     memory  buffers of I/O thread 0 | of I/O thread 1 | ... | reserved | pool
 *     file    ranges of rows | ranges of columns | what the caller appends
 */
#ifndef SOLVER_BITS_SCRATCH_H
#define SOLVER_BITS_SCRATCH_H

#include <pthread.h>

#include "solver/bits/scratch_file.h"
#include "solver/level/level.h"
#include "system/thread_pool.h"

/* The number of I/O threads in addition to one for each worker, so that some threads wait for the
 * disk while others compute. The number is small because the buffers of all I/O threads share the
 * memory that the planes leave. Level 24 in 128 MB takes 25 to 29 s with 2 additional threads,
 * whose buffers have 270 KB each. With 6 additional threads it took 30 s, in an earlier version
 * that did not use the page cache. */
enum { WARI_IO_THREADS_EXTRA = 2 };

/* The sizes of the parts into which the memory and the scratch file are divided, in bytes unless
 * stated otherwise. */
struct wari_scratch_shape {
    /* Set by the caller: */
    int io_threads;      /* number of threads that transfer ranges; each has two buffers */
    size_t buffer_bytes; /* size of a buffer: at least wari_scratch_buffer_least() */
    uint64_t reserved; /* memory for the caller from captures_done() on; before that, it is lent to
                        * the lower-level cache */
    uint64_t reused;   /* size of the caller's data that is later stored in the file in place of the
                        * ranges of columns */
    uint64_t appended; /* size of the caller's data at the end of the file */

    /* Computed by wari_scratch_shape(): */
    uint64_t pool;   /* the memory that is left. It is lent to the lower-level cache while captures
                      * are computed, then used to assemble rows, then to cache ranges */
    uint64_t tables; /* additional memory for tables */
    uint64_t bytes;  /* size of all memory: buffers, reserved, pool, and tables */
    uint64_t file;   /* size of the scratch file, and of the file that level/full_halves.h
                      * describes, together */
    uint64_t append_at; /* offset of the caller's appended data in the scratch file */
};

/* Computes `pool` and the fields after it for a memory of `bytes` bytes, from the fields that the
 * caller has set. Returns false if the memory is too small; `tables` is set even then. */
bool wari_scratch_shape(const struct wari_layout *layout, uint64_t bytes,
                        struct wari_scratch_shape *shape);

/* Returns the smallest valid value of buffer_bytes in struct wari_scratch_shape. */
size_t wari_scratch_buffer_least(const struct wari_layout *layout);

/* Returns the least number of ranges that have to be cached while codes are read. */
uint32_t wari_scratch_cache_least(int io_threads);

/* The buffers of an I/O thread. */
struct wari_io_buffers {
    int8_t *cells;   /* the cells of a range */
    uint8_t *packed; /* space for the same cells packed into half bytes (half_bytes.h); jobs may use
                      * it for other data */
};

/* The workers of the level that no I/O thread uses at the moment. */
struct wari_idle_workers {
    pthread_cond_t released; /* a worker has been released */
    int count;
    int *number; /* indices of the idle workers */
};

/* An entry of the cache. */
struct wari_cached_range {
    uint32_t range;     /* WARI_NO_RANGE if the entry is empty */
    uint32_t users;     /* number of pins; the range cannot be replaced unless it is 0 */
    uint64_t last_used; /* value of `uses` of the cache when the range was last used */
    bool loaded;        /* the range has been read */
};

/* Ranges of rows that are kept in memory while codes are only read (scratch_reading.c). */
struct wari_range_cache {
    uint32_t capacity; /* number of entries; 0 if nothing is cached */
    uint64_t uses;     /* number of uses of all ranges so far */
    struct wari_cached_range *entry;
    uint32_t *index;        /* [range]: number of its entry; >= capacity if it is not cached */
    pthread_cond_t loaded;  /* a range has been read */
    pthread_mutex_t values; /* serialises wari_scratch_values() */
};

struct wari_scratch {
    struct wari_scratch_file file;
    struct wari_ranges row_ranges, column_ranges;
    struct wari_scratch_shape shape;
    struct wari_thread_pool *thread_pool; /* the I/O threads */
    struct wari_io_buffers *buffers;      /* [I/O thread] */
    pthread_mutex_t lock;                 /* protects `idle` and `cache`; held while threads
                                           * choose the next range of a pass */
    struct wari_idle_workers idle;
    struct wari_range_cache cache;
    struct {
        void *all, *tables;
        uint8_t *buffers, *reserved;
        int8_t *pool;
    } memory;
};

/* Returns the scratch data of a level. level->backend_data points to the data of the backend, whose
 * first member has to be the struct wari_scratch. */
static inline struct wari_scratch *wari_scratch_of(const struct wari_level *level)
{
    return level->backend_data;
}

/* The folder in which the scratch file is created, and the name of the file. */
struct wari_scratch_location {
    const char *folder, *name;
};

/* Opens the scratch data of a level. Before this call, the caller fills struct wari_scratch with
 * zeros, calls wari_level_begin(), and sets the pitches of the level's rows (resident.pitch). On
 * failure nothing has to be closed. */
WARI_MUST_CHECK enum wari_status wari_scratch_open(struct wari_level *level,
                                                   const struct wari_scratch_shape *shape,
                                                   const struct wari_scratch_location *location,
                                                   struct wari_error *error);
void wari_scratch_close(struct wari_level *level);

/* Sets the number of transferred bytes in the level's statistics. */
void wari_scratch_add_statistics(struct wari_level *level);

/* ---- Passes over all ranges (scratch.c) ------------------------------------------------------ */

/* Processes the range in buffers->cells. Returns false if the range need not be written. */
typedef bool wari_range_job(struct wari_level *level, const struct wari_io_buffers *buffers,
                            void *context, uint32_t range);

struct wari_scratch_pass {
    const struct wari_ranges *from; /* ranges to be read; NULL if none */
    const struct wari_ranges *to;   /* ranges to be written; NULL if none */
    uint32_t first, end; /* if `next` is NULL, the pass processes ranges `first` to `end` - 1 */

    /* Returns the i-th range of the pass, or WARI_NO_RANGE at the end. It is never called by
     * several threads at once. NULL means that `first` and `end` select the ranges. */
    uint32_t (*next)(struct wari_level *level, void *context, uint32_t i);

    wari_range_job *job;
    void *context; /* of next() and job() */
};

/* Runs a pass, with all I/O threads. It ends early if the level is stopped or something fails
 * (wari_workers_failure()). Only one pass may run at a time. */
void wari_scratch_run_pass(struct wari_level *level, const struct wari_scratch_pass *pass);

/* Reads a range into the buffers, for jobs that transfer ranges themselves. Returns false if the
 * level is stopped, for instance because reading failed. */
WARI_MUST_CHECK bool wari_scratch_read_range(struct wari_level *level,
                                             const struct wari_ranges *ranges,
                                             const struct wari_io_buffers *buffers, uint32_t range);

/* Writes a range from the buffers, unless the level is stopped. */
void wari_scratch_write_range(struct wari_level *level, const struct wari_ranges *ranges,
                              const struct wari_io_buffers *buffers, uint32_t range);

/* Waits for an idle worker of the level and takes it. A job that computes for longer than it waits
 * for the disk has to take a worker: there are more I/O threads than workers, and no more of them
 * should compute at once than there are workers. */
struct wari_worker *wari_scratch_take_worker(struct wari_level *level);
void wari_scratch_release_worker(struct wari_level *level, const struct wari_worker *worker);

/* Returns the rows of a range of rows, whose cells are at `cells`. */
struct wari_row_range wari_scratch_row_range(const struct wari_level *level, uint32_t range,
                                             int8_t *cells);

/* The operation `each_rows` of struct wari_backend. */
void wari_scratch_each_rows(struct wari_level *level, enum wari_access access, wari_rows_job *job,
                            void *context);

/* ---- Captures (scratch_captures.c) ----------------------------------------------------------- */

/* The functions that wari_scratch_captures() calls. */
struct wari_scratch_callbacks {
    /* Called once: after the lower levels have been read for the last time, and before the first
     * call of rows_done(). */
    void (*captures_done)(struct wari_level *level);

    /* Called with all rows, roughly in order, while they are in memory. The job gets NULL as
     * the worker, since it may wait for the disk. */
    wari_rows_job *rows_done;
};

/* Computes the first code of every cell (level/first_codes.h). */
void wari_scratch_captures(struct wari_level *level,
                           const struct wari_scratch_callbacks *callbacks);

/* ---- Reading final codes, in any order (scratch_reading.c) ----------------------------------- */

/* Begins to cache ranges, in the reserved memory and the first `pool_bytes` of the pool. The cache
 * is empty at first. No range may be written until wari_scratch_stop_reading(). */
void wari_scratch_start_reading(struct wari_level *level, uint64_t pool_bytes);
void wari_scratch_stop_reading(struct wari_level *level);

/* The cache of ranges. These functions are declared for tests of the cache; the backend uses
 * wari_scratch_values() and wari_scratch_count_full().
 *
 * Pins a range in the cache until wari_scratch_unpin(), and reads the range first if it is not in
 * the cache. `packed` is a buffer of the calling thread. Each thread may pin at most
 * wari_scratch_pins_max() ranges at once. Returns false if the level is stopped, for instance
 * because the range cannot be read; then the range is not pinned. */
WARI_MUST_CHECK bool wari_scratch_pin(const struct wari_level *level, uint32_t range,
                                      uint8_t *packed);
void wari_scratch_unpin(const struct wari_level *level, uint32_t range);
uint32_t wari_scratch_pins_max(const struct wari_scratch *scratch);

/* Returns a row of a range that is pinned. */
const int8_t *wari_scratch_row(const struct wari_level *level, int block, uint32_t row);

/* The operation `values` of struct wari_backend. Reads codes through the cache, so it must be
 * called between wari_scratch_start_reading() and wari_scratch_stop_reading(). */
void wari_scratch_values(const struct wari_level *level, uint64_t first, size_t count,
                         int8_t *values);

/* Counts the positions with full opponent halves by value: adds the number with value v to
 * histogram[v + WARI_SEEDS_MAX]. This is the last use of the lower levels. */
void wari_scratch_count_full(struct wari_level *level, uint64_t *histogram);

#endif

/* The threads that solve a level, the private data of each, and how they wait for each other and
 * fail together.
 */
#ifndef SOLVER_LEVEL_WORKERS_H
#define SOLVER_LEVEL_WORKERS_H

#include <stdatomic.h>

#include "solver/kernel/kernel.h"
#include "solver/level/lower_levels.h"
#include "solver/level/sorted_moves.h"

enum {
    WARI_ITEM_STRIPS_MAX = 128, /* with this limit a tile of 64 columns takes half a MiB, which fits
                                 * into the L2 cache */

    /* Upper limit on the number of ranges into which event-driven sweeps divide the rows of a
     * block. Threads beyond this number have no work. */
    WARI_EVENT_RANGES_MAX = 32,

    /* Lists of events (events.h): one for each range, and one for deferred events. */
    WARI_EVENT_LISTS = (WARI_SEEDS_MAX + 1) * WARI_EVENT_RANGES_MAX + 1,
};

/* A barrier for the threads of a sweep. OpenMP's own barrier spins for about a millisecond; on a
 * machine with other load, the barriers of a sweep then take a hundred times as long as they
 * should. This barrier spins for a short time and then yields the processor. */
struct wari_barrier {
    _Atomic uint32_t arrived; /* number of threads that have arrived in this round */
    _Atomic uint32_t round;   /* number of completed rounds */
    _Atomic uint64_t waited;  /* nanoseconds that all threads together have waited in this sweep */
    atomic_bool alone;        /* all threads but the first one leave the sweep */
};

/* The sowings of the columns on which a thread works; see wari_item_sowings(). */
struct wari_sown {
    int seeds; /* number of seeds in the mover halves */
    uint32_t first, count;
    wari_sowing sowing[WARI_ITEM_COLUMNS][WARI_HALF_PITS];
};

/* Data for deciding whether all threads or only one do a sweep (memory/memory_sweep.c). */
struct wari_throttle {
    double busy;      /* wari_sweep_result.busy of the last sweep; before the first sweep, an
                       * estimate */
    double seconds;   /* wall-clock time of the last sweep if all threads began it, otherwise 0 */
    int alone;        /* number of sweeps that one thread does alone from now on */
    int sweeps_alone; /* number of sweeps in the last series that one thread did alone because
                       * threads were delayed. It is halved after each sweep that all threads began,
                       * unless that sweep causes another series; see next_threads() */
};

/* The private data of one thread. */
struct wari_worker {
    struct wari_reader *reader;
    int8_t *tile; /* in dense sweeps, the smallest code of the children of each cell of the current
                   * item (item.h): [strip of the item][column][row of the strip]. Other passes and
                   * the bit backend store other data in it */
    struct wari_merge_result merged;
    uint32_t lists[WARI_EVENT_LISTS]; /* first buffer of each list of events (events.h) */
    uint32_t free_buffer;             /* first buffer in the list of buffers that the thread can
                                       * reuse */
    bool lost_events;                 /* no buffer was left for an event */
    struct wari_sown sown;
    struct wari_sorted_moves moves; /* of the columns of the current item; not used while
                                     * level->kept_moves has the moves of all columns */
};

/* All workers, and the first failure of one of them. */
struct wari_workers {
    const struct wari_host *host;
    int count;
    struct wari_worker *worker;
    struct wari_barrier barrier;
    struct wari_throttle throttle;
    atomic_bool failed; /* a worker failed; passes check this and end early */
    atomic_flag noted;  /* set by the first thread that fails, which then records its status and
                         * error */
    enum wari_status status;
    struct wari_error error;
};

/* Returns the memory that workers take, in bytes. */
uint64_t wari_workers_bytes(int threads);

/* Initializes a struct without workers, which only records failures. Nothing has to be destroyed.
 */
void wari_workers_none(struct wari_workers *workers, const struct wari_host *host);

/* Creates the workers; on failure nothing stays allocated. */
WARI_MUST_CHECK enum wari_status wari_workers_create(struct wari_workers *workers,
                                                     const struct wari_host *host,
                                                     struct wari_lower_cache *lower, int threads,
                                                     struct wari_error *error);
void wari_workers_destroy(struct wari_workers *workers);

/* Records a failure, if it is the first, and makes all workers stop. Any number of threads may call
 * it at once. */
void wari_workers_fail(struct wari_workers *workers, const struct wari_error *error);

/* Returns the recorded failure, or the failure of a reader of lower levels. Returns WARI_OK if
 * nothing has failed. */
WARI_MUST_CHECK enum wari_status wari_workers_failure(const struct wari_workers *workers,
                                                      struct wari_error *error);

#endif

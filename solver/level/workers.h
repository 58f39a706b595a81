/* The threads that work on a level, what each has for itself, and how they wait and fail together.
 */
#ifndef SOLVER_TEAM_H
#define SOLVER_TEAM_H

#include <stdatomic.h>

#include "solver/kernel/kernel.h"
#include "solver/level/lower_levels.h"

enum {
    WARI_ITEM_STRIPS_MAX = 128, /* of an item at most: its tile of 64 columns is half a MiB */
    WARI_EVENT_RANGES_MAX =
        32, /* of a block, for sweeps of single cells: enough for any team so far */
    WARI_EVENT_LISTS =
        (WARI_SEEDS_MAX + 1) * WARI_EVENT_RANGES_MAX + 1, /* events.h; the last: put aside */
};

/* Where the threads of a sweep wait for each other. OpenMP's own barrier spins for about a
 * millisecond; on a machine with other work a sweep's few dozen barriers then cost a hundred times
 * what they should. This one spins briefly and gives its processor away. */
struct wari_barrier {
    _Atomic uint32_t arrived;
    _Atomic uint32_t round;
};

/* The sowings of the columns that a thread is at; see wari_item_sowings(). */
struct wari_sown {
    int seeds; /* of the mover halves */
    uint32_t first, count;
    wari_sowing sowing[WARI_ITEM_COLUMNS][WARI_HALF_PITS];
};

/* Whether a team is worth while (memory/memory_sweep.c): of the last sweep, processor time and, if
 * a team did it, seconds; sweeps that one thread does alone from now on; and for how many it took
 * over when the team was delayed last. */
struct wari_throttle {
    double busy, seconds;
    int alone, sweeps_alone;
};

/* What one thread has for itself. */
struct wari_worker {
    struct wari_reader *reader;
    int8_t *tile; /* smallest children: [strip of the item][column][WARI_STRIP] */
    struct wari_merge_result merged;
    uint32_t lists[WARI_EVENT_LISTS]; /* first pages of lists of events; see events.h */
    uint32_t free_page;               /* the first one */
    bool lost_events;                 /* one found no room */
    struct wari_sown sown;
};

/* The threads' workers, and the reason why one of them could not go on. */
struct wari_workers {
    const struct wari_host *host;
    int count;
    struct wari_worker *worker;
    struct wari_barrier barrier;
    struct wari_throttle throttle;
    atomic_bool failed;
    atomic_flag noted; /* there is a first failure: */
    enum wari_status status;
    struct wari_error error;
};

uint64_t wari_workers_bytes(int threads);
WARI_MUST_CHECK enum wari_status wari_workers_create(struct wari_workers *workers,
                                                     const struct wari_host *host,
                                                     struct wari_lower_cache *lower, int threads,
                                                     struct wari_error *error);
void wari_workers_destroy(struct wari_workers *workers);

/* Notes a failure, the first one only, and stops the workers. For any number of threads at once. */
void wari_workers_fail(struct wari_workers *workers, const struct wari_error *error);

/* What hindered a worker from going on, if anything did. */
WARI_MUST_CHECK enum wari_status wari_workers_failure(const struct wari_workers *workers,
                                                      struct wari_error *error);

#endif

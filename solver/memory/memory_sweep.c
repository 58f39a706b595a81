/* A sweep over a level in memory, by all threads: block after block, in the order of level.c, with
 * a barrier between. It computes every cell, or only those that events lead to.
 */
#include "solver/memory/memory.h"

#include <omp.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "solver/level/sweep.h"
#include "system/clock.h"

/* Nothing depends on these but time. Guesses, under which two threads beside two busy processes
 * took 0.87 to 1.1 times as long as one, without them 1.3 to 1.5 times (0..18 seeds). */
static const double team_seconds =
    0.0004; /* a sweep that takes one thread less is not worth a workers */
static const double delayed_seconds =
    0.1; /* of processor time: a longer sweep is worth a workers that is delayed */
enum {
    SWEEPS_ALONE_MAX = 8
}; /* by one thread, between two attempts of a workers that is delayed */

static void wait_for_team(struct wari_barrier *barrier, uint32_t threads)
{
    enum { SPINS = 2000 }; /* some ten microseconds */
    const uint32_t round = atomic_load_explicit(&barrier->round, memory_order_relaxed);

    if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) + 1 == threads) {
        atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&barrier->round, round + 1, memory_order_release);
        return;
    }
    for (int spins = 0; atomic_load_explicit(&barrier->round, memory_order_acquire) == round;
         spins++)
        if (spins >= SPINS)
            sched_yield();
}

/* Seconds of processor time that this thread has had. */
static double processor_seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void wari_memory_copy_block(struct wari_level *level, int block)
{
    enum { PIECE = 1 << 18 }; /* bytes: some tens of microseconds */
    const uint64_t bytes =
        (uint64_t)level->resident.partition.rows[block] * level->resident.pitch[block];
    const uint64_t pieces = (bytes + PIECE - 1) / PIECE;

#pragma omp for schedule(dynamic) nowait
    for (uint64_t i = 0; i < pieces; i++) {
        const uint64_t from = i * PIECE, left = bytes - from;
        const size_t piece = left < PIECE ? (size_t)left : (size_t)PIECE;
        if (wari_level_stopped(level))
            continue;
        memcpy(level->resident.copy + from,
               level->resident.cells + level->resident.offset[block] + from, piece);
    }
}

/* Whether the block that has this turn is copied while the one before it is swept: that fills the
 * time of threads that find no item there any more, and spares a barrier. `copy` has to be free.
 */
static bool copied_before(const struct wari_level *level, int turn)
{
    return turn > 0 && turn <= level->layout.seeds &&
           wari_has_own_children(&level->layout, level->order.block[turn]) &&
           !wari_has_own_children(&level->layout, level->order.block[turn - 1]);
}

static void lines_of_block(struct wari_level *level, struct wari_worker *worker,
                           const struct wari_sweep *sweep, int turn, uint32_t threads,
                           struct wari_sweep_result *tally)
{
    const int block = level->order.block[turn];
    const struct wari_item_cut cut = wari_items_of_block(level, WARI_PARENTS_ROWS, block);
    double start = processor_seconds();

    if (wari_has_own_children(&level->layout, block) && !copied_before(level, turn)) {
        wari_memory_copy_block(level, block);
        tally->busy += processor_seconds() - start;
        wait_for_team(&level->workers->barrier, threads);
        start = processor_seconds();
    }
#pragma omp for schedule(dynamic) nowait
    for (uint32_t i = 0; i < cut.items; i++) {
        const struct wari_item item = wari_item_at(&cut, i);
        if (!wari_level_stopped(level))
            wari_sweep_lines(level, worker, &item, sweep, tally);
    }
    if (copied_before(level, turn + 1))
        wari_memory_copy_block(level, level->order.block[turn + 1]);
    tally->busy += processor_seconds() - start;
    wait_for_team(&level->workers->barrier, threads);
}

static void cells_of_block(struct wari_level *level, struct wari_worker *worker, int block,
                           uint32_t threads, struct wari_sweep_result *tally)
{
    double start = processor_seconds();

#pragma omp for schedule(dynamic) nowait
    for (uint32_t part = 0; part < level->events.ranges; part++)
        if (!wari_level_stopped(level))
            wari_sweep_cells(level, worker, block, part, tally);
    tally->busy += processor_seconds() - start;
    wait_for_team(&level->workers->barrier, threads);
    if (!wari_has_own_children(&level->layout, block))
        return;
    start = processor_seconds();
    wari_copy_cells(level, worker, block, tally);
    tally->busy += processor_seconds() - start;
    wait_for_team(&level->workers->barrier, threads);
}

static struct wari_sweep_result sweep_level(struct wari_level *level,
                                            const struct wari_sweep *sweep, int workers)
{
    uint64_t changed = 0, cells = 0;
    double busy = 0;

#pragma omp parallel num_threads(workers) reduction(+ : changed, cells, busy)
    {
        const uint32_t threads = (uint32_t)omp_get_num_threads();
        struct wari_worker *worker = &level->workers->worker[omp_get_thread_num()];
        struct wari_sweep_result tally = {0};
        for (int turn = 0; turn <= level->layout.seeds; turn++) {
            if (sweep->cells_only)
                cells_of_block(level, worker, level->order.block[turn], threads, &tally);
            else
                lines_of_block(level, worker, sweep, turn, threads, &tally);
        }
        changed += tally.changed;
        cells += tally.cells;
        busy += tally.busy;
    }
    return (struct wari_sweep_result){.changed = changed, .cells = cells, .busy = busy};
}

/* How many threads the next sweep is to have. Threads go through a sweep in step, so where another
 * process takes a processor from one of them, all of them wait; a workers that gets hardly more
 * done than one thread gives way to one: for one sweep, since that may have been for a moment, and
 * for twice as many each time it happens again. No result depends on it. */
static int next_team(struct wari_workers *workers)
{
    struct wari_throttle *throttle = &workers->throttle;

    if (throttle->busy < team_seconds)
        return 1;
    if (throttle->alone > 0) {
        throttle->alone--;
        return 1;
    }
    if (throttle->seconds > 0 && throttle->busy < 1.25 * throttle->seconds &&
        throttle->busy < delayed_seconds) {
        if (throttle->sweeps_alone < SWEEPS_ALONE_MAX)
            throttle->sweeps_alone = throttle->sweeps_alone > 0 ? 2 * throttle->sweeps_alone : 1;
        throttle->alone = throttle->sweeps_alone - 1; /* beside this one */
        return 1;
    }
    if (throttle->seconds > 0)
        throttle->sweeps_alone /= 2;
    return workers->count;
}

struct wari_sweep_result wari_memory_begin(struct wari_level *level, enum wari_sweep_kind kind,
                                           bool *swept)
{
    struct wari_throttle *throttle = &level->workers->throttle;

    (void)kind; /* the codes say which */
    *swept = false;
    throttle->busy =
        (double)wari_level_positions(level->layout.seeds) * 1e-9; /* about a dense sweep */
    throttle->seconds = 0;
    throttle->alone = 0;
    wari_clear_events(&level->events, level->workers);
    return (struct wari_sweep_result){.left = true};
}

struct wari_sweep_result wari_memory_sweep(struct wari_level *level, const struct wari_sweep *sweep)
{
    struct wari_workers *workers = level->workers;
    const int threads = next_team(workers);
    const double start = wari_seconds_now();
    struct wari_sweep_result tally;

    if (!sweep->cells_only)
        wari_clear_events(&level->events, workers);
    tally = sweep_level(level, sweep, threads);
    tally.lost = wari_events_lost(workers);
    tally.left = tally.changed != 0 && !wari_level_stopped(level);
    workers->throttle.busy = tally.busy;
    workers->throttle.seconds = threads > 1 ? wari_seconds_now() - start : 0;
    return tally;
}

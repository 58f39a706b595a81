/* Sweeps over a level in memory by all threads: block after block, in the order of level.c, with a
 * barrier after each block. A dense sweep computes every cell, an event-driven sweep only cells for
 * which there are events.
 */
#include "solver/memory/memory.h"

#include <omp.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "index/half.h"
#include "solver/level/sweep.h"
#include "system/clock.h"

/* Only the time of a build depends on the following constants; they are guesses. Levels 0 to 18
 * were built while two other processes were busy. Two threads took 0.87 to 1.1 times as long as one
 * thread with these constants, and 1.3 to 1.5 times as long without them. */

/* A sweep with less processor time than this, in seconds, is done by one thread. */
static const double parallel_seconds = 0.0004;

/* A sweep with more processor time than this is done by all threads even if they are delayed. */
static const double delayed_seconds = 0.1;

/* If threads are delayed, one thread does the next sweeps alone: at most this number of sweeps,
 * then all threads try again. See next_threads(). */
enum { SWEEPS_ALONE_MAX = 8 };

static void wait_for_all(struct wari_barrier *barrier, uint32_t threads)
{
    enum { SPINS = 2000 }; /* about ten microseconds */
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

/* Returns the processor time of this thread, in seconds. */
static double processor_seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void wari_memory_copy_block(struct wari_level *level, int block)
{
    enum { BYTES = 1 << 18 }; /* copied by a thread at a time, in some tens of microseconds */
    const uint64_t bytes =
        (uint64_t)level->resident.partition.rows[block] * level->resident.pitch[block];
    const uint64_t copies = (bytes + BYTES - 1) / BYTES;

#pragma omp for schedule(dynamic) nowait
    for (uint64_t i = 0; i < copies; i++) {
        const uint64_t from = i * BYTES, left = bytes - from;
        const size_t size = left < BYTES ? (size_t)left : (size_t)BYTES;
        if (wari_level_stopped(level))
            continue;
        memcpy(level->resident.copy + from,
               level->resident.cells + level->resident.offset[block] + from, size);
    }
}

/* Returns true if the block with this turn is copied while the block before it is swept. The copy
 * is then made by threads that have no items left to compute in that earlier block, and a barrier
 * is saved. This is possible only if the earlier block does not use resident.copy itself. */
static bool copied_before(const struct wari_level *level, int turn)
{
    return turn > 0 && turn <= level->layout.seeds &&
           wari_has_own_children(&level->layout, level->order.block[turn]) &&
           !wari_has_own_children(&level->layout, level->order.block[turn - 1]);
}

/* Computes the sowings of all mover halves and keeps them, if they fit into the memory of the event
 * buffers. */
static void keep_sowings(struct wari_level *level)
{
    enum { HALVES = 4096 }; /* computed by a thread at a time, in some tens of microseconds */
    struct wari_kept_sowings *kept = &level->kept_sowings;
    uint32_t halves = 0;

    for (int seeds = 0; seeds <= level->layout.seeds; seeds++) {
        kept->first[seeds] = halves;
        halves += wari_half_count(seeds);
    }
    if (halves * sizeof *kept->sowing >
        level->events.buffer_count * sizeof(struct wari_event_buffer))
        return;
    kept->sowing = (void *)level->events.buffer;
#pragma omp parallel num_threads(level->workers->count)
    for (int seeds = 0; seeds <= level->layout.seeds; seeds++) {
        const uint32_t count = wari_half_count(seeds);
#pragma omp for schedule(dynamic) nowait
        for (uint32_t first = 0; first < count; first += HALVES)
            wari_sow_halves(&level->tables->halves, seeds, first,
                            count - first < HALVES ? count - first : HALVES,
                            kept->sowing + kept->first[seeds] + first);
    }
}

static void sweep_block(struct wari_level *level, struct wari_worker *worker,
                        const struct wari_sweep *sweep, int turn, uint32_t threads,
                        struct wari_sweep_result *result)
{
    const int block = level->order.block[turn];
    const struct wari_item_cut cut = wari_items_of_block(level, WARI_PARENTS_ROWS, block);
    double start = processor_seconds();

    if (wari_has_own_children(&level->layout, block) && !copied_before(level, turn)) {
        wari_memory_copy_block(level, block);
        result->busy += processor_seconds() - start;
        wait_for_all(&level->workers->barrier, threads);
        start = processor_seconds();
    }
#pragma omp for schedule(dynamic) nowait
    for (uint32_t i = 0; i < cut.items; i++) {
        const struct wari_item item = wari_item_at(&cut, i);
        if (!wari_level_stopped(level))
            wari_sweep_lines(level, worker, &item, sweep, result);
    }
    if (copied_before(level, turn + 1))
        wari_memory_copy_block(level, level->order.block[turn + 1]);
    result->busy += processor_seconds() - start;
    wait_for_all(&level->workers->barrier, threads);
}

static void sweep_events_of_block(struct wari_level *level, struct wari_worker *worker, int block,
                                  uint32_t threads, struct wari_sweep_result *result)
{
    double start = processor_seconds();

#pragma omp for schedule(dynamic) nowait
    for (uint32_t range = 0; range < level->events.ranges; range++)
        if (!wari_level_stopped(level))
            wari_sweep_cells(level, worker, block, range, result);
    result->busy += processor_seconds() - start;
    wait_for_all(&level->workers->barrier, threads);
    if (!wari_has_own_children(&level->layout, block))
        return;
    start = processor_seconds();
    wari_copy_cells(level, worker, block, result);
    result->busy += processor_seconds() - start;
    wait_for_all(&level->workers->barrier, threads);
}

static struct wari_sweep_result sweep_level(struct wari_level *level,
                                            const struct wari_sweep *sweep, int threads_wanted)
{
    uint64_t changed = 0, cells = 0;
    double busy = 0;

#pragma omp parallel num_threads(threads_wanted) reduction(+ : changed, cells, busy)
    {
        const uint32_t threads = (uint32_t)omp_get_num_threads();
        struct wari_worker *worker = &level->workers->worker[omp_get_thread_num()];
        struct wari_sweep_result result = {0};
        for (int turn = 0; turn <= level->layout.seeds; turn++) {
            if (sweep->cells_only)
                sweep_events_of_block(level, worker, level->order.block[turn], threads, &result);
            else
                sweep_block(level, worker, sweep, turn, threads, &result);
        }
        changed += result.changed;
        cells += result.cells;
        busy += result.busy;
    }
    return (struct wari_sweep_result){.changed = changed, .cells = cells, .busy = busy};
}

/* Returns the number of threads for the next sweep. Threads wait for each other at barriers, so if
 * another process takes the processor of one thread, all threads wait. If all threads together get
 * hardly more done than one thread, one thread does the next sweep alone: at first only one sweep,
 * because the load of the other process may end soon. Each time this happens again, the number of
 * sweeps that one thread does alone is doubled, up to SWEEPS_ALONE_MAX. (Next to one busy process,
 * 0..18 with two threads takes 1.8 times as long without this.) Results do not depend on the number
 * of threads. */
static int next_threads(struct wari_workers *workers)
{
    struct wari_throttle *throttle = &workers->throttle;

    if (throttle->busy < parallel_seconds)
        return 1;
    if (throttle->alone > 0) {
        throttle->alone--;
        return 1;
    }
    if (throttle->seconds > 0 && throttle->busy < 1.25 * throttle->seconds &&
        throttle->busy < delayed_seconds) {
        if (throttle->sweeps_alone < SWEEPS_ALONE_MAX)
            throttle->sweeps_alone = throttle->sweeps_alone > 0 ? 2 * throttle->sweeps_alone : 1;
        throttle->alone = throttle->sweeps_alone - 1; /* the sweep that begins now is the first of
                                                       * them */
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

    (void)kind; /* it follows from level->codes */
    *swept = false;
    throttle->busy = (double)wari_level_positions(level->layout.seeds) *
                     1e-9; /* estimated processor time of a dense sweep: 1 ns a cell */
    throttle->seconds = 0;
    throttle->alone = 0;
    level->kept_sowings.sowing = NULL;
    wari_clear_events(&level->events, level->workers);
    return (struct wari_sweep_result){.left = true};
}

struct wari_sweep_result wari_memory_sweep(struct wari_level *level, const struct wari_sweep *sweep)
{
    struct wari_workers *workers = level->workers;
    const int threads = next_threads(workers);
    const double start = wari_seconds_now();
    struct wari_sweep_result result;

    if (!sweep->cells_only)
        wari_clear_events(&level->events, workers);
    if (sweep->cells_only || sweep->keep_events)
        level->kept_sowings.sowing = NULL;
    else if (!level->kept_sowings.sowing)
        keep_sowings(level);
    result = sweep_level(level, sweep, threads);
    result.lost = wari_events_lost(workers);
    result.left = result.changed != 0 && !wari_level_stopped(level);
    workers->throttle.busy = result.busy;
    workers->throttle.seconds = threads > 1 ? wari_seconds_now() - start : 0;
    return result;
}

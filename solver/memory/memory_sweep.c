/* Sweeps over a level in memory by all threads. A dense sweep computes every cell (memory_dense.c).
 * An event-driven sweep computes only cells for which there are events, block after block in the
 * order of level.c, with a barrier after each block.
 */
#include <omp.h>

#include "index/half.h"
#include "solver/level/sweep.h"
#include "solver/memory/memory.h"
#include "solver/memory/memory_dense.h"
#include "system/clock.h"

/* Only the time of a build depends on the following constants; they are guesses. */

/* A sweep with less processor time than this, in seconds, is done by one thread. */
static const double parallel_seconds = 0.0004;

/* A sweep with more processor time than this is begun by all threads even if they are delayed. The
 * barrier leaves it to one thread if necessary. */
static const double delayed_seconds = 0.1;

/* If threads are delayed, one thread does the next sweeps alone: at most this number of sweeps,
 * then all threads try again. See next_threads(). */
enum { SWEEPS_ALONE_MAX = 8 };

/* Sorts the moves of all mover halves and keeps them, if they fit into the memory of the event
 * buffers. */
static void keep_moves(struct wari_level *level)
{
    enum { GROUPS = 16 }; /* sorted by a thread at a time, in some tens of microseconds */
    struct wari_kept_moves *kept = &level->kept_moves;
    const int seeds = level->layout.seeds;

    kept->first[0] = 0;
    for (int s = 0; s <= seeds; s++)
        kept->first[s + 1] =
            kept->first[s] + (wari_half_count(s) + WARI_ITEM_COLUMNS - 1) / WARI_ITEM_COLUMNS;
    if (kept->first[seeds + 1] * sizeof *kept->groups >
        level->events.buffer_count * sizeof(struct wari_event_buffer))
        return;
    kept->groups = (void *)level->events.buffer;
#pragma omp parallel num_threads(level->workers->count)
    for (int s = 0; s <= seeds; s++) {
        const uint32_t halves = wari_half_count(s);
#pragma omp for schedule(dynamic, GROUPS) nowait
        for (uint32_t first = 0; first < halves; first += WARI_ITEM_COLUMNS)
            wari_sort_moves(&level->tables->halves, s, first,
                            halves - first < WARI_ITEM_COLUMNS ? halves - first : WARI_ITEM_COLUMNS,
                            &kept->groups[kept->first[s] + first / WARI_ITEM_COLUMNS]);
    }
}

static void sweep_events_of_block(struct wari_sweep_thread *thread, int block)
{
    struct wari_level *level = thread->level;

#pragma omp for schedule(dynamic) nowait
    for (uint32_t range = 0; range < level->events.ranges; range++)
        if (!wari_level_stopped(level))
            wari_sweep_cells(level, thread->worker, block, range, thread->result);
    wari_wait_for_all(thread);
    if (!wari_has_own_children(&level->layout, block))
        return;
    wari_copy_cells(level, thread->worker, block, thread->result);
    wari_wait_for_all(thread);
}

static struct wari_sweep_result sweep_level(struct wari_level *level,
                                            const struct wari_sweep *sweep, int threads_wanted)
{
    const double start_of_sweep = wari_seconds_now();
    uint64_t changed = 0, cells = 0;
    double busy = 0;

#pragma omp parallel num_threads(threads_wanted) reduction(+ : changed, cells, busy)
    {
        const double start = wari_processor_seconds();
        struct wari_sweep_result result = {0};
        struct wari_sweep_thread thread = {
            .level = level,
            .worker = &level->workers->worker[omp_get_thread_num()],
            .sweep = sweep,
            .result = &result,
            .threads_at_start = (uint32_t)omp_get_num_threads(),
            .threads = (uint32_t)omp_get_num_threads(),
            .rank = (uint32_t)omp_get_thread_num(),
            .start = start_of_sweep,
        };
        if (sweep->cells_only)
            for (int turn = 0; turn <= level->layout.seeds; turn++)
                sweep_events_of_block(&thread, level->block_order[turn]);
        else
            wari_memory_sweep_dense(&thread);
        changed += result.changed;
        cells += result.cells;
        busy += wari_processor_seconds() - start - thread.waited;
    }
    atomic_store_explicit(&level->workers->barrier.waited, 0, memory_order_relaxed);
    atomic_store_explicit(&level->workers->barrier.alone, false, memory_order_relaxed);
    return (struct wari_sweep_result){
        .changed = changed, .cells = cells, .busy = busy > 0 ? busy : 0};
}

/* Returns the number of threads for the next sweep. Threads wait for each other at barriers, so if
 * another process takes the processor of one thread, all threads wait. If all threads together got
 * hardly more done in the last sweep than one thread would have, one thread does the next sweep
 * alone: at first only one sweep, because the load of the other process may end soon. Each time
 * this happens again, the number of sweeps that one thread does alone is doubled, up to
 * SWEEPS_ALONE_MAX. (Next to two busy processes, levels 0..17 with two threads take 3.3 s; they
 * take 14 s if neither this function nor the barrier leaves the work to one thread. One thread
 * takes 1.6 s without other load.) Values do not depend on the number of threads. */
static int next_threads(struct wari_workers *workers)
{
    struct wari_throttle *throttle = &workers->throttle;

    if (throttle->alone > 0) {
        throttle->alone--;
        return 1;
    }
    if (throttle->busy < wari_busy_threads_min * throttle->seconds &&
        throttle->busy < delayed_seconds) {
        if (throttle->sweeps_alone < SWEEPS_ALONE_MAX)
            throttle->sweeps_alone = throttle->sweeps_alone > 0 ? 2 * throttle->sweeps_alone : 1;
        throttle->alone = throttle->sweeps_alone - 1; /* the sweep that begins now is the first of
                                                       * them */
        return 1;
    }
    if (throttle->seconds > 0)
        throttle->sweeps_alone /= 2;
    if (throttle->busy < parallel_seconds)
        return 1;
    return workers->count;
}

struct wari_sweep_result wari_memory_begin(struct wari_level *level, enum wari_sweep_kind kind,
                                           bool *swept)
{
    struct wari_throttle *throttle = &level->workers->throttle;

    (void)kind; /* it follows from level->codes */
    *swept = false;
    throttle->busy = (double)wari_level_positions(level->layout.seeds) *
                     1e-9; /* a low estimate of the processor time of a dense sweep: 1 ns a cell */
    throttle->seconds = 0;
    throttle->alone = 0;
    level->kept_moves.groups = NULL;
    wari_clear_events(&level->events, level->workers);
    return (struct wari_sweep_result){.left = true};
}

struct wari_sweep_result wari_memory_sweep(struct wari_level *level, const struct wari_sweep *sweep)
{
    struct wari_workers *workers = level->workers;
    const int threads = next_threads(workers);
    struct wari_sweep_result result;

    if (!sweep->cells_only)
        wari_clear_events(&level->events, workers);
    if (sweep->cells_only || sweep->keep_events)
        level->kept_moves.groups = NULL;
    else if (!level->kept_moves.groups)
        keep_moves(level);
    const double start = wari_seconds_now();
    result = sweep_level(level, sweep, threads);
    result.lost = wari_events_lost(workers);
    result.left = result.changed != 0 && !wari_level_stopped(level);
    workers->throttle.busy = result.busy;
    workers->throttle.seconds = threads > 1 ? wari_seconds_now() - start : 0;
    return result;
}

/* The barrier of a sweep. */
#include "solver/memory/barrier.h"

#include <sched.h>
#include <time.h>

#include "system/clock.h"

double wari_processor_seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Returns true if threads have waited so long that one of them alone would be about as fast. A
 * short delay at the beginning of a sweep is not enough: a tenth of the expected time of the sweep
 * has to pass first. */
static bool waits_too_long(const struct wari_sweep_thread *thread)
{
    const double time_slice = 0.005; /* of the scheduler, in seconds; a rough value */
    const struct wari_workers *workers = thread->level->workers;
    const double expected = workers->throttle.busy / thread->threads;
    const double seconds_min = expected / 10 > time_slice ? expected / 10 : time_slice;
    const double elapsed = wari_seconds_now() - thread->start;
    const double waited =
        1e-9 * (double)atomic_load_explicit(&workers->barrier.waited, memory_order_relaxed);

    return elapsed > seconds_min && waited > (thread->threads - wari_busy_threads_min) * elapsed;
}

/* Waits until all threads have arrived in this round. */
static void wait_for_round(struct wari_sweep_thread *thread, uint32_t round)
{
    enum {
        SHORT_SPINS = 1000, /* about a microsecond; the time of these spins is not measured */
        SPINS = 40000, /* some tens of microseconds; threads that have a processor seldom wait as
                          long */
    };
    struct wari_barrier *barrier = &thread->level->workers->barrier;
    double start = 0, seconds;

    for (int spins = 0; atomic_load_explicit(&barrier->round, memory_order_acquire) == round;
         spins += spins < SPINS) {
        if (spins == SHORT_SPINS)
            start = wari_seconds_now();
        if (spins >= SPINS)
            sched_yield();
    }
    if (start <= 0)
        return;
    seconds = wari_seconds_now() - start;
    thread->waited += seconds;
    atomic_fetch_add_explicit(&barrier->waited, (uint64_t)(1e9 * seconds), memory_order_relaxed);
}

void wari_wait_for_all(struct wari_sweep_thread *thread)
{
    struct wari_barrier *barrier = &thread->level->workers->barrier;
    const uint32_t round = atomic_load_explicit(&barrier->round, memory_order_relaxed);

    if (thread->threads == 1) {
        thread->finished = wari_level_stopped(thread->level);
        return;
    }
    if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) + 1 <
        thread->threads) {
        wait_for_round(thread, round);
    } else {
        if (!thread->sweep->cells_only &&
            (wari_level_stopped(thread->level) || waits_too_long(thread)))
            atomic_store_explicit(&barrier->alone, true, memory_order_relaxed);
        atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&barrier->round, round + 1, memory_order_release);
    }
    if (!atomic_load_explicit(&barrier->alone, memory_order_relaxed))
        return;
    thread->threads = 1;
    thread->finished = thread->rank != 0;
}

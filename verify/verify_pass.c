/* Work is dealt out in pieces of some milliseconds, which is also how often the stop flag is looked
 * at. What always holds: the thread that called wari_verify() is the only one to call the progress
 * function, and sums and first differences do not depend on who did which piece.
 */
#include "verify/verify_pass.h"

void wari_verify_progress(const struct wari_verify *verify, int seeds, const char *phase,
                          double share_done)
{
    if (verify->progress)
        verify->progress(verify->context, seeds, phase, share_done);
}

bool wari_verify_stopped(const struct wari_verify *verify)
{
    return verify->stop && atomic_load_explicit(verify->stop, memory_order_relaxed);
}

enum wari_status wari_verify_interrupted(int seeds, struct wari_error *error)
{
    return wari_fail(error, WARI_INTERRUPTED,
                     "stopped while verifying level %d; nothing is known of it", seeds);
}

int wari_verify_team(int threads, uint64_t pieces)
{
    return pieces > 1 ? threads : 1;
}

static void add_tally(struct wari_verify_tally *total, const struct wari_verify_tally *tally)
{
    wari_verify_merge(&total->found, &tally->found);
    total->changed += tally->changed;
    for (int i = 0; i < 2 * WARI_VERIFY_MIDDLE; i++)
        total->histogram[i] += tally->histogram[i];
}

enum wari_status wari_verify_pass(struct wari_verify_level *level, wari_verify_work *work,
                                  const void *context, uint64_t pieces, const char *phase,
                                  struct wari_verify_tally *total)
{
    const struct wari_verify *verify = level->run->verify;
    const int seeds = level->layout.seeds;
    atomic_bool stopped = false;
    _Atomic uint64_t done = 0;

    if (phase)
        wari_verify_progress(verify, seeds, phase, 0);
#pragma omp parallel num_threads(wari_verify_team(level->run->threads, pieces))
    {
        struct wari_verify_tally tally = {0};
        bool reports = false;
#pragma omp master
        reports = phase != NULL;
#pragma omp for schedule(dynamic, 1) nowait
        for (uint64_t piece = 0; piece < pieces; piece++) {
            if (wari_verify_stopped(verify))
                atomic_store(&stopped, true);
            if (atomic_load_explicit(&stopped, memory_order_relaxed))
                continue;
            work(level, context, piece, &tally);
            uint64_t now = atomic_fetch_add_explicit(&done, 1, memory_order_relaxed) + 1;
            if (reports)
                wari_verify_progress(verify, seeds, phase, (double)now / (double)pieces);
        }
#pragma omp critical(wari_verify_tally)
        add_tally(total, &tally);
    }
    if (atomic_load(&stopped))
        return wari_verify_interrupted(seeds, level->run->error);
    if (phase)
        wari_verify_progress(verify, seeds, phase, 1);
    return WARI_OK;
}

/* Passes over a level with several threads, and what threads bring back from them.
 *
 * Work is dealt out in pieces of a few milliseconds, which is also how often the stop flag is
 * looked at. What always holds: the thread that called wari_verify() is the only one to call the
 * progress function, and sums and first differences do not depend on who did which piece.
 */
#include "solver/verify.h"

void wari_verify_note(struct wari_verify_found *found, struct wari_verify_difference difference)
{
    struct wari_verify_difference *first = found->first;
    int at = found->kept;

    found->count++;
    while (at > 0 && first[at - 1].cell >= difference.cell)
        at--;
    if (at == WARI_DIFFERENCES_KEPT)
        return;
    if (at < found->kept && first[at].cell == difference.cell)
        return; /* a sample may draw a position twice */
    if (found->kept < WARI_DIFFERENCES_KEPT)
        found->kept++;
    for (int i = found->kept - 1; i > at; i--)
        first[i] = first[i - 1];
    first[at] = difference;
}

void wari_verify_merge(struct wari_verify_found *into, const struct wari_verify_found *from)
{
    uint64_t count = into->count + from->count;
    for (int i = 0; i < from->kept; i++)
        wari_verify_note(into, from->first[i]);
    into->count = count;
}

void wari_verify_progress(const struct wari_verifier *verifier, const char *phase,
                          double share_done)
{
    const struct wari_verify *verify = verifier->verify;
    if (verify->progress)
        verify->progress(verify->context, verifier->seeds, phase, share_done);
}

bool wari_verify_stopped(const struct wari_verify *verify)
{
    return verify->stop && atomic_load_explicit(verify->stop, memory_order_relaxed);
}

int wari_verify_team(int threads, uint64_t pieces)
{
    return pieces >= (uint64_t)threads ? threads : pieces > 1 ? (int)pieces : 1;
}

uint64_t wari_verify_stretches(const struct wari_verifier *verifier)
{
    uint64_t positions = wari_level_positions(verifier->seeds);
    return (positions + WARI_VERIFY_STRETCH - 1) / WARI_VERIFY_STRETCH;
}

uint64_t wari_verify_stretch_end(const struct wari_verifier *verifier, uint64_t piece)
{
    uint64_t positions = wari_level_positions(verifier->seeds);
    uint64_t end = (piece + 1) * WARI_VERIFY_STRETCH;
    return end < positions ? end : positions;
}

static void add_tally(struct wari_verify_tally *total, const struct wari_verify_tally *tally)
{
    wari_verify_merge(&total->found, &tally->found);
    total->changed += tally->changed;
    for (int i = 0; i <= 2 * WARI_SEEDS_MAX; i++)
        total->histogram[i] += tally->histogram[i];
}

enum wari_status wari_verify_pass(const struct wari_verifier *verifier, wari_verify_work *work,
                                  const void *context, uint64_t pieces, const char *phase,
                                  struct wari_verify_tally *total)
{
    atomic_bool stopped = false;
    _Atomic uint64_t done = 0;

    if (phase)
        wari_verify_progress(verifier, phase, 0);
#pragma omp parallel num_threads(wari_verify_team(verifier->threads, pieces))
    {
        struct wari_verify_tally tally = {0};
        bool reports = false;
#pragma omp master
        reports = phase != NULL;
#pragma omp for schedule(dynamic, 1) nowait
        for (uint64_t piece = 0; piece < pieces; piece++) {
            if (wari_verify_stopped(verifier->verify))
                atomic_store(&stopped, true);
            if (atomic_load_explicit(&stopped, memory_order_relaxed))
                continue;
            work(verifier, context, piece, &tally);
            uint64_t now = atomic_fetch_add_explicit(&done, 1, memory_order_relaxed) + 1;
            if (reports)
                wari_verify_progress(verifier, phase, (double)now / (double)pieces);
        }
#pragma omp critical(wari_verify_tally)
        add_tally(total, &tally);
    }
    if (atomic_load(&stopped))
        return wari_fail(verifier->error, WARI_INTERRUPTED,
                         "stopped while verifying level %d; nothing is known of it",
                         verifier->seeds);
    if (phase)
        wari_verify_progress(verifier, phase, 1);
    return WARI_OK;
}

struct note {
    int (*instead)(const struct wari_verifier *verifier, uint64_t cell); /* or NULL */
};

static void note_stretch(const struct wari_verifier *verifier, const void *context, uint64_t piece,
                         struct wari_verify_tally *tally)
{
    const struct note *note = context;
    const int8_t *values = verifier->values[verifier->seeds];
    uint64_t end = wari_verify_stretch_end(verifier, piece);
    for (uint64_t cell = piece * WARI_VERIFY_STRETCH; cell < end; cell++) {
        if (!wari_verify_has(verifier->open, cell))
            continue;
        int instead = note->instead ? note->instead(verifier, cell) : values[cell];
        wari_verify_note(&tally->found, (struct wari_verify_difference){cell, values[cell], instead,
                                                                        note->instead == NULL});
    }
}

enum wari_status wari_verify_note_open(const struct wari_verifier *verifier,
                                       int (*instead)(const struct wari_verifier *verifier,
                                                      uint64_t cell),
                                       struct wari_verify_found *found)
{
    const struct note note = {instead};
    struct wari_verify_tally total = {0};
    enum wari_status status = wari_verify_pass(verifier, note_stretch, &note,
                                               wari_verify_stretches(verifier), NULL, &total);
    if (status == WARI_OK)
        wari_verify_merge(found, &total.found);
    return status;
}

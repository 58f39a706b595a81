/* Runs passes over the items of a level and collects differences. An item takes a few
 * milliseconds, and the stop flag is checked before each item.
 *
 * Invariants: only the thread that called wari_verify() calls the progress function. Sums and
 * the list of the first differences do not depend on which thread processed which item. */
#include "verify/verify_pass.h"

#include <inttypes.h>

#include "system/spin.h"

void wari_verify_add_difference(struct wari_verify_differences *found,
                                struct wari_verify_difference difference)
{
    struct wari_verify_difference *first = found->first;
    int at = found->kept;

    found->count++;
    while (at > 0 && first[at - 1].cell >= difference.cell)
        at--;
    if (at == WARI_DIFFERENCES_KEPT)
        return;
    if (at < found->kept && first[at].cell == difference.cell)
        return; /* already in the list: a sample may draw a position twice */
    if (found->kept < WARI_DIFFERENCES_KEPT)
        found->kept++;
    for (int i = found->kept - 1; i > at; i--)
        first[i] = first[i - 1];
    first[at] = difference;
}

void wari_verify_merge_differences(struct wari_verify_differences *into,
                                   const struct wari_verify_differences *from)
{
    uint64_t count = into->count + from->count;
    for (int i = 0; i < from->kept; i++)
        wari_verify_add_difference(into, from->first[i]);
    into->count = count;
}

enum wari_status wari_verify_report_differences(struct wari_verify_report *report,
                                                const struct wari_layout *layout,
                                                const struct wari_verify_differences *found,
                                                struct wari_error *error)
{
    char position[WARI_POSITION_TEXT];

    report->differences = found->count;
    report->kept = found->kept;
    for (int i = 0; i < found->kept; i++) {
        struct wari_difference *out = &report->difference[i];
        wari_layout_unrank(layout, found->first[i].cell, &out->position);
        out->value = found->first[i].value;
        out->expected = found->first[i].expected;
        out->ungrounded = found->first[i].ungrounded;
    }
    if (found->count == 0)
        return report->text[0] ? wari_fail(error, WARI_DIFFERENT, "%s", report->text) : WARI_OK;

    const struct wari_difference *first = &report->difference[0];
    wari_position_text(&first->position, position);
    if (first->ungrounded)
        return wari_fail(error, WARI_DIFFERENT,
                         "level %d: %" PRIu64
                         " values are wrong. The first: %s is %d in the table, "
                         "and no line of play forces it",
                         layout->seeds, found->count, position, first->value);
    return wari_fail(error, WARI_DIFFERENT,
                     "level %d: %" PRIu64 " values are wrong. The first: %s is %d in the table and "
                     "should be %d",
                     layout->seeds, found->count, position, first->value, first->expected);
}

/* ---- Passes ---- */
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
                     "stopped while verifying level %d, which is not proved yet", seeds);
}

void wari_verify_run(const struct wari_verify_proof *proof, uint64_t items,
                     wari_thread_pool_task *task, void *context)
{
    if (items > 1)
        wari_thread_pool_run(proof->pool, task, context);
    else
        task(0, context);
}

static void add_result(struct wari_verify_pass_result *total,
                       const struct wari_verify_pass_result *result)
{
    wari_verify_merge_differences(&total->found, &result->found);
    total->changed += result->changed;
    for (int i = 0; i < 2 * WARI_VERIFY_MIDDLE; i++)
        total->histogram[i] += result->histogram[i];
}

struct pass {
    struct wari_verify_level *level;
    wari_verify_work *work;
    const void *context;
    uint64_t items;
    const char *phase;
    atomic_bool stopped;
    _Atomic uint64_t next, done;
    atomic_flag lock; /* protects *total */
    struct wari_verify_pass_result *total;
};

static void process_items(int thread, void *context)
{
    struct pass *pass = context;
    const struct wari_verify *verify = pass->level->proof->verify;
    const int seeds = pass->level->layout.seeds;
    const bool reports = thread == 0 && pass->phase != NULL;
    struct wari_verify_pass_result result = {0};
    uint64_t item;

    while ((item = atomic_fetch_add_explicit(&pass->next, 1, memory_order_relaxed)) < pass->items) {
        if (wari_verify_stopped(verify))
            atomic_store(&pass->stopped, true);
        if (atomic_load_explicit(&pass->stopped, memory_order_relaxed))
            break;
        pass->work(pass->level, pass->context, item, &result);
        uint64_t now = atomic_fetch_add_explicit(&pass->done, 1, memory_order_relaxed) + 1;
        if (reports)
            wari_verify_progress(verify, seeds, pass->phase, (double)now / (double)pass->items);
    }
    wari_spin_lock(&pass->lock);
    add_result(pass->total, &result);
    wari_spin_unlock(&pass->lock);
}

enum wari_status wari_verify_pass(struct wari_verify_level *level, wari_verify_work *work,
                                  const void *context, uint64_t items, const char *phase,
                                  struct wari_verify_pass_result *total)
{
    const struct wari_verify *verify = level->proof->verify;
    const int seeds = level->layout.seeds;
    struct pass pass = {.level = level,
                        .work = work,
                        .context = context,
                        .items = items,
                        .phase = phase,
                        .lock = ATOMIC_FLAG_INIT,
                        .total = total};

    if (phase)
        wari_verify_progress(verify, seeds, phase, 0);
    wari_verify_run(level->proof, items, process_items, &pass);
    if (atomic_load(&pass.stopped))
        return wari_verify_interrupted(seeds, level->proof->error);
    if (phase)
        wari_verify_progress(verify, seeds, phase, 1);
    return WARI_OK;
}

/* The steps of solving a level, with all that the algorithm need not know: how long they take, who
 * hears of it, and checkpoints. None of them looks whether the level has been stopped: its road
 * does, and then there is little to do. */
#include <string.h>

#include "solver/level/full_captures.h"
#include "solver/solve_steps.h"
#include "solver/write/checkpoint.h"
#include "system/clock.h"

static void report(const struct wari_level *level, enum wari_phase phase)
{
    const struct wari_level_progress *progress = &level->progress;

    if (progress->report)
        progress->report(progress->context, phase, progress->statistics->sweeps, 1);
}

/* ---- Open and captures ---------------------------------------------------------------------- */

enum wari_status wari_solve_open(struct wari_run *run, int seeds, struct wari_level **level,
                                 struct wari_error *error)
{
    enum wari_status status;

    wari_run_begin_level(run, seeds);
    *level = &run->task.level;
    status = run->ways->open(run, seeds, error);
    if (status != WARI_OK)
        wari_level_close(*level);
    return status;
}

/* Whether there is one to go on from. */
static bool find_checkpoint(struct wari_level *level)
{
    struct wari_level_progress *progress = &level->progress;
    struct wari_error error;

    if (wari_checkpoint_find(level, &error) != WARI_OK)
        wari_workers_fail(level->workers, &error);
    if (progress->checkpoint && progress->checkpoint->refused)
        report(level, WARI_PHASE_REFUSED);
    return progress->found;
}

void wari_solve_captures(struct wari_level *level)
{
    const double start = wari_seconds_now();

    report(level, WARI_PHASE_CAPTURES);
    if (!find_checkpoint(level))
        level->backend->captures(level);
    level->progress.statistics->seconds.captures = wari_seconds_now() - start;
}

/* ---- Grow and shrink ------------------------------------------------------------------------ */

bool wari_solve_next_threshold(struct wari_level *level)
{
    const double start = wari_seconds_now();
    bool more;

    if (level->progress.begun)
        wari_checkpoint_if_due(level);
    more = level->backend->next_threshold(level);
    level->progress.begun = true;
    level->progress.statistics->seconds.sweeps += wari_seconds_now() - start;
    return more;
}

double wari_solve_changed(const struct wari_level *level, const struct wari_sweep_result *tally)
{
    return (double)tally->changed / (double)wari_level_positions(level->layout.seeds);
}

static void add_seconds(const struct wari_level *level, double start)
{
    level->progress.statistics->seconds.sweeps += wari_seconds_now() - start;
}

/* What a sweep did. */
static void note(struct wari_level *level, enum wari_sweep_kind kind,
                 const struct wari_sweep_result *tally)
{
    const struct wari_level_progress *progress = &level->progress;
    struct wari_level_statistics *statistics = progress->statistics;

    statistics->sweeps++;
    statistics->work += (double)tally->cells / (double)wari_level_positions(level->layout.seeds);
    if (progress->report)
        progress->report(progress->context,
                         kind == WARI_GROW ? WARI_PHASE_SWEEP : WARI_PHASE_SHRINK,
                         statistics->sweeps, wari_solve_changed(level, tally));
    wari_checkpoint_if_due(level);
    if (!tally->left)
        wari_level_release_readers(level);
}

struct wari_sweep_result wari_solve_begin_sweeps(struct wari_level *level,
                                                 enum wari_sweep_kind kind)
{
    struct wari_level_progress *progress = &level->progress;
    const double start = wari_seconds_now();
    struct wari_sweep_result tally = {0};
    bool swept;

    if (kind == WARI_GROW && progress->found && progress->kind == WARI_SHRINK)
        return tally;
    progress->found = false;
    tally = level->backend->begin(level, kind, &swept);
    if (swept)
        note(level, kind, &tally);
    add_seconds(level, start);
    return tally;
}

struct wari_sweep_result wari_solve_sweep(struct wari_level *level, enum wari_sweep_kind kind,
                                          const struct wari_sweep *sweep)
{
    const double start = wari_seconds_now();
    const struct wari_sweep_result tally = level->backend->sweep(level, sweep);

    if (!sweep->cells_only) {
        level->progress.statistics->dense_sweeps++;
        level->progress.statistics->seconds.dense += wari_seconds_now() - start;
    }
    note(level, kind, &tally);
    add_seconds(level, start);
    return tally;
}

bool wari_solve_begin_upper_bounds(struct wari_level *level)
{
    const double start = wari_seconds_now();
    bool hopes = level->progress.found; /* the checkpoint is one of hopes */

    if (hopes)
        wari_cells_for_upper_bounds(&level->codes, true);
    else
        hopes = level->backend->begin_upper_bounds(level);
    add_seconds(level, start);
    return hopes;
}

bool wari_solve_commit_upper_bounds(struct wari_level *level)
{
    const double start = wari_seconds_now();
    const bool raised = level->backend->commit_upper_bounds(level);

    add_seconds(level, start);
    return raised;
}

/* ---- Count, write and close ----------------------------------------------------------------- */

void wari_solve_count(struct wari_level *level, uint64_t *histogram)
{
    const double start = wari_seconds_now();

    report(level, WARI_PHASE_COUNT);
    memset(histogram, 0, (2 * WARI_SEEDS_MAX + 1) * sizeof *histogram);
    level->backend->count(level, histogram);
    wari_full_captures_check(level);
    wari_full_halves_close(&level->full_halves);
    level->progress.statistics->seconds.count = wari_seconds_now() - start;
}

/* Before anybody writes, all know whether nothing has failed. */
void wari_solve_write(struct wari_run *run, struct wari_level *level)
{
    struct wari_task *task = &run->task;

    task->status = wari_run_outcome(run, &task->error);
    if (task->status != WARI_OK)
        return;
    report(level, WARI_PHASE_WRITE);
    task->status = run->ways->write(run, &task->error);
    if (task->status != WARI_OK)
        return;
    run->catalogue.level[task->statistics.seeds] = task->record;
    run->catalogue.seeds_max = task->statistics.seeds;
}

enum wari_status wari_solve_close(struct wari_run *run, struct wari_error *error)
{
    const enum wari_status status = run->task.status;

    wari_run_end_level(run, status);
    if (status != WARI_OK && error)
        *error = run->task.error;
    return status;
}

/* The steps of solving a level. They keep three things out of the algorithm: the time that each
 * step takes, the reports of progress, and checkpoints. The steps do not check if the level has
 * been stopped, because the functions of the backend check it and then return quickly.
 */
#include "solver/solve.h"

#include <string.h>

#include "solver/level/full_captures.h"
#include "solver/write/checkpoint.h"
#include "system/clock.h"

static void report(const struct wari_level *level, enum wari_phase phase)
{
    const struct wari_level_progress *progress = &level->progress;

    if (progress->report)
        progress->report(progress->context, phase, progress->statistics->sweeps, 1);
}

static void add_sweep_seconds(const struct wari_level *level, double start)
{
    level->progress.statistics->seconds.sweeps += wari_seconds_now() - start;
}

/* ---- Captures -------------------------------------------------------------------------------- */

/* Loads the checkpoint of the level; returns false if there is none that can be resumed. */
static bool load_checkpoint(struct wari_level *level)
{
    struct wari_level_progress *progress = &level->progress;
    struct wari_error error;

    if (wari_checkpoint_find(level, &error) != WARI_OK)
        wari_workers_fail(level->workers, &error);
    if (progress->checkpoint && progress->checkpoint->refused)
        report(level,
               progress->checkpoint->unsuitable ? WARI_PHASE_UNSUITABLE : WARI_PHASE_REFUSED);
    return progress->found;
}

void wari_solve_captures(struct wari_level *level)
{
    const double start = wari_seconds_now();

    report(level, WARI_PHASE_CAPTURES);
    if (!load_checkpoint(level))
        level->backend->captures(level);
    level->progress.statistics->seconds.captures = wari_seconds_now() - start;
}

/* ---- Grow and shrink ------------------------------------------------------------------------- */

bool wari_solve_next_threshold(struct wari_level *level)
{
    const double start = wari_seconds_now();

    if (level->progress.begun)
        wari_checkpoint_if_due(level);
    const bool more = level->backend->next_threshold(level);
    level->progress.begun = true;
    add_sweep_seconds(level, start);
    return more;
}

double wari_solve_changed(const struct wari_level *level, const struct wari_sweep_result *result)
{
    return (double)result->changed / (double)wari_level_positions(level->layout.seeds);
}

/* Returns the number of cells that a sweep computed, divided by the cells of the level. */
static double sweep_work(const struct wari_level *level, const struct wari_sweep_result *result)
{
    return (double)result->cells / (double)wari_level_positions(level->layout.seeds);
}

/* Adds a sweep to the statistics, reports it, and writes a checkpoint if one is due. */
static void finish_sweep(struct wari_level *level, enum wari_sweep_kind kind,
                         const struct wari_sweep_result *result)
{
    const struct wari_level_progress *progress = &level->progress;
    struct wari_level_statistics *statistics = progress->statistics;

    statistics->sweeps++;
    statistics->work += sweep_work(level, result);
    if (progress->report)
        progress->report(progress->context,
                         kind == WARI_GROW ? WARI_PHASE_SWEEP : WARI_PHASE_SHRINK,
                         statistics->sweeps, wari_solve_changed(level, result));
    wari_checkpoint_if_due(level);
    if (!result->left)
        wari_level_release_readers(level);
}

struct wari_sweep_result wari_solve_begin_sweeps(struct wari_level *level,
                                                 enum wari_sweep_kind kind)
{
    struct wari_level_progress *progress = &level->progress;
    const double start = wari_seconds_now();
    struct wari_sweep_result result = {0};
    bool swept;

    if (kind == WARI_GROW && progress->found && progress->kind == WARI_SHRINK)
        return result;
    progress->found = false;
    result = level->backend->begin(level, kind, &swept);
    if (swept)
        finish_sweep(level, kind, &result);
    add_sweep_seconds(level, start);
    return result;
}

struct wari_sweep_result wari_solve_sweep(struct wari_level *level, enum wari_sweep_kind kind,
                                          const struct wari_sweep *sweep)
{
    const double start = wari_seconds_now();
    const struct wari_sweep_result result = level->backend->sweep(level, sweep);

    if (!sweep->cells_only) {
        level->progress.statistics->dense_sweeps++;
        level->progress.statistics->dense_work += sweep_work(level, &result);
        level->progress.statistics->seconds.dense += wari_seconds_now() - start;
    }
    finish_sweep(level, kind, &result);
    add_sweep_seconds(level, start);
    return result;
}

/* If a loaded checkpoint has not been resumed yet when this function is called, it was written
 * while upper bounds shrank, so its codes are already codes of upper bounds. */
bool wari_solve_begin_upper_bounds(struct wari_level *level)
{
    const double start = wari_seconds_now();
    bool begun = level->progress.found;

    if (begun)
        wari_cells_for_upper_bounds(&level->codes, true);
    else
        begun = level->backend->begin_upper_bounds(level);
    add_sweep_seconds(level, start);
    return begun;
}

bool wari_solve_commit_upper_bounds(struct wari_level *level)
{
    const double start = wari_seconds_now();
    const bool raised = level->backend->commit_upper_bounds(level);

    add_sweep_seconds(level, start);
    return raised;
}

/* ---- Count ----------------------------------------------------------------------------------- */

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

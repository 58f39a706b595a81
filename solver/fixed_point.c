/* Sweeps v(p) = max(best capture or end, max over quiet moves of -v(child)) to the fixed point:
 * over all cells while many change, then only over those that events lead to. While values grow
 * every one lies between 0 and the true one, and while hopes shrink between that and where they
 * began; so cells may be updated in any order, and the fixed point is the same. */
#include "solver/fixed_point.h"

#include "solver/write/checkpoint.h"
#include "system/clock.h"

/* How the next sweep goes, after one in which `share` of the cells changed; `lost`: events were. */
static struct wari_sweep next_sweep(const struct wari_events *events, const struct wari_sweep *last,
                                    double share, bool lost)
{
    struct wari_sweep next;

    next.cells_only =
        !lost && (last->cells_only || (last->keep_events && share < events->only_share));
    next.keep_events = !next.cells_only && share < events->leave_share;
    return next;
}

/* What a sweep that began at `start` did; returns the share of the cells that changed. */
static double note(struct wari_level *level, enum wari_sweep_kind kind, bool dense,
                   const struct wari_tally *tally, double start)
{
    const double positions = (double)wari_level_positions(level->layout.seeds);
    const double share = (double)tally->changed / positions;
    struct wari_course *course = &level->course;

    course->measure->sweeps++;
    course->measure->work += (double)tally->cells / positions;
    course->measure->bytes_moved += tally->bytes;
    if (dense) {
        course->measure->dense_sweeps++;
        course->measure->seconds.dense += wari_seconds_now() - start;
    }
    if (course->report)
        course->report(course->context, kind == WARI_GROW ? WARI_PHASE_SWEEP : WARI_PHASE_SHRINK,
                       course->measure->sweeps, share);
    wari_checkpoint_if_due(level);
    return share;
}

void wari_sweep_to_fixed_point(struct wari_level *level, enum wari_sweep_kind kind)
{
    struct wari_sweep sweep = {0};
    double start = wari_seconds_now(), share = 1;
    bool swept;
    struct wari_tally tally = level->road->begin(level, kind, &swept);

    if (swept)
        (void)note(level, kind, false, &tally, start);
    while (tally.left) {
        start = wari_seconds_now();
        sweep = next_sweep(&level->events, &sweep, share, tally.lost);
        tally = level->road->sweep(level, &sweep);
        share = note(level, kind, !sweep.cells_only, &tally, start);
    }
    wari_level_release_readers(level);
}

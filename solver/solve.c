/* The algorithm: one level, from the levels below it to its file.
 *
 * Retrograde analysis, level by level: every capture leads to a level below, which is solved, so
 * the best capture or end of each position is known at once (Romein and Bal, "Solving Awari with
 * Parallel Retrograde Analysis", 2003). What is left is the value v(p) = max(best capture or end,
 * max over quiet moves of -v(child)) within the level, where play may go round in circles. Values
 * start at 0 and grow. For each threshold, or **bound**, k the sets {v >= k} and {v <= -k} only
 * grow, and each is closed under the moves that put positions into it (convergence by thresholds:
 * Lincke, "Exploring the Computational Limits of Large Exhaustive Search Problems", 2002). So the
 * order of updates does not matter: threads may update cells without locks, all bounds may grow at
 * once or one after the other, and the fixed point is the least one. What stays at 0 is endless
 * play, worth 0 under the cycle rule `even`.
 *
 * Sweeps go over all cells while many change, then only over those that events lead to.
 *
 * Under `own` each side keeps the seeds on its side of an endless play, so a surplus that its owner
 * can keep for ever counts. That is a greatest fixed point: every position hopes for its surplus,
 * and hopes shrink to what moves bear out. What survives raises values, from which more may grow.
 */
#include "solver/solve.h"
#include "solver/solve_steps.h"

/* How the next sweep goes, after the last one, of which `tally` is. */
static struct wari_sweep next_sweep(const struct wari_level *level, const struct wari_sweep *last,
                                    const struct wari_sweep_result *tally)
{
    const double share = wari_solve_changed(level, tally);
    struct wari_sweep next;

    next.cells_only = !tally->lost &&
                      (last->cells_only || (last->keep_events && share < level->events.only_share));
    next.keep_events = !next.cells_only && share < level->events.leave_share;
    return next;
}

void wari_solve_sweeps(struct wari_level *level, enum wari_sweep_kind kind)
{
    struct wari_sweep_result tally = wari_solve_begin_sweeps(level, kind);
    struct wari_sweep sweep = {0};

    while (tally.left) {
        tally = wari_solve_sweep(level, kind, &sweep);
        sweep = next_sweep(level, &sweep, &tally);
    }
}

bool wari_solve_shrink(struct wari_level *level)
{
    if (!wari_solve_begin_upper_bounds(level))
        return false;
    wari_solve_sweeps(level, WARI_SHRINK);
    return wari_solve_commit_upper_bounds(level);
}

enum wari_status wari_solve(struct wari_run *run, int seeds, struct wari_error *error)
{
    struct wari_level *level;
    const enum wari_status status = wari_solve_open(run, seeds, &level, error);

    if (status != WARI_OK)
        return status;
    wari_solve_captures(level);
    while (wari_solve_next_threshold(level)) {
        do
            wari_solve_sweeps(level, WARI_GROW);
        while (wari_solve_shrink(level));
    }
    wari_solve_count(level, run->task.record.histogram);
    wari_solve_write(run, level);
    return wari_solve_close(run, error);
}

/* The algorithm: solves one level from the levels below it.
 *
 * The method is retrograde analysis, level by level: every capture leads to a level below, which is
 * solved, so the best capture or end of each position is known at once (Romein and Bal, "Solving
 * Awari with Parallel Retrograde Analysis", 2003). What remains is to compute the value
 *
 *     v(p) = max(best capture or end, max over quiet moves of -v(child))
 *
 * within the level, where play may go round in cycles. Values start from 0 and grow away from it.
 * For each **threshold** k the sets {v >= k} and {v <= -k} only grow, and each set is closed under
 * the moves that put positions into it (convergence by thresholds: Lincke, "Exploring the
 * Computational Limits of Large Exhaustive Search Problems", 2002). So the result is the least
 * fixed point and does not depend on the order of updates: threads may update cells without locks,
 * and the sets may grow for all thresholds together, or for one threshold after the other.
 * Positions that stay at 0 are endless play, which is worth 0 under the cycle rule `even`.
 *
 * Sweeps go over all cells while many of them change, later only over the parents of cells that
 * changed.
 *
 * Under the cycle rule `own` each side gets the seeds on its side when play is endless, so a
 * surplus that its owner can keep for ever counts. These surpluses are a greatest fixed point:
 * every position gets an **upper bound** on the surplus it may keep, and upper bounds shrink to
 * what the moves allow. The bounds that remain raise values, from which more values may grow.
 */
#include "solver/solve.h"

/* Chooses the next sweep from the last one and its result. */
static struct wari_sweep next_sweep(const struct wari_level *level, const struct wari_sweep *last,
                                    const struct wari_sweep_result *result)
{
    const double share = wari_solve_changed(level, result);
    struct wari_sweep next;

    next.cells_only = !result->lost &&
                      (last->cells_only || (last->keep_events && share < level->events.only_share));
    next.keep_events = !next.cells_only && share < level->events.leave_share;
    return next;
}

void wari_solve_sweeps(struct wari_level *level, enum wari_sweep_kind kind)
{
    struct wari_sweep_result result = wari_solve_begin_sweeps(level, kind);
    struct wari_sweep sweep = {0};

    while (result.left) {
        result = wari_solve_sweep(level, kind, &sweep);
        sweep = next_sweep(level, &sweep, &result);
    }
}

bool wari_solve_shrink(struct wari_level *level)
{
    if (!wari_solve_begin_upper_bounds(level))
        return false;
    wari_solve_sweeps(level, WARI_SHRINK);
    return wari_solve_commit_upper_bounds(level);
}

void wari_solve(struct wari_level *level, uint64_t *histogram)
{
    wari_solve_captures(level);
    while (wari_solve_next_threshold(level)) {
        do
            wari_solve_sweeps(level, WARI_GROW);
        while (wari_solve_shrink(level));
    }
    wari_solve_count(level, histogram);
}

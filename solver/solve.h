/* Solving one level: the algorithm (solve.c) and its steps (solve_steps.c). */
#ifndef SOLVER_SOLVE_H
#define SOLVER_SOLVE_H

#include "solver/level/level.h"

/* Solves a level that a backend has opened, from its checkpoint if it has one. Adds up all
 * placements by value: histogram[v + WARI_SEEDS_MAX], with 2 * WARI_SEEDS_MAX + 1 entries. A level
 * that is stopped, by request or because a worker failed, is left unsolved; see
 * wari_level_stopped(). If several processes solve the level together, the call is collective. */
void wari_solve(struct wari_level *level, uint64_t *histogram);

/* The steps of wari_solve() are declared for tests that examine a level between two of them.
 *
 * Grows values, or shrinks upper bounds, until nothing changes. Writes checkpoints when they are
 * due. */
void wari_solve_sweeps(struct wari_level *level, enum wari_sweep_kind kind);

/* Cycle rule `own`: computes upper bounds and shrinks them. Returns true if any value was raised to
 * a surplus that its owner can keep for ever, so that more values may grow. */
bool wari_solve_shrink(struct wari_level *level);

/* ---- Steps (solve_steps.c) ------------------------------------------------------------------
 *
 * The steps call the backend, measure the time that it takes, report progress and write
 * checkpoints. */

/* Gives each cell its first code, or loads the checkpoint if there is one. */
void wari_solve_captures(struct wari_level *level);

/* Goes on to the next threshold; the first call goes to the first threshold. Returns false if no
 * threshold is left. With a backend that solves for all thresholds at once, the second call returns
 * false. */
bool wari_solve_next_threshold(struct wari_level *level);

/* Begins to grow values or to shrink upper bounds, and returns what the backend has already done.
 * If no sweep is needed, the field `left` of the result is false. Values do not begin to grow if
 * the loaded checkpoint was written while upper bounds shrank, since the shrinking comes first. */
struct wari_sweep_result wari_solve_begin_sweeps(struct wari_level *level,
                                                 enum wari_sweep_kind kind);

/* Sweeps once. */
struct wari_sweep_result wari_solve_sweep(struct wari_level *level, enum wari_sweep_kind kind,
                                          const struct wari_sweep *sweep);

/* Returns the number of changes in a sweep, divided by the cells of the level. */
double wari_solve_changed(const struct wari_level *level, const struct wari_sweep_result *result);

/* Cycle rule `own`: replaces the values by upper bounds. Returns false, and leaves the values
 * unchanged, if no upper bound would be above its value. */
bool wari_solve_begin_upper_bounds(struct wari_level *level);

/* Cycle rule `own`: replaces each value by its upper bound, after the upper bounds have shrunk to
 * their fixed point. Returns true if any value was raised. */
bool wari_solve_commit_upper_bounds(struct wari_level *level);

/* Counts all placements by value; see wari_solve(). */
void wari_solve_count(struct wari_level *level, uint64_t *histogram);

#endif

/* The steps of solving a level, which know of time, progress and checkpoints. */
#ifndef SOLVER_SOLVE_STEPS_H
#define SOLVER_SOLVE_STEPS_H

#include "solver/level/level.h"
#include "solver/run.h"

/* Opens the level, on the road that run->ways chooses. */
WARI_MUST_CHECK enum wari_status wari_solve_open(struct wari_run *run, int seeds,
                                                 struct wari_level **level,
                                                 struct wari_error *error);

/* Gives each cell its first code; or goes on from a checkpoint, where there is one. */
void wari_solve_captures(struct wari_level *level);

/* Whether there is another bound to solve: at once for all bounds, or for one after the other. */
bool wari_solve_next_threshold(struct wari_level *level);

/* Begins to grow, or to shrink, and sweeps once. A checkpoint in which hopes shrink has nothing
 * left to grow. */
struct wari_sweep_result wari_solve_begin_sweeps(struct wari_level *level,
                                                 enum wari_sweep_kind kind);
struct wari_sweep_result wari_solve_sweep(struct wari_level *level, enum wari_sweep_kind kind,
                                          const struct wari_sweep *sweep);

/* The share of the level's cells that a sweep changed. */
double wari_solve_changed(const struct wari_level *level, const struct wari_sweep_result *tally);

/* Cycle rule `own`: hopes take the place of values, if there is anything to hope for. And, when
 * they have shrunk, values are raised to what is left: whether any was, which its owner can keep
 * for ever. */
bool wari_solve_begin_upper_bounds(struct wari_level *level);
bool wari_solve_commit_upper_bounds(struct wari_level *level);

/* Counts all placements by value: histogram[v + WARI_SEEDS_MAX]. */
void wari_solve_count(struct wari_level *level, uint64_t *histogram);

/* Writes the level's file, if nothing has failed until then. It can be read, but does not count
 * yet. */
void wari_solve_write(struct wari_run *run, struct wari_level *level);

/* Closes the level, and says how it went. */
WARI_MUST_CHECK enum wari_status wari_solve_close(struct wari_run *run, struct wari_error *error);

#endif

/* The shrink step of cycle rule `own`. */
#ifndef SOLVER_OWN_H
#define SOLVER_OWN_H

#include "solver/sweep.h"

/* Cycle rule `own`: one shrink; true if it raised a value. Before its sweeps values become hopes,
 * and behind them hopes become values; returns by how much those above 0 were raised, all together.
 * `begun`: goes on with the hopes of a checkpoint. */
void wari_hopes_begin(struct wari_level *level);
uint64_t wari_hopes_end(struct wari_level *level);
bool wari_shrink(struct wari_level *level, bool begun, wari_sweep_report *report, void *context);

#endif

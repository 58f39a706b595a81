/* One sweep over a level in memory: see struct wari_road. */
#ifndef SOLVER_MEMORY_SWEEP_H
#define SOLVER_MEMORY_SWEEP_H

#include "solver/level/level.h"

struct wari_tally wari_memory_begin(struct wari_level *level, enum wari_sweep_kind kind,
                                    bool *swept);
struct wari_tally wari_memory_sweep(struct wari_level *level, const struct wari_sweep *sweep);

/* Keeps the rows held of a block as they are, for those of its cells that are children of others:
 * for each thread of a team, which may go on before the others are done. */
void wari_memory_keep_block(struct wari_level *level, int block, struct wari_tally *tally);

#endif

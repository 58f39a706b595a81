/* From values to hopes and back, for levels in memory: cycle rule `own`. */
#ifndef SOLVER_MEMORY_HOPES_H
#define SOLVER_MEMORY_HOPES_H

#include "solver/level/level.h"

/* Values become hopes, where course.won is what values above 0 come to. */
void wari_hopes_begin(struct wari_level *level);

/* Hopes, which have been swept down, become values; returns by how much those above 0 were raised,
 * all together. */
uint64_t wari_hopes_end(struct wari_level *level);

#endif

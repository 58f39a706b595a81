/* Dense sweeps over a level in memory. */
#ifndef SOLVER_MEMORY_MEMORY_DENSE_H
#define SOLVER_MEMORY_MEMORY_DENSE_H

#include "solver/memory/barrier.h"

/* Computes all cells. All threads of the sweep call it. */
void wari_memory_sweep_dense(struct wari_sweep_thread *thread);

#endif

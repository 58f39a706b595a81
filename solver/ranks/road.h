/* The road of a level that is distributed over ranks: its table, and the memory for what ranks
 * exchange. */
#ifndef SOLVER_RANKS_ROAD_H
#define SOLVER_RANKS_ROAD_H

#include "solver/ranks/distributed.h"

/* Opens a level over the ranks of `net`, as wari_memory_open(); `distributed` has to stay until it
 * is closed. Collective, and all ranks get the same status. */
WARI_MUST_CHECK enum wari_status wari_distributed_open(struct wari_distributed *distributed,
                                                       struct wari_net *net,
                                                       struct wari_level *level, int seeds,
                                                       enum wari_cycle cycle,
                                                       struct wari_error *error);

#endif

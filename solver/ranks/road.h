/* The road of a level that is distributed over ranks: its table, and the memory for what ranks
 * exchange. */
#ifndef SOLVER_RANKS_ROAD_H
#define SOLVER_RANKS_ROAD_H

#include "solver/ranks/distributed.h"

/* Opens a level over `ranks`, which becomes the distributed level's. `level` is the rank's share,
 * made by wari_memory_hold() with wari_ranks_share(), and is freed when it is closed, or if this
 * fails; `distributed` has to stay until then. Collective, and all ranks get the same status. */
WARI_MUST_CHECK enum wari_status wari_distributed_open(struct wari_distributed *distributed,
                                                       struct wari_net *net,
                                                       struct wari_level *level,
                                                       const struct wari_ranks *ranks,
                                                       struct wari_error *error);

#endif

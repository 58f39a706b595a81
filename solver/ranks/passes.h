/* The passes over a distributed level, and the memory for what ranks exchange. All collective. */
#ifndef SOLVER_RANKS_PASSES_H
#define SOLVER_RANKS_PASSES_H

#include "solver/ranks/distributed.h"

/* Distributes the level. `level` is the rank's share, made with wari_ranks_share() and the rules of
 * the other arguments; `ranks` becomes the distributed level's. Collective, and all ranks get the
 * same status. */
WARI_MUST_CHECK enum wari_status wari_distributed_create(struct wari_distributed *distributed,
                                                         struct wari_net *net,
                                                         struct wari_level *level,
                                                         const struct wari_ranks *ranks,
                                                         struct wari_error *error);
void wari_distributed_destroy(struct wari_distributed *distributed);

void wari_distributed_captures(struct wari_distributed *distributed);
void wari_distributed_grow(struct wari_distributed *distributed, wari_sweep_report *report,
                           void *context);

/* Cycle rule `own`; the same for all ranks. */
bool wari_distributed_shrink(struct wari_distributed *distributed, wari_sweep_report *report,
                             void *context);
enum wari_status wari_distributed_histogram(struct wari_distributed *distributed,
                                            uint64_t histogram[2 * WARI_SEEDS_MAX + 1],
                                            struct wari_error *error);

#endif

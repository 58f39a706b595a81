/* An event-driven sweep over a distributed level. */
#ifndef SOLVER_RANKS_EVENT_SWEEP_H
#define SOLVER_RANKS_EVENT_SWEEP_H

#include "solver/ranks/distributed.h"

/* One sweep, by the steps of item/recheck.h: events to holders of parents, queries to holders of
 * children. Collective. */
void wari_distributed_event_sweep(struct wari_distributed *distributed, struct wari_tally *tally);

#endif

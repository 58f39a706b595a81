/* What ranks send each other, predicted. */
#ifndef SOLVER_RANK_TRAFFIC_H
#define SOLVER_RANK_TRAFFIC_H

#include "solver/level/ranks.h"

struct wari_flow {
    double messages, bytes; /* of all ranks together */
};

struct wari_rank_traffic {
    struct wari_flow rows;  /* of one dense sweep */
    struct wari_flow tiles; /* of one dense sweep, or of the capture pass */
    struct wari_flow count; /* of the histogram */
    double rounds;          /* of a dense sweep: ranks wait for each other so many times */
};

/* The cost model of levels that are distributed over ranks: goes through what ranks do, round by
 * round, with the rules of sowing and nothing else. Where a block has many rounds it looks at some
 * of them, a few milliseconds for each block; then figures are estimates. Event-driven sweeps
 * depend on the values and are left out (MPI.md has what was measured). One thread. */
WARI_MUST_CHECK enum wari_status wari_rank_traffic(struct wari_rank_traffic *traffic,
                                                   const struct wari_host *host, int seeds,
                                                   int ranks, struct wari_error *error);

#endif

/* Which levels the ranks have, and copies of those that some lack. */
#ifndef SOLVER_CLUSTER_COPIES_H
#define SOLVER_CLUSTER_COPIES_H

#include "solver/cluster/start.h"

/* Reads the catalogue; WARI_MISMATCH if a rank has a level with other values than the first rank
 * that has it. On local disks levels that some lack are copied to them. */
WARI_MUST_CHECK enum wari_status wari_same_levels(struct wari_net *net,
                                                  const struct wari_build *build,
                                                  const struct wari_disks *disks,
                                                  struct wari_catalogue *catalogue,
                                                  struct wari_error *error);

#endif

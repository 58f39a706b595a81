/* Building a database by several ranks. */
#ifndef SOLVER_CLUSTER_BUILD_H
#define SOLVER_CLUSTER_BUILD_H

#include "solver/build.h"
#include "solver/cluster/net.h"

/* As wari_build(), with every level distributed over the ranks of `net`; build->sharing says how
 * many they are, and build->memory is the bound of each. Collective: all ranks call it and get the
 * same status and much the same text, which names the rank that failed, so that one of them can say
 * it for all.
 *
 * `local_disks`: the folder of this name is not the same one for all ranks. Then each of them (or
 * the first of those that see the same one) keeps a whole copy of the database.
 *
 * After wari_same_program() of start.h. WARI_MISMATCH if ranks were not asked for the same, or have
 * different levels; WARI_BAD_INPUT if the folder is not one that all of them see, without
 * `local_disks`. */
WARI_MUST_CHECK enum wari_status wari_build_distributed(const struct wari_build *build,
                                                        struct wari_net *net, bool local_disks,
                                                        struct wari_error *error);

#endif

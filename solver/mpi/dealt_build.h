/* Building a database by several ranks. */
#ifndef SOLVER_MPI_DEALT_BUILD_H
#define SOLVER_MPI_DEALT_BUILD_H

#include "solver/mpi/net.h"
#include "solver/solver.h"

/* As wari_build(), with every level dealt to the ranks of `net`; build->ranks is their number, and
 * build->memory each rank's bound. Collective: all ranks call it and get the same status and much
 * the same text, which names the rank that failed, so that one of them can say it for all.
 *
 * `local_disks`: the folder of this name is not the same one for all ranks. Then each of them (or
 * the first of those that see the same one) keeps a whole copy of the database.
 *
 * WARI_MISMATCH if ranks are not the same program or were not asked for the same; WARI_BAD_INPUT if
 * their folders are not what `local_disks` says. */
WARI_MUST_CHECK enum wari_status wari_build_dealt(const struct wari_build *build,
                                                  struct wari_net *net, bool local_disks,
                                                  struct wari_error *error);

#endif

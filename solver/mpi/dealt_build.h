/* Building a database by several ranks. */
#ifndef SOLVER_MPI_DEALT_BUILD_H
#define SOLVER_MPI_DEALT_BUILD_H

#include "solver/mpi/net.h"
#include "solver/solver.h"

/* WARI_MISMATCH if some rank is of another version; says which. What ranks say to each other first:
 * versions that differ understand this, and nothing else. */
WARI_MUST_CHECK enum wari_status wari_same_program(struct wari_net *net, struct wari_error *error);

/* As wari_build(), with every level dealt to the ranks of `net`; build->ranks is their number, and
 * build->memory each rank's bound. Collective: all ranks call it and get the same status and much
 * the same text, which names the rank that failed, so that one of them can say it for all.
 *
 * `local_disks`: the folder of this name is not the same one for all ranks. Then each of them (or
 * the first of those that see the same one) keeps a whole copy of the database.
 *
 * After wari_same_program(). WARI_MISMATCH if ranks were not asked for the same, or have different
 * levels; WARI_BAD_INPUT if the folder is not one that all of them see, without `local_disks`. */
WARI_MUST_CHECK enum wari_status wari_build_dealt(const struct wari_build *build,
                                                  struct wari_net *net, bool local_disks,
                                                  struct wari_error *error);

#endif

/* What ranks make sure of before they build: that they are the same program with the same task, and
 * what their folders hold. All functions are collective and give all ranks the same status. */
#ifndef SOLVER_CLUSTER_START_H
#define SOLVER_CLUSTER_START_H

#include "db/catalogue/catalogue.h"
#include "solver/build.h"
#include "solver/cluster/store.h"

/* WARI_MISMATCH if some rank is of another version; says which. What ranks say to each other first:
 * versions that differ understand this, and nothing else. */
WARI_MUST_CHECK enum wari_status wari_same_program(struct wari_net *net, struct wari_error *error);

/* WARI_MISMATCH if ranks were asked for different things. Creates the folder if it is missing,
 * finds out who sees the same one, and takes the build lock of each; *lock: this rank's, or -1 if
 * another one has it. */
WARI_MUST_CHECK enum wari_status wari_find_disks(struct wari_net *net,
                                                 const struct wari_build *build, bool local_disks,
                                                 struct wari_disks *disks, int *lock,
                                                 struct wari_error *error);

/* Reads the catalogue (start_copies.c); WARI_MISMATCH if a rank has a level with other values than
 * the first rank that has it. On local disks levels that some lack are copied to them. */
WARI_MUST_CHECK enum wari_status wari_same_levels(struct wari_net *net,
                                                  const struct wari_build *build,
                                                  const struct wari_disks *disks,
                                                  struct wari_catalogue *catalogue,
                                                  struct wari_error *error);

#endif

/* Builds a database with several ranks, which are processes that mpirun started. */
#ifndef SOLVER_CLUSTER_BUILD_H
#define SOLVER_CLUSTER_BUILD_H

#include "db/catalogue/catalogue.h"
#include "db/catalogue/lock.h"
#include "solver/build.h"
#include "solver/cluster/distributed.h"
#include "solver/cluster/net.h"
#include "solver/write/batch_encoder.h"

/* Builds as wari_build() does, with every level distributed over the ranks of `net`.
 * build->sharing->processes is the number of ranks. build->memory is the limit of each rank.
 * Collective: all ranks have to call it. All ranks get the same status. Their error texts differ
 * little and name the rank that failed, so that one rank can report the error for all ranks.
 *
 * `local_disks` says that build->folder may be a different folder on different ranks, for instance
 * because each host has a disk of its own. Then each folder gets a complete copy of the database,
 * which is written by the first of the ranks that see the folder.
 *
 * wari_same_program() has to be called before. Returns WARI_MISMATCH if ranks were given different
 * tasks or have different levels. Returns WARI_BAD_INPUT if `local_disks` is false and not all
 * ranks see the same folder. Otherwise fails like wari_build(). */
WARI_MUST_CHECK enum wari_status wari_build_distributed(const struct wari_build *build,
                                                        struct wari_net *net, bool local_disks,
                                                        struct wari_error *error);

/* ---- Before the build (start.c) -------------------------------------------------------------
 *
 * Ranks check that they run the same program with the same task, and compare the levels in their
 * folders. All functions are collective and return the same status to all ranks. */

/* The folder of the level files, as one rank sees it. */
struct wari_disks {
    const char *folder;
    bool local;  /* `folder` may be a different folder on different ranks */
    bool writes; /* this rank writes to its folder, since it is the first rank that sees the folder
                  */
};

/* Returns WARI_MISMATCH, with a text that names the rank, if some rank runs another version. It has
 * to be the first function that sends messages between ranks, since only its messages are the same
 * in all versions. */
WARI_MUST_CHECK enum wari_status wari_same_program(struct wari_net *net, struct wari_error *error);

/* Creates the folder if it is missing, finds out which ranks see the same folder, and locks each
 * folder for the build, unless build->no_lock is true. *lock is the lock that this rank holds; it
 * holds nothing if another rank has locked the folder.
 * Returns WARI_MISMATCH if ranks were given different tasks. */
WARI_MUST_CHECK enum wari_status wari_find_disks(struct wari_net *net,
                                                 const struct wari_build *build, bool local_disks,
                                                 struct wari_disks *disks, struct wari_lock *lock,
                                                 struct wari_error *error);

/* Reads the catalogue. On local disks, copies levels to the ranks that lack them. Returns
 * WARI_MISMATCH if a rank has a level with other values than the first rank that has the level. */
WARI_MUST_CHECK enum wari_status wari_same_levels(struct wari_net *net,
                                                  const struct wari_build *build,
                                                  const struct wari_disks *disks,
                                                  struct wari_catalogue *catalogue,
                                                  struct wari_error *error);

/* ---- Level files (distributed_file.c) -------------------------------------------------------- */

/* Writes a distributed level as wari_write_level_file() does; on local disks, writes a copy to each
 * folder. `ready` is called on the ranks that write to their folders. Collective: all ranks get the
 * same status and record. */
WARI_MUST_CHECK enum wari_status
wari_distributed_write(struct wari_distributed *distributed, struct wari_batch_encoder *encoder,
                       const struct wari_disks *disks, struct wari_variant variant,
                       const struct wari_level_ready *ready, struct wari_level_record *record,
                       struct wari_error *error);

#endif

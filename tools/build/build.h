/* `wari build`, for one process or for several that work together (tools/mpi/main.c). */
#ifndef TOOLS_BUILD_BUILD_H
#define TOOLS_BUILD_BUILD_H

#include "solver/solver.h"

/* The job that this process has a part in: the other processes, and how to work with them. All of
 * them run the same command; the one with rank 0 speaks for all. */
struct build_job {
    int rank, ranks, on_this_host;
    bool local_disks, traffic; /* options that only make sense here */

    /* One status for all. */
    enum wari_status (*agree)(struct build_job *job, enum wari_status status,
                              struct wari_error *error);
    /* In place of wari_build(). */
    enum wari_status (*build)(struct build_job *job, const struct wari_build *build,
                              struct wari_error *error);
    void (*level_done)(struct build_job *job, const struct wari_progress *at);
    void *context;
};

/* argv[0] is "build". `job`: NULL for a process alone. Returns the exit code. */
int build_run(int argc, char **argv, struct build_job *job);

#endif

/* `wari build`, for one process or for several ranks that cooperate (tools/mpi/). */
#ifndef TOOLS_BUILD_H
#define TOOLS_BUILD_H

#include <stdio.h>

#include "solver/build.h"
#include "tools/common/options.h"

/* The options that `wari build` and `wari-mpi build` have in common. */
/* clang-format off */
#define BUILD_OPTIONS \
    OPTIONS_BUILD, {"kernel", required_argument, NULL, 'k'}, \
        {"checkpoint", required_argument, NULL, 'C'}, \
        {"dry-run", no_argument, NULL, 'n'}, \
        {"no-lock", no_argument, NULL, 'L'}
/* clang-format on */

/* A job of several processes, as seen by one of them. All processes run the same command. */
struct build_job {
    bool prints;      /* true for the one process that prints the output of all processes */
    int on_this_host; /* number of processes on this host */
    const struct wari_sharing *sharing;

    const struct option *accepted; /* BUILD_OPTIONS, and the options of this job */
    enum wari_status (*handle_option)(struct build_job *job, int key, struct wari_error *error);

    /* Combines the status of all processes into one. All processes call this function, and all get
     * the same result: WARI_OK only if all of them passed WARI_OK. */
    enum wari_status (*agree)(struct build_job *job, enum wari_status status,
                              struct wari_error *error);
    /* Called instead of wari_build(). */
    enum wari_status (*build)(struct build_job *job, const struct wari_build *build,
                              struct wari_error *error);
    /* Prints the job's own lines after the plan. */
    void (*print_plan)(struct build_job *job, FILE *out);
    void (*level_done)(struct build_job *job, const struct wari_progress *at);
    void *context;
};

/* Runs the command. argv[0] is "build". NULL for `job` means a single process. Returns the exit
 * code.
 */
int build_run(int argc, char **argv, struct build_job *job);

#endif

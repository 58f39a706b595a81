/* `wari build`, for one process or for several that work together (tools/mpi/). */
#ifndef TOOLS_BUILD_BUILD_H
#define TOOLS_BUILD_BUILD_H

#include <stdio.h>

#include "solver/build.h"
#include "tools/common/options.h"

/* Options of both. */
/* clang-format off */
#define BUILD_OPTIONS \
    OPTIONS_BUILD, {"kernel", required_argument, NULL, 'k'}, \
        {"checkpoint", required_argument, NULL, 'C'}, {"dry-run", no_argument, NULL, 'n'}
/* clang-format on */

/* The job that this process has a part in: the other processes, and how to work with them. All of
 * them run the same command. */
struct build_job {
    bool speaks;      /* for all: one process does */
    int on_this_host; /* processes */
    const struct wari_sharing *sharing;

    const struct option *accepted; /* BUILD_OPTIONS, and options that only make sense here */
    enum wari_status (*handle_option)(struct build_job *job, int key, struct wari_error *error);

    /* One status for all. */
    enum wari_status (*agree)(struct build_job *job, enum wari_status status,
                              struct wari_error *error);
    /* In place of wari_build(). */
    enum wari_status (*build)(struct build_job *job, const struct wari_build *build,
                              struct wari_error *error);
    void (*say_plan)(struct build_job *job, FILE *out); /* what there is to say besides */
    void (*level_done)(struct build_job *job, const struct wari_progress *at);
    void *context;
};

/* argv[0] is "build". `job`: NULL for a process alone. Returns the exit code. */
int build_run(int argc, char **argv, struct build_job *job);

#endif

/* `wari plan`, for one process or for several ranks (tools/mpi/). */
#ifndef TOOLS_PLAN_PLAN_H
#define TOOLS_PLAN_PLAN_H

#include "tools/common/options.h"
#include "tools/plan/plan_report.h"

/* The options that `wari plan` and `wari-mpi plan` have in common. */
/* clang-format off */
#define PLAN_OPTIONS \
    OPTIONS_BUILD, {"disk-bandwidth", required_argument, NULL, 'D'}, \
        {"memory-bandwidth", required_argument, NULL, 'M'}, \
        {"speed", required_argument, NULL, 'S'}, {"no-calibration", no_argument, NULL, 'n'}, \
        {"json", no_argument, NULL, 'j'}, {"verify", no_argument, NULL, 'v'}
/* clang-format on */

/* Runs the command. argv[0] is "plan". NULL for `job` means one process. Returns the exit code. */
int plan_run(int argc, char **argv, struct plan_job *job);

#endif

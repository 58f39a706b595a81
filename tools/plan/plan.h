/* `wari plan`, for one process or for several that share each level (tools/mpi/). */
#ifndef TOOLS_PLAN_PLAN_H
#define TOOLS_PLAN_PLAN_H

#include "tools/common/options.h"
#include "tools/plan/plan_report.h"

/* Options of both. */
/* clang-format off */
#define PLAN_OPTIONS \
    OPTIONS_BUILD, {"disk-bandwidth", required_argument, NULL, 'D'}, \
        {"memory-bandwidth", required_argument, NULL, 'M'}, \
        {"speed", required_argument, NULL, 'S'}, {"no-calibration", no_argument, NULL, 'n'}, \
        {"json", no_argument, NULL, 'j'}, {"verify", no_argument, NULL, 'v'}
/* clang-format on */

/* How levels are shared, for those who plan for that. */
struct plan_job {
    const struct option *accepted; /* PLAN_OPTIONS, and options that only make sense here */
    enum wari_status (*take)(struct plan_job *job, int key, struct wari_error *error);

    /* When all options are read: sets build->sharing. */
    enum wari_status (*check)(struct plan_job *job, struct wari_build *build,
                              struct wari_error *error);
    void (*share)(struct plan_job *job, struct wari_cost_request *request);

    /* Adds what there is to say besides: to what is printed so far, or to the object. */
    void (*text)(struct plan_job *job, const struct plan_report *report);
    bool (*json)(struct plan_job *job, const struct plan_report *report, json_t *object);
};

/* argv[0] is "plan". `job`: NULL for one process. Returns the exit code. */
int plan_run(int argc, char **argv, struct plan_job *job);

#endif

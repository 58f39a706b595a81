/* What those add to a plan who plan for several processes. */
#ifndef TOOLS_PLAN_PLAN_JOB_H
#define TOOLS_PLAN_PLAN_JOB_H

#include <getopt.h>
#include <jansson.h>

#include "solver/plan/cost.h"

struct plan_report;

/* How levels are shared, for those who plan for that. */
struct plan_job {
    const struct option *accepted; /* PLAN_OPTIONS, and options that only make sense here */
    enum wari_status (*handle_option)(struct plan_job *job, int key, struct wari_error *error);

    /* When all options are read: sets build->sharing. */
    enum wari_status (*check)(struct plan_job *job, struct wari_build *build,
                              struct wari_error *error);
    void (*share)(struct plan_job *job, struct wari_cost_request *request);

    /* Adds what there is to say besides: to what is printed so far, or to the object. */
    void (*text)(struct plan_job *job, const struct plan_report *report);
    bool (*json)(struct plan_job *job, const struct plan_report *report, json_t *object);
};

#endif

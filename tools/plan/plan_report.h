/* A finished plan, the functions by which `wari-mpi plan` extends it, and its output. */
#ifndef TOOLS_PLAN_PLAN_REPORT_H
#define TOOLS_PLAN_PLAN_REPORT_H

#include <getopt.h>
#include <jansson.h>

#include "solver/plan/cost.h"

struct plan_job;

/* A finished plan. */
struct plan_report {
    const struct wari_cost_request *request;
    const struct wari_cost *cost;
    bool measured;        /* the speeds were just measured; otherwise they are given or defaults */
    struct plan_job *job; /* NULL: one process */
};

/* The functions by which `wari-mpi plan` extends a plan. */
struct plan_job {
    const struct option *accepted; /* PLAN_OPTIONS (plan.h), and the options of this job */
    enum wari_status (*handle_option)(struct plan_job *job, int key, struct wari_error *error);

    /* Checks the options after all were read, and sets build->sharing. */
    enum wari_status (*check)(struct plan_job *job, struct wari_build *build,
                              struct wari_error *error);

    /* Adds the network to the request for the cost model. */
    void (*add_network)(struct plan_job *job, struct wari_cost_request *request);

    /* Prints the job's own figures after the plan. */
    void (*print)(struct plan_job *job, const struct plan_report *report);

    /* Adds the job's own figures to the JSON object of the plan. Returns false if memory runs out.
     */
    bool (*add_json)(struct plan_job *job, const struct plan_report *report, json_t *object);
};

/* Returns the name of the i-th speed ("capture"), in the order of the fields of `struct
 * wari_speed`; NULL after the last one. */
const char *plan_speed_name(int i);
double *plan_speed(struct wari_speed *speed, int i);

void plan_report_text(const struct plan_report *report);
WARI_MUST_CHECK enum wari_status plan_report_json(const struct plan_report *report,
                                                  struct wari_error *error);

#endif

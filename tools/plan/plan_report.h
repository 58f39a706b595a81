/* What `wari plan` prints. */
#ifndef TOOLS_PLAN_PLAN_REPORT_H
#define TOOLS_PLAN_PLAN_REPORT_H

#include "tools/plan/plan_job.h"

/* A plan, and where its speeds come from. */
struct plan_report {
    const struct wari_cost_request *request;
    const struct wari_cost *cost;
    bool measured;        /* speeds: by a calibration just now */
    struct plan_job *job; /* NULL: for one process */
};

/* The name of a speed ("capture"), in the order of `struct wari_speed`; NULL behind the last. */
const char *plan_speed_name(int i);
double *plan_speed(struct wari_speed *speed, int i);

void plan_report_text(const struct plan_report *report);
WARI_MUST_CHECK enum wari_status plan_report_json(const struct plan_report *report,
                                                  struct wari_error *error);

#endif

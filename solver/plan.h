/* What wari_build() and wari_build_plan() share. */
#ifndef SOLVER_PLAN_H
#define SOLVER_PLAN_H

#include "solver/solver.h"

/* WARI_BAD_INPUT for seeds outside 0..46 and 48. */
WARI_MUST_CHECK enum wari_status wari_check_seeds(int seeds, struct wari_error *error);

/* How many threads a build uses. */
int wari_build_threads(const struct wari_build *build);

/* The plan for what a catalogue lacks. */
void wari_plan_fill(const struct wari_build *build, const struct wari_catalogue *catalogue,
                    struct wari_build_plan *plan);

#endif

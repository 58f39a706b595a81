/* What wari_build() and wari_build_plan() share. */
#ifndef SOLVER_PLAN_H
#define SOLVER_PLAN_H

#include "solver/solver.h"

struct wari_stream_shape;

/* How many threads a build uses. */
int wari_build_threads(const struct wari_build *build);

/* At most so many bytes has a level's file. */
uint64_t wari_plan_file_bytes(int seeds);

/* Whether the file of some level of the catalogue is packed. Fails like wari_level_file_open(). */
WARI_MUST_CHECK enum wari_status wari_find_packed(const struct wari_host *host, const char *folder,
                                                  const struct wari_catalogue *catalogue,
                                                  bool *packed, struct wari_error *error);

/* How a level is streamed; false if it is solved in memory. */
bool wari_plan_shape(const struct wari_build *build, const struct wari_build_plan *plan, int seeds,
                     struct wari_stream_shape *shape);

/* The plan for what a catalogue lacks; `packed`: some of its levels are. */
void wari_plan_fill(const struct wari_build *build, const struct wari_catalogue *catalogue,
                    bool packed, struct wari_build_plan *plan);

#endif

/* Building a database.
 *
 * It reports through a callback and stops soon (within about a second) after *stop turns true, with
 * WARI_INTERRUPTED.
 */
#ifndef SOLVER_BUILD_H
#define SOLVER_BUILD_H

#include "solver/level/statistics.h"
#include "solver/plan/plan.h"

struct wari_run;

/* Solves every level 0..seeds that the folder lacks, one after the other. Each is written when it
 * is solved, and published, by the catalogue, at once or together with those that follow within a
 * fraction of a second; whatever ends the build, finished levels are published if that can still be
 * done. The files do not depend on threads, kernel or
 * interruptions. WARI_BUSY if another process builds in the folder, WARI_NO_MEMORY, before anything
 * is solved, if build->memory is less than plan's memory_least. */
WARI_MUST_CHECK enum wari_status wari_build(const struct wari_build *build,
                                            struct wari_error *error);

/* All of it behind the catalogue, which is read, by run->ways: for several processes, too. */
WARI_MUST_CHECK enum wari_status wari_build_missing(struct wari_run *run, struct wari_error *error);

#endif

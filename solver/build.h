/* Building a database: solves the levels that a folder lacks. */
#ifndef SOLVER_BUILD_H
#define SOLVER_BUILD_H

#include "solver/level/statistics.h"
#include "solver/plan/plan.h"

/* Solves every level 0..build->seeds that the folder lacks, one after the other. A level file is
 * written when its level is solved. The catalogue lists the level at once, or a fraction of a
 * second later, together with other levels that were finished in the meantime. When the build ends,
 * even after a failure, it publishes all finished levels if that is still possible. The files do
 * not depend on the number of threads, the kernel, the storage backend or interruptions.
 *
 * Reports its progress through a callback. Once *build->stop is true, the build stops within about
 * a second and returns WARI_INTERRUPTED. Returns WARI_BUSY if another process builds in the folder,
 * and WARI_NO_MEMORY, before anything is solved, if build->memory is less than the memory_least of
 * the plan. */
WARI_MUST_CHECK enum wari_status wari_build(const struct wari_build *build,
                                            struct wari_error *error);

#endif

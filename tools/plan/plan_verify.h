/* `wari plan --verify`: what a proof takes. */
#ifndef TOOLS_PLAN_PLAN_VERIFY_H
#define TOOLS_PLAN_PLAN_VERIFY_H

#include "solver/build.h"

/* Prints the memory for a proof of levels 0..build->seeds of its variant with its threads.
 * WARI_NO_MEMORY: it is more than build->memory, which is not 0. */
WARI_MUST_CHECK enum wari_status plan_verify(const struct wari_build *build, bool json,
                                             struct wari_error *error);

#endif

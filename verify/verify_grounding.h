/* (b): every value that is not 0 can be forced. */
#ifndef VERIFY_FIXED_VERIFY_GROUNDING_H
#define VERIFY_FIXED_VERIFY_GROUNDING_H

#include "verify/verify_found.h"
#include "verify/verify_level.h"

/* Needs (a) to have found nothing. Adds the positions whose value nothing forces, which are those
 * that are marked at the end. */
WARI_MUST_CHECK enum wari_status wari_verify_grounding(struct wari_verify_level *level,
                                                       struct wari_verify_found *found);

#endif

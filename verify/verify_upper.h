/* (c), `own` cycles only: no surplus is held for ever beyond the values of the table. */
#ifndef VERIFY_FIXED_VERIFY_UPPER_H
#define VERIFY_FIXED_VERIFY_UPPER_H

#include "verify/verify_found.h"
#include "verify/verify_level.h"

/* Needs (a) and (b) to have found nothing. Adds the positions where a larger surplus can be held,
 * with that as `expected`. */
WARI_MUST_CHECK enum wari_status wari_verify_upper(struct wari_verify_level *level,
                                                   struct wari_verify_found *found);

#endif

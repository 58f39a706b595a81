/* Proving a database, by code that shares nothing with the solver. */
#ifndef VERIFY_VERIFY_H
#define VERIFY_VERIFY_H

#include "verify/verify_request.h"

/* Proves a database. WARI_OK: all that the mode covers is proved. WARI_DIFFERENT: *report says
 * where not, and *error the first of it. A damaged file or a missing variant fails as in
 * wari_open(). Stops after the first level that has differences. The report does not depend on
 * threads or memory.
 *
 * The level at hand is in memory; wari_verify_need() says what that takes. WARI_NO_MEMORY before
 * the first level if `memory` is less than the least or not to be had. (A level with wrong values
 * takes another eighth of a byte a position, and packed files a handle with a cache of usual size.)
 * A sample needs about 256 MB whatever the size of the database. */
WARI_MUST_CHECK enum wari_status wari_verify(const struct wari_verify *verify,
                                             struct wari_verify_report *report,
                                             struct wari_error *error);

#endif

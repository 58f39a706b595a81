/* (a) for random positions. */
#ifndef VERIFY_VERIFY_SAMPLE_H
#define VERIFY_VERIFY_SAMPLE_H

#include "verify/verify_request.h"

/* Of the levels in the catalogue, probed from `db`. */
WARI_MUST_CHECK enum wari_status wari_verify_sample(const struct wari_verify *verify, int threads,
                                                    struct wari_db *db,
                                                    struct wari_verify_report *report,
                                                    struct wari_error *error);

#endif

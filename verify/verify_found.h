/* Differences of a level, as they are found by several threads. */
#ifndef VERIFY_LEVEL_VERIFY_FOUND_H
#define VERIFY_LEVEL_VERIFY_FOUND_H

#include "index/level.h"
#include "verify/verify_request.h"

/* A position of a level; the rest as in struct wari_difference. */
struct wari_verify_difference {
    uint64_t cell;
    int value;
    int expected;
    bool ungrounded;
};

/* The first few differences of a level and how many there are. */
struct wari_verify_found {
    uint64_t count;
    int kept;
    struct wari_verify_difference first[WARI_DIFFERENCES_KEPT]; /* by cell, upwards */
};

void wari_verify_note(struct wari_verify_found *found, struct wari_verify_difference difference);
void wari_verify_merge(struct wari_verify_found *into, const struct wari_verify_found *from);

/* Puts what was found in a level into the report. WARI_OK if that is nothing and report->text is
 * empty, else WARI_DIFFERENT with the first difference in *error. */
WARI_MUST_CHECK enum wari_status wari_verify_conclude(struct wari_verify_report *report,
                                                      const struct wari_layout *layout,
                                                      const struct wari_verify_found *found,
                                                      struct wari_error *error);

#endif

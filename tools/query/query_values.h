/* Values in bulk, and the handling of lines that have no answer. */
#ifndef TOOLS_QUERY_QUERY_VALUES_H
#define TOOLS_QUERY_QUERY_VALUES_H

#include <stdint.h>

#include "db/wari.h"
#include "tools/common/lines.h"

/* The number of positions that have no answer, by reason. */
struct query_failures {
    uint64_t bad;       /* number of texts that are not a position */
    uint64_t uncovered; /* number of positions with more seeds than the database covers */
    const char *hint;   /* appended to the first message about such a position; NULL means none */
};

/* Handles the status of one position. If `status` is WARI_BAD_INPUT or WARI_NOT_COVERED, prints
 * `reason` with the number of the position, counts the failure and returns WARI_OK, because the
 * other positions are still answered. Otherwise returns `status`. `what` is "line" or "position".
 */
WARI_MUST_CHECK enum wari_status query_report_failure(enum wari_status status, const char *what,
                                                      uint64_t number,
                                                      const struct wari_error *reason,
                                                      struct query_failures *failures,
                                                      struct wari_error *error);

/* Prints the value of the position in each line of the input, and nothing else; "?" if it has none.
 */
WARI_MUST_CHECK enum wari_status query_values(struct wari_db *db, struct line_reader *reader,
                                              struct query_failures *failures,
                                              struct wari_error *error);

#endif

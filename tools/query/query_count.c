/* Positions without an answer, counted and reported. */
#include "tools/query/query_count.h"

#include <stdio.h>

#include "tools/common/report.h"

enum wari_status query_forgive(enum wari_status status, const char *what, uint64_t number,
                               const struct wari_error *reason, struct query_count *count,
                               struct wari_error *error)
{
    if (status == WARI_BAD_INPUT)
        count->bad++;
    else if (status == WARI_NOT_COVERED)
        count->uncovered++;
    else if (status != WARI_OK)
        *error = *reason;
    if (status != WARI_BAD_INPUT && status != WARI_NOT_COVERED)
        return status;
    fflush(stdout); /* so that a terminal shows both in order; a failure is seen at the end */
    report_note("query", "%s %llu: %s", what, (unsigned long long)number, reason->text);
    return WARI_OK;
}

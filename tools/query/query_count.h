/* Positions that have no answer: they cost a message, not the run. */
#ifndef TOOLS_QUERY_QUERY_COUNT_H
#define TOOLS_QUERY_QUERY_COUNT_H

#include <stdint.h>

#include "game/wari_game.h"

/* How many lines could not be answered, and whose fault it was. */
struct query_count {
    uint64_t bad;
    uint64_t uncovered;
};

/* If `status` only says that this position has no answer, reports it with its number, counts it and
 * returns WARI_OK; any other failure is returned. `what` is "line" or "position". */
WARI_MUST_CHECK enum wari_status query_forgive(enum wari_status status, const char *what,
                                               uint64_t number, const struct wari_error *reason,
                                               struct query_count *count, struct wari_error *error);

#endif

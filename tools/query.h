/* What the parts of `wari query` share. */
#ifndef TOOLS_QUERY_H
#define TOOLS_QUERY_H

#include "answer/answer.h"
#include "tools/lines.h"

void answer_print_text(const struct answer *answer);

/* How many lines could not be answered, and whose fault it was. */
struct query_count {
    uint64_t bad;
    uint64_t uncovered;
};

/* Reads the position in a line of input. Blank lines and lines that start with '#' hold none:
 * *present is false. WARI_BAD_INPUT as wari_setup_parse(). */
WARI_MUST_CHECK enum wari_status query_read(const struct line *line, struct wari_setup *setup,
                                            bool *present, struct wari_error *error);

/* If `status` only says that this position has no answer, reports it with its number, counts it and
 * returns WARI_OK; any other failure is returned. `what` is "line" or "position". */
WARI_MUST_CHECK enum wari_status query_forgive(enum wari_status status, const char *what,
                                               uint64_t number, const struct wari_error *reason,
                                               struct query_count *count, struct wari_error *error);

/* Answers all lines with their value alone, "?" where there is none. */
WARI_MUST_CHECK enum wari_status query_values(struct wari_db *db, struct line_reader *reader,
                                              struct query_count *count, struct wari_error *error);

#endif

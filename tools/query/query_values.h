/* Values in bulk. */
#ifndef TOOLS_QUERY_QUERY_VALUES_H
#define TOOLS_QUERY_QUERY_VALUES_H

#include "db/wari.h"
#include "tools/common/lines.h"
#include "tools/query/query_count.h"

/* Answers all lines with their value alone, "?" where there is none. */
WARI_MUST_CHECK enum wari_status query_values(struct wari_db *db, struct line_reader *reader,
                                              struct query_count *count, struct wari_error *error);

#endif

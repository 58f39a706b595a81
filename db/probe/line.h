/* Lines with a bound of their own; for tests. */
#ifndef DB_FORCE_LINE_H
#define DB_FORCE_LINE_H

#include "db/wari.h"

/* wari_line() with searches of at most `positions` positions, from 1 up. */
WARI_MUST_CHECK enum wari_status wari_line_within(struct wari_db *db, int positions,
                                                  const struct wari_position *position,
                                                  struct wari_line *line, struct wari_error *error);

#endif

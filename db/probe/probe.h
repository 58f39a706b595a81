/* Values of positions, beyond what wari.h has of them. */
#ifndef DB_PROBE_PROBE_H
#define DB_PROBE_PROBE_H

#include "db/probe/handle.h"

/* What a position is worth by its moves, or by its end: its value, whether it has a number or not,
 * and whether its level's file leaves it out or not. All that its moves lead to must be covered.
 * Fails like wari_probe(); *value then means nothing. */
WARI_MUST_CHECK enum wari_status wari_value_by_moves(struct wari_db *db,
                                                     const struct wari_position *position,
                                                     int *value, struct wari_error *error);

#endif

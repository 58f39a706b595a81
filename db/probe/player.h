/* Players with a bound of their own, and with a clock; for lines, engines and tests. */
#ifndef DB_FORCE_PLAYER_H
#define DB_FORCE_PLAYER_H

#include <stdatomic.h>

#include "db/wari.h"

/* wari_player_new() with searches of at most `positions` positions, from 1 up. */
WARI_MUST_CHECK enum wari_status wari_player_within(struct wari_player **player, struct wari_db *db,
                                                    int positions, struct wari_error *error);

/* wari_line() with searches of at most `positions` positions, from 1 up. */
WARI_MUST_CHECK enum wari_status wari_line_within(struct wari_db *db, int positions,
                                                  const struct wari_position *position,
                                                  struct wari_line *line, struct wari_error *error);

/* From now on, searches that are under way when *stop is set end with WARI_INTERRUPTED: for who has
 * a clock. `stop` must outlive the player, or the next call; NULL: nobody stops it. */
void wari_player_stop_at(struct wari_player *player, const atomic_bool *stop);

#endif

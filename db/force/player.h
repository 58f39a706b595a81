/* Players with a bound of their own; for lines, and tests. */
#ifndef DB_FORCE_PLAYER_H
#define DB_FORCE_PLAYER_H

#include "db/wari.h"

/* wari_player_new() with searches of at most `positions` positions, from 1 up. */
WARI_MUST_CHECK enum wari_status wari_player_within(struct wari_player **player, struct wari_db *db,
                                                    int positions, struct wari_error *error);

#endif

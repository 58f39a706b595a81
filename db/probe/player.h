/* Internal functions for engines, lines and tests: players and lines whose searches have a
 * limit, and players that can be stopped. */
#ifndef DB_PROBE_PLAYER_H
#define DB_PROBE_PLAYER_H

#include <stdatomic.h>

#include "db/wari.h"

/* Creates a player like wari_player_new(), whose searches have at most `positions` positions (at
 * least 1). Tests use small limits, because only large levels reach the normal limit. */
WARI_MUST_CHECK enum wari_status wari_player_within(struct wari_player **player, struct wari_db *db,
                                                    int positions, struct wari_error *error);

/* Computes a line like wari_find_line(), with searches of at most `positions` positions (at least
 * 1). For tests; see wari_player_within(). */
WARI_MUST_CHECK enum wari_status wari_line_within(struct wari_db *db, int positions,
                                                  const struct wari_position *position,
                                                  struct wari_line *line, struct wari_error *error);

/* Sets the flag that stops the player: from now on, a search that runs while *stop is true ends
 * with WARI_INTERRUPTED. `stop` must outlive the player or be replaced by another call. NULL
 * means that searches are not stopped. */
void wari_player_stop_at(struct wari_player *player, const atomic_bool *stop);

#endif

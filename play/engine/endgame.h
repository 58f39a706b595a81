/* Plays for the result of the game inside the database, with the rule of repetition as it is
 * played.
 *
 * The values of the database belong to a game that never ends by repetition. In play, a game ends
 * when a position returns, and each side usually takes the seeds in its own row. Then the moment
 * of the return matters, and so does the history of the game. This module finds out which moves
 * win, draw or lose under that rule, as far as that can be proven, and corrects a choice of the
 * perfect player where the choice would cost the game. */
#ifndef PLAY_ENGINE_ENDGAME_H
#define PLAY_ENGINE_ENDGAME_H

#include <stdatomic.h>

#include "db/wari.h"
#include "play/game.h"

enum {
    WARI_ENDGAME_POSITIONS = 40000, /* a limit on positions that is sufficient in practice; such a
                                     * workspace takes about 4 MB */
};

/* A workspace. It keeps the results of a call for the calls that follow. Only one thread at a time
 * may use it. */
struct wari_endgame;

/* Creates a workspace for at most `positions` positions, at least 100. `db` must outlive it. If
 * the call returns WARI_NO_MEMORY, *endgame is NULL. */
WARI_MUST_CHECK enum wari_status wari_endgame_new(struct wari_endgame **endgame, struct wari_db *db,
                                                  const struct wari_host *host, int positions,
                                                  struct wari_error *error);
void wari_endgame_free(struct wari_endgame *endgame); /* NULL is allowed */

/* Forgets all results of earlier calls. The next choice then depends only on the game, if it has no
 * time limit. */
void wari_endgame_forget(struct wari_endgame *endgame);

/* Sets the flag that ends a choice early: while *stop is true, nothing more is proven. `stop` must
 * outlive the workspace. */
void wari_endgame_stop_at(struct wari_endgame *endgame, const atomic_bool *stop);

enum wari_endgame_outcome { WARI_ENDGAME_LOSS, WARI_ENDGAME_DRAW, WARI_ENDGAME_WIN };

/* What is known about the chosen move. */
struct wari_endgame_result {
    enum wari_endgame_outcome outcome; /* the result of the game after the move */
    bool proven; /* true if the outcome is proven under the rule of repetition; otherwise it follows
                  * from the value in the database */
    bool changed; /* true if the move differs from the player's choice because that choice gets a
                   * worse result, or the same result with less certainty */
};

/* Chooses a move for the side to move in `game`, whose position is in the database and has a legal
 * move. On entry *choice is the choice of a player (wari_player_choose()); its analysis may lack
 * moves that must not be chosen. On return choice->move is the move to play. These criteria decide,
 * the most important one first:
 *   - the best result of the game, given the stores and the positions since the last capture
 *   - the greatest exact value
 *   - if the aim of the player is to make progress (choice->aim is FORCE, HOLD or ROW), the move of
 *     the player; if the aim is EVENT, a move that captures or ends the game
 *   - the fewest replies with which the opponent keeps the value
 * After `milliseconds` (a negative number means no limit) the function considers no further
 * positions. For the positions that remain, it assumes the results that their values in the
 * database give. If repetition->times is 0, all results come from the values. If a grand slam
 * decides the game whatever the score is, *choice is unchanged. Fails like wari_analyse(); then
 * *choice is unchanged. */
WARI_MUST_CHECK enum wari_status
wari_endgame_choose(struct wari_endgame *endgame, const struct wari_game *game,
                    const struct wari_repetition *repetition, int64_t milliseconds,
                    struct wari_choice *choice, struct wari_endgame_result *result,
                    struct wari_error *error);

#endif

/* Plays one game of a match: asks each side for its moves until the game is over or a side
 * fails. */
#ifndef PLAY_ENGINE_MATCH_H
#define PLAY_ENGINE_MATCH_H

#include "db/wari.h"
#include "play/engine/endgame.h"
#include "play/engine/opponent.h"

/* The player of a side: an engine or, if `engine` is NULL, perfect play from the database. Perfect
 * play needs `player` and `endgame`, which both sides may share. */
struct wari_match_side {
    struct wari_opponent *engine;
    struct wari_player *player;
    struct wari_endgame *endgame;
};

/* The limit on positions with which the `endgame` of perfect play is created (wari_endgame_new()).
 * It keeps the time for a move short. It is not a limit on time, which would make the moves depend
 * on the speed of the machine. */
enum { WARI_MATCH_POSITIONS = 2000 };

struct wari_match_result {
    enum wari_fault fault; /* NONE if the game was played to its end or was interrupted */
    int side;              /* the side at fault, which loses the game: 0 South, 1 North */
    bool interrupted;
    bool adjudicated; /* true if the game did not end on the board and the score is from the
                         database */
    struct wari_score score;
};

/* Plays a game that has begun and is not over. Starts engines that are not running. If `tables`
 * is not NULL, the game ends as soon as its position is in that database, which then gives the
 * score. Fails only if there is no memory, or like wari_player_choose() or
 * wari_opponent_new_game(): an engine that does not start loses no game, but ends the match. */
WARI_MUST_CHECK enum wari_status
wari_match_play(struct wari_game *game, const struct wari_match_side sides[2],
                struct wari_db *tables, struct wari_match_result *result, struct wari_error *error);

/* Returns a random number: Marsaglia's xorshift generator. The state must not be 0. */
uint64_t wari_match_random(uint64_t *state);

/* Returns a random placement of `seeds` seeds; all placements are equally likely. */
void wari_match_placement(uint64_t *state, int seeds, struct wari_position *position);

/* Returns a random position with `seeds` seeds in which the mover has a move and which a game
 * can reach (the opponent has an empty pit); all of them are equally likely. South is to move,
 * and both sides have captured the same number of seeds, or South one more. Returns false if no
 * position was found in 100,000 tries; with 0 seeds there is none. */
bool wari_match_position(uint64_t *state, enum wari_rules rules, int seeds,
                         struct wari_setup *setup);

#endif

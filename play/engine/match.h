/* One game of a match: asks both sides for their moves until the game is over or a side fails.
 */
#ifndef PLAY_ENGINE_MATCH_H
#define PLAY_ENGINE_MATCH_H

#include "db/wari.h"
#include "play/engine/opponent.h"

/* Who moves for a side: an engine, or perfect play out of the database where `engine` is NULL. */
struct wari_match_side {
    struct wari_opponent *engine;
    struct wari_player *player;
};

struct wari_match_result {
    enum wari_fault fault; /* NONE: the game was played to its end, or interrupted */
    int side;              /* whose fault it is: 0 South, 1 North; the game is lost for it */
    bool interrupted;
    bool adjudicated; /* the game is open, and the tables say what it comes to: */
    struct wari_score score;
};

/* Plays a game that has begun and is not over. Engines that are not running are started. `tables`:
 * the game ends as soon as it is in this database, which then says the score; NULL: it is played
 * out. Fails only for want of memory, or as wari_player_choose() or wari_opponent_new_game(). */
WARI_MUST_CHECK enum wari_status
wari_match_play(struct wari_game *game, const struct wari_match_side sides[2],
                struct wari_db *tables, struct wari_match_result *result, struct wari_error *error);

/* A random number generator for positions: Marsaglia's xorshift; the state is never 0. */
uint64_t wari_match_random(uint64_t *state);

/* A placement of `seeds` seeds, each as likely as any other. */
void wari_match_placement(uint64_t *state, int seeds, struct wari_position *position);

/* A position with `seeds` seeds in which the mover can move, such as a game can reach (the opponent
 * has an empty pit), each as likely as any other; South is to move and both have captured the same,
 * or South one more. False if none was found in 100,000 tries: with no seeds there is none. */
bool wari_match_position(uint64_t *state, enum wari_rules rules, int seeds,
                         struct wari_setup *setup);

#endif

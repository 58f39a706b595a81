/* A game in progress: its moves so far, whose turn it is, what each side has captured, and how
 * it ended. Records, the judge, matches and engines use this type for their games.
 *
 * "South" is the side whose moves are written A..F. In arrays of two, index 0 is South and 1 is
 * North. A game must be used by one thread at a time. */
#ifndef PLAY_GAME_H
#define PLAY_GAME_H

#include "db/host/host.h"
#include "game/wari_game.h"

/* More moves than any real game has. The limit keeps endless input from taking endless memory. */
enum { WARI_GAME_MOVES_MAX = 10000 };

enum wari_game_end {
    WARI_GAME_OPEN,    /* the side to move has a move */
    WARI_GAME_NO_MOVE, /* the side to move has no move; the rules say who takes the remaining seeds
                        */
    WARI_GAME_SLAM,    /* the last move is a grand slam that ends the game */
    WARI_GAME_REPETITION, /* the position occurred for the third time; the cycle rule decides the
                             score */
};

/* The rule by which a game in play ends when a position returns. wari_game_play() does not apply
 * this rule. */
struct wari_repetition {
    int times; /* the game ends when a position occurs for the second (2) or third (3) time; 0 means
                * that no repetition ends the game, and the cycle rule scores endless play */
    bool rows; /* at such an end, each side takes the seeds in its own row; if false, the cycle rule
                * decides */
};

struct wari_ply {
    struct wari_setup before; /* the diagram before the move: the position seen by the side to move,
                               * with both stores */
    struct wari_move move;
    int times, first; /* game->times and game->first before the move */
    int newest; /* plies[i].newest is the index of the last ply whose position has the hash value i;
                 * -1 if there is none */
    int older;  /* index of the previous ply whose position has the same hash value; -1 if there is
                 * none */
};

struct wari_game {
    const struct wari_host *host; /* allocates the memory */
    struct wari_variant variant;
    struct wari_setup now; /* the current diagram. After a grand slam that ends the game, it is the
                            * board after that move */
    enum wari_game_end end;
    int count; /* number of moves played */
    struct wari_ply *plies;
    int capacity;
    int since; /* index of the first ply after the last capture */
    struct wari_setup start;
    int times; /* number of occurrences of the current position with the same side to move, at
                * least 1 */
    int first; /* number of moves played before the first occurrence of the current position */
};

/* Starts a game without moves from `start`, a diagram. Allocates no memory before the first
 * move. `host` must outlive the game. */
void wari_game_begin(struct wari_game *game, const struct wari_host *host,
                     struct wari_variant variant, const struct wari_setup *start);

/* Returns the start position: four seeds in every pit, empty stores, South to move. */
struct wari_setup wari_game_start_setup(void);

/* Frees the memory. A zeroed game and a game without moves are allowed. */
void wari_game_free(struct wari_game *game);

/* Plays a pit (0..5) of the side to move. The third occurrence of a position is recorded in
 * game->end, but further moves are allowed. After any other end no move is allowed, with one
 * exception: under `awari`, the game is over if all moves of a player are grand slams, and the
 * player takes every seed on the board. The player may still make one of these moves, as in the
 * published tables. The score is the same.
 *   WARI_BAD_INPUT   the move is illegal, or the game has WARI_GAME_MOVES_MAX moves;
 *                    the text gives the reason without a location
 *   WARI_NO_MEMORY   an allocation failed */
WARI_MUST_CHECK enum wari_status wari_game_play(struct wari_game *game, int pit,
                                                struct wari_error *error);

/* Plays a move by its letter: A..F if South is to move, a..f if North is. */
WARI_MUST_CHECK enum wari_status wari_game_play_letter(struct wari_game *game, char letter,
                                                       struct wari_error *error);

/* Returns the score that the cycle rule gives South for endless repetition of plies
 * first..count-1, as South's seeds minus North's seeds. For `even` this is 0. For `own` it is
 * the number nearest to 0 between South's smallest and largest surplus of seeds in its own row
 * over the positions before these plies. All of these positions have the same number of seeds on
 * the board. */
int wari_game_cycle_pays(const struct wari_game *game, int first);

/* The score of a game that has ended, including the seeds left on the board. */
struct wari_score {
    int halves[2]; /* South's and North's seeds, in half seeds because endless play may split one */
    int nobody;    /* seeds that neither side gets (`slam-ends`) */
    int winner;    /* 0 South, 1 North, -1 for a draw */
    bool by_slam;  /* a grand slam decides the game whatever the score is (`ware`, `slam-wins`) */
};

/* Returns true if a grand slam ends the game and decides it whatever the score is. Then stores
 * and value together do not determine the winner. */
bool wari_game_slam_decides(enum wari_rules rules);

/* Computes the score from a setup and the `value` of its position: the seeds that the side to
 * move will get minus those of the other side. For an open game this is the score with best play
 * from here. */
void wari_game_score_at(const struct wari_setup *now, int value, struct wari_score *score);

/* Returns false and leaves *score unchanged if the game is open. */
bool wari_game_score(const struct wari_game *game, struct wari_score *score);

#endif

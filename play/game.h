/* A game being played: its moves so far, whose turn it is, what each side has captured, and how it
 * ended. Records, the judge, matches and engines all keep their games here.
 *
 * "South" is the side whose moves are written A..F; 0 stands for South and 1 for North wherever an
 * array has a place for each. A game belongs to one thread at a time.
 */
#ifndef PLAY_GAME_H
#define PLAY_GAME_H

#include "db/host/host.h"
#include "game/wari_game.h"

/* More moves than any game has: endless input would take endless memory. */
enum { WARI_GAME_MOVES_MAX = 10000 };

enum wari_game_end {
    WARI_GAME_OPEN,       /* somebody can move */
    WARI_GAME_NO_MOVE,    /* the side to move cannot: the rules say who takes the seeds left */
    WARI_GAME_SLAM,       /* the last move is a grand slam that ends the game */
    WARI_GAME_REPETITION, /* the position stands for the third time; the cycle rule pays */
};

struct wari_ply {
    struct wari_setup before; /* a diagram: seen by the side to move, with both stores */
    struct wari_move move;
    int times, first; /* those of the game before the move */
    int newest;       /* the last ply before which a position of this bucket stood; -1: none */
    int older;        /* the one before this ply in its bucket */
};

struct wari_game {
    const struct wari_host *host; /* for memory */
    struct wari_variant variant;
    struct wari_setup now; /* a diagram. After a slam that ends the game: the board as it lies */
    enum wari_game_end end;
    int count; /* of the moves played */
    struct wari_ply *plies;
    int capacity;
    int since; /* the plies behind the last capture begin here */
    struct wari_setup start;
    int times; /* how often the position at hand has stood with the same side to move, from 1 */
    int first; /* how many moves came before the first time */
};

/* A game with no moves yet, from `start`, a diagram. It holds no memory before the first move.
 * `host` must outlive it. */
void wari_game_begin(struct wari_game *game, const struct wari_host *host,
                     struct wari_variant variant, const struct wari_setup *start);

/* The setup of the start position: four seeds in every pit, empty stores, South to move. */
struct wari_setup wari_game_start_setup(void);

/* Gives back the memory. Zeros and a game just begun are allowed. */
void wari_game_free(struct wari_game *game);

/* Plays a pit (0..5) of the side to move. A third repetition is noted in game->end, but does not
 * keep anybody from playing on; all other ends do.
 *   WARI_BAD_INPUT   no legal move, or one more than WARI_GAME_MOVES_MAX; says why, but not where
 *   WARI_NO_MEMORY   an allocation failed */
WARI_MUST_CHECK enum wari_status wari_game_play(struct wari_game *game, int pit,
                                                struct wari_error *error);

/* The same by letter: A..F if South is to move, a..f if North is. */
WARI_MUST_CHECK enum wari_status wari_game_play_letter(struct wari_game *game, char letter,
                                                       struct wari_error *error);

/* What endless repetition of plies first..count-1 pays South, seeds minus North's seeds: 0 under
 * `even`; under `own` the number nearest to 0 between South's smallest and largest surplus of seeds
 * in its own row over the positions before these plies. The seeds on the board are the same in all
 * of them. */
int wari_game_cycle_pays(const struct wari_game *game, int first);

/* The score of a game that has ended, the seeds on the board shared out. */
struct wari_score {
    int halves[2]; /* South's and North's seeds in half seeds: endless play may split one */
    int nobody;    /* seeds that count for nobody (`slam-ends`) */
    int winner;    /* 0 South, 1 North, -1 nobody */
    bool by_slam;  /* the slam decides the game whatever the score (`ware`, `slam-wins`) */
};

/* Whether a slam ends the game and decides it whatever the score: then stores and value together
 * do not tell who wins. */
bool wari_game_slam_decides(enum wari_rules rules);

/* `value`: what the seeds on the board are worth to the side to move in game->now: its seeds minus
 * the other's. Meaningful for a game that is open: the score with best play from here. */
void wari_game_score_at(const struct wari_setup *now, int value, struct wari_score *score);

/* False, and *score untouched, if the game is open. */
bool wari_game_score(const struct wari_game *game, struct wari_score *score);

#endif

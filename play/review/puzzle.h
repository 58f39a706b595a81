/* Makes puzzles from a database. A puzzle is a position in which exactly one move reaches a goal:
 * to win, to draw, or to get all seeds that are on the board.
 *
 * Positions are drawn at random from the stored positions of a level. The seeds that are not on the
 * board are put into the stores so that the best move reaches the goal and no other move does. The
 * difficulty of a puzzle is the number of moves that a search without tables has to look ahead
 * until it finds the move and does not change its mind any more.
 */
#ifndef PLAY_REVIEW_PUZZLE_H
#define PLAY_REVIEW_PUZZLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "db/wari.h"
#include "play/game.h"

enum {
    WARI_PUZZLE_DEPTH_MAX = 30, /* number of moves that the search looks ahead */
    WARI_PUZZLE_SEEDS_MIN = 2,  /* fewest seeds on the board */
    WARI_PUZZLE_LINE_MAX = 12,  /* longest solution, in moves */
};

enum wari_goal { WARI_GOAL_WIN, WARI_GOAL_DRAW, WARI_GOAL_ALL };

struct wari_puzzle {
    struct wari_variant variant;
    uint64_t number;               /* number of the position in its level */
    struct wari_setup setup;       /* South is to move, and neither side has won yet */
    struct wari_analysis analysis; /* its first move is the solution */
    enum wari_goal goal;
    int difficulty; /* 1..depth; depth + 1 if the search does not find the move */
};

struct wari_puzzle_settings {
    int first, last;      /* the levels to draw from, which the database must have */
    int depth;            /* the search looks at most this many moves ahead,
                             1..WARI_PUZZLE_DEPTH_MAX */
    int easiest, hardest; /* smallest and largest difficulty that a puzzle may have */
    int count;            /* number of puzzles that the maker can make; at least 1 */
    int tries;            /* maximum number of positions that are drawn for one puzzle */
    int searches;         /* maximum number of positions that are searched for one puzzle */
    int64_t nodes;        /* maximum number of nodes of each search; 0 means no limit. If a search
                             reaches the limit before it finds the move, the difficulty is the depth
                             of its last report plus 1 */
    int hash_mb;          /* size of the table of the search in megabytes */
    uint64_t seed;        /* starts the random numbers; not 0. Equal settings give equal puzzles */
    const atomic_bool *stop;      /* set to true to stop; may be NULL */
    void (*pause)(void *context); /* called before each position is drawn at random; may be NULL */
    void *context;
};

struct wari_puzzle_maker;

/* Creates a maker of puzzles. `db` must outlive the maker, and the rules of `db` must have puzzles
 * (wari_puzzle_rules()). On failure *maker is NULL. */
WARI_MUST_CHECK enum wari_status wari_puzzle_maker_new(struct wari_puzzle_maker **maker,
                                                       struct wari_db *db,
                                                       const struct wari_puzzle_settings *settings,
                                                       struct wari_error *error);
void wari_puzzle_maker_free(struct wari_puzzle_maker *maker); /* NULL is allowed */

/* Makes a puzzle that differs from all earlier ones of this maker. *found is false if none of the
 * positions that were drawn fits. Fails like wari_analyse(), and with WARI_INTERRUPTED after a
 * stop. */
WARI_MUST_CHECK enum wari_status wari_puzzle_make(struct wari_puzzle_maker *maker,
                                                  struct wari_puzzle *puzzle, bool *found,
                                                  struct wari_error *error);

/* Returns false if the rules have no puzzles, because a slam decides the game whatever the score.
 */
bool wari_puzzle_rules(enum wari_rules rules);

/* Returns "win", "draw" or "all". */
const char *wari_goal_name(enum wari_goal goal);

/* Finds the solution: a line of best play, up to the move with which South has won if the goal is
 * to win, and at most WARI_PUZZLE_LINE_MAX moves. Fails like wari_find_line(). */
WARI_MUST_CHECK enum wari_status wari_puzzle_line(struct wari_db *db,
                                                  const struct wari_puzzle *puzzle,
                                                  struct wari_line *line, struct wari_error *error);

/* Returns South's seeds minus North's at the end of the game, if South begins with this move of
 * the analysis. */
int wari_puzzle_lead(const struct wari_puzzle *puzzle, int move);

#endif

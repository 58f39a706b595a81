/* Who can force something to happen, and how soon: what perfect play needs besides the values.
 *
 * A value alone lets the side that is ahead walk in circles. So a position that is worth k to a
 * side, X, gets a **distance**: the moves (of both) until X has a capture or an end that keeps the
 * value, or a better value, if X is in a hurry and X's opponent is not. X takes a move that
 * lessens it. Under `own`, there is more to be done; player.c says what.
 *
 * What is found depends on the position alone, not on where a search for it began. So a player who
 * looks anew before each move still gets there, and so does one who takes over in the middle.
 */
#ifndef DB_FORCE_FORCE_H
#define DB_FORCE_FORCE_H

#include "db/probe/distance_graph.h"

/* Positions that one search looks at, at upper: 30 MB. (Searches from 300 random positions with 14
 * seeds, rules abapa own, expanded at 6,913 of them at upper, half of them at four or less.) */
enum { WARI_DISTANCE_POSITIONS_MAX = 200000 };

/* What a search found of a position. */
struct wari_distance {
    /* Moves until the progress is reached against any defence, 0 if it is there, too many where the
     * search came to its limit; -1 if it cannot be forced, or nobody knows. */
    int distance;

    /* A quiet best move for the side to move: for X the first that lessens the distance, for X's
     * opponent the first that keeps it longest (-1: for ever). -1 if there is none of use. */
    int pit;

    /* Where X is to move under `own` with the progress EVENT, and distance is -1: a move by which
     * X's row stays ahead by k for ever, or which leads to where it can. -1: none. */
    int hold_pit;
};

/* Looks from a position. Fails like wari_analyse(). */
WARI_MUST_CHECK enum wari_status wari_distance_find(struct wari_distance_search *search,
                                                    const struct wari_distance_query *query,
                                                    struct wari_distance *found,
                                                    struct wari_error *error);

#endif

/* The distance to the next progress, which perfect play needs in addition to the values.
 *
 * With the values alone, the side that is ahead could move in cycles forever. Therefore a position
 * that has the value k for a side, X, gets a **distance**: the number of moves (of both sides)
 * until X makes progress, if X takes the shortest way and X's opponent the longest. Progress is a
 * capture or an end of the game that keeps the value, or a better value. X plays a move that
 * decreases the distance. Under `own` this is not sufficient; player.c describes the rest.
 *
 * The result depends on the position alone, not on where the search began. So a player who searches
 * again before each move still makes progress, and so does one who takes over a game.
 */
#ifndef DB_PROBE_DISTANCE_H
#define DB_PROBE_DISTANCE_H

#include "db/probe/distance_graph.h"

/* Upper bound on the positions of one search, which take 30 MB. (Of searches from 300 random
 * positions with 14 seeds, rules abapa own, the largest expanded 6,913 positions, and half of them
 * four or fewer.) */
enum { WARI_DISTANCE_POSITIONS_MAX = 200000 };

/* The result of a search. */
struct wari_distance {
    /* Number of moves until X makes progress against any defence; 0 if there is progress already.
     * Possibly too large if the search reached its limit. -1 if progress cannot be forced or the
     * search did not find out. */
    int distance;

    /* A quiet best move for the side to move: for X the first that decreases the distance, for X's
     * opponent the first that delays progress longest (or forever, if distance is -1). -1 if there
     * is no such move. */
    int pit;

    /* Where X moves under `own`, searches for an event and distance is -1: a move by which X's row
     * stays ahead by k forever, or that leads to a position where it can. -1 if there is no such
     * move. */
    int hold_pit;
};

/* Searches from the position of `query`. Fails like wari_analyse(). */
WARI_MUST_CHECK enum wari_status wari_distance_find(struct wari_distance_search *search,
                                                    const struct wari_distance_query *query,
                                                    struct wari_distance *found,
                                                    struct wari_error *error);

#endif

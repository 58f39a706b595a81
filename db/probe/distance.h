/* The distance to the next progress, which perfect play needs in addition to the values.
 *
 * With the values alone, the side that is ahead could move in cycles for ever. Therefore a position
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

/* Upper bound on the number of positions of one search; this many positions take 30 MB.
 * (Searches from 300 random positions with 14 seeds, rules abapa own, expanded at most 6,913
 * positions, and half of them expanded four or fewer.) */
enum { WARI_DISTANCE_POSITIONS_MAX = 200000 };

/* The result of a search. */
struct wari_distance {
    /* Number of moves until X makes progress against any defence; 0 if the position itself is
     * progress. May be too large if the search reached its limit. -1 if progress cannot be forced,
     * or if the search reached its limit without finding out. */
    int distance;

    /* A quiet best move for the side to move. For X, the first move that decreases the distance;
     * for X's opponent, the first move that delays progress longest (or for ever, if distance is
     * -1). -1 if there is no such move. */
    int pit;

    /* Set if X is to move under `own`, the query asks for an event, and distance is -1: a move
     * after which X's row stays ahead by k for ever, or a move towards a position where X can
     * achieve this. -1 if there is no such move. */
    int hold_pit;
};

/* Searches from the position of `query`. Fails like wari_analyse(). */
WARI_MUST_CHECK enum wari_status wari_distance_find(struct wari_distance_search *search,
                                                    const struct wari_distance_query *query,
                                                    struct wari_distance *found,
                                                    struct wari_error *error);

#endif

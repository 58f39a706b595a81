/* The graph that a search for what can be forced looks at: positions of equal value, and the quiet
 * best moves between them. force.h says what is searched for. */
#ifndef DB_FORCE_FORCE_GRAPH_H
#define DB_FORCE_FORCE_GRAPH_H

#include <stdatomic.h>

#include "db/probe/handle.h"

/* What counts as progress for X, the player whose best moves keep the value k. */
enum wari_progress_kind {
    WARI_PROGRESS_EVENT, /* a capture, the end of the game or a better value */
    WARI_PROGRESS_ROW,   /* an event, or at least k more seeds in X's row than in the other row */
};

/* Returns the index in analysis->moves of the best move that is an event: it captures or ends the
 * game. Returns -1 if play continues with a quiet best move, one that does neither. */
int wari_event_move(enum wari_rules rules, const struct wari_analysis *analysis);

enum {
    DISTANCE_NONE = -1,
    DISTANCE_INFINITE = 1 << 30, /* a distance: never, or not known to be less */
};

struct wari_distance_node {
    struct wari_position position;
    bool x_to_move;
    bool expanded;    /* at its moves: what follows up to next_parent is known */
    uint8_t children; /* quiet best moves; 0 where the progress is there or one move away */
    uint8_t pit[WARI_HALF_PITS];
    int32_t child[WARI_HALF_PITS]; /* where they lead: numbers of nodes */
    /* The moves that lead here, as a list: 6 * node + index among its children; DISTANCE_NONE ends
     * it. */
    int32_t parents;
    int32_t next_parent[WARI_HALF_PITS]; /* behind the move to child[i] */
    uint8_t unresolved; /* children without a distance, while these are worked out */

    /* The distance lies between these: no less than `lower`, if everything not expanded at is where
     * X wants to be; no more than `upper`, if none of it is. */
    int32_t lower, upper;
    int32_t round; /* in which it was last found to matter */
    int32_t stage; /* see force_hold.c; 0: none */
};

struct wari_distance_search {
    struct wari_db *db;
    int limit;
    const atomic_bool *stop; /* set by another thread: give up; NULL: nobody will */

    /* The graph at hand: of no use if count is 0. */
    enum wari_progress_kind progress;
    int k;
    int count, expanded; /* nodes, and how many of them have been expanded at */
    int round;
    bool staged;

    int capacity; /* for nodes; the table has twice as many indices */
    struct wari_distance_node *nodes;
    int32_t *table;    /* a node's number + 1 by hash; 0: free */
    int32_t *queue;    /* as many as nodes: for whatever goes through them in some order */
    int32_t *frontier; /* as many */
};

/* Memory for searches of at upper `positions` positions, one after the other; what one has found
 * serves the next one. */
WARI_MUST_CHECK enum wari_status wari_distance_search_new(struct wari_distance_search **search,
                                                          struct wari_db *db, int positions,
                                                          struct wari_error *error);
void wari_distance_search_free(struct wari_distance_search *search);

/* What a search is to find out: whether X can force the progress, and how soon. */
struct wari_distance_query {
    const struct wari_position *position;
    bool x_to_move;
    int k; /* what the position is worth to X */
    enum wari_progress_kind progress;
};

/* Empties the graph and makes a position its first node, number 0. */
WARI_MUST_CHECK enum wari_status wari_distance_graph_start(struct wari_distance_search *search,
                                                           const struct wari_distance_query *query,
                                                           struct wari_error *error);

/* The node of a position; DISTANCE_NONE if there is none. */
int wari_distance_graph_find(const struct wari_distance_search *search,
                             const struct wari_position *position, bool x_to_move);

/* Looks at a node that has not been expanded at: whether the progress is there or one move away,
 * else where its quiet best moves lead, which adds nodes. *full: there was no capacity for all of
 * these; the node then counts as not expanded at. Fails like wari_analyse(), and with
 * WARI_INTERRUPTED if search->stop is set. */
WARI_MUST_CHECK enum wari_status wari_distance_graph_expand(struct wari_distance_search *search,
                                                            int number, bool *full,
                                                            struct wari_error *error);

/* In a graph of which every node has been looked at and whose distances are exact: a move that
 * holds X's surplus of k for ever, or leads to where it can be held. DISTANCE_NONE: there is none.
 */
int wari_distance_hold_pit(struct wari_distance_search *search, int number);

/* By how many seeds X's row is ahead. */
int wari_distance_surplus(const struct wari_distance_node *node);

#endif

/* The graph of a search for distances: positions of equal value, and the quiet best moves between
 * them. distance.h describes the search. */
#ifndef DB_PROBE_DISTANCE_GRAPH_H
#define DB_PROBE_DISTANCE_GRAPH_H

#include <stdatomic.h>

#include "db/probe/handle.h"

/* What a search counts as progress. X is the player whose best moves keep the value k. */
enum wari_progress_kind {
    WARI_PROGRESS_EVENT, /* a capture, the end of the game or a better value */
    WARI_PROGRESS_ROW,   /* an event, or a position where X's row has at least k seeds more than
                          * the other row */
};

/* Returns the index in analysis->moves of a best move that is an event, that is, which captures
 * or ends the game. Returns -1 if the best move to be played is quiet, that is, does neither. */
int wari_event_move(enum wari_rules rules, const struct wari_analysis *analysis);

enum {
    DISTANCE_NONE = -1,
    /* As a distance: progress is impossible, or not known to be possible. */
    DISTANCE_INFINITE = 1 << 30,
};

struct wari_distance_node {
    struct wari_position position;
    bool x_to_move;
    bool expanded;    /* its moves are known: children, pit, child and next_parent are set */
    uint8_t children; /* number of quiet best moves; 0 if progress is at most one move away */
    uint8_t pit[WARI_HALF_PITS];
    int32_t child[WARI_HALF_PITS]; /* [i]: the node that quiet best move i leads to */
    /* The moves that lead to this node, as a linked list. An element is the number 6 * parent +
     * i for child[i] of node `parent`. DISTANCE_NONE ends the list. */
    int32_t parents;
    int32_t next_parent[WARI_HALF_PITS]; /* [i]: the list element after the move to child[i] */
    uint8_t unresolved; /* number of children without a distance, while bounds are being computed */

    /* Bounds of the distance. `lower` assumes that all nodes that are not expanded are progress;
     * `upper` assumes that none of them leads to progress. */
    int32_t lower, upper;
    int32_t round; /* the last round in which distance.c put the node into its queue */
    int32_t stage; /* stage of the node, as distance_hold.c explains; 0 means none */
};

struct wari_distance_search {
    struct wari_db *db;
    int limit;
    const atomic_bool *stop; /* set by another thread to stop the search; NULL means never */

    /* The current graph. It is invalid if count is 0. */
    enum wari_progress_kind progress;
    int k;
    int count, expanded; /* number of nodes, and number of expanded nodes */
    int round;
    bool staged;

    int capacity; /* capacity for nodes; the table has twice as many elements */
    struct wari_distance_node *nodes;
    int32_t *table;    /* [hash]: number of the node + 1; 0 means a free element */
    int32_t *queue;    /* the nodes in the order in which a pass visits them */
    int32_t *frontier; /* the nodes to be expanded next. Both arrays have capacity for all nodes */
};

/* Allocates memory for searches of at most `positions` positions, one after the other. A search
 * reuses the graph of the previous search where possible. */
WARI_MUST_CHECK enum wari_status wari_distance_search_new(struct wari_distance_search **search,
                                                          struct wari_db *db, int positions,
                                                          struct wari_error *error);
void wari_distance_search_free(struct wari_distance_search *search);

/* The question that a search answers: whether X can force progress, and how soon. */
struct wari_distance_query {
    const struct wari_position *position;
    bool x_to_move;
    int k; /* the value of the position for X */
    enum wari_progress_kind progress;
};

/* Empties the graph and makes the position its first node, number 0. */
WARI_MUST_CHECK enum wari_status wari_distance_graph_start(struct wari_distance_search *search,
                                                           const struct wari_distance_query *query,
                                                           struct wari_error *error);

/* Returns the number of a position's node; DISTANCE_NONE if the graph does not have the
 * position. */
int wari_distance_graph_find(const struct wari_distance_search *search,
                             const struct wari_position *position, bool x_to_move);

/* Expands a node that is not expanded. Finds out whether progress is at most one move away;
 * otherwise adds the nodes that the node's quiet best moves lead to. If the graph has no
 * capacity for all of these nodes, sets *full, and the node stays unexpanded. Fails like
 * wari_analyse(), and with WARI_INTERRUPTED if *search->stop is true. */
WARI_MUST_CHECK enum wari_status wari_distance_graph_expand(struct wari_distance_search *search,
                                                            int number, bool *full,
                                                            struct wari_error *error);

/* Returns a move by which X holds a surplus of k for ever, or a move towards a position where X
 * can hold it; DISTANCE_NONE if there is no such move. All nodes of the graph must be expanded,
 * and their distances must be exact. */
int wari_distance_hold_pit(struct wari_distance_search *search, int number);

/* Returns the number of seeds in X's row minus the number in the other row. */
int wari_distance_surplus(const struct wari_distance_node *node);

#endif

/* The graph that a search for what can be forced looks at: positions of equal value, and the quiet
 * best moves between them. force.h says what is searched for. */
#ifndef DB_FORCE_FORCE_GRAPH_H
#define DB_FORCE_FORCE_GRAPH_H

#include <stdatomic.h>

#include "db/probe/goal.h"
#include "db/probe/handle.h"

enum {
    FORCE_NONE = -1,
    FORCE_FAR = 1 << 30, /* a distance: never, or not known to be less */
};

struct wari_force_node {
    struct wari_position position;
    bool x_to_move;
    bool looked;  /* at its moves: what follows up to next_parent is known */
    uint8_t kids; /* quiet best moves; 0 where the goal is there or one move away */
    uint8_t pit[WARI_HALF_PITS];
    int32_t kid[WARI_HALF_PITS]; /* where they lead: numbers of nodes */
    /* The moves that lead here, as a list: 6 * node + place among its kids; FORCE_NONE ends it. */
    int32_t parents;
    int32_t next_parent[WARI_HALF_PITS]; /* behind the move to kid[i] */
    uint8_t waiting;                     /* kids without a distance, while these are worked out */

    /* The distance lies between these: no less than `least`, if everything not looked at is where X
     * wants to be; no more than `most`, if none of it is. */
    int32_t least, most;
    int32_t round; /* in which it was last found to matter */
    int32_t stage; /* see force_hold.c; 0: none */
};

struct wari_force_search {
    struct wari_db *db;
    int limit;
    const atomic_bool *stop; /* set by another thread: give up; NULL: nobody will */

    /* The graph at hand: of no use if count is 0. */
    enum wari_goal goal;
    int k;
    int count, looked; /* nodes, and how many of them have been looked at */
    int round;
    bool staged;

    int room; /* for nodes; the table has twice as many places */
    struct wari_force_node *nodes;
    int32_t *table;    /* a node's number + 1 by hash; 0: free */
    int32_t *queue;    /* as many as nodes: for whatever goes through them in some order */
    int32_t *frontier; /* as many */
};

/* Memory for searches of at most `positions` positions, one after the other; what one has found
 * serves the next one. */
WARI_MUST_CHECK enum wari_status wari_force_new(struct wari_force_search **search,
                                                struct wari_db *db, int positions,
                                                struct wari_error *error);
void wari_force_free(struct wari_force_search *search);

/* What a search is to find out: whether X can force the goal, and how soon. */
struct wari_force_asked {
    const struct wari_position *position;
    bool x_to_move;
    int k; /* what the position is worth to X */
    enum wari_goal goal;
};

/* Empties the graph and makes a position its first node, number 0. */
WARI_MUST_CHECK enum wari_status wari_force_graph_start(struct wari_force_search *search,
                                                        const struct wari_force_asked *asked,
                                                        struct wari_error *error);

/* The node of a position; FORCE_NONE if there is none. */
int wari_force_graph_find(const struct wari_force_search *search,
                          const struct wari_position *position, bool x_to_move);

/* Looks at a node that has not been looked at: whether the goal is there or one move away, else
 * where its quiet best moves lead, which adds nodes. *full: there was no room for all of these; the
 * node then counts as not looked at. Fails like wari_analyse(), and with WARI_INTERRUPTED if
 * search->stop is set. */
WARI_MUST_CHECK enum wari_status wari_force_graph_look(struct wari_force_search *search, int number,
                                                       bool *full, struct wari_error *error);

/* By how many seeds X's row is ahead. */
int wari_force_surplus(const struct wari_force_node *node);

#endif

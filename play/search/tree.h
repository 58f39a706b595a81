/* Looking ahead from one position: alpha-beta to a given depth, by one thread. search.h is what
 * others use; this is its inner part.
 */
#ifndef PLAY_SEARCH_TREE_H
#define PLAY_SEARCH_TREE_H

#include <stdatomic.h>
#include <time.h>

#include "db/wari.h"
#include "play/game.h"
#include "play/search/evaluation.h"
#include "play/search/limits.h"
#include "play/search/search_table.h"

enum {
    WARI_INFINITE = 32000,
    /* Moves on the way at most: the depth, extensions by as many, captures of two seeds or more. */
    WARI_TREE_PLIES = 2 * WARI_SEARCH_DEPTH_MAX + WARI_SEEDS_MAX / 2 + 2,
};

/* What the threads of one search have in common. */
struct wari_tree_shared {
    struct wari_db *db;
    struct wari_variant variant;
    const struct wari_evaluation *evaluation;
    struct wari_search_table table;
    atomic_int seeds_max; /* of the database; -1 when a look-up has failed */
    const struct wari_search_limits *limits;
    struct timespec began;
    atomic_bool may_stop; /* an iteration has been finished */
    atomic_bool stopped;
    _Atomic uint64_t nodes; /* of the threads, in steps */
    _Atomic uint64_t look_ups;
    atomic_flag failing; /* set by the thread whose look-up failed first */
    struct wari_error failure;
};

/* A position on the way, or one of the game before it. */
struct wari_station {
    struct wari_search_board board;
    bool opponent; /* of the side to move in the first position of the search is to move */
};

struct wari_tree {
    struct wari_tree_shared *shared;
    uint64_t nodes;
    uint64_t counted; /* of the nodes, in shared->nodes */
    /* For whom a proof is sought: 1 the side to move in the first position, -1 the other; 0: there
     * is no proof, and estimates count. What is not proven is then taken for the worst that it can
     * be for that side, and no move is put off or left out. */
    int prover;
    struct wari_station *stations; /* the game's since its last capture, then those on the way */
    int station_count;
    int root_stations; /* of the game */
    uint8_t killers[WARI_TREE_PLIES][2];
    int history[WARI_HALF_PITS][WARI_SEEDS_MAX + 1];
};

/* What is known of a position, for its mover. */
struct wari_known {
    int score;       /* hundredths of a seed; a bound where it lies outside the window */
    int least, most; /* proven: the value in seeds lies between these */
};

struct wari_window {
    int alpha, beta;
};

/* A position to be looked at. */
struct wari_node {
    struct wari_search_board board;
    bool opponent;
    int depth;
    int since; /* stations from here on may repeat: there was no capture behind them */
};

/* Looks at a position; what is known means nothing once shared->stopped. */
struct wari_known wari_tree_look(struct wari_tree *tree, const struct wari_node *node,
                                 struct wari_window window);

/* What is known of a step, for the side that makes it, the `number`th (from 0) that is tried from
 * the node: late ones are looked at less deep first. */
struct wari_known wari_tree_try(struct wari_tree *tree, const struct wari_node *node,
                                const struct wari_step *step, int number,
                                struct wari_window window);

/* Milliseconds since the search began. */
int64_t wari_tree_elapsed(const struct wari_tree_shared *shared);

/* Takes most of the weight from what was learned of moves, and forgets the killers. */
void wari_tree_fade(struct wari_tree *tree);

#endif

/* Alpha-beta search of one position to a given depth, by one thread. This is the inner part of
 * the search; other modules use search.h. */
#ifndef PLAY_SEARCH_TREE_H
#define PLAY_SEARCH_TREE_H

#include <stdatomic.h>

#include "db/wari.h"
#include "play/game.h"
#include "play/search/evaluation.h"
#include "play/search/search.h"
#include "play/search/search_table.h"
#include "play/search/utility.h"

enum {
    WARI_INFINITE = 32000,
    /* Maximum length of a path: the depth, as many extensions, and captures of two seeds or
     * more. */
    WARI_TREE_PLIES = 2 * WARI_SEARCH_DEPTH_MAX + WARI_SEEDS_MAX / 2 + 2,
    WARI_UNREAD_MAX = 4096, /* capacity of struct wari_unread */
};

/* State that the threads of a search share. */
struct wari_tree_shared {
    struct wari_db *db;
    struct wari_variant variant;
    const struct wari_evaluation *evaluation;
    struct wari_search_table table;
    atomic_int seeds_max; /* greatest number of seeds in the database; -1 after a probe has
                           * failed */
    const struct wari_search_limits *limits;
    struct wari_utility utility; /* defines the number that the search maximises */
    double began;                /* by wari_seconds_now() */
    atomic_bool may_stop;        /* an iteration has been finished */
    atomic_bool stopped;
    /* Sums over all threads. Each thread adds its counts from time to time. */
    _Atomic uint64_t nodes, probes, reads;
    atomic_flag failing; /* set by the thread whose probe failed first */
    struct wari_error failure;
};

/* A position on the path from the root, or a position of the game before the root. */
struct wari_path_entry {
    struct wari_search_board board;
    bool opponent; /* the opponent of the side to move at the root is to move */
};

/* What a thread counts: searched positions, values from the database, and reads. */
struct wari_tree_counts {
    uint64_t nodes, probes, reads;
};

/* A random sample of the covered positions whose values were not read. */
struct wari_unread {
    uint64_t count;  /* number of such positions; the sample may hold fewer */
    uint64_t random; /* state of the random number generator */
    struct wari_search_board boards[WARI_UNREAD_MAX];
};

struct wari_tree {
    struct wari_tree_shared *shared;
    struct wari_tree_counts counts;
    struct wari_tree_counts added; /* the part of `counts` that has been added to `shared` */
    double read_seconds;           /* time that reading values took */
    int read_depth; /* with WARI_PROBING_CHEAP, the least depth at which a value of a large level is
                     * read */
    struct {
        uint32_t lookups, hits;
    } cached[WARI_SEEDS_MAX + 1]; /* [n]: look-ups of values of level n in the cache */
    struct wari_unread unread;
    /* The side for which a proof is sought: 1 for the side to move at the root, -1 for the other
     * side. 0 means no proof: estimates count. In a search for a proof, what is not proven
     * counts as the worst case for that side, and no move is reduced or left out. */
    int prover;
    struct wari_path_entry
        *path; /* positions of the game since its last capture, then those from the root on */
    int path_length;
    int root_path_length; /* number of positions of the game */
    uint8_t killers[WARI_TREE_PLIES][2];
    int history[WARI_HALF_PITS][WARI_SEEDS_MAX + 1];
};

/* The result of searching a position, from the view of its mover. */
struct wari_tree_result {
    int score;       /* utility for the mover; only a bound if it is outside the window */
    int least, most; /* proven bounds of the value, in seeds */
};

struct wari_window {
    int alpha, beta;
};

/* A position to be searched. */
struct wari_node {
    struct wari_search_board board;
    bool opponent;
    int lead; /* the seeds that the mover has captured so far minus those of the opponent */
    int depth;
    int since; /* index into `path`; positions from there on may be repeated, because no capture
                  follows them */
};

/* Searches a move that is the `number`th (from 0) to be tried at the node, for the side that
 * makes it. Late moves are first searched with reduced depth. The result is invalid once
 * shared->stopped is set. */
struct wari_tree_result wari_tree_search_move(struct wari_tree *tree, const struct wari_node *node,
                                              const struct wari_step *step, int number,
                                              struct wari_window window);

/* Returns the key of a position. `prover` is that of the tree (struct wari_tree). Searches for
 * proofs, searches for the result of the game and other searches have entries of their own, because
 * the scores of one are useless to another. */
uint64_t wari_tree_key(const struct wari_tree_shared *shared, const struct wari_search_board *board,
                       int prover);

/* Returns true if a stored score is valid for a mover with this lead. A score depends on the lead
 * if the search plays for the result of the game; stored bounds and moves do not. */
bool wari_tree_score_is_valid(const struct wari_tree_shared *shared,
                              const struct wari_stored_result *stored, int lead);

/* Returns the milliseconds since the search began. */
int64_t wari_tree_elapsed(const struct wari_tree_shared *shared);

/* Reduces the weights of the history of moves and clears the killer moves. */
void wari_tree_age_history(struct wari_tree *tree);

#endif

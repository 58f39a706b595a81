/* Reviews all moves of a game: exactly where the database covers the position, otherwise by
 * search. */
#ifndef PLAY_REVIEW_REVIEW_H
#define PLAY_REVIEW_REVIEW_H

#include "play/review/evaluate.h"

/* The review of a move. Values are hundredths of a seed, for the side that moves. */
struct wari_reviewed_move {
    /* Says how the loss is known: exactly; by bounds, which prove that it is at least
     * `proven_loss` or that it is 0; or approximately. */
    enum wari_kind kind;
    int before, played; /* values of the position and of the move */
    int loss;           /* before - played; never negative */
    int proven_loss;    /* proven lower bound of the loss, in seeds */
    uint8_t best;       /* set of moves as good as the best known one: bit p stands for pit p */

    /* The winner with best play before and after the move: 1 for the side that moves, 0 for a
     * draw, -1 for the other side. `turns` means that the move made the outcome worse for the
     * side that played it; this must be proven, or the loss must be at least two seeds. A change
     * of the winner is never proven in rule sets where a slam decides the game whatever the
     * score. */
    int winner_before, winner_after;
    bool turns, turn_proven;
};

struct wari_reviewed_side {
    int moves;
    int proven;      /* number of moves whose loss is known exactly or by bounds */
    int turns;       /* number of moves that changed the result to the mover's disadvantage */
    double accuracy; /* 0 to 100, see wari_review_game(); 100 if there is no move */
    int lost;        /* sum of the losses, in hundredths of a seed */
};

struct wari_review {
    const struct wari_host *host;
    int count; /* game->count */
    struct wari_reviewed_move *moves;
    struct wari_reviewed_side side[2];
};

/* The tools of a review. */
struct wari_reviewer {
    struct wari_db *db;               /* NULL: all positions are searched */
    struct wari_search *search;       /* searches positions that the database does not cover */
    struct wari_search_limits limits; /* limits of the search of each position */

    /* Used instead of wari_evaluate_position(); may be NULL. */
    enum wari_status (*evaluate)(void *context, const struct wari_game *game,
                                 struct wari_position_result *result, struct wari_error *error);
    void (*progress)(void *context, int done,
                     int count); /* called after each position; may be NULL */
    void *context;
};

/* Reviews all moves of a game, which must have the variant of the database and the search. A move
 * that loses n seeds counts 100 / (1 + n / 2); the accuracy of a side is the mean over its moves.
 * Allocates memory from game->host. Fails like wari_evaluate_position(), and with WARI_INTERRUPTED
 * if *limits.stop was set. On failure *review is empty. */
WARI_MUST_CHECK enum wari_status wari_review_game(const struct wari_reviewer *reviewer,
                                                  const struct wari_game *game,
                                                  struct wari_review *review,
                                                  struct wari_error *error);
void wari_review_free(struct wari_review *review);

/* Adds one side of another game: the accuracy becomes the mean over the moves of both. A sum
 * starts as a struct of zeros with the accuracy 100. */
void wari_reviewed_add(struct wari_reviewed_side *sum, const struct wari_reviewed_side *side);

#endif

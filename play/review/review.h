/* A whole game judged: each move exactly where the database has it, and by search above it.
 */
#ifndef PLAY_REVIEW_REVIEW_H
#define PLAY_REVIEW_REVIEW_H

#include "play/review/appraise.h"

/* What is thought of a move. Values are hundredths of a seed, for the side that moves. */
struct wari_opinion {
    /* How the loss is known: exactly; by bounds, that prove it to be at least `proven_loss`, or to
     * be none; or about. */
    enum wari_kind kind;
    int before, played; /* the position's value, and that of the move */
    int loss;           /* before - played, never below 0 */
    int proven_loss;    /* seeds */
    uint8_t best;       /* moves as good as the best one known: bit p is pit p */

    /* Who wins with best play before the move and behind it: 1 the side that moves, 0 nobody, -1
     * the other side. `turns`: the move made that worse for the side that played it: proven, or by
     * a loss of two seeds or more; never proven where a slam decides whatever the score. */
    int winner_before, winner_behind;
    bool turns, turn_proven;
};

struct wari_reviewed_side {
    int moves;
    int proven;      /* moves whose loss is known exactly or by bounds */
    int turns;       /* moves that changed who wins, to one's own harm */
    double accuracy; /* 0 to 100, see wari_review_game(); 100 where there is no move */
    int lost;        /* hundredths of a seed */
};

struct wari_review {
    const struct wari_host *host;
    int count; /* game->count */
    struct wari_opinion *opinions;
    struct wari_reviewed_side side[2];
};

/* What a review is made with. */
struct wari_reviewer {
    struct wari_db *db;
    struct wari_search *search;       /* above that */
    struct wari_search_limits limits; /* for each position */

    /* In place of wari_appraise() with these; NULL: that one. */
    enum wari_status (*appraise)(void *context, const struct wari_game *game,
                                 struct wari_appraisal *appraisal, struct wari_error *error);
    void (*progress)(void *context, int done, int count); /* behind each position; NULL: nobody */
    void *context;
};

/* Reviews all moves of a game of the database's variant. A move that loses n seeds counts 100 / (1
 * + n / 2), and a side's accuracy is the mean of its moves. Memory is from game->host.
 *   WARI_INTERRUPTED   *limits.stop was set
 *   other failures as wari_appraise(); *review then holds nothing */
WARI_MUST_CHECK enum wari_status wari_review_game(const struct wari_reviewer *reviewer,
                                                  const struct wari_game *game,
                                                  struct wari_review *review,
                                                  struct wari_error *error);
void wari_review_free(struct wari_review *review);

#endif

/* Judging above the database, with a search for each position: what `--movetime` asks for.
 */
#ifndef TOOLS_JUDGE_REVIEWING_H
#define TOOLS_JUDGE_REVIEWING_H

#include <jansson.h>

#include "play/review/review.h"
#include "tools/judge/judging.h"

struct reviewing {
    int movetime; /* milliseconds for each position; 0: nothing is searched */
    int threads;
    struct wari_db *db; /* what the search at hand is above */
    struct wari_search *search;
};

/* Reviews a game, with a live line meanwhile. Fails like wari_review_game(). */
WARI_MUST_CHECK enum wari_status reviewing_game(struct reviewing *reviewing, struct wari_db *db,
                                                const struct wari_game *game,
                                                struct wari_review *review,
                                                struct wari_error *error);
void reviewing_end(struct reviewing *reviewing);

/* ---- What is printed beside what judging.h prints ---- */

/* The line of a move that the database does not cover. */
void reviewing_print_move(const struct judged_game *game, int number);

/* Adds to the line of a move that it changed who wins, if it did. */
void reviewing_print_turn(const struct wari_reviewed_move *opinion, bool north);

/* The accuracy of both sides, and how much of that is proven. */
void reviewing_print_sides(const struct wari_review *review);

enum { REVIEWING_COMMENT = 160 };

/* The comment behind a move that the database does not cover. */
void reviewing_comment(const struct wari_ply *ply, const struct wari_reviewed_move *opinion,
                       char comment[REVIEWING_COMMENT]);

/* Adds to the object of a move: kind; value, played, loss, proven_loss and best where the database
 * does not cover it; turns and turn_proven; to that of a game: review. Nonzero if memory runs out.
 */
int reviewing_set_move(json_t *object, const struct judged_game *game, int number);
int reviewing_set_game(json_t *object, const struct wari_review *review);

#endif

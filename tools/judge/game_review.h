/* Judges the positions above the database, or all positions if there is no database, with a search
 * for each position (options --movetime and --depth). */
#ifndef TOOLS_JUDGE_GAME_REVIEW_H
#define TOOLS_JUDGE_GAME_REVIEW_H

#include <jansson.h>

#include "play/review/review.h"
#include "tools/judge/judged_game.h"

struct game_reviewer {
    struct judged_search limits;
    struct wari_db *db;          /* database of the current search, NULL for none */
    struct wari_variant variant; /* variant of the current search */
    struct wari_search *search;
};

/* Reviews a game and shows a progress line meanwhile. `db` may be NULL. Results of searches for
 * other games are discarded, so the review does not depend on the order of the games. Fails like
 * wari_review_game(). */
WARI_MUST_CHECK enum wari_status game_review_run(struct game_reviewer *reviewer, struct wari_db *db,
                                                 const struct wari_game *game,
                                                 struct wari_review *review,
                                                 struct wari_error *error);
void game_review_end(struct game_reviewer *reviewer);

/* ---- Output in addition to that of judged_game.h ---- */

/* Prints the line of a move that the database does not cover. */
void game_review_print_move(const struct judged_game *game, int number);

/* If a move changed the result, adds this fact to the line of the move. */
void game_review_print_turn(const struct wari_reviewed_move *reviewed, bool north);

enum { GAME_REVIEW_LIMITS = 128 };

/* Writes the limits of each search, such as "50 ms, 1 thread", and returns `text`. With a limit on
 * the time, a review is reproduced only approximately, and only if the limits are known. */
const char *game_review_limits(const struct judged_search *search, char text[GAME_REVIEW_LIMITS]);

/* Prints the accuracy of both sides, how much of it is proven, and the limits of the searches. */
void game_review_print_sides(const struct judged_game *game);

/* Prints the totals of all games, and those of each player. */
void game_review_print_total(const struct judged_total *total);

enum { GAME_REVIEW_COMMENT = 160 };

/* Writes the comment for a move that the database does not cover. */
void game_review_comment(const struct wari_ply *ply, const struct wari_reviewed_move *reviewed,
                         char comment[GAME_REVIEW_COMMENT]);

/* Adds the result of the review to the JSON object of a move. The members are always "kind",
 * "turns" and "turn_proven". If the database does not cover the move, there are also "value",
 * "played", "loss", "proven_loss" and "best". Returns nonzero if memory runs out. */
int game_review_set_move(json_t *object, const struct judged_game *game, int number);

#endif

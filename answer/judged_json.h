/* Members of judged and reviewed games, as `wari judge` prints them and the server sends them. All
 * functions that return a json_t return NULL if memory runs out. */
#ifndef ANSWER_JUDGED_JSON_H
#define ANSWER_JUDGED_JSON_H

#include "answer/json.h"
#include "play/judge.h"
#include "play/review/review.h"

/* Returns a played move: "move", "position" and "captured". */
json_t *answer_ply_json(const struct wari_ply *ply);

/* Returns the seeds of South and North: whole numbers as integers, halves as real numbers. */
json_t *answer_score_json(const struct wari_score *score);

/* Returns the letters of the best moves; bit p of `best` stands for pit p. */
json_t *answer_best_json(uint8_t best, bool north);

/* Returns "South" for 0, "North" for 1, and null for -1, which means neither side. */
json_t *answer_side_json(int side);

/* Returns the cost of repeating the final position; null if the position has not occurred before.
 */
json_t *answer_repetition_json(const struct wari_judged_cycle *cycle);

/* Adds to the object of a move: "kind"; if `values`, "value", "played", "loss", "proven_loss" and
 * "best"; "turns" and "turn_proven". Returns nonzero if memory runs out. */
int answer_set_review(json_t *object, const struct wari_reviewed_move *reviewed, bool north,
                      bool values);

/* Returns how well a side played: "moves", "accuracy", "proven", "lost" and "turns". */
json_t *answer_reviewed_side_json(const struct wari_reviewed_side *side);

/* Returns how well both sides played: "South" and "North". */
json_t *answer_review_json(const struct wari_reviewed_side side[2]);

#endif

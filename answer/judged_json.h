/* Parts of a judged game that `wari judge` prints and the server sends alike. Each is NULL if
 * memory runs out. */
#ifndef ANSWER_JUDGED_JSON_H
#define ANSWER_JUDGED_JSON_H

#include "answer/json.h"
#include "play/judge.h"
#include "play/review/review.h"

/* A move that was played: move, position and captured. */
json_t *answer_ply_json(const struct wari_ply *ply);

/* South's and North's seeds: whole ones as integers, half ones as real numbers. */
json_t *answer_score_json(const struct wari_score *score);

/* The letters of the perfect moves, bit p of `best` for pit p. */
json_t *answer_best_json(uint8_t best, bool north);

/* 0 South, 1 North; -1, nobody, is null. */
json_t *answer_side_json(int side);

/* What repeating the final position costs; null if it has not stood before. */
json_t *answer_repetition_json(const struct wari_judged_cycle *cycle);

/* Adds to the object of a move: kind; with `values` value, played, loss, proven_loss and best;
 * turns and turn_proven. Nonzero if memory runs out. */
int answer_set_opinion(json_t *object, const struct wari_opinion *opinion, bool north, bool values);

/* How both sides played. NULL if memory runs out. */
json_t *answer_review_json(const struct wari_review *review);

#endif

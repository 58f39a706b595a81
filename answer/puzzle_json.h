/* A puzzle as JSON, as `wari puzzles` prints it and the server sends it. */
#ifndef ANSWER_PUZZLE_JSON_H
#define ANSWER_PUZZLE_JSON_H

#include "answer/json.h"
#include "play/review/puzzle.h"

/* Makes an object: "position" (a diagram), "rules", "cycle", "seeds", "goal", "difficulty", "move",
 * "lead" (South's seeds minus North's at the end), "line" (the solution) and "others": for each
 * other move its "move", "lead", "result" ("win", "draw" or "loss") and "reply", the best reply to
 * it (null if the game is over). `db` is the database of the puzzle. Fails like wari_find_line();
 * then *object is NULL. */
WARI_MUST_CHECK enum wari_status answer_puzzle_json(struct wari_db *db,
                                                    const struct wari_puzzle *puzzle,
                                                    json_t **object, struct wari_error *error);

#endif

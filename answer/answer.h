/* Answers about positions, moves, levels and proofs, as data and as JSON. `wari` prints them and
 * the server sends them, from the same code.
 *
 * No function has any state, so any number of threads may call them at once. All functions that
 * return a json_t return NULL if memory runs out. */
#ifndef ANSWER_ANSWER_H
#define ANSWER_ANSWER_H

#include "answer/json.h"
#include "db/wari.h"
#include "play/game.h"
#include "play/review/evaluate.h"

/* ---- Proof ---- */

struct answer_proof {
    int seeds_max; /* levels 0..seeds_max are recorded as proved; -1 if none is */
    /* Any status but WARI_OK means that there is a record that cannot be trusted (wari_proved()).
     */
    enum wari_status status;
    struct wari_error error; /* describes the problem with the record */
};

/* Reads the proof record in the folder that `db` was opened in. A record that cannot be trusted
 * does not prevent answers: `proof` says what is wrong, and no level counts as proved. */
void answer_proof_find(const struct wari_db *db, const char *folder, struct answer_proof *proof);

/* Returns the state of the record in one word: "fits", "none", "damaged", "version" (of another
 * version) or "unreadable". */
const char *answer_proof_state(const struct answer_proof *proof);

/* ---- Positions ---- */

/* The outcome of a line of play. The mover is the side to move in the first position. */
struct line_facts {
    bool slam;             /* the last move is a slam that ends the game */
    bool slam_by_opponent; /* the slam is the opponent's, not the mover's */
    int seeds_left;        /* number of seeds on the board at the end; with `slam`, before the
                            * slam */
    int final_difference;  /* the mover's share of seeds_left minus the opponent's share, if the
                            * line ends because there is no legal move; otherwise 0 */
    int total; /* the mover's captures along the line minus the opponent's, plus `rest` of
                * struct wari_line */
};

/* The parts of an answer besides the position, its value and the variant. */
enum answer_detail {
    ANSWER_VALUE, /* no further parts */
    ANSWER_MOVES, /* all moves with their values */
    ANSWER_FULL,  /* also the line of best play and, for a diagram, the final score */
};

struct answer {
    enum answer_detail detail; /* which of the following fields are set */
    struct wari_setup setup;
    struct wari_variant variant;
    bool proved; /* the level is recorded as proved */
    struct wari_analysis analysis;
    struct wari_line line;
    struct line_facts facts;
    struct wari_score result; /* the final score with best play; meaningful for a diagram */
};

/* Looks up the parts of an answer that `detail` selects. `proof` comes from answer_proof_find() for
 * the same `db`. Fails like wari_probe(). */
WARI_MUST_CHECK enum wari_status answer_find(struct wari_db *db, const struct answer_proof *proof,
                                             const struct wari_setup *setup,
                                             enum answer_detail detail, struct answer *answer,
                                             struct wari_error *error);

/* Makes the full answer to a position without legal moves, which needs no tables. `value` is the
 * value of the end of the game, from wari_find_moves(). */
void answer_game_over(struct wari_variant variant, const struct wari_setup *setup, int value,
                      struct answer *answer);

/* Returns an answer as an object, with the parts that were looked up. */
json_t *answer_json(const struct answer *answer);

/* Returns an object with the members that every answer starts with: the position, its seeds and the
 * variant. */
json_t *answer_searched_head(const struct wari_setup *setup, struct wari_variant variant);

/* Returns the object that `wari query --search --format json` prints. */
json_t *answer_searched_json(const struct wari_setup *setup, struct wari_variant variant,
                             const struct wari_position_result *result);

/* ---- Moves and levels ---- */

/* Returns the legal moves of a position, without values. "moves" lists them in the order A..F, each
 * with
 *
 *   "move"       its letter
 *   "captured"   the number of captured seeds
 *   "sown"       the pits into which its seeds fall, one after the other
 *   "taken"      the pits that the capture empties
 *   "next"       the position after it, seen by the side that moves next, or by the opponent if the
 *                move ends the game
 *   "again"      true if the same side moves again
 *   "ends"       how it ends the game; present only if it does
 *
 * Pits are numbered 0..11 for A..F of the mover and a..f of the opponent. "refused" lists the
 * mover's other pits that hold seeds, each with "move" and "why": "feed" (the opponent has no
 * seeds, and this move gives none) or "slam" (the move would capture all seeds of the opponent,
 * which these rules forbid). "end" is present only if there is no legal move. "end" and "ends" give
 * the distribution of the seeds on the board: "mover", "opponent" and "nobody", and the "winner"
 * where a slam decides the game regardless of the score. */
json_t *answer_moves_json(enum wari_rules rules, const struct wari_setup *setup);

/* Makes the object that `wari stats --format json` prints, from what the catalogue records of the
 * levels `first` to `last`, which the database must have. `proof` comes from answer_proof_find()
 * for the same `db`. On failure *object is NULL. */
WARI_MUST_CHECK enum wari_status answer_levels_json(struct wari_db *db,
                                                    const struct answer_proof *proof, int first,
                                                    int last, json_t **object,
                                                    struct wari_error *error);

/* Makes an array of the levels that the catalogue lists but whose files are missing, in ascending
 * order. Returns NULL if memory runs out. */
json_t *answer_missing_json(const struct wari_db *db);

/* Returns the number of placements with values from `least` to `most`, both in -48..48. */
uint64_t answer_count_between(const struct wari_level_info *level, int least, int most);

#endif

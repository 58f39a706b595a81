/* The whole answer to a question about a position: its analysis, a line of best play, and what both
 * come to. `wari query` prints it and the server sends it, from the same code.
 *
 * No state anywhere: every function may be called by any number of threads at once. */
#ifndef ANSWER_ANSWER_H
#define ANSWER_ANSWER_H

#include "answer/json.h"
#include "db/wari.h"
#include "play/game.h"
#include "play/review/appraise.h"

/* ---- Proof ---- */

struct answer_proof {
    int seeds_max;           /* levels 0..seeds_max are on record as proved; -1: none */
    enum wari_status status; /* not WARI_OK: there is a record that cannot be trusted, as for
                              * wari_proved() */
    struct wari_error error; /* then what is wrong with it */
};

/* Reads the record in the folder that `db` was opened in. */
void answer_proof_find(const struct wari_db *db, const char *folder, struct answer_proof *proof);

/* One word: "fits", "none", "damaged", "version" (another one) or "unreadable". */
const char *answer_proof_state(const struct answer_proof *proof);

/* ---- Positions ---- */

/* What a line of play comes to. "Mover" is the side to move in the first position. */
struct line_facts {
    bool slam;             /* the last move is a slam that ends the game */
    bool slam_by_opponent; /* of the mover */
    int seeds_left;        /* on the board at the end; with `slam`, before it */
    int final_difference;  /* of these, what the mover takes minus what the opponent takes */
    int total;             /* to the mover: captures along the line and its end */
};

/* What an answer holds beside the position, its value and the variant. */
enum answer_detail {
    ANSWER_VALUE, /* nothing */
    ANSWER_MOVES, /* all moves with their values */
    ANSWER_FULL,  /* these, the line of play and, for a diagram, the final score */
};

struct answer {
    enum answer_detail detail; /* how much of what follows was looked up */
    struct wari_setup setup;
    struct wari_variant variant;
    bool proved; /* the level is on record as proved */
    struct wari_analysis analysis;
    struct wari_line line;
    struct line_facts facts;
    struct wari_score result; /* with best play; meaningful for a diagram */
};

/* Looks up what `detail` asks for; `proof` is that of `db`. Fails like wari_probe(). */
WARI_MUST_CHECK enum wari_status answer_find(struct wari_db *db, const struct answer_proof *proof,
                                             const struct wari_setup *setup,
                                             enum answer_detail detail, struct answer *answer,
                                             struct wari_error *error);

/* The whole answer to a position without moves, which needs no table: `value` is what the end of
 * the game pays (wari_moves()). */
void answer_game_over(struct wari_variant variant, const struct wari_setup *setup, int value,
                      struct answer *answer);

/* An answer as an object, with as much as was looked up. NULL if memory runs out. */
json_t *answer_json(const struct answer *answer);

/* What an answer begins with, whatever is known of the position: its counts, seeds and variant.
 * NULL if memory runs out. */
json_t *answer_searched_head(const struct wari_setup *setup, struct wari_variant variant);

/* The object that `wari query --search --format json` prints. NULL if memory runs out. */
json_t *answer_searched_json(const struct wari_setup *setup, struct wari_variant variant,
                             const struct wari_appraisal *appraisal);

/* ---- Moves and levels ---- */

/* The moves that the rules allow, values apart: "moves" in the order A..F, each with "move" (its
 * letter), "captured", "sown" (the pits into which its seeds fall, one after the other), "taken"
 * (the pits it empties by capture), "next" (the position after it, seen by the side that moves
 * next; where the move ends the game, by the opponent), "again" and, where it ends the game,
 * "ends". Pits are numbered 0..11 for A..F a..f of the mover. "refused" lists the mover's other
 * pits that hold seeds, each with "move" and "why": "feed" (the opponent has no seeds, and this
 * gives none) or "slam" (it would capture all the opponent has, which these rules forbid). Where
 * there is no move, "end". "end" and "ends" say how the seeds on the board are shared: "mover",
 * "opponent", "nobody", and "winner" where a slam decides the game whatever the score. NULL if
 * memory runs out. */
json_t *answer_moves_json(enum wari_rules rules, const struct wari_setup *setup);

/* What the catalogue knows of every level of a database: the object that `wari stats --format json`
 * prints; `proof` is that of `db`. On failure *object is NULL. */
WARI_MUST_CHECK enum wari_status answer_levels_json(struct wari_db *db,
                                                    const struct answer_proof *proof,
                                                    json_t **object, struct wari_error *error);

/* Placements with values from `least` to `most`, both in -48..48. */
uint64_t answer_count_between(const struct wari_level_info *level, int least, int most);

#endif

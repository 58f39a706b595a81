/* The whole answer to a question about a position: its analysis, a line of best play, and what both
 * come to. `wari query` prints it and the server sends it, from the same code.
 *
 * No state anywhere: every function may be called by any number of threads at once. */
#ifndef ANSWER_ANSWER_H
#define ANSWER_ANSWER_H

#include "answer/json.h"
#include "answer/proof.h"
#include "db/wari.h"
#include "play/game.h"

/* What a line of play comes to. "Mover" is the side to move in the first position. */
struct line_facts {
    bool slam;             /* the last move is a slam that ends the game */
    bool slam_by_opponent; /* of the mover */
    int seeds_left;        /* on the board at the end; with `slam`, before it */
    int last_share;        /* of these, what the mover takes minus what the opponent takes */
    int worth;             /* to the mover: captures along the line and its end */
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
void answer_over(struct wari_variant variant, const struct wari_setup *setup, int value,
                 struct answer *answer);

/* An answer as an object, with as much as was looked up. NULL if memory runs out. */
json_t *answer_json(const struct answer *answer);

#endif

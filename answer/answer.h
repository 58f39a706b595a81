/* The whole answer to a question about a position: its analysis, a line of best play, and what both
 * come to. `wari query` prints it and the server sends it, from the same code.
 *
 * No state anywhere: every function may be called by any number of threads at once. */
#ifndef ANSWER_ANSWER_H
#define ANSWER_ANSWER_H

#include "answer/json.h"
#include "db/wari.h"

/* What a line of play comes to. "Mover" is the side to move in the first position. */
struct line_facts {
    bool slam;             /* the last move is a slam that ends the game */
    bool slam_by_opponent; /* of the mover */
    int seeds_left;        /* on the board at the end; with `slam`, before it */
    int last_share;        /* of these, what the mover takes minus what his opponent takes */
    int worth;             /* to the mover: captures along the line and its end */
};

/* The final score of a game whose stores are known, with best play. */
enum winner { WINNER_NOBODY, WINNER_SOUTH, WINNER_NORTH };

struct result {
    int halves[2]; /* South's and North's seeds, in half seeds: endless play may split one */
    int nobody;    /* seeds that count for nobody (`slam-ends`) */
    enum winner winner;
    bool by_slam; /* a slam decides, whatever the score */
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
    struct wari_analysis analysis;
    struct wari_line line;
    struct line_facts facts;
    struct result result; /* meaningful for a diagram */
};

/* Looks up what `detail` asks for. Fails like wari_probe(). */
WARI_MUST_CHECK enum wari_status answer_find(struct wari_db *db, const struct wari_setup *setup,
                                             enum answer_detail detail, struct answer *answer,
                                             struct wari_error *error);

/* An answer as an object, with as much as was looked up. NULL if memory runs out. */
json_t *answer_json(const struct answer *answer);

/* The moves that the rules allow, values apart: "moves" in the order A..F, each with "move" (its
 * letter), "captured", "sown" (the pits into which its seeds fall, one after the other), "taken"
 * (the pits it empties by capture), "next" (the position after it, seen by whoever moves next;
 * where the move ends the game, by the opponent), "again" and, where it ends the game, "ends". Pits
 * are numbered 0..11 for A..F a..f of the mover. Where there is no move, "end". "end" and "ends"
 * say how the seeds on the board are shared: "mover", "opponent", "nobody", and "winner" where a
 * slam decides the game whatever the score. NULL if memory runs out. */
json_t *answer_moves_json(enum wari_rules rules, const struct wari_setup *setup);

/* What the catalogue knows of every level of a database: the object that `wari stats --format json`
 * prints. On failure *object is NULL. */
WARI_MUST_CHECK enum wari_status answer_levels_json(struct wari_db *db, json_t **object,
                                                    struct wari_error *error);

/* Placements with values from `least` to `most`, both in -48..48. */
uint64_t answer_count_between(const struct wari_level_info *level, int least, int most);

#endif

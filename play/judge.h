/* Compares the moves of a game with perfect play.
 *
 * All values and losses are differences: seeds of one side minus seeds of the other. A position
 * with more seeds than the database has is not covered, and a move there is not judged. Without a
 * database (NULL), no position is covered. */
#ifndef PLAY_JUDGE_H
#define PLAY_JUDGE_H

#include "db/wari.h"
#include "play/game.h"

/* The judgement of one move. If `covered` is false, all other fields are 0. */
struct wari_judged_move {
    bool covered;
    int8_t before; /* value of the position for the side to move */
    int8_t played; /* value, for the same side, of the move that was played, including what it
                      captures */
    uint8_t loss;  /* before - played; 0 for a perfect move */
    uint8_t best;  /* set of the perfect moves: bit p stands for pit p */
};

/* The judgement of one side in a game, or of both together. */
struct wari_judged_side {
    int moves;   /* number of moves played */
    int judged;  /* number of moves made in covered positions */
    int perfect; /* number of judged moves without a loss */
    int lost;    /* seeds lost by moves, not including cycle_lost */
    int first;   /* the first mistake, as an index of game->plies; -1 if there is no mistake */
    int worst;   /* the first of the worst mistakes, as an index of game->plies; -1 if there is
                  * no mistake */
    int worst_loss;
    int cycle_lost; /* seeds lost by repeating positions until the cycle rule ended the game */
};

/* The repetition of the final position of a game. */
struct wari_judged_cycle {
    int times; /* number of occurrences of the position. If it is 1, the other fields are
                  meaningless */
    int first; /* number of moves before its first occurrence */
    int pays;  /* South's score by the cycle rule, minus North's */

    /* The cost of the repetition to `loser`: the difference between the value of the position and
     * the score of the cycle rule; 0 if the position is not covered. Nothing is lost yet while
     * `times` is less than 3. */
    bool covered;
    int value; /* value of the position for South */
    int loser; /* the side that loses by the repetition: 0 South, 1 North, -1 neither */
    int cost;
};

struct wari_judgement {
    const struct wari_host *host;
    int count;                      /* game->count */
    struct wari_judged_move *moves; /* the judgement of each move */
    struct wari_judged_side side[2];
    struct wari_judged_side total;
    struct wari_judged_cycle cycle;

    /* True if the game has ended or the final position is covered. `score` is then the final score
     * of the game or, if the game is open, the score with best play from the final position. */
    bool score_known;
    struct wari_score score;
};

/* Judges all moves of a game, which must have the variant of the database (otherwise
 * WARI_MISMATCH). `db` may be NULL. Allocates memory from game->host. Fails like wari_analyse();
 * *judgement is then empty.
 *
 * Invariant for every covered position of a finished game, where scores are South's seeds minus
 * North's: the score with best play from that position equals the final score, plus everything that
 * South lost afterwards, minus everything that North lost afterwards. Losses by the cycle rule are
 * included. */
WARI_MUST_CHECK enum wari_status wari_judge_game(struct wari_db *db, const struct wari_game *game,
                                                 struct wari_judgement *judgement,
                                                 struct wari_error *error);
void wari_judgement_free(struct wari_judgement *judgement);

/* The following functions do the work of wari_judge_game() in steps, for callers that do other
 * work in between. Call first wari_judge_begin(), then wari_judge_ply() for each ply from 0 to
 * game->count - 1, then wari_judge_end(). If a step fails, the caller still has to free the
 * judgement. */
WARI_MUST_CHECK enum wari_status wari_judge_begin(struct wari_db *db, const struct wari_game *game,
                                                  struct wari_judgement *judgement,
                                                  struct wari_error *error);
WARI_MUST_CHECK enum wari_status wari_judge_ply(struct wari_db *db, const struct wari_game *game,
                                                int ply, struct wari_judgement *judgement,
                                                struct wari_error *error);

/* Judges only the end of the game: sets `score_known`, `score`, `cycle` and `cycle_lost`. Fails
 * like wari_probe(). */
WARI_MUST_CHECK enum wari_status wari_judge_end(struct wari_db *db, const struct wari_game *game,
                                                struct wari_judgement *judgement,
                                                struct wari_error *error);

/* Computes the score with best play from the position before move `ply`, or from the end if ply
 * is `count`. Returns false if the position is not covered. (If best play under `slam-ends` leads
 * to a slam, some seeds go to neither side, and the value of the position does not say how many.
 * The score then gives each side half of these seeds.) */
bool wari_judged_score(const struct wari_game *game, const struct wari_judgement *judgement,
                       int ply, struct wari_score *score);

/* Adds one side of another game. Sets `first` and `worst` to -1, because they are meaningful
 * only within one game, and keeps the maximum of worst_loss. */
void wari_judged_add(struct wari_judged_side *sum, const struct wari_judged_side *side);

#endif

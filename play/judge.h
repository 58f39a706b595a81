/* What moves cost against perfect play.
 *
 * All values and losses are differences: seeds of one side minus those of the other. A position
 * with more seeds than the database has is not covered, and nothing is said about a move there.
 */
#ifndef PLAY_JUDGE_H
#define PLAY_JUDGE_H

#include "db/wari.h"
#include "play/game.h"

/* One move. Unless `covered` all else is 0. */
struct wari_verdict {
    bool covered;
    int8_t before; /* the value of the position for the side to move */
    int8_t played; /* the value of the move played, for the same side: what it captures, too */
    uint8_t loss;  /* before - played: 0 for a perfect move */
    uint8_t best;  /* the perfect moves: bit p is pit p */
};

/* Judges pit 0..5, a legal move of `position`.
 *   WARI_BAD_INPUT   it is none
 *   WARI_CORRUPT, WARI_IO, WARI_NO_MEMORY   as wari_analyse()
 * A position that is not covered is no failure. */
WARI_MUST_CHECK enum wari_status wari_judge_move(struct wari_db *db,
                                                 const struct wari_position *position, int pit,
                                                 struct wari_verdict *verdict,
                                                 struct wari_error *error);

/* What one side did in a game, or both together. */
struct wari_judged_side {
    int moves;   /* played */
    int judged;  /* of these, covered */
    int perfect; /* of these, without loss */
    int lost;    /* seeds, by moves; what the cycle rule cost is not among them */
    int first;   /* the first mistake: an index of game->plies; -1 if there is none */
    int worst;   /* the (first of the) worst ones; -1 */
    int worst_loss;
    int cycle_lost; /* seeds lost by repeating positions until the cycle rule ended the game */
};

/* The position at the end of the game has stood there before. */
struct wari_judged_cycle {
    int times; /* 1: it has not, and nothing below has a meaning */
    int first; /* moves before the first time */
    int pays;  /* what the cycle rule gives South, minus North's */

    /* What the repetition gives away: the value of the position, where it is covered, less what the
     * cycle rule pays. Nothing is lost yet while times is below 3. */
    bool covered;
    int value; /* for South */
    int loser; /* 0 South, 1 North, -1 nobody */
    int cost;
};

struct wari_judgement {
    const struct wari_host *host;
    int count;                     /* game->count */
    struct wari_verdict *verdicts; /* one for each move */
    struct wari_judged_side side[2];
    struct wari_judged_side total;
    struct wari_judged_cycle cycle;

    /* The final position: covered, or the game has ended. `score` is what it comes to with best
     * play from there, or the true score if game->end says so. */
    bool score_known;
    struct wari_score score;
};

/* Judges all moves of a game, which must be of the database's variant (WARI_MISMATCH otherwise).
 * Memory is from game->host. Fails like wari_judge_move(); *judgement then holds nothing.
 *
 * What always holds from any covered position of a game that has ended: its score with best play,
 * South's seeds minus North's, is the final one + all that South lost from there on - all that
 * North lost, by moves and by the cycle rule. */
WARI_MUST_CHECK enum wari_status wari_judge_game(struct wari_db *db, const struct wari_game *game,
                                                 struct wari_judgement *judgement,
                                                 struct wari_error *error);
void wari_judgement_free(struct wari_judgement *judgement);

/* The same in steps, for who does something else in between: begin, then each ply in turn, from 0
 * to game->count - 1, then wari_judge_end(). Where a step fails, the judgement is the caller's to
 * free. */
WARI_MUST_CHECK enum wari_status wari_judge_begin(struct wari_db *db, const struct wari_game *game,
                                                  struct wari_judgement *judgement,
                                                  struct wari_error *error);
WARI_MUST_CHECK enum wari_status wari_judge_ply(struct wari_db *db, const struct wari_game *game,
                                                int ply, struct wari_judgement *judgement,
                                                struct wari_error *error);

/* What is said of the end alone: `score` and `cycle`. `db` NULL: there is none. Fails like
 * wari_probe(). */
WARI_MUST_CHECK enum wari_status wari_judge_end(struct wari_db *db, const struct wari_game *game,
                                                struct wari_judgement *judgement,
                                                struct wari_error *error);

/* The score with best play from the position before move `ply`, or from the end for ply = count;
 * false if it is not covered. (A value does not say how many seeds a slam of `slam-ends` would
 * leave to nobody: before that has happened, both sides have half of them.) */
bool wari_judged_score(const struct wari_game *game, const struct wari_judgement *judgement,
                       int ply, struct wari_score *score);

/* Adds one side of another game. `first` and `worst` keep their meaning only within one game; here
 * worst_loss is kept and both are set to -1. */
void wari_judged_add(struct wari_judged_side *sum, const struct wari_judged_side *side);

#endif

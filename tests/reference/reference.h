/* The reference: the game, its value and its counts worked out a second time, slowly and plainly.
 *
 * It shares no header and no line of code with the program it checks: rules, positions, numbering
 * and solving are all its own, written from the rules of the game alone. Where the program and the
 * reference differ, one of them is wrong.
 *
 * A position is twelve counts seen from the player to move: pits[0..5] are the mover's A..F,
 * pits[6..11] the opponent's a..f. Nothing here keeps hidden state; any number of threads may call
 * anything at once.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdint.h>

enum { REF_PITS = 12, REF_ROW = 6, REF_ALL_SEEDS = 48 };

/* The most seeds ref_solve() takes: children are kept as 32-bit numbers, and C(30+11,11) is the
 * last level that fits them. (Memory runs out long before: about 35 bytes a position.) */
enum { REF_MAX_SEEDS = 30 };

/* Rule sets; plain ints, in this order. */
enum {
    REF_AWARI,
    REF_WARI,
    REF_ABAPA,
    REF_WARRI,
    REF_WARE,
    REF_SLAM_ENDS,
    REF_SLAM_GIVES,
    REF_SLAM_WINS,
    REF_RULE_SETS
};

/* What endless play is worth: nothing to either side, or the surplus held for ever in the own row.
 */
enum { REF_EVEN, REF_OWN };

/* What one pit offers. */
struct ref_move {
    int legal;    /* 0: this pit may not be played, and nothing below has a meaning */
    int slam;     /* the move is a grand slam, whatever the rule set makes of it */
    int captured; /* seeds the mover takes off the board; 0 if the move ends the game */
    int ends;     /* the game ends with this move; `next` has no meaning */
    int value;    /* if it ends: what the move is worth to the mover */
    int again;    /* the same player moves next, and `next` is not turned round */
    unsigned char next[REF_PITS]; /* the position after it, seen from the player to move then */
};

/* Fills moves[0..5] for the pits A..F and returns how many are legal. Where none is, the game is
 * over, and *end_value is what that is worth to the mover; otherwise *end_value is left alone.
 * `pits` may hold 0..REF_ALL_SEEDS seeds. */
int ref_moves(int rules, const unsigned char pits[REF_PITS], struct ref_move moves[REF_ROW],
              int *end_value);

/* The number of sequences of exactly `depth` sowings from `pits`. */
uint64_t ref_perft(int rules, const unsigned char pits[REF_PITS], int depth);

/* The numbering of the C(n+11,11) placements of n seeds, for n up to REF_ALL_SEEDS:
 * below[i][s] = C(s+i, i+1) placements come before those whose pits 0..i hold s seeds together
 * while the pits behind are as they are. */
struct ref_numbering {
    uint64_t below[REF_PITS - 1][REF_ALL_SEEDS + 2];
};

void ref_numbering_fill(struct ref_numbering *numbering);

/* How many placements of `seeds` seeds there are. */
uint64_t ref_count(const struct ref_numbering *numbering, int seeds);

/* The number of `pits` among the placements of as many seeds, from 0. */
uint64_t ref_rank(const struct ref_numbering *numbering, const unsigned char pits[REF_PITS]);

/* The placement with number 0, and the step to the following number; ref_next() returns 0 and
 * leaves `pits` alone once there is none. */
void ref_first(int seeds, unsigned char pits[REF_PITS]);
int ref_next(unsigned char pits[REF_PITS]);

/* The exact values of all placements of 0..max_seeds seeds. */
struct ref_table;

/* Solves them under one of the rule sets and REF_EVEN or REF_OWN. NULL if memory runs out or an
 * argument is out of range. The caller frees the table with ref_free(), which takes NULL too. */
struct ref_table *ref_solve(int rules, int cycle, int max_seeds);
/* The same for REF_EVEN by the definition alone: sweeps over single positions, each sown anew every
 * time. Several times slower; what `make bench` compares with. */
struct ref_table *ref_solve_plain(int rules, int max_seeds);

void ref_free(struct ref_table *table);

/* The values of one level in the order of ref_rank(); NULL if `seeds` was not solved. They live as
 * long as the table. */
const signed char *ref_level(const struct ref_table *table, int seeds);

/* The value of one position to its mover; REF_UNKNOWN if its level was not solved. */
enum { REF_UNKNOWN = 127 };
int ref_value(const struct ref_table *table, const unsigned char pits[REF_PITS]);

/* counts[seeds + v] = how many placements of `seeds` seeds are worth v, for v in -seeds..seeds.
 * Returns 0, with `counts` all zero, if the level was not solved. */
int ref_histogram(const struct ref_table *table, int seeds, uint64_t counts[2 * REF_MAX_SEEDS + 1]);

#endif

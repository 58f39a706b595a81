/* The reference: an independent implementation of the rules, of the values and of the counts, which
 * is slow and simple.
 *
 * It shares no header and no code with the program that it checks. Its rules, positions, numbering
 * and solver were written from the rules of the game alone. If the program and the reference
 * differ, one of them is wrong.
 *
 * A position is twelve counts as seen by the player to move: pits[0..5] are the mover's A..F,
 * pits[6..11] the opponent's a..f. There is no hidden state: any number of threads may call any
 * function at once. */
#ifndef TESTS_REFERENCE_REFERENCE_H
#define TESTS_REFERENCE_REFERENCE_H

#include <stdint.h>

enum { REF_PITS = 12, REF_ROW = 6, REF_ALL_SEEDS = 48 };

/* The largest level that ref_solve() accepts. Children are stored as 32-bit numbers, and
 * C(30+11,11) is the last number of placements that fits. (Memory runs out long before that: a
 * level takes about 35 bytes for each position.) */
enum { REF_MAX_SEEDS = 30 };

/* The rule sets, as plain integers in this order. */
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

/* The value of endless play: 0, or the surplus that a side holds for ever in its row. */
enum { REF_EVEN, REF_OWN };

/* The move of one pit. */
struct ref_move {
    int legal;    /* 0 if the pit may not be played; the other fields are then meaningless */
    int slam;     /* the move is a grand slam, whatever the rule set does about it */
    int captured; /* seeds that the mover takes off the board; 0 if the move ends the game */
    int ends;     /* the game ends with this move; `next` is then meaningless */
    int value;    /* if the move ends the game: its value for the mover */
    int again;    /* the same player moves next, and `next` is seen by this player */
    unsigned char next[REF_PITS]; /* the position after the move, seen by the player to move next */
};

/* Fills moves[0..5] with the moves from the pits A..F and returns the number of legal moves. If
 * there is none, the game is over, and *end_value is its value for the mover; otherwise *end_value
 * is unchanged. `pits` may contain 0..REF_ALL_SEEDS seeds. */
int ref_moves(int rules, const unsigned char pits[REF_PITS], struct ref_move moves[REF_ROW],
              int *end_value);

/* Returns the number of sequences of exactly `depth` sowings from `pits`. */
uint64_t ref_perft(int rules, const unsigned char pits[REF_PITS], int depth);

/* The numbering of the C(n+11,11) placements of n seeds, for n up to REF_ALL_SEEDS. below[i][s] is
 * C(s+i, i+1): if pits 0..i of a placement hold s seeds together, it is the number of placements
 * with fewer seeds in these pits and the same seeds in the pits after i + 1. */
struct ref_numbering {
    uint64_t below[REF_PITS - 1][REF_ALL_SEEDS + 2];
};

void ref_numbering_fill(struct ref_numbering *numbering);

/* Returns the number of placements of `seeds` seeds. */
uint64_t ref_count(const struct ref_numbering *numbering, int seeds);

/* Returns the number of `pits` among the placements with the same number of seeds, starting with
 * 0. */
uint64_t ref_rank(const struct ref_numbering *numbering, const unsigned char pits[REF_PITS]);

/* ref_first() sets `pits` to the placement with number 0, ref_next() to the placement with the next
 * number. ref_next() returns 0 and leaves `pits` unchanged after the last placement. */
void ref_first(int seeds, unsigned char pits[REF_PITS]);
int ref_next(unsigned char pits[REF_PITS]);

/* The exact values of all placements of 0..max_seeds seeds. */
struct ref_table;

/* Solves all levels up to max_seeds under a rule set and REF_EVEN or REF_OWN. Returns NULL if
 * there is no memory or an argument is out of range. The caller frees the table with ref_free(),
 * which accepts NULL. */
struct ref_table *ref_solve(int rules, int cycle, int max_seeds);
/* Computes the same values for REF_EVEN directly from the definition: sweeps over single positions,
 * and sows every move again in every sweep. It is several times slower than ref_solve(); `make
 * bench` compares its speed with the solver's. */
struct ref_table *ref_solve_plain(int rules, int max_seeds);

void ref_free(struct ref_table *table);

/* Returns the values of a level in the order of ref_rank(); NULL if the level was not solved. The
 * array is valid until the table is freed. */
const signed char *ref_level(const struct ref_table *table, int seeds);

/* Returns the value of a position for its mover; REF_UNKNOWN if its level was not solved. */
enum { REF_UNKNOWN = 127 };
int ref_value(const struct ref_table *table, const unsigned char pits[REF_PITS]);

/* Sets counts[seeds + v] to the number of placements of `seeds` seeds with value v, for v in
 * -seeds..seeds. Returns 0, with `counts` all zero, if the level was not solved. */
int ref_histogram(const struct ref_table *table, int seeds, uint64_t counts[2 * REF_MAX_SEEDS + 1]);

#endif

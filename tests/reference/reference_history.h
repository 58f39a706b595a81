/* The game that ends when a position returns: who reaches how many seeds, given the history.
 *
 * This solver plays the rule itself, depth-first over histories, and knows no other theory. Like
 * the rest of the reference, it shares no code with the program. */
#ifndef TESTS_REFERENCE_REFERENCE_HISTORY_H
#define TESTS_REFERENCE_REFERENCE_HISTORY_H

#include "tests/reference/reference.h"

/* A position of a game, as seen by its mover. */
struct ref_past {
    unsigned char pits[REF_PITS];
    int other; /* the opponent of the side to move at the end of the history is to move */
};

/* A solver for the positions of one rule set with up to `seeds` seeds. The game ends when a
 * position has occurred `times` times, which is 2 or 3. */
struct ref_history;

/* The score of a game that ends by repetition. REF_ROWS: each side takes the seeds in its own row.
 * REF_HALVES: each side takes half of the seeds. REF_CYCLE: the result depends on all positions
 * since the first occurrence of the repeated position. If one side had more seeds in its row than
 * the other side in all of them, it wins by the smallest of these differences; otherwise both sides
 * get the same. */
enum ref_payment { REF_ROWS, REF_HALVES, REF_CYCLE };

/* Returns NULL if there is not enough memory. */
struct ref_history *ref_history_new(int rules, enum ref_payment payment, int times, int seeds);
void ref_history_free(struct ref_history *solver);

/* Returns 1 if the side to move can get `target` seeds more than the other side from here on, 0 if
 * the other side can prevent it, and -1 if that takes more than `steps` steps to find out. `past`
 * has the `count` positions since the last capture, in order; `pits` is not among them. */
int ref_history_reaches(struct ref_history *solver, const unsigned char pits[REF_PITS],
                        const struct ref_past *past, int count, int target, long steps);

/* Answers the same question for the legal move of a pit. */
int ref_history_move_reaches(struct ref_history *solver, const unsigned char pits[REF_PITS],
                             const struct ref_past *past, int count, int pit, int target,
                             long steps);

#endif

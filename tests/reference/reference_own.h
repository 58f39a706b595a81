/* A level prepared for solving, and its solution under `own`. Private to reference_solve.c. */
#ifndef TESTS_REFERENCE_REFERENCE_OWN_H
#define TESTS_REFERENCE_REFERENCE_OWN_H

#include "reference.h"

/* Value if a position has no move that captures or ends the game: below every other value. */
enum { REF_NOTHING = -128 };

/* Everything about the positions of one level that solving it needs, in the order of ref_rank().
 * Moves that capture or end the game have a known value; the best of them is folded into `best`.
 * The others stay in the level and turn the board round; they are the children. */
struct ref_moves_of_level {
    int seeds;
    uint32_t positions;
    uint32_t *child;         /* child[6 * p + i] is the number of child i of position p */
    unsigned char *children; /* number of children */
    signed char *best;       /* best known move, or the value of the end if no move is legal */
    signed char *surplus;    /* seeds in the mover's row minus seeds in the opponent's */
};

/* Computes one value for each position; `value` must contain zeros. Returns 0 if there is no
 * memory. */
int ref_solve_own(const struct ref_moves_of_level *level, signed char *value);

#endif

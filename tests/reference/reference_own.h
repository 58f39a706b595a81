/* A level prepared for solving, and its solution under `own`. Private to reference_solve.c. */
#ifndef TESTS_REFERENCE_REFERENCE_OWN_H
#define TESTS_REFERENCE_REFERENCE_OWN_H

#include "reference.h"

/* The best known move of a position without a move that captures or ends the game: below every
 * value. */
enum { REF_NOTHING = -128 };

/* The data of the positions of one level, in the order of ref_rank(). Moves that capture or end the
 * game have a known value; `best` is the greatest of these values. All other moves lead to a
 * position of the same level, a child, seen by the other player. */
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

/* One level laid out for solving, and solved under `own`; for reference_solve.c only. */
#ifndef REFERENCE_OWN_H
#define REFERENCE_OWN_H

#include "reference.h"

/* Where a position has no move that captures or ends the game: below every value. */
enum { REF_NOTHING = -128 };

/* Everything about the positions of one level that solving it needs, in the order of ref_rank().
 * Moves that capture or end the game have a known value; the best of them is folded into `best`.
 * The others stay in the level and turn the board round; they are the children. */
struct ref_moves_of_level {
    int seeds;
    uint32_t positions;
    uint32_t *child;         /* child[6 * p + i]: the number of child i of position p */
    unsigned char *children; /* how many */
    signed char *best;       /* best known move, or the end where no move is legal */
    signed char *surplus;    /* seeds in the mover's row minus seeds in the opponent's */
};

/* Writes one value for each position; `value` holds zeros on entry. 0 if memory runs out. */
int ref_solve_own(const struct ref_moves_of_level *level, signed char *value);

#endif

/* One level laid out for solving; shared by the files of the reference solver only. */
#ifndef REF_LEVEL_H
#define REF_LEVEL_H

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

/* Both write one value for each position; `value` holds zeros on entry. ref_solve_own() returns 0
 * if memory runs out. */
void ref_solve_even(const struct ref_moves_of_level *level, signed char *value);
int ref_solve_own(const struct ref_moves_of_level *level, signed char *value);

#endif

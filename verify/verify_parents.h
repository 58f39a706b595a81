/* Moves taken back. */
#ifndef VERIFY_FIXED_VERIFY_PARENTS_H
#define VERIFY_FIXED_VERIFY_PARENTS_H

#include "game/wari_game.h"

/* Every position that one quiet move has turned into a given one: an empty pit of the player who
 * has moved takes back one seed, two, and so on, from the pits behind it in turn, for as long as
 * none of these is empty, and the last of them would not have captured. */
struct wari_verify_parents {
    enum wari_slam slam;        /* what a grand slam does */
    struct wari_position after; /* seen by the player who has moved */
    struct wari_position before;
    int pit;
    int last; /* the pit that gave back a seed last */
};

void wari_verify_parents_begin(struct wari_verify_parents *parents,
                               const struct wari_position *position, enum wari_slam slam);

/* On to the next one, in parents->before; false if there is none. */
bool wari_verify_parents_next(struct wari_verify_parents *parents);

#endif

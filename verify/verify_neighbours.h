/* The positions that quiet moves connect with a given position: its children and its parents. */
#ifndef VERIFY_VERIFY_NEIGHBOURS_H
#define VERIFY_VERIFY_NEIGHBOURS_H

#include "game/wari_game.h"
#include "verify/verify_level.h"

/* A stored position and its coordinates in the current level. */
struct wari_verify_place {
    struct wari_position position;
    int block;
    uint32_t row, column;
};

/* Returns the number of the cell of a position. */
static inline uint64_t wari_verify_place_cell(const struct wari_verify_level *level,
                                              const struct wari_verify_place *place)
{
    return level->layout.block_offset[place->block] +
           (uint64_t)place->row * level->layout.columns[place->block] + place->column;
}

/* The positions that the quiet moves of a position lead to. All of them are in the current level.
 */
struct wari_verify_child {
    const wari_verify_cell *cell;
    int block;
    uint32_t row, column;
};
struct wari_verify_children {
    int count;
    struct wari_verify_child child[WARI_HALF_PITS];
};

/* Finds the children of a position. Does not read their cells. */
void wari_verify_find_children(const struct wari_verify_level *level,
                               const struct wari_verify_place *place,
                               struct wari_verify_children *children);

/* Iterator over all positions from which one quiet move leads to a given position. Such a move is
 * taken back as follows: an empty pit of the player who moved takes back one seed from the next pit
 * in sowing order, then one more from the pit after that, and so on. This gives a parent after each
 * seed, until one of these pits is empty. Parents whose last seed would have captured are left out.
 */
struct wari_verify_parents {
    enum wari_slam slam;        /* rule for grand slams */
    struct wari_position after; /* the given position, seen by the player who moved */
    struct wari_position before;
    int pit;
    int last; /* the pit from which the last seed was taken back; `pit` if no seed has been taken
                 back */
};

void wari_verify_parents_begin(struct wari_verify_parents *parents,
                               const struct wari_position *position, enum wari_slam slam);

/* Advances to the next parent, which is then in parents->before. Returns false if there is none. */
bool wari_verify_parents_next(struct wari_verify_parents *parents);

#endif

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

/* Iterator over the positions that the quiet moves of a position lead to. All these positions are
 * in the current level. */
struct wari_verify_children {
    const struct wari_verify_level *level;
    const uint8_t *opponent; /* opponent half before the move */
    const struct wari_verify_column *moves;
    int before; /* block of the given position, from which the moves start */
    int pit;
    int block;
    uint32_t row, column;
};

/* Starts the iteration. `place` belongs to the level and must stay valid during the iteration. */
void wari_verify_children_begin(struct wari_verify_children *children,
                                const struct wari_verify_level *level,
                                const struct wari_verify_place *place);

/* Advances to the next child. Returns false if there is none. */
bool wari_verify_children_next(struct wari_verify_children *children);

static inline uint8_t wari_verify_child(const struct wari_verify_children *children)
{
    const struct wari_layout *layout = &children->level->layout;
    return wari_verify_read(
        &children->level->cells[layout->block_offset[children->block] +
                                (uint64_t)children->row * layout->columns[children->block] +
                                children->column]);
}

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
    int last; /* the pit that gave back the last seed */
};

void wari_verify_parents_begin(struct wari_verify_parents *parents,
                               const struct wari_position *position, enum wari_slam slam);

/* Advances to the next parent, which is then in parents->before. Returns false if there is none. */
bool wari_verify_parents_next(struct wari_verify_parents *parents);

#endif

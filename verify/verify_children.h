/* The quiet moves of one position, by halves. */
#ifndef VERIFY_FIXED_VERIFY_CHILDREN_H
#define VERIFY_FIXED_VERIFY_CHILDREN_H

#include "verify/verify_level.h"

/* The position that a quiet move leads to, in the level at hand. */
struct wari_verify_children {
    const struct wari_verify_level *level;
    const uint8_t *opponent; /* half before the move */
    const struct wari_verify_column *moves;
    int before; /* block of the position moved from */
    int pit;
    int block;
    uint32_t row, column;
};

/* `position`, of the level, stays where it is as long as its children are asked for. */
void wari_verify_children_begin(struct wari_verify_children *children,
                                const struct wari_verify_level *level,
                                const struct wari_position *position);

/* On to the next one; false if there is none. */
bool wari_verify_children_next(struct wari_verify_children *children);

static inline uint8_t wari_verify_child(const struct wari_verify_children *children)
{
    const struct wari_layout *layout = &children->level->layout;
    return wari_verify_read(
        &children->level->cells[layout->block_offset[children->block] +
                                (uint64_t)children->row * layout->columns[children->block] +
                                children->column]);
}

#endif

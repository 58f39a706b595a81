/* What a move makes of the mover's half is in the table of columns; what it makes of the opponent's
 * is sown here. */
#include "verify/verify_children.h"

#include <string.h>

#include "index/half.h"

void wari_verify_children_begin(struct wari_verify_children *children,
                                const struct wari_verify_level *level,
                                const struct wari_position *position)
{
    const uint8_t *opponent = position->pits + WARI_HALF_PITS;
    const int block = wari_half_seeds(opponent);

    *children = (struct wari_verify_children){
        .level = level,
        .opponent = opponent,
        .moves =
            &level->run->columns.of[level->layout.seeds - block][wari_half_rank(position->pits)],
        .before = block,
        .pit = -1,
    };
}

/* Whether t seeds, the last of which falls into the opponent's half, capture nothing. */
static bool lands_quietly(const struct wari_verify_children *children,
                          const uint8_t half[WARI_HALF_PITS], int t)
{
    uint8_t after[WARI_HALF_PITS];
    memcpy(after, half, sizeof after);
    const int captured = wari_verify_capture(after, t);
    return captured == 0 ||
           (captured == children->before + t && children->level->run->slam == WARI_SLAM_NO_CAPTURE);
}

bool wari_verify_children_next(struct wari_verify_children *children)
{
    while (++children->pit < WARI_HALF_PITS) {
        const int sown = children->moves->sown[children->pit];
        const int t = sown & ~WARI_VERIFY_LANDS;
        uint8_t half[WARI_HALF_PITS];

        /* An empty row has to be fed. */
        if (sown == WARI_VERIFY_NO_MOVE || (t == 0 && children->before == 0))
            continue;
        memcpy(half, children->opponent, sizeof half);
        wari_verify_sow(half, t);
        if (sown & WARI_VERIFY_LANDS && !lands_quietly(children, half, t))
            continue;
        children->block = children->level->layout.seeds - children->before - t;
        children->row = children->moves->row[children->pit];
        children->column = wari_half_rank(half);
        return true;
    }
    return false;
}

/* Finds the children and the parents of a position. For children, the table of columns contains the
 * effect of a move on the mover's half; its effect on the opponent's half is computed here. */
#include "verify/verify_neighbours.h"

#include <string.h>

#include "index/half.h"
#include "verify/verify_columns.h"

enum { CAPTURE_PIT_MIN = 2, CAPTURE_PIT_MAX = 3 }; /* seeds in a pit that is captured */

/* Returns true if a move that drops t seeds into the opponent's half, and ends there, captures
 * nothing. `half` is the opponent's half after the last seed has been dropped. */
static bool lands_quietly(const uint8_t half[WARI_HALF_PITS], int t, enum wari_slam slam)
{
    const int seeds = half[(t - 1) % WARI_HALF_PITS];
    uint8_t after[WARI_HALF_PITS];

    if (seeds != CAPTURE_PIT_MIN && seeds != CAPTURE_PIT_MAX)
        return true;
    if (slam != WARI_SLAM_NO_CAPTURE)
        return false;
    memcpy(after, half, sizeof after);
    return wari_verify_capture(after, t) == wari_half_seeds(half);
}

void wari_verify_find_children(const struct wari_verify_level *level,
                               const struct wari_verify_place *place,
                               struct wari_verify_children *children)
{
    const struct wari_layout *layout = &level->layout;
    const struct wari_verify_column *moves =
        &level->proof->columns.of[layout->seeds - place->block][place->column];

    children->count = 0;
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        const int sown = moves->sown[pit], t = sown & ~WARI_VERIFY_LANDS;
        struct wari_verify_child *child = &children->child[children->count];
        uint8_t half[WARI_HALF_PITS];

        /* An empty row must be fed. */
        if (sown == WARI_VERIFY_NO_MOVE || (t == 0 && place->block == 0))
            continue;
        memcpy(half, place->position.pits + WARI_HALF_PITS, sizeof half);
        wari_verify_sow(half, t);
        if (sown & WARI_VERIFY_LANDS && !lands_quietly(half, t, level->proof->slam))
            continue;
        child->block = layout->seeds - place->block - t;
        child->row = moves->row[pit];
        child->column = wari_half_rank(half);
        child->cell = level->cells + layout->block_offset[child->block] +
                      (uint64_t)child->row * layout->columns[child->block] + child->column;
        children->count++;
    }
}

/* ---- Parents, found by taking back one seed at a time ---- */
void wari_verify_parents_begin(struct wari_verify_parents *parents,
                               const struct wari_position *position, enum wari_slam slam)
{
    parents->slam = slam;
    memcpy(parents->after.pits, position->pits + WARI_HALF_PITS, WARI_HALF_PITS);
    memcpy(parents->after.pits + WARI_HALF_PITS, position->pits, WARI_HALF_PITS);
    parents->before = parents->after;
    parents->pit = parents->last = -1;
}

/* Advances to the next empty pit. Returns false if there is none. */
static bool next_pit(struct wari_verify_parents *parents)
{
    do
        parents->pit++;
    while (parents->pit < WARI_HALF_PITS && parents->after.pits[parents->pit] != 0);
    parents->before = parents->after;
    parents->last = parents->pit;
    return parents->pit < WARI_HALF_PITS;
}

/* Returns true if the move whose last seed fell into parents->last was legal and captured
 * nothing. */
static bool was_quiet(const struct wari_verify_parents *parents)
{
    const uint8_t *opponent = parents->after.pits + WARI_HALF_PITS;

    if (parents->last < WARI_HALF_PITS) /* an empty row must be fed */
        return wari_half_seeds(opponent) > 0;
    return lands_quietly(opponent, parents->last - WARI_HALF_PITS + 1, parents->slam);
}

bool wari_verify_parents_next(struct wari_verify_parents *parents)
{
    while (parents->pit < WARI_HALF_PITS) {
        if (parents->pit >= 0) {
            do
                parents->last = (parents->last + 1) % WARI_PITS;
            while (parents->last == parents->pit);
            if (parents->before.pits[parents->last] > 0) {
                parents->before.pits[parents->last]--;
                parents->before.pits[parents->pit]++;
                if (was_quiet(parents))
                    return true;
                continue;
            }
        }
        if (!next_pit(parents))
            break;
    }
    return false;
}

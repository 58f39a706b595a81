/* Seed by seed, as a hand would do it. */
#include "verify/verify_parents.h"

#include <string.h>

#include "index/half.h"
#include "verify/verify_columns.h"

void wari_verify_parents_begin(struct wari_verify_parents *parents,
                               const struct wari_position *position, enum wari_slam slam)
{
    parents->slam = slam;
    memcpy(parents->after.pits, position->pits + WARI_HALF_PITS, WARI_HALF_PITS);
    memcpy(parents->after.pits + WARI_HALF_PITS, position->pits, WARI_HALF_PITS);
    parents->before = parents->after;
    parents->pit = parents->last = -1;
}

/* Moves on to the next empty pit; false if there is none. */
static bool next_pit(struct wari_verify_parents *parents)
{
    do
        parents->pit++;
    while (parents->pit < WARI_HALF_PITS && parents->after.pits[parents->pit] != 0);
    parents->before = parents->after;
    parents->last = parents->pit;
    return parents->pit < WARI_HALF_PITS;
}

/* Whether the move that ended in parents->last was allowed, and captured nothing. */
static bool was_quiet(const struct wari_verify_parents *parents)
{
    const uint8_t *opponent = parents->after.pits + WARI_HALF_PITS;
    uint8_t half[WARI_HALF_PITS];

    if (parents->last < WARI_HALF_PITS) /* an empty row has to be fed */
        return wari_half_seeds(opponent) > 0;
    memcpy(half, opponent, sizeof half);
    const int captured = wari_verify_capture(half, parents->last - WARI_HALF_PITS + 1);
    return captured == 0 ||
           (parents->slam == WARI_SLAM_NO_CAPTURE && captured == wari_half_seeds(opponent));
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

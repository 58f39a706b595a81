/* Seed by seed, as a hand would do it. Captures are not taken back, so the positions before may be
 * more than those from which a move leads here, and never fewer quiet ones.
 */
#include "solver/verify/fixed/verify_parents.h"

#include <string.h>

void wari_verify_parents_begin(struct wari_verify_parents *parents,
                               const struct wari_position *position)
{
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
                return true;
            }
        }
        if (!next_pit(parents))
            break;
    }
    return false;
}

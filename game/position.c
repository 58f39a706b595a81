/* Positions: sums, limits and the start of a game. */
#include <string.h>

#include "game/wari_game.h"

int wari_seeds(const struct wari_position *position)
{
    int seeds = 0;
    for (int pit = 0; pit < WARI_PITS; pit++)
        seeds += position->pits[pit];
    return seeds;
}

/* The sum of twelve bytes cannot overflow an int, and no pit exceeds the sum. So checking the sum
 * also checks every pit. */
bool wari_position_valid(const struct wari_position *position)
{
    return wari_seeds(position) <= WARI_SEEDS_MAX;
}

struct wari_position wari_start_position(void)
{
    struct wari_position position;
    memset(position.pits, WARI_SEEDS_MAX / WARI_PITS, sizeof position.pits);
    return position;
}

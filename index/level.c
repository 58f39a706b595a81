/* Positions of a level as numbers.
 *
 * All counts and offsets have 64 bits, because level 48 has 203,648,015,935 positions. The numbers
 * of rows and columns fit 32 bits.
 */
#include "index/level.h"

#include "index/half.h"

/* C(seeds + 11, 11). Each step of the loop computes a binomial coefficient, C(seeds + i, i), so the
 * division is exact. The products stay below 2^45. */
uint64_t wari_level_placements(int seeds)
{
    uint64_t count = 1;
    for (int i = 1; i < WARI_PITS; i++)
        count = count * (uint64_t)(seeds + i) / (uint64_t)i;
    return count;
}

/* Positions with a full opponent half are not counted. Taking one seed from each pit of that half
 * maps them one to one to all placements with six seeds fewer. */
uint64_t wari_level_positions(int seeds)
{
    uint64_t full = seeds < WARI_HALF_PITS ? 0 : wari_level_placements(seeds - WARI_HALF_PITS);
    return wari_level_placements(seeds) - full;
}

void wari_layout_init(struct wari_layout *layout, int seeds)
{
    *layout = (struct wari_layout){.seeds = seeds};
    for (int s = 0; s <= seeds; s++) {
        layout->rows[s] = wari_row_count(s);
        layout->columns[s] = wari_half_count(seeds - s);
        layout->block_offset[s + 1] =
            layout->block_offset[s] + (uint64_t)layout->rows[s] * layout->columns[s];
    }
}

bool wari_position_stored(const struct wari_position *position)
{
    return !wari_half_full(position->pits + WARI_HALF_PITS);
}

uint64_t wari_layout_rank(const struct wari_layout *layout, const struct wari_position *position)
{
    const uint8_t *opponent = position->pits + WARI_HALF_PITS;
    int s = wari_half_seeds(opponent);
    return layout->block_offset[s] + (uint64_t)wari_row_rank(opponent) * layout->columns[s] +
           wari_half_rank(position->pits);
}

void wari_layout_unrank(const struct wari_layout *layout, uint64_t rank,
                        struct wari_position *position)
{
    int s = 0;
    while (rank >= layout->block_offset[s + 1])
        s++;
    uint64_t cell = rank - layout->block_offset[s];
    uint32_t row = (uint32_t)(cell / layout->columns[s]);
    uint32_t column = (uint32_t)(cell % layout->columns[s]);
    wari_row_unrank(s, row, position->pits + WARI_HALF_PITS);
    wari_half_unrank(layout->seeds - s, column, position->pits);
}

/* Computes offsets in score files by counting the positions that come before. */
#include "db/scores/score_order.h"

#include "index/half.h"

/* Computes the numbers of ways to place n seeds in k pits: ways[k][n] is the sum of ways[k - 1][n],
 * for an empty last pit, and of ways[k][n - 1], for a last pit from which a seed can be taken. */
void wari_score_order_init(struct wari_score_order *order)
{
    for (int pits = 0; pits < WARI_SCORE_PITS; pits++)
        for (int seeds = 0; seeds < WARI_SCORE_SEEDS; seeds++) {
            uint64_t ways = seeds == 0 ? 1 : 0;
            if (pits > 0 && seeds > 0)
                ways = order->ways[pits - 1][seeds] + order->ways[pits][seeds - 1];
            order->ways[pits][seeds] = ways;
        }
}

/* Returns the number of ways to place the seeds in the pits so that the first pit has fewer than
 * `count` seeds. */
static uint64_t ways_below(const struct wari_score_order *order, int pits, int seeds, int count)
{
    const uint64_t *ways = order->ways[pits];

    if (seeds < 0)
        return 0;
    return ways[seeds] - (seeds >= count ? ways[seeds - count] : 0);
}

/* Goes through the opponent's pits from f to a. For each pit, adds the number of positions that
 * have the same counts as `opponent` in the pits before it, and fewer seeds in the pit itself. As
 * long as none of the pits before it is empty, some of these positions have a full opponent half;
 * their number is subtracted again. They have 1 to count - 1 seeds in the pit, and at least one
 * seed in each of the opponent's pits after it. Without one seed in each of these pits, the other
 * seeds can be placed in any way. */
uint64_t wari_score_row_offset(const struct wari_score_order *order, int seeds,
                               const uint8_t opponent[WARI_HALF_PITS])
{
    uint64_t before = 0;
    bool full = true;

    for (int pit = WARI_HALF_PITS - 1; pit >= 0; pit--) {
        const int pits = WARI_HALF_PITS + pit + 1, count = opponent[pit];
        before += ways_below(order, pits, seeds, count);
        if (full && count > 0)
            before -= ways_below(order, pits, seeds - pit - 1, count - 1);
        full = full && count > 0;
        seeds -= count;
    }
    return before;
}

static void reverse(const uint8_t pits[WARI_HALF_PITS], uint8_t reversed[WARI_HALF_PITS])
{
    for (int i = 0; i < WARI_HALF_PITS; i++)
        reversed[i] = pits[WARI_HALF_PITS - 1 - i];
}

uint32_t wari_score_place(const uint8_t mover[WARI_HALF_PITS])
{
    uint8_t reversed[WARI_HALF_PITS];

    reverse(mover, reversed);
    return wari_half_rank(reversed);
}

uint64_t wari_score_offset(const struct wari_score_order *order,
                           const struct wari_position *position)
{
    return wari_score_row_offset(order, wari_seeds(position), position->pits + WARI_HALF_PITS) +
           wari_score_place(position->pits);
}

void wari_score_places(int seeds, uint32_t *place)
{
    uint8_t half[WARI_HALF_PITS];

    wari_half_first(seeds, half);
    do
        *place++ = wari_score_place(half);
    while (wari_half_next(half));
}

/* Ranks halves and rows by counting the ones that come after them.
 *
 * In lexicographic order a half q comes after a half p with the same number of seeds if both agree
 * up to some pit i - 1 and q has more seeds in pit i. Then q has fewer seeds than p in the pits
 * after pit i. Conversely, every way to fill these k pits with fewer seeds gives exactly one such
 * q: the remaining seeds go to pit i. Let r be the number of seeds that p has after pit i. The
 * number of halves after p is the sum over i of
 *
 *     fewer(k, r) = ways to fill k pits with fewer than r seeds = C(r + k - 1, k)
 *
 *     p0 | p1 p2 p3 p4 p5     i = 0: k = 5 pits after it, r = p1 + p2 + p3 + p4 + p5
 *     p0 p1 p2 p3 p4 | p5     i = 4: k = 1 pit after it,  r = p5
 *
 * Rows are counted in the same way. If p has no empty pit up to i - 1, the empty pit of q must be
 * among the k pits after i, because pit i of q holds more seeds than that of p and is not empty. So
 * only the fillings count that leave one of the k pits empty: fewer(k, r) - fewer(k, r - k). Once p
 * has an empty pit among the first ones, all fillings count. A half is therefore ranked like a row
 * whose empty pit has already been seen, and one pair of functions serves both.
 *
 * The tables are constant expressions; nothing is set up at run time. The largest number, C(53, 5)
 * = 2,869,685 halves of 48 seeds, fits 32 bits easily.
 */
#include "index/half.h"

#include <string.h>

enum { SIZES = 50 }; /* r = 0..49: 48 seeds, and one more for "at most 48" */

/* FEWER_k(r) is C(r + k - 1, k), the number of ways to fill k pits with fewer than r seeds. The
 * products are at most 49 * 50 * 51 * 52 * 53 < 2^32. */
#define FEWER_1(r) (r)
#define FEWER_2(r) ((r) * ((r) + 1) / 2)
#define FEWER_3(r) ((r) * ((r) + 1) * ((r) + 2) / 6)
#define FEWER_4(r) ((r) * ((r) + 1) * ((r) + 2) * ((r) + 3) / 24)
#define FEWER_5(r) ((r) * ((r) + 1) * ((r) + 2) * ((r) + 3) * ((r) + 4) / 120)

/* The number of fillings, minus those with a seed in each of the k pits. */
#define EMPTY_1(r) (FEWER_1(r) - ((r) > 1 ? FEWER_1((r)-1) : 0))
#define EMPTY_2(r) (FEWER_2(r) - ((r) > 2 ? FEWER_2((r)-2) : 0))
#define EMPTY_3(r) (FEWER_3(r) - ((r) > 3 ? FEWER_3((r)-3) : 0))
#define EMPTY_4(r) (FEWER_4(r) - ((r) > 4 ? FEWER_4((r)-4) : 0))
#define EMPTY_5(r) (FEWER_5(r) - ((r) > 5 ? FEWER_5((r)-5) : 0))

#define FIVE(f, r) f(r), f((r) + 1), f((r) + 2), f((r) + 3), f((r) + 4)
#define TEN(f, r) FIVE(f, r), FIVE(f, (r) + 5)
#define ALL(f)                                                                                     \
    {                                                                                              \
        TEN(f, 0u), TEN(f, 10u), TEN(f, 20u), TEN(f, 30u), TEN(f, 40u)                             \
    }

/* Indexed by [an empty pit has been seen][k pits][r]. The entries for k = 0 are unused. */
static const uint32_t fewer[2][WARI_HALF_PITS][SIZES] = {
    {{0}, ALL(EMPTY_1), ALL(EMPTY_2), ALL(EMPTY_3), ALL(EMPTY_4), ALL(EMPTY_5)},
    {{0}, ALL(FEWER_1), ALL(FEWER_2), ALL(FEWER_3), ALL(FEWER_4), ALL(FEWER_5)},
};

int wari_half_seeds(const uint8_t pits[WARI_HALF_PITS])
{
    return pits[0] + pits[1] + pits[2] + pits[3] + pits[4] + pits[5];
}

/* A half is determined by its first five pits, which hold at most `seeds` seeds; the sixth pit
 * holds the rest. */
uint32_t wari_half_count(int seeds)
{
    return fewer[true][WARI_HALF_PITS - 1][seeds + 1];
}

/* Returns the number of full halves, which have a seed in every pit. There are as many of them
 * as halves with six seeds fewer, because one seed can be taken from each pit. */
static uint32_t full_count(int seeds)
{
    return seeds < WARI_HALF_PITS ? 0 : wari_half_count(seeds - WARI_HALF_PITS);
}

uint32_t wari_row_count(int seeds)
{
    return wari_half_count(seeds) - full_count(seeds);
}

/* Returns the number of halves after the half `pits` in lexicographic order if `seen` is true, and
 * the number of rows after it if `seen` is false. (`seen` means that an earlier pit is empty, so
 * that no further empty pit is required.) */
static uint32_t count_after(const uint8_t pits[WARI_HALF_PITS], int seeds, bool seen)
{
    uint32_t after = 0;
    /* Unrolling makes this function twice as fast, and every probe calls it. */
#pragma GCC unroll 5
    for (int i = 0; i < WARI_HALF_PITS - 1; i++) {
        seeds -= pits[i];
        after += fewer[seen][WARI_HALF_PITS - 1 - i][seeds];
        seen |= pits[i] == 0;
    }
    return after;
}

/* Finds the half, or row, that has `after` others after it. For each pit i, with k pits after it,
 * searches for the number of seeds in these k pits: it is the largest r for which fewer(k, r) is at
 * most `after`. Since r never grows from one pit to the next, all searches together take at most
 * seeds + 5 steps. */
static void from_count_after(int seeds, uint32_t after, bool seen, uint8_t pits[WARI_HALF_PITS])
{
    for (int i = 0; i < WARI_HALF_PITS - 1; i++) {
        const uint32_t *table = fewer[seen][WARI_HALF_PITS - 1 - i];
        int rest = seeds;
        while (table[rest] > after)
            rest--;
        after -= table[rest];
        pits[i] = (uint8_t)(seeds - rest);
        seen |= pits[i] == 0;
        seeds = rest;
    }
    pits[WARI_HALF_PITS - 1] = (uint8_t)seeds;
}

uint32_t wari_half_rank(const uint8_t pits[WARI_HALF_PITS])
{
    int seeds = wari_half_seeds(pits);
    return wari_half_count(seeds) - 1 - count_after(pits, seeds, true);
}

void wari_half_unrank(int seeds, uint32_t rank, uint8_t pits[WARI_HALF_PITS])
{
    from_count_after(seeds, wari_half_count(seeds) - 1 - rank, true, pits);
}

uint32_t wari_row_rank(const uint8_t pits[WARI_HALF_PITS])
{
    int seeds = wari_half_seeds(pits);
    return wari_row_count(seeds) - 1 - count_after(pits, seeds, false);
}

void wari_row_unrank(int seeds, uint32_t row, uint8_t pits[WARI_HALF_PITS])
{
    from_count_after(seeds, wari_row_count(seeds) - 1 - row, false, pits);
}

void wari_half_first(int seeds, uint8_t pits[WARI_HALF_PITS])
{
    memset(pits, 0, WARI_HALF_PITS);
    pits[WARI_HALF_PITS - 1] = (uint8_t)seeds;
}

/* The next half agrees with this one as far as possible: up to the pit before the last pit that
 * holds seeds. This pit gets one seed more, and the remaining seeds go to the last pit. */
bool wari_half_next(uint8_t pits[WARI_HALF_PITS])
{
    int last = WARI_HALF_PITS - 1;
    while (last > 0 && pits[last] == 0)
        last--;
    if (last == 0)
        return false;

    uint8_t left = (uint8_t)(pits[last] - 1);
    pits[last - 1]++;
    pits[last] = 0;
    pits[WARI_HALF_PITS - 1] = left;
    return true;
}

bool wari_half_full(const uint8_t pits[WARI_HALF_PITS])
{
    return pits[0] && pits[1] && pits[2] && pits[3] && pits[4] && pits[5];
}

/* The tables of halves.h, and the conversion of a number to a half.
 *
 * index/half.c searches for the seeds after each pit one by one, which takes 60 nanoseconds, mostly
 * because of mispredicted branches. Here the seeds after each of the first three pits are found by
 * one look-up in a table and one comparison. The key of the look-up is the highest six bits of the
 * number, so numbers that share an entry differ by less than 3 %. One more seed after one of these
 * pits adds 4 % or more to the number, because there are at most 48 seeds. So the entry is at most
 * one too small. The contents of the last three pits are found by a single look-up. */
#include "solver/rows/halves.h"

#include <string.h>

/* Returns the key of a number. It combines the highest bits of the number with the number of bits
 * after them, so a greater number never has a smaller key. Below 2^5 each number has its own key.
 */
static inline uint32_t key_of(uint32_t after)
{
    const uint32_t number = after + (1 << WARI_KEY_BITS);
    const int below = 31 - __builtin_clz(number) - WARI_KEY_BITS;

    return (number >> below) + ((uint32_t)(below - 1) << WARI_KEY_BITS);
}

/* Returns the number of ways to fill `pits` pits with fewer than `seeds` seeds: C(seeds + pits - 1,
 * pits). */
static uint32_t fillings(int pits, int seeds)
{
    uint64_t ways = 1;

    for (int i = 0; i < pits; i++)
        ways = ways * (uint64_t)(seeds + i) / (uint64_t)(i + 1);
    return (uint32_t)ways;
}

/* Returns the number of ways that fillings() counts and that leave a pit empty. */
static uint32_t fillings_with_empty(int pits, int seeds)
{
    return fillings(pits, seeds) - (seeds > pits ? fillings(pits, seeds - pits) : 0);
}

/* Fills in the table for the smallest number of each key. */
static void fill_rest(const uint32_t fewer[WARI_REST_SIZES], uint8_t rest[WARI_KEYS])
{
    uint32_t key = 0;

    for (int seeds = 0; seeds < WARI_SEEDS_MAX; seeds++)
        for (const uint32_t end = key_of(fewer[seeds + 1] - 1); key <= end; key++)
            rest[key] = (uint8_t)seeds;
    for (; key < WARI_KEYS; key++)
        rest[key] = WARI_SEEDS_MAX;
}

static void fill_ends(struct wari_halves *halves, bool empty)
{
    uint32_t end = empty ? WARI_ENDS : 0;

    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        halves->first_end[empty][seeds] = end;
        for (int d = seeds; d >= 0; d--)
            for (int e = seeds - d; e >= 0; e--) {
                const int f = seeds - d - e;
                if (!empty || d == 0 || e == 0 || f == 0)
                    halves->end[end++] = (uint32_t)(d << 16 | e << 8 | f);
            }
    }
}

static void fill_sowing(struct wari_halves *halves, int pit)
{
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        uint8_t half[WARI_HALF_PITS] = {0};
        half[pit] = (uint8_t)seeds;
        halves->sowing[pit][seeds] = wari_sow(half, pit);
        halves->own[pit][seeds] = wari_pits_pack(half);
    }
    halves->sowing[pit][WARI_SEEDS_MAX + 1] = UINT32_MAX;
}

void wari_halves_init(struct wari_halves *halves)
{
    memset(halves, 0, sizeof *halves);
    for (int kind = 0; kind <= WARI_HALF_PITS; kind++)
        for (int pits_after = 1; pits_after < WARI_HALF_PITS; pits_after++)
            for (int seeds = 0; seeds < WARI_REST_SIZES; seeds++)
                halves->fewer[kind][pits_after - 1][seeds] =
                    kind - 1 >= WARI_HALF_PITS - 1 - pits_after
                        ? fillings_with_empty(pits_after, seeds)
                        : fillings(pits_after, seeds);
    for (int pit = 0; pit < WARI_SEARCHED; pit++) {
        const int pits_after = WARI_HALF_PITS - 1 - pit;
        fill_rest(halves->fewer[0][pits_after - 1], halves->rest[false][pit]);
        fill_rest(halves->fewer[WARI_HALF_PITS][pits_after - 1], halves->rest[true][pit]);
    }
    fill_ends(halves, false);
    fill_ends(halves, true);
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        uint8_t half[WARI_HALF_PITS] = {0};
        halves->last_half[seeds] = wari_half_count(seeds) - 1;
        halves->last_row[seeds] = wari_row_count(seeds) - 1;
        wari_drop(half, seeds);
        halves->drop[seeds] = wari_pits_pack(half);
    }
    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        fill_sowing(halves, pit);
}

/* Returns the half that is followed by `after` other halves with the same number of seeds; if
 * `after` is 0, this is the last half. If `rows` is true, only halves with an empty pit are
 * counted. After the first empty pit, the remaining pits may have any contents, so `rows` becomes
 * false there. */
static inline wari_pits from_after(const struct wari_halves *halves, int seeds, uint32_t after,
                                   bool rows)
{
    uint32_t first = 0;

    for (int pit = 0; pit < WARI_SEARCHED; pit++) {
        const uint32_t *fewer = halves->fewer[rows ? WARI_HALF_PITS : 0][WARI_HALF_PITS - 2 - pit];
        int rest = halves->rest[rows][pit][key_of(after)];
        rest += fewer[rest + 1] <= after;
        rest = rest < seeds ? rest : seeds; /* for rows, `rest` may exceed `seeds` here; then
                                             * this pit is the first empty one */
        after -= fewer[rest];
        first = first << 8 | (uint32_t)(seeds - rest);
        rows = rows && rest < seeds;
        seeds = rest;
    }
    return (wari_pits)first << 24 | halves->end[halves->first_end[rows][seeds] + after];
}

wari_pits wari_pits_half(const struct wari_halves *halves, int seeds, uint32_t rank)
{
    return from_after(halves, seeds, halves->last_half[seeds] - rank, false);
}

wari_pits wari_pits_row(const struct wari_halves *halves, int seeds, uint32_t row)
{
    return from_after(halves, seeds, halves->last_row[seeds] - row, true);
}

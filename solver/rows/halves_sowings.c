/* Computes the sowings of consecutive mover halves.
 *
 * Halves that differ only in their last two pits are consecutive. Such a series is called a
 * **run**. Sowing one of the first four pits changes all halves of a run in the same way, and the
 * rows after the move are consecutive, too, since all contents of the last two pits occur after an
 * empty pit. So for the whole run only one number has to be computed for each of the first four
 * pits. If one of the last two pits has few seeds, sowing it does not reach the first four pits.
 * Then the row after the move is the first row of its run if the pit is E, and the last row of its
 * run if the pit is F. The number of the first row of a run depends on the run's first four pits
 * and on the sum of E and F only; find_starts() computes these numbers once, for both pits. Tables
 * instead of this code would take 4 bytes a sowing.
 */
#include "solver/rows/halves.h"

enum {
    FIRST_PITS = WARI_HALF_PITS - 2,
    E = FIRST_PITS,
    F,
    FROM_E = 1 + WARI_HALF_PITS, /* greatest number of seeds in E whose sowing does not reach the
                                  * first four pits */
    FROM_F = WARI_HALF_PITS,
};

/* Returns the first half after a run. `half` is the last half of the run, which has no seeds in
 * F. */
static wari_pits next_run(wari_pits half)
{
    const int shift = __builtin_ctzll(half) / 8 * 8; /* position of the last pit with seeds, in
                                                      * bits */
    const uint64_t seeds = half >> shift & 0xff;

    return half - (seeds << shift) + (UINT64_C(1) << (shift + 8)) + (seeds - 1);
}

/* Returns the sowing of a pit that contains `seeds` seeds. `rest` is the mover's half after these
 * seeds were taken out of the pit. */
static wari_sowing sow_pit(const struct wari_halves *halves, wari_pits rest, int pit, int seeds)
{
    return wari_pits_row_rank(halves, rest + halves->own[pit][seeds]) | halves->sowing[pit][seeds];
}

/* Computes starts[f], for f from 0 to `most`: the number of the row that has the first four pits of
 * `half`, no seed in E, and f seeds in F. */
static void find_starts(const struct wari_halves *halves, wari_pits half, int most,
                        uint32_t starts[WARI_SEEDS_MAX + 1])
{
    const wari_pits first = half >> 16 << 16;
    const uint64_t sums = first * WARI_EACH_PIT;
    const uint32_t(*fewer)[WARI_REST_SIZES] = halves->fewer[1 + wari_pits_first_empty(first)];
    const uint32_t *last = &halves->last_row[sums >> 40 & 0xff];
    const uint32_t *a = &fewer[4][sums >> 32 & 0xff], *b = &fewer[3][sums >> 24 & 0xff];
    const uint32_t *c = &fewer[2][sums >> 16 & 0xff], *d = fewer[1], *e = fewer[0];

    for (int f = 0; f <= most; f++)
        starts[f] = last[f] - a[f] - b[f] - c[f] - d[f] - e[f];
}

/* Computes the sowings of `count` halves of a run, from `half` on. */
static void sow_run(const struct wari_halves *halves, wari_pits half, uint32_t count,
                    wari_sowing (*sowings)[WARI_HALF_PITS])
{
    const int from = wari_pits_in(half, E), seeds = from + wari_pits_in(half, F);
    const wari_pits first = half >> 16 << 16;
    const bool all = wari_pits_first_empty(first) < E; /* true if all halves of the run are rows
                                                        * (have an empty pit); otherwise only halves
                                                        * with E or F empty are rows */
    wari_sowing sowing[FIRST_PITS], step[FIRST_PITS];
    uint32_t starts[WARI_SEEDS_MAX + 1];

    for (int pit = 0; pit < FIRST_PITS; pit++) {
        const int here = wari_pits_in(half, pit);
        sowing[pit] = WARI_NO_SOWING;
        step[pit] = here > 0;
        if (here > 0)
            sowing[pit] =
                sow_pit(halves, half - ((wari_pits)here << wari_pits_shift(pit)), pit, here);
    }
    find_starts(halves, half, seeds, starts);
    for (uint32_t i = 0; i < count; i++) {
        const int e = from + (int)i, f = seeds - e;
        for (int pit = 0; pit < FIRST_PITS; pit++) {
            sowings[i][pit] = sowing[pit];
            sowing[pit] += step[pit];
        }
        sowings[i][E] = WARI_NO_SOWING;
        if (e > FROM_E)
            sowings[i][E] = sow_pit(halves, first + (wari_pits)f, E, e);
        else if (e > 0)
            sowings[i][E] = starts[f + 1] | halves->sowing[E][e];
        sowings[i][F] = WARI_NO_SOWING;
        if (f > FROM_F)
            sowings[i][F] = sow_pit(halves, first + ((wari_pits)e << 8), F, f);
        else if (f > 0)
            sowings[i][F] = (starts[e] + (uint32_t)(all ? e : e > 0)) | halves->sowing[F][f];
    }
}

void wari_sow_halves(const struct wari_halves *halves, int seeds, uint32_t first, uint32_t count,
                     wari_sowing (*sowings)[WARI_HALF_PITS])
{
    wari_pits half = wari_pits_half(halves, seeds, first);

    while (count > 0) {
        const uint32_t left = (uint32_t)wari_pits_in(half, F) + 1;
        const uint32_t run = left < count ? left : count;
        sow_run(halves, half, run, sowings);
        sowings += run;
        count -= run;
        if (count > 0)
            half = next_run(half + (left - 1) * ((1 << 8) - 1));
    }
}

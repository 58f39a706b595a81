/* Halves packed into one word each, and a fast conversion to and from their numbers (index/half.h).
 *
 * From the pits of halves, sweeps compute the row that a move leads to, and event-driven sweeps
 * compute the parents of a cell. Each computation takes a few nanoseconds. Tables of all sowings
 * would take 24 bytes a half, and tables of all parents as much again; the tables in struct
 * wari_halves take 113 KB.
 *
 *     63    48 47  40 39  32 31  24 23  16 15   8 7    0
 *     +-------+------+------+------+------+------+------+
 *     |   0   |  A   |  B   |  C   |  D   |  E   |  F   |     seeds of the pits
 *     +-------+------+------+------+------+------+------+
 *
 * So one addition or subtraction of words works on all pits, and one multiplication computes the
 * seeds in and after each pit, from which the number of a half is computed (index/half.c). All
 * functions are pure.
 */
#ifndef SOLVER_ROWS_HALVES_H
#define SOLVER_ROWS_HALVES_H

#include <stdbool.h>
#include <stdint.h>

#include "solver/rows/sow.h"

typedef uint64_t wari_pits;

#define WARI_EACH_PIT UINT64_C(0x010101010101)
#define WARI_NO_BORROW UINT64_C(0x808080808080)

enum {
    WARI_REST_SIZES = WARI_SEEDS_MAX + 2, /* 0 to 48 seeds, and one larger number as a sentinel */
    WARI_SEARCHED = 3, /* number of pits whose contents are found by a table and a comparison; see
                        * halves.c */
    WARI_KEY_BITS = 5, /* a key, which is an index into `rest`, stands for the highest bit of a
                        * number and for this many bits after it (key_of() in halves.c) */
    WARI_KEYS = 18 << WARI_KEY_BITS, /* number of keys, for numbers below 2^22; the greatest
                                      * number, C(53, 5), is 2,869,685 */
    WARI_ENDS = 20825,               /* C(51, 3): number of ways to fill the last three pits with
                                      * 0..48 seeds */
    WARI_EMPTY_ENDS = 3529,          /* number of these ways that leave a pit empty: WARI_ENDS -
                                      * C(48, 3) */
};

struct wari_halves {
    /* The number of halves (or rows) that come later in the order than a half because they have
     * more seeds in a given pit. Indices: 0 for halves, or 1 + p for rows whose first empty pit is
     * p; the number of pits after the given pit, minus 1; the number of seeds in these pits. */
    uint32_t fewer[WARI_HALF_PITS + 1][WARI_HALF_PITS - 1][WARI_REST_SIZES];
    /* [s]: the number of the last half, and of the last row, with s seeds. */
    uint32_t last_half[WARI_SEEDS_MAX + 1], last_row[WARI_SEEDS_MAX + 1];
    /* Finds the number of seeds in the pits after a given pit of a half (or row). Let n be the
     * number of halves (or rows) that come later in the order and have the same contents of all
     * pits before the given pit. Indices: 0 for halves, 1 for rows; the given pit; key_of(n)
     * (halves.c). The entry is the number of seeds, or 1 less than that. */
    uint8_t rest[2][WARI_SEARCHED][WARI_KEYS];
    /* end: the ways to fill the last three pits. Each element is one way, with one byte for each
     * pit. The first WARI_ENDS elements are all ways, sorted by the number of seeds; ways with the
     * same number of seeds are in descending order of the numbers of their halves. The other
     * elements are the ways that leave at least one of these pits empty, in the same order.
     * first_end[0][s]: index in `end` of the first way with s seeds.
     * first_end[1][s]: index in `end` of the first way with s seeds that leaves a pit empty, among
     * the other elements. */
    uint32_t end[WARI_ENDS + WARI_EMPTY_ENDS], first_end[2][WARI_SEEDS_MAX + 1];
    /* The effect of sowing a pit.
     * own[pit][number of seeds in the pit]: the seeds that each pit of the mover's half gets.
     * sowing[pit][number of seeds in the pit]: the wari_sowing (sow.h) with 0 as its row. */
    wari_pits own[WARI_HALF_PITS][WARI_SEEDS_MAX + 2];
    uint32_t sowing[WARI_HALF_PITS][WARI_SEEDS_MAX + 2]; /* the entry for 49 seeds stands for a
                                                          * sowing that cannot occur */
    /* drop[k]: the seeds that each of the opponent's pits gets when a move drops k seeds there. */
    wari_pits drop[WARI_SEEDS_MAX + 1];
};

void wari_halves_init(struct wari_halves *halves);

static inline int wari_pits_shift(int pit)
{
    return 8 * (WARI_HALF_PITS - 1 - pit);
}

static inline int wari_pits_in(wari_pits half, int pit)
{
    return (int)(half >> wari_pits_shift(pit) & 0xff);
}

static inline wari_pits wari_pits_pack(const uint8_t pits[WARI_HALF_PITS])
{
    wari_pits half = 0;

    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        half = half << 8 | pits[pit];
    return half;
}

static inline void wari_pits_unpack(wari_pits half, uint8_t pits[WARI_HALF_PITS])
{
    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        pits[pit] = (uint8_t)wari_pits_in(half, pit);
}

/* Returns true if each pit of `half` has at least as many seeds as the same pit of `part`. */
static inline bool wari_pits_holds(wari_pits half, wari_pits part)
{
    return (((half | WARI_NO_BORROW) - part) & WARI_NO_BORROW) == WARI_NO_BORROW;
}

/* Returns a word in which the highest bit of each empty pit is set. */
static inline uint64_t wari_pits_empty(wari_pits half)
{
    return ~(half + (WARI_NO_BORROW - WARI_EACH_PIT)) & WARI_NO_BORROW;
}

/* Returns the first empty pit; there has to be one. */
static inline int wari_pits_first_empty(wari_pits half)
{
    return WARI_HALF_PITS - 1 - (63 - __builtin_clzll(wari_pits_empty(half))) / 8;
}

static inline uint32_t wari_pits_after(const struct wari_halves *halves, int kind, uint64_t sums)
{
    const uint32_t(*fewer)[WARI_REST_SIZES] = halves->fewer[kind];

    return fewer[0][sums & 0xff] + fewer[1][sums >> 8 & 0xff] + fewer[2][sums >> 16 & 0xff] +
           fewer[3][sums >> 24 & 0xff] + fewer[4][sums >> 32 & 0xff];
}

/* Returns the number of a half. */
static inline uint32_t wari_pits_rank(const struct wari_halves *halves, wari_pits half)
{
    const uint64_t sums = half * WARI_EACH_PIT; /* byte i (from the lowest): sum of the seeds in the
                                                 * last i + 1 pits */

    return halves->last_half[sums >> 40 & 0xff] - wari_pits_after(halves, 0, sums);
}

/* Returns the number of a row: a half with an empty pit. */
static inline uint32_t wari_pits_row_rank(const struct wari_halves *halves, wari_pits row)
{
    const uint64_t sums = row * WARI_EACH_PIT;

    return halves->last_row[sums >> 40 & 0xff] -
           wari_pits_after(halves, 1 + wari_pits_first_empty(row), sums);
}

/* Return the half or row with a given number. */
wari_pits wari_pits_half(const struct wari_halves *halves, int seeds, uint32_t rank);
wari_pits wari_pits_row(const struct wari_halves *halves, int seeds, uint32_t row);

/* Computes the sowings of all pits of `count` mover halves with `seeds` seeds, from number `first`
 * on, much faster than one by one (halves_sowings.c): sowings[half - first][pit], WARI_NO_SOWING
 * for an empty pit. */
void wari_sow_halves(const struct wari_halves *halves, int seeds, uint32_t first, uint32_t count,
                     wari_sowing (*sowings)[WARI_HALF_PITS]);

#endif

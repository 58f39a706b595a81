/* Sowing and capturing in one half, seed by seed: directly from the rules, without tables. */
#ifndef SOLVER_ROWS_SOW_H
#define SOLVER_ROWS_SOW_H

#include <stdbool.h>
#include <stdint.h>

#include "index/half.h"

/* The maximum number of seeds that a move of 48 seeds sows on the opponent's side. */
enum { WARI_SOWN_MAX = 28 };

/* The sowing of one pit of a mover half, packed into 32 bits:
 *
 *     31   27 26      25      0
 *     +------+-----+-----------+
 *     | sown | last|    row    |     sown: number of seeds dropped on the opponent's side
 *     +------+-----+-----------+     last: 1 if the last seed falls on the opponent's side
 *
 * row: number of the mover half after the move, among the halves with an empty pit
 */
typedef uint32_t wari_sowing;
#define WARI_NO_SOWING UINT32_MAX /* the pit is empty */
#define WARI_SOWING_ROW UINT32_C(0x3ffffff)

static inline uint32_t wari_sowing_row(wari_sowing sowing)
{
    return sowing & WARI_SOWING_ROW;
}

static inline bool wari_sowing_last(wari_sowing sowing)
{
    return (sowing >> 26 & 1) != 0;
}

static inline int wari_sowing_sown(wari_sowing sowing)
{
    return (int)(sowing >> 27);
}

/* Returns the fewest seeds in a pit that can drop `sown` seeds on the opponent's side. */
int wari_seeds_to_sow(int sown);

/* Returns true if a level of `seeds` has moves that drop `sown` seeds on an opponent half of
 * `theirs` seeds. */
static inline bool wari_pair_occurs(int seeds, int theirs, int sown)
{
    return theirs + wari_seeds_to_sow(sown) <= seeds;
}

/* Sows one pit of a mover half, seed by seed, around the board, skipping that pit. `half` becomes
 * the mover half after the move. Returns the sowing, without its row. */
wari_sowing wari_sow(uint8_t half[WARI_HALF_PITS], int pit);

/* The captures of a move whose last seed falls on the opponent's side. */
struct wari_landing {
    int captured;
    bool slam;
    uint32_t column; /* number of the opponent's half after the capture; 0 if nothing is captured */
};

/* Computes the captures. `half` is the opponent's half after `sown` seeds were dropped there, the
 * last of them into pit (sown - 1) % 6. */
struct wari_landing wari_land(const uint8_t half[WARI_HALF_PITS], int sown);

/* Drops `sown` seeds into the opponent's half: adds to each pit the seeds that it gets. */
void wari_drop(uint8_t half[WARI_HALF_PITS], int sown);

#endif

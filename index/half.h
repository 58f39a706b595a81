/* One half of the board as a number.
 *
 * A half is the six pits of one player. The halves with s seeds are numbered 0 .. C(s+5,5) - 1 in
 * lexicographic order; the first pit (A or a) is the most significant. Sowing t seeds into a half
 * adds a pattern that depends on t alone, and adding a fixed pattern preserves lexicographic order.
 * Therefore the solver's maps from halves to halves are strictly increasing.
 *
 * An opponent half with an empty pit is a **row** of a block. The rows with s seeds have numbers of
 * their own, in the same order: 0 .. C(s+5,5) - C(s-1,5) - 1. A half without an empty pit is a
 * **full** half and has no row number.
 *
 * Halves have 0..48 seeds. All functions are pure.
 */
#ifndef INDEX_HALF_H
#define INDEX_HALF_H

#include <stdbool.h>
#include <stdint.h>

#include "game/wari_game.h"

/* Returns the number of seeds in a half. */
int wari_half_seeds(const uint8_t pits[WARI_HALF_PITS]);

/* Returns the number of halves with `seeds` seeds: C(seeds+5, 5). */
uint32_t wari_half_count(int seeds);

/* Converts a half to its number among the halves with the same number of seeds, and back. */
uint32_t wari_half_rank(const uint8_t pits[WARI_HALF_PITS]);
void wari_half_unrank(int seeds, uint32_t rank, uint8_t pits[WARI_HALF_PITS]);

/* Replaces a half by the next half with the same number of seeds. Returns false after the last
 * half, which is left unchanged. */
bool wari_half_next(uint8_t pits[WARI_HALF_PITS]);

/* Sets `pits` to the first half with `seeds` seeds, the half with number 0: all seeds are in the
 * last pit. */
void wari_half_first(int seeds, uint8_t pits[WARI_HALF_PITS]);

/* Returns true if no pit is empty. */
bool wari_half_full(const uint8_t pits[WARI_HALF_PITS]);

/* Returns the number of halves with `seeds` seeds and an empty pit: C(seeds+5, 5) - C(seeds-1, 5).
 */
uint32_t wari_row_count(int seeds);

/* Converts a half with an empty pit to its row number, and back. */
uint32_t wari_row_rank(const uint8_t pits[WARI_HALF_PITS]);
void wari_row_unrank(int seeds, uint32_t row, uint8_t pits[WARI_HALF_PITS]);

/* Returns true if games reach positions with `seeds` seeds: 0 to 46 and 48. The first capture takes
 * at least two seeds, so level 47 does not exist. */
static inline bool wari_level_exists(int seeds)
{
    return seeds >= 0 && seeds <= WARI_SEEDS_MAX && seeds != 47;
}

#endif

/* The moves of some adjacent mover halves, sorted by the number of seeds that they drop on the
 * opponent's side. Dense sweeps in memory process all moves of an item that drop the same number of
 * seeds together, because one gather (rows/tables.h) gives the columns of the children of all these
 * moves.
 */
#ifndef SOLVER_LEVEL_SORTED_MOVES_H
#define SOLVER_LEVEL_SORTED_MOVES_H

#include "solver/kernel/kernel.h"
#include "solver/rows/halves.h"

/* A move, packed into 32 bits:
 *
 *     31    26   25  24      0
 *     +------+-----+----------+     half: number of the mover half, minus that of the first one
 *     | half | last|   row    |     last: 1 if the last seed falls on the opponent's side
 *     +------+-----+----------+     row: number of the mover half after the move, among the halves
 *                                        with an empty pit
 */
typedef uint32_t wari_sorted_move;
#define WARI_SORTED_MOVE_ROW UINT32_C(0x1ffffff)

/* Packs the sowing of a half. The sowing of an empty pit gives some move. */
static inline wari_sorted_move wari_sorted_move_of(uint32_t half, wari_sowing sowing)
{
    return half << 26 | (uint32_t)wari_sowing_last(sowing) << 25 |
           (wari_sowing_row(sowing) & WARI_SORTED_MOVE_ROW);
}

static inline uint32_t wari_move_half(wari_sorted_move move)
{
    return move >> 26;
}

static inline bool wari_move_last(wari_sorted_move move)
{
    return (move >> 25 & 1) != 0;
}

static inline uint32_t wari_move_row(wari_sorted_move move)
{
    return move & WARI_SORTED_MOVE_ROW;
}

struct wari_sorted_moves {
    uint16_t first[WARI_SOWN_MAX + 2]; /* [seeds dropped]: index of the first such move; the last
                                        * entry is the number of moves */
    wari_sorted_move move[WARI_ITEM_COLUMNS * WARI_HALF_PITS];
};

/* Sorts the moves of the halves with numbers `first` to `first` + `count` - 1 among the halves with
 * `seeds` seeds. `count` is 1 to WARI_ITEM_COLUMNS. */
void wari_sort_moves(const struct wari_halves *halves, int seeds, uint32_t first, uint32_t count,
                     struct wari_sorted_moves *moves);

#endif

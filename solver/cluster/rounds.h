/* What travels in a round: how much, from where to where. */
#ifndef SOLVER_RANKS_ROUNDS_H
#define SOLVER_RANKS_ROUNDS_H

#include "solver/cluster/distributed.h"

/* Fits rounds into buffers; these grow where even the smallest do not fit. Collective. */
void wari_plan_rounds(struct wari_distributed *distributed);

/* Items of a rank in a round, and the first of them. */
uint32_t wari_round_items(const struct wari_rounds *turn, int rank, uint32_t round);
static inline struct wari_item wari_round_item(const struct wari_rounds *turn, int rank,
                                               uint32_t round, uint32_t i)
{
    return wari_work_item(&turn->work, rank, round * turn->batch + i);
}

/* The item of number `task` = rank * batch + item of that rank, if it is another rank's and there.
 */
bool wari_others_item(const struct wari_distributed *distributed, const struct wari_rounds *turn,
                      uint32_t round, uint32_t task, struct wari_item *item);

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Whether this rank holds a row. */
static inline bool wari_holds_row(const struct wari_level *level, int block, uint32_t row)
{
    return row - level->resident.partition.first_row[block] < level->resident.partition.rows[block];
}

/* What the strips of an item need of a child row, from the move of one pit that drops `sown` seeds.
 */
struct wari_need {
    uint32_t first, columns;
};
struct wari_need wari_need_of(const struct wari_level *level, const struct wari_item *item,
                              int sown);

/* Puts the rows into the buffer that others need in a round, and says where those will be that come
 * in; then the exchange can begin. */
void wari_pack_rows(struct wari_distributed *distributed, const struct wari_rounds *turn,
                    uint32_t round, struct wari_round *rows);

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* The rows of an item that a rank holds: it gets these of its tile, strip by strip, column by
 * column. */
struct wari_tile_rows {
    uint32_t first, end;
};
struct wari_tile_rows wari_tile_rows_of(const struct wari_distributed *distributed,
                                        const struct wari_item *item, int rank);

/* Those of a strip, the first of them. */
static inline struct wari_tile_rows wari_tile_rows_in_strip(const struct wari_tile_rows *rows)
{
    const uint32_t end = (rows->first / WARI_STRIP + 1) * WARI_STRIP;

    return (struct wari_tile_rows){rows->first, rows->end < end ? rows->end : end};
}

/* Says where the tiles of a round go and come to. */
void wari_place_tiles(struct wari_distributed *distributed, const struct wari_rounds *turn,
                      uint32_t round, struct wari_round *tiles);

#endif

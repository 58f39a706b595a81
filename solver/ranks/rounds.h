/* What travels in a round: how much, from where to where. */
#ifndef SOLVER_RANKS_ROUNDS_H
#define SOLVER_RANKS_ROUNDS_H

#include "solver/ranks/distributed.h"

/* What the strips of an item need of a child row, by seeds sown; columns 0 where there is no such
 * move. */
void wari_item_needs(const struct wari_level *level, const struct wari_item *item,
                     struct wari_need needs[WARI_SOWN_MAX + 1]);

/* Items of a rank in a round, and the first of them. */
uint32_t wari_round_items(const struct wari_rounds *turn, int rank, uint32_t round);
static inline struct wari_item wari_round_item(const struct wari_rounds *turn, int rank,
                                               uint32_t round, uint32_t i)
{
    return wari_work_item(&turn->work, rank, round * turn->batch + i);
}

/* Bytes of a tile that belong to rows `from` to before `to`: each strip's, column by column, filled
 * up to cache lines. */
uint64_t wari_tile_bytes(const struct wari_item *item, uint32_t from, uint32_t to);

/* Fits rounds into the buffers; they grow where even the smallest do not fit. */
void wari_plan_rounds(struct wari_distributed *distributed);

/* Puts the rows into the buffer that others need in a round, and says where those will be that come
 * in; then the exchange can begin. */
void wari_pack_rows(struct wari_distributed *distributed, const struct wari_rounds *turn,
                    uint32_t round, struct wari_round *rows);

/* Says where the tiles of a round go and come to. */
void wari_place_tiles(struct wari_distributed *distributed, const struct wari_rounds *turn,
                      uint32_t round, struct wari_round *tiles);

#endif

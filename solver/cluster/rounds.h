/* The rounds in which ranks exchange rows and tiles: how much is sent, and at which offsets. */
#ifndef SOLVER_CLUSTER_ROUNDS_H
#define SOLVER_CLUSTER_ROUNDS_H

#include "solver/cluster/distributed.h"

/* Plans the rounds of all blocks so that they fit into the buffers. Enlarges distributed->buffer if
 * even the smallest rounds do not fit. Collective. */
void wari_plan_rounds(struct wari_distributed *distributed);

/* Return the number of items of a rank in a round, and the i-th of them. */
uint32_t wari_round_items(const struct wari_round_plan *plan, int rank, uint32_t round);
static inline struct wari_item wari_round_item(const struct wari_round_plan *plan, int rank,
                                               uint32_t round, uint32_t i)
{
    return wari_work_item(&plan->work, rank, round * plan->batch + i);
}

/* Finds the item with number `task` = rank * batch + i, the i-th item of `rank` in this round.
 * Returns false if it is an item of this rank, or does not exist. */
bool wari_other_ranks_item(const struct wari_distributed *distributed,
                           const struct wari_round_plan *plan, uint32_t round, uint32_t task,
                           struct wari_item *item);

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Returns true if this rank owns a row. */
static inline bool wari_owns_row(const struct wari_level *level, int block, uint32_t row)
{
    return row - level->resident.partition.first_row[block] < level->resident.partition.rows[block];
}

/* The columns of a child row that the strips of an item need, for a move that sows `sown` seeds on
 * the opponent's side. */
struct wari_needed_columns {
    uint32_t first, columns;
};
struct wari_needed_columns wari_needed_columns_of(const struct wari_level *level,
                                                  const struct wari_item *item, int sown);

/* Copies the rows that other ranks need in a round into the buffer, and computes all offsets; after
 * that the exchange can begin. */
void wari_pack_rows(struct wari_distributed *distributed, const struct wari_round_plan *plan,
                    uint32_t round, struct wari_round *rows);

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* The rows of an item that a rank owns. This part of the item's tile is sent to the rank, strip by
 * strip and column by column. */
struct wari_tile_rows {
    uint32_t first, end;
};
struct wari_tile_rows wari_tile_rows_of(const struct wari_distributed *distributed,
                                        const struct wari_item *item, int rank);

/* Returns the part of `rows` that lies in their first strip. */
static inline struct wari_tile_rows wari_tile_rows_in_strip(const struct wari_tile_rows *rows)
{
    const uint32_t end = (rows->first / WARI_STRIP + 1) * WARI_STRIP;

    return (struct wari_tile_rows){rows->first, rows->end < end ? rows->end : end};
}

/* Computes the offsets of all tiles of a round. */
void wari_assign_tiles(struct wari_distributed *distributed, const struct wari_round_plan *plan,
                       uint32_t round, struct wari_round *tiles);

#endif

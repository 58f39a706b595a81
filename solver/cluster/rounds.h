/* Plans the rounds in which ranks exchange rows and tiles: computes the number of items of each
 * round, and the offsets of rows and tiles in the buffers. */
#ifndef SOLVER_CLUSTER_ROUNDS_H
#define SOLVER_CLUSTER_ROUNDS_H

#include "solver/cluster/distributed.h"

/* Plans the rounds of all blocks so that they fit into the buffers. Enlarges distributed->buffer if
 * even the smallest rounds do not fit. Collective. */
void wari_plan_rounds(struct wari_distributed *distributed);

/* Return the number of items that a rank computes in a round, and the i-th of these items. */
uint32_t wari_round_items(const struct wari_round_plan *plan, int rank, uint32_t round);
static inline struct wari_item wari_round_item(const struct wari_round_plan *plan, int rank,
                                               uint32_t round, uint32_t i)
{
    return wari_work_item(&plan->work, rank, round * plan->batch + i);
}

/* Finds the i-th item of `rank` in a round, where `task` is rank * batch + i. Returns false if
 * `rank` is this rank, or if `rank` has no such item. */
bool wari_other_ranks_item(const struct wari_distributed *distributed,
                           const struct wari_round_plan *plan, uint32_t round, uint32_t task,
                           struct wari_item *item);

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Returns true if this rank owns a row. */
static inline bool wari_owns_row(const struct wari_level *level, int block, uint32_t row)
{
    return row - level->resident.partition.first_row[block] < level->resident.partition.rows[block];
}

/* The columns of a child row that an item needs. For one mover half and one of its pits, all
 * children of the item are in one row (rows/tables.h). Their columns in this row depend only on the
 * rows of the item and on `sown`, the number of seeds that the move drops on the opponent's side.
 */
struct wari_needed_columns {
    uint32_t first, columns;
};
struct wari_needed_columns wari_needed_columns_of(const struct wari_level *level,
                                                  const struct wari_item *item, int sown);

/* Copies the rows that other ranks need in a round into the buffer, and computes all offsets. After
 * that the exchange of the rows can begin. */
void wari_pack_rows(struct wari_distributed *distributed, const struct wari_round_plan *plan,
                    uint32_t round, struct wari_round *rows);

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* The rows of an item that a rank owns. The item's tile is computed by one rank; these rows of the
 * tile are sent to their owner, strip by strip and column by column. */
struct wari_tile_rows {
    uint32_t first, end;
};
struct wari_tile_rows wari_tile_rows_of(const struct wari_distributed *distributed,
                                        const struct wari_item *item, int rank);

/* Returns those of `rows` that are in the same strip as the first row. */
static inline struct wari_tile_rows wari_tile_rows_in_strip(const struct wari_tile_rows *rows)
{
    const uint32_t end = (rows->first / WARI_STRIP + 1) * WARI_STRIP;

    return (struct wari_tile_rows){rows->first, rows->end < end ? rows->end : end};
}

/* Computes the offsets of all tiles of a round. */
void wari_assign_tiles(struct wari_distributed *distributed, const struct wari_round_plan *plan,
                       uint32_t round, struct wari_round *tiles);

#endif

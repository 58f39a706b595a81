/* The two kinds of sweeps: over all cells of an item, or over single cells for which there are
 * events. */
#ifndef SOLVER_LEVEL_SWEEP_H
#define SOLVER_LEVEL_SWEEP_H

#include "solver/level/item.h"

/* Computes all cells of an item. Children in rows first_copied to first_copied + copied_rows - 1 of
 * the item's block are read from level->resident.copy. */
void wari_sweep_lines(struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, const struct wari_sweep *sweep,
                      struct wari_sweep_result *result);

/* Computes the smallest child of each cell of an item, in the worker's tile, column by column.
 * Processes that share a level use it, because it reads children through `child_row`. It calls
 * `child_row` for each column and pit in order. The addresses that `child_row` returns have to stay
 * valid until wari_compute_item() returns. */
void wari_compute_item(const struct wari_level *level, struct wari_worker *worker,
                       const struct wari_item *item, wari_child_row *child_row);

/* The last step of wari_sweep_lines(): merges the smallest children of one strip of an item into
 * its cells, which have to be resident. */
struct wari_merge {
    int block;
    uint32_t first_row, rows;
    uint32_t first_column, columns;
    const int8_t *worst; /* as in struct wari_item_strip */
};
void wari_merge_item_strip(struct wari_level *level, struct wari_worker *worker,
                           const struct wari_merge *merge, const struct wari_sweep *sweep,
                           struct wari_sweep_result *result);

/* Computes those cells of a range of rows for which there are events. If the block contains
 * children of its own cells, the changes are deferred: they are recorded, and wari_copy_cells()
 * makes them later. */
void wari_sweep_cells(struct wari_level *level, struct wari_worker *worker, int block,
                      uint32_t range, struct wari_sweep_result *result);

/* Makes the changes that wari_sweep_cells() has deferred for this worker. All threads must have
 * passed a barrier between their calls of wari_sweep_cells() and this call. */
void wari_copy_cells(struct wari_level *level, struct wari_worker *worker, int block,
                     struct wari_sweep_result *result);

#endif

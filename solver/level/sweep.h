/* The two ways of sweeping an item, and what they take and give. */
#ifndef SOLVER_SWEEP_H
#define SOLVER_SWEEP_H

#include "solver/level/item.h"

/* Computes all cells of an item. Where the block has children of its own, these are read from
 * level->resident.copy. */
void wari_sweep_lines(struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, const struct wari_sweep *sweep,
                      struct wari_sweep_result *tally);

/* The two halves of that. First the smallest children, into the worker's tile: `child_row` says
 * where their rows are, in the order of columns and pits; these stay until the item is done. */
void wari_compute_item(const struct wari_level *level, struct wari_worker *worker,
                       const struct wari_item *item, wari_child_row *child_row);

/* Then a patch of up to 64 rows, all of them held, is merged. */
struct wari_merge {
    int block;
    uint32_t first_row, rows;
    uint32_t first_column, columns;
    const int8_t *worst; /* as in struct wari_item_strip */
};
void wari_merge_item_strip(struct wari_level *level, struct wari_worker *worker,
                           const struct wari_merge *merge, const struct wari_sweep *sweep,
                           struct wari_sweep_result *tally);

/* Computes the cells of a part of a block for which there are events. Where the block has
 * children of its own, changes are put aside. */
void wari_sweep_cells(struct wari_level *level, struct wari_worker *worker, int block,
                      uint32_t part, struct wari_sweep_result *tally);

/* Behind the barrier: brings in what this worker put aside. */
void wari_copy_cells(struct wari_level *level, struct wari_worker *worker, int block,
                     struct wari_sweep_result *tally);

#endif

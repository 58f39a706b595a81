/* The two ways of sweeping an item, and what they are told and tell. */
#ifndef SOLVER_SWEEP_H
#define SOLVER_SWEEP_H

#include "solver/level.h"

struct wari_sweep {
    enum wari_sweep_kind kind;
    bool cells_only;  /* only cells of which a child changed, one by one, by its events */
    bool keep_events; /* all cells, and leave events: only such cells may come next */
};

/* Computes all cells of an item. Where the block holds children of its own, these are read from
 * level->scratch. */
void wari_sweep_lines(struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, const struct wari_sweep *sweep,
                      struct wari_tally *tally);

/* Computes the cells of a part of a block for which there are events. Where the block holds
 * children of its own, changes are put aside. */
void wari_sweep_cells(struct wari_level *level, struct wari_worker *worker, int block,
                      uint32_t part, const struct wari_sweep *sweep, struct wari_tally *tally);

/* Behind the barrier: brings in what this worker put aside. */
void wari_copy_cells(struct wari_level *level, struct wari_worker *worker, int block,
                     const struct wari_sweep *sweep, struct wari_tally *tally);

/* The new code of a cell that asked (cell.h), from its captures; the old one if they cannot be
 * read, which stops the sweep. */
int8_t wari_answer(const struct wari_level *level, struct wari_worker *worker, int block,
                   uint32_t row, uint32_t column, int8_t worst, int8_t code);

/* Gives the cells of an item their first codes. */
void wari_captures_of_item(struct wari_level *level, struct wari_worker *worker,
                           const struct wari_item *item);

#endif

/* The window of the blocks that have their turn. */
#ifndef SOLVER_SCRATCH_WINDOW_H
#define SOLVER_SCRATCH_WINDOW_H

#include "solver/scratch/scratch.h"

/* Rows of a block's window: all, or as many as there is room for (a multiple of WARI_STRIP). */
uint32_t wari_scratch_window_rows(const struct wari_scratch *scratch, int block);

/* Says what is in the window, without reading it. `first_row`: of a turn of one block. */
void wari_scratch_open_window(struct wari_level *level, struct wari_turn turn, uint32_t first_row);

/* Puts everything into the pieces, for the first time, and hands each stretch of rows to `also`
 * (NULL: nobody) while it is at hand in its piece. */
typedef void wari_scratch_rows(struct wari_level *level, struct wari_worker *worker, int block,
                               uint32_t first_row, uint32_t rows);
void wari_scratch_store_window(struct wari_level *level, wari_scratch_rows *also);

/* A row of a block in the window. */
static inline int8_t *wari_scratch_window_row(const struct wari_scratch *scratch, int block,
                                              uint32_t row)
{
    return scratch->window.memory + scratch->window.place[block] +
           (size_t)(row - scratch->window.first_row) * scratch->pieces.cut.pitch[block];
}

#endif

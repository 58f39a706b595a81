/* Notifies the parents of cells that changed. */
#ifndef SOLVER_LEVEL_NOTIFY_H
#define SOLVER_LEVEL_NOTIFY_H

#include "solver/level/level.h"
#include "solver/rows/moves.h"

/* Computes the boards of cells of a block. Each cell is given as an event, of which only the row
 * and the column are used. */
void wari_boards_of_cells(const struct wari_level *level, int block, const wari_event *cell,
                          uint32_t count, struct wari_board *boards);

/* Changed cells of a block and their boards. Each changed cell is stored as an event with its own
 * row and column, its new code and its old code. */
struct wari_changes {
    const wari_event *change;
    const struct wari_board *board;
    uint32_t count;
};

/* Pushes an event for each parent of the changed cells. If `passed` is true, pushes no events for
 * parents in blocks that this dense sweep computes later (level->turn). */
void wari_notify_parents(struct wari_level *level, struct wari_worker *worker, int block,
                         const struct wari_changes *changes, bool passed);

#endif

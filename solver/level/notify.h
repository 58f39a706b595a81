/* Notifies the parents of cells that changed. */
#ifndef SOLVER_LEVEL_NOTIFY_H
#define SOLVER_LEVEL_NOTIFY_H

#include "solver/level/level.h"
#include "solver/rows/moves.h"

/* Computes the boards of cells of a block. The cells are given as events for them. */
void wari_boards_of_cells(const struct wari_level *level, int block, const wari_event *cell,
                          uint32_t count, struct wari_board *boards);

/* Changed cells of a block, in the form of events for themselves, and their boards. */
struct wari_changes {
    const wari_event *change;
    const struct wari_board *board;
    uint32_t count;
};

/* Pushes an event for each parent of the changed cells. If `passed` is true, only for parents whose
 * block has had its turn in this sweep or has it now: the others will be computed anyway. */
void wari_notify_parents(struct wari_level *level, struct wari_worker *worker, int block,
                         const struct wari_changes *changes, bool passed);

#endif

/* Quiet moves between the stored cells of a level: the parents and the children of a cell. */
#ifndef SOLVER_ROWS_MOVES_H
#define SOLVER_ROWS_MOVES_H

#include "solver/rows/tables.h"

/* The coordinates of a stored cell of a level. */
struct wari_coordinates {
    int block; /* seeds on the opponent's side */
    uint32_t row, column;
};

/* Upper limit on the number of parents of a cell: one for each pit and each number of seeds in
 * it. */
enum { WARI_PARENTS_MAX = WARI_HALF_PITS * WARI_SEEDS_MAX };

/* The two halves of a cell. Computing the boards of many cells in a separate loop is twice as fast,
 * since the computations are independent of each other. */
struct wari_board {
    wari_pits theirs, mine; /* the halves of the row and of the column */
};
static inline struct wari_board wari_board_of(const struct wari_tables *tables, int seeds,
                                              struct wari_coordinates cell)
{
    return (struct wari_board){
        .theirs = wari_pits_row(&tables->halves, cell.block, cell.row),
        .mine = wari_pits_half(&tables->halves, seeds - cell.block, cell.column),
    };
}

/* Finds the parents of a cell: the cells with a quiet move that leads to it. Returns their number.
 * The same parent may occur twice, for different pits. `seeds` is the number of seeds of the level.
 * Also stores the boards of the parents, unless `boards` is NULL. */
int wari_parents_of_board(const struct wari_tables *tables, int seeds, int block,
                          const struct wari_board *child,
                          struct wari_coordinates parents[WARI_PARENTS_MAX],
                          struct wari_board boards[WARI_PARENTS_MAX]);

/* Finds the children of a cell, to which its quiet moves lead. Returns their number. */
int wari_children_of_board(const struct wari_tables *tables, int seeds, int block,
                           const struct wari_board *parent,
                           struct wari_coordinates children[WARI_HALF_PITS]);

/* Finds the first pit with a quiet move, beginning with `pit`, and stores the child to which that
 * move leads. Returns the pit that was found, or WARI_HALF_PITS if no pit has a quiet move. */
int wari_next_child_of_board(const struct wari_tables *tables, int seeds, int block,
                             const struct wari_board *parent, int pit,
                             struct wari_coordinates *child);

#endif

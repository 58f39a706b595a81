/* Quiet moves between stored cells of a level, both ways: who is whose child. */
#ifndef SOLVER_MOVES_H
#define SOLVER_MOVES_H

#include "solver/rows/tables.h"

/* A stored cell of a level. */
struct wari_coordinates {
    int block; /* seeds on the opponent's side */
    uint32_t row, column;
};

/* Parents of a cell: one for each pit and number of seeds in it, at most. */
enum { WARI_PARENTS_MAX = WARI_HALF_PITS * WARI_SEEDS_MAX };

/* A cell's halves. To take those of many cells from their numbers, before anything else, is twice
 * as fast: none waits for the one before. */
struct wari_board {
    wari_pits theirs, mine; /* the half of the row, and of the column */
};
static inline struct wari_board wari_board_of(const struct wari_tables *tables, int seeds,
                                              struct wari_coordinates place)
{
    return (struct wari_board){
        .theirs = wari_pits_row(&tables->halves, place.block, place.row),
        .mine = wari_pits_half(&tables->halves, seeds - place.block, place.column),
    };
}

/* The parents of a cell: those with a quiet move that leads to it. Returns their number; the same
 * one may come twice, by different pits. `seeds`: of the level. */
int wari_parents_of_board(const struct wari_tables *tables, int seeds, int block,
                          const struct wari_board *child,
                          struct wari_coordinates parents[WARI_PARENTS_MAX],
                          struct wari_board boards[WARI_PARENTS_MAX]); /* theirs; NULL: none */

/* The children that quiet moves of a cell lead to; returns their number. */
int wari_children_of_board(const struct wari_tables *tables, int seeds, int block,
                           const struct wari_board *parent,
                           struct wari_coordinates children[WARI_HALF_PITS]);

/* One of these children: that of the first pit from `pit` on that leads to one. Returns that pit;
 * WARI_HALF_PITS: there is none. */
int wari_next_child_of_board(const struct wari_tables *tables, int seeds, int block,
                             const struct wari_board *parent, int pit,
                             struct wari_coordinates *child);

#endif

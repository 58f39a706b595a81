/* Late sweeps: what becomes of single cells, wherever cells are kept.
 *
 * Late in a level few cells change, so nothing is computed but the parents of changed cells. Where
 * all cells are in memory (sweep_cells.c) a parent looks at its children at once. Where they are
 * not (in a file: stream_late.c; on other machines) cells are visited in bulk, and what is known of
 * them travels as records. The rules are these, for both:
 *
 *     1. events     A cell that changed leaves an event with each of its parents: wari_parents_of()
 *                   finds them. The parent's holder applies it: wari_late_raise() gives the new
 *                   code, or says that the parent has to be **looked at**: it may fall, and how far
 *                   is up to all its children.
 *     2. questions  A cell that is looked at asks each child (wari_children_of()) for its code. The
 *                   child's holder answers with the code that the child has then.
 *     3. conclusion The smallest answer, WARI_NO_QUIET where there are no children, is `worst`;
 *                   wari_late_concluded() gives the new code. It may read the levels below.
 *
 * A cell that changes, in 1 or in 3, leaves events. All is done when no record is left.
 *
 * What has to hold, for the fixed point not to be missed: **an event about a child's change that
 * came after the child's answer is applied after the conclusion.** (An event tells what the child
 * was before, and leads to a look only if the parent owes its value to that; a parent whose look is
 * not concluded yet may not owe it yet.) It holds if everybody finishes each of the three steps
 * before anybody begins the next. It also holds if blocks are visited one after the other in a
 * fixed order and, at its visit, a block first concludes the looks of which all answers are in,
 * then applies its events, then answers the questions that have come. Events and answers may come
 * in any order, and more than once.
 *
 * Nothing here is about where cells are, and all functions may be called by any number of threads.
 */
#ifndef SOLVER_LATE_H
#define SOLVER_LATE_H

#include "solver/events.h"

/* A stored cell of a level. */
struct wari_place {
    int block; /* seeds on the opponent's side */
    uint32_t row, column;
};

/* ---- Who is whose child --------------------------------------------------------------------- */

/* Parents of a cell: one for each pit and number of seeds in it, at most. */
enum { WARI_PARENTS_MAX = WARI_HALF_PITS * WARI_SEEDS_MAX };

/* The parents of a cell: those with a quiet move that leads to it. Returns their number; the same
 * one may come twice, by different pits. `seeds`: of the level. */
int wari_parents_of(const struct wari_tables *tables, int seeds, struct wari_place child,
                    struct wari_place parents[WARI_PARENTS_MAX]);

/* The children that quiet moves of a cell lead to; returns their number. */
int wari_children_of(const struct wari_tables *tables, int seeds, struct wari_place parent,
                     struct wari_place children[WARI_HALF_PITS]);

/* Both in two steps, for cells of a block. To take the halves of many from their numbers, before
 * anything else, is twice as fast: none waits for the one before. `cell`: events for the cells. */
struct wari_board {
    wari_pits theirs, mine; /* the half of the row, and of the column */
};
void wari_boards_of(const struct wari_tables *tables, int seeds, int block, const wari_event *cell,
                    uint32_t count, struct wari_board *boards);
int wari_parents_of_board(const struct wari_tables *tables, int seeds, int block,
                          const struct wari_board *child,
                          struct wari_place parents[WARI_PARENTS_MAX],
                          struct wari_board boards[WARI_PARENTS_MAX]); /* theirs; NULL: none */
int wari_children_of_board(const struct wari_tables *tables, int seeds, int block,
                           const struct wari_board *parent,
                           struct wari_place children[WARI_HALF_PITS]);

/* One of these children: that of the first pit from `pit` on that leads to one. Returns that pit;
 * WARI_HALF_PITS: there is none. */
int wari_next_child_of_board(const struct wari_tables *tables, int seeds, int block,
                             const struct wari_board *parent, int pit, struct wari_place *child);

/* Leaves events with the parents of cells that changed, as wari_tell_parents() does: changes[i] is
 * an event for the cell itself, boards[i] are its halves. */
void wari_tell_changes(struct wari_level *level, struct wari_worker *worker, int block,
                       const wari_event *changes, const struct wari_board *boards, uint32_t count,
                       bool passed);

/* ---- What becomes of a cell ------------------------------------------------------------------ */

/* Step 1: the new code of a parent, for which there is an event; *look: it has to be looked at, and
 * stays as it is until then. */
int8_t wari_late_raise(const struct wari_cells *codes, wari_event event, int8_t old, bool *look);

/* Step 3: the new code of a cell that is `old` now and whose smallest child is `worst`. Reads lower
 * levels by the worker's reader; where that fails the team has failed and `old` is returned. */
int8_t wari_late_concluded(const struct wari_level *level, struct wari_worker *worker,
                           struct wari_place place, int8_t old, int8_t worst);

#endif

/* Event-driven sweeps: what becomes of single cells, wherever cells are.
 *
 * Late in a level few cells change, so nothing is computed but the parents of changed cells. Where
 * all cells are in memory (sweep_cells.c) a parent reads its children at once. Where they are not
 * (on other machines: cluster/) cells are visited in bulk, and what is known of them travels as
 * records. The rules are these, for both:
 *
 *     1. events     A cell that changed leaves an event with each of its parents, which
 *                   wari_parents_of_board() finds. The parent's holder applies it:
 *                   wari_apply_event() gives the new code, or says that the parent has to be
 *                   **rechecked**: it may fall, and how far is up to all its children.
 *     2. queries    A cell that is rechecked queries each child (wari_children_of_board()), whose
 *                   holder replies with the code that the child has then.
 *     3. resolving  The smallest reply, WARI_NO_QUIET where there are no children, is `worst`;
 *                   wari_resolve() gives the new code. It may read the levels below.
 *
 * A cell that changes, in 1 or in 3, leaves events. All is done when no record is left.
 *
 * What has to hold, for the fixed point not to be missed: **an event about a child's change that
 * came after the child's reply is applied after the cell is resolved.** (An event tells what the
 * child was before, and leads to a recheck only if the parent owes its value to that; a parent
 * whose recheck is not resolved yet may not owe it yet.) It holds if everybody finishes each of the
 * three steps before anybody begins the next. Events and replies may come in any order, and more
 * than once.
 *
 * Nothing here is about where cells are, and all functions may be called by any number of threads.
 */
#ifndef SOLVER_RECHECK_H
#define SOLVER_RECHECK_H

#include "solver/level/notify.h"

/* Step 1: the new code of a parent, for which there is an event; *recheck: it has to be rechecked,
 * and stays as it is until then. */
int8_t wari_apply_event(const struct wari_cells *codes, wari_event event, int8_t old,
                        bool *recheck);

/* Step 3: the new code of a cell that is `old` now and whose smallest child is `worst`. Reads lower
 * levels by the worker's reader; where that fails the team has failed and `old` is returned. */
int8_t wari_resolve(const struct wari_level *level, struct wari_worker *worker,
                    struct wari_coordinates place, int8_t old, int8_t worst);

#endif

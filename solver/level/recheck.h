/* Event-driven sweeps: the rules by which single cells change, for all ways to store cells.
 *
 * Late in a level few cells change, so only parents of changed cells are computed. If all cells are
 * in memory (sweep_cells.c) the children of a parent are read at once. If cells are distributed
 * over several processes (cluster/), the processes exchange messages with events, queries and
 * replies, many at a time. Both implementations follow these steps:
 *
 *     1. events     A cell that changed pushes an event for each of its parents, which
 *                   wari_parents_of_board() finds. The process that stores the parent applies the
 *                   event: wari_apply_event() returns the new code, or says that the parent has to
 *                   be **rechecked**: it may fall, and how far depends on all its children.
 *     2. queries    A cell that is rechecked queries each child (wari_children_of_board()). The
 *                   process that stores the child replies with the current code of the child.
 *     3. resolving  `worst` is the smallest reply, or WARI_NO_QUIET if there are no children;
 *                   wari_resolve() returns the new code. It may read the lower levels.
 *
 * A cell that changes, in step 1 or 3, pushes events. All is done when no message is left.
 *
 * One rule must hold, or the fixed point is missed: **if a child changes after its reply, the event
 * of that change must be applied after the cell is resolved.** The reason: an event contains the
 * old code of the child, and leads to a recheck only if the parent has its value from that child. A
 * parent whose recheck is not resolved yet may get its value from that child only when the recheck
 * is resolved, so an event that is applied earlier would have no effect. The rule holds if all
 * processes finish each of the three steps before any of them begins the next one. Events and
 * replies may come in any order, and more than once.
 *
 * These functions do not depend on where cells are stored; any number of threads may call them.
 */
#ifndef SOLVER_LEVEL_RECHECK_H
#define SOLVER_LEVEL_RECHECK_H

#include "solver/level/notify.h"

/* Step 1: returns the new code of a parent whose code is `old`. If *recheck is set to true, the
 * parent has to be rechecked, and `old` is returned. */
int8_t wari_apply_event(const struct wari_cells *codes, wari_event event, int8_t old,
                        bool *recheck);

/* Step 3: returns the new code of a cell whose code is `old` and whose smallest child is `worst`.
 * If the worker's reader cannot read a lower level, the workers fail and `old` is returned. */
int8_t wari_resolve(const struct wari_level *level, struct wari_worker *worker,
                    struct wari_coordinates place, int8_t old, int8_t worst);

#endif

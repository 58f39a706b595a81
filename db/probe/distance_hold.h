/* Holding a surplus for ever, where nothing more can be forced. */
#ifndef DB_FORCE_FORCE_HOLD_H
#define DB_FORCE_FORCE_HOLD_H

#include "db/probe/distance_graph.h"

/* In a graph of which every node has been looked at and whose distances are exact: a move that
 * holds X's surplus of k for ever, or leads to where it can be held. FORCE_NONE: there is none. */
int wari_force_hold_pit(struct wari_force_search *search, int number);

#endif

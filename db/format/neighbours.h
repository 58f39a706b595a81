/* Where the neighbours of each cell of a chunk are: what a decoder goes by.
 *
 * FORMAT.md, "Neighbours", defines them. An encoder, which knows all values, does without
 * (cell_tables.h).
 */
#ifndef DB_ROWS_NEIGHBOURS_H
#define DB_ROWS_NEIGHBOURS_H

#include "db/format/neighbours_aim.h"

/* Takes the fastest kernel that the machine has instructions for. */
void wari_neighbours_init(struct wari_neighbours *neighbours);

/* Fills in target and captures of a section: of the cells that are wanted, and at most of some
 * others.
 */
void wari_neighbours_of(struct wari_neighbours *neighbours, const struct wari_section *section);

#endif

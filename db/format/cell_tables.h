/* Which of a model's tables each cell of a chunk has, and which symbol, where all values are known:
 * what an encoder goes by.
 *
 * A decoder follows each neighbour of a cell to wherever it is. Here the neighbours by one pit are
 * brought side by side first, in vectors: where a distance stays the same for a number of cells,
 * they are a copy of as many others.
 */
#ifndef DB_CONTEXT_CELL_TABLES_H
#define DB_CONTEXT_CELL_TABLES_H

#include "db/format/cell_tables_find.h"

/* Takes the fastest kernel that the machine has instructions for. */
void wari_cell_tables_init(struct wari_cell_tables *tables);

/* Fills in the slots of all values of a section, each in -n..n. */
void wari_cell_tables_of(struct wari_cell_tables *tables, const struct wari_section *section,
                         const int8_t *values);

#endif

/* Capture lists: for each threshold v, the cells whose best capture is v or -v. These cells are the
 * first cells to change when threshold v is solved (bits.h). All lists are made in one pass: either
 * while the capture pass writes the rows of first codes, or from the codes of a checkpoint. Each
 * list is read when its threshold is solved: once, or twice if it is short.
 *
 * A list consists of **nodes** at the end of the scratch file. While lists are made, the nodes that
 * are not full are in memory; they are called **open**. A **set** consists of one open node for
 * each threshold. A thread that adds rows takes any set that no other thread uses, so that each set
 * receives its rows roughly in order. A node has the following layout:
 *
 *     0   number of the first cell, 8 bytes
 *     8   number of cells in this node, 4 bytes
 *     12  for each cell: 2 * ((its number - the number of the cell before) modulo 2^42) + s. The
 *         difference is 0 for the first cell; s is 0 if the capture is v and 1 if it is -v. Seven
 *         bits are stored in each byte, the lowest first; the highest bit is set if another byte
 *         follows
 *     ... the last 8 bytes: checksum of all bytes before (system/sum.h), which depends on the
 *         offset in the file and on a number that is new for each set of lists
 *
 * The number of a cell is the index of its bit in a plane (bits.h): eight times the offset of the
 * byte, plus the number of the bit in the byte. Only the process that made a list reads it.
 */
#ifndef SOLVER_BITS_CAPTURE_LISTS_H
#define SOLVER_BITS_CAPTURE_LISTS_H

#include "solver/bits/bits.h"

/* The memory of the lists, in bytes. wari_capture_lists_node_bytes() returns the size of a node if
 * the lists may take about `memory` bytes while they are made with `sets` sets.
 * wari_capture_lists_bytes() returns the exact memory that they take with nodes of that size.
 * wari_capture_lists_table_bytes() returns the memory of the table that exists as long as the
 * lists. */
uint32_t wari_capture_lists_node_bytes(const struct wari_layout *layout, uint64_t memory, int sets);
uint64_t wari_capture_lists_bytes(const struct wari_layout *layout, uint32_t node_bytes, int sets);
uint64_t wari_capture_lists_table_bytes(const struct wari_layout *layout, uint32_t node_bytes,
                                        int sets);

/* Begins the lists of all thresholds below bits->threshold. Until wari_capture_lists_end(), the
 * open nodes are in the memory that wari_scratch_shape.reserved describes. */
WARI_MUST_CHECK enum wari_status wari_capture_lists_begin(struct wari_bits *bits,
                                                          struct wari_error *error);

/* Adds the cells of some rows, if lists were begun. The rows have to be a whole range, and each row
 * may be added only once. A failure is recorded in the level's workers. */
wari_rows_job wari_capture_lists_add;

/* Ends the lists, after all rows were added: writes the open nodes. */
void wari_capture_lists_end(struct wari_bits *bits);
void wari_capture_lists_destroy(struct wari_bits *bits);

/* Returns the number of cells in the list of bits->threshold. */
uint64_t wari_capture_lists_count(const struct wari_bits *bits);

/* Applies the list of bits->threshold to the planes, for cells that are neither won nor lost. Cells
 * whose best capture is the threshold become won. Cells whose best capture is the negative of the
 * threshold become open. Notifies no parents. */
void wari_capture_lists_apply(struct wari_bits *bits);

/* After wari_capture_lists_apply(): pushes the cells of the list to the worklist, and processes
 * all changes that follow. Returns the number of changed cells. */
uint64_t wari_capture_lists_notify(struct wari_bits *bits);

#endif

/* The cells of a level by the size of their best capture, for solving by bits: what a threshold
 * begins with. All lists are made together, from the rows of first codes as the capture pass puts
 * them into their ranges, or from those of a checkpoint; and each is read when its threshold has
 * its turn: once, or twice if it is a short one.
 *
 * A list is made of **chunks** at the end of the scratch file, which belong to whatever list needed
 * one. A **set** is one open chunk for each threshold; a thread that has rows takes any set, so
 * that each has rows in about the order of their numbers:
 *
 *     0   number of the first cell, 8 bytes
 *     8   cells, 4 bytes
 *     12  for each cell: 2 * (its number - the one before modulo 2^42, 0 for the first one) + (0:
 *         the capture is v, 1: -v), seven bits a byte, the lowest first; the highest bit is set if
 *         another byte follows
 *     ... its last 8 bytes: the sum of all before them (system/sum.h), by place and run
 *
 * Cells are numbered as places of a plane (bits.h): eight times the byte, and the bit. They live as
 * long as the process that made them: no format that anybody else reads.
 */
#ifndef SOLVER_BITS_LISTS_H
#define SOLVER_BITS_LISTS_H

#include "solver/bits/bits.h"

/* Bytes of a chunk where lists may take about so many bytes while they are made, by so many sets;
 * of what they take then; and of what is in memory as long as there are lists. */
uint32_t wari_capture_lists_node_bytes(const struct wari_layout *layout, uint64_t memory, int sets);
uint64_t wari_capture_lists_bytes(const struct wari_layout *layout, uint32_t node_bytes, int sets);
uint64_t wari_capture_lists_table_bytes(const struct wari_layout *layout, uint32_t node_bytes,
                                        int sets);

/* Begins the lists of all thresholds below bits->threshold: in the memory that the scratch has set
 * aside, until they are whole. */
WARI_MUST_CHECK enum wari_status wari_capture_lists_begin(struct wari_bits *bits,
                                                          struct wari_error *error);

/* Adds the cells of some rows, whole ranges and each row once, if lists were begun; failures are
 * the team's. */
wari_rows_job wari_capture_lists_add;

/* All rows were added. */
void wari_capture_lists_end(struct wari_bits *bits);
void wari_capture_lists_destroy(struct wari_bits *bits);

/* Cells in the list of bits->threshold. */
uint64_t wari_capture_lists_count(const struct wari_bits *bits);

/* Brings into the planes: cells whose best capture is the threshold are won, those whose best
 * capture is the negative of it may be lost. */
void wari_capture_lists_apply(struct wari_bits *bits);

/* Puts the cells among the news, and works on what follows. Returns the number of cells that
 * changed. */
uint64_t wari_lists_notify(struct wari_bits *bits);

#endif

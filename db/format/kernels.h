/* The inner loops of the codec: one kernel for each set of instructions. All kernels give the same
 * results; they differ in speed only. */
#ifndef DB_FORMAT_KERNELS_H
#define DB_FORMAT_KERNELS_H

#include "db/format/rows.h"

struct wari_cell_tables;
struct wari_neighbours;

/* Computes neighbours->target (neighbours.h) for the cells of one row. `length` is the number of
 * cells in each stream of the chunk. */
typedef void wari_locate_kernel(struct wari_neighbours *neighbours,
                                const struct wari_row_cells *cells, size_t length);

/* Computes tables->entry (cell_tables.h) for the cells of one row. `length` is the number of cells
 * in each stream of the chunk. */
typedef void wari_find_kernel(struct wari_cell_tables *tables, const struct wari_row_iterator *row,
                              size_t length);

wari_captures_kernel wari_captures_portable;
wari_locate_kernel wari_locate_portable;
wari_find_kernel wari_find_portable;
#if defined(__x86_64__)
wari_captures_kernel wari_captures_avx512vbmi;
wari_locate_kernel wari_locate_avx2, wari_locate_avx512;
wari_find_kernel wari_find_avx2, wari_find_avx512, wari_find_avx512vbmi;
#endif

struct wari_format_kernels {
    wari_captures_kernel *captures;
    wari_locate_kernel *locate;
    wari_find_kernel *find;
};

/* Returns the fastest kernels that this processor has the instructions for. */
struct wari_format_kernels wari_format_kernels_fastest(void);

#endif

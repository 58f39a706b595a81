/* Computes, for each cell of a chunk whose values are all known, the model's table for the cell and
 * the symbol of its value. The encoder needs both.
 *
 * A decoder loads each neighbour of a cell from where the neighbour is. The encoder knows all
 * values, so it first copies the neighbours by one pit into an array in the order of the cells, in
 * vectors: where the distance to the neighbour is the same for several consecutive cells, the
 * neighbours of these cells are consecutive, too. */
#ifndef DB_FORMAT_CELL_TABLES_H
#define DB_FORMAT_CELL_TABLES_H

#include "db/format/kernels.h"

enum {
    /* Capacity for the runs (struct wari_cell_run) to which 8192 consecutive columns of a block
     * belong. There are at most 556 of these runs, namely if the mover has 13 seeds. (With fewer
     * seeds, all columns together belong to at most 455 runs.) */
    WARI_CHUNK_RUNS = 560,
    /* Capacity beyond the chunk. Whole runs (struct wari_cell_run) are copied, even if the chunk
     * begins or ends within a run. A run has at most C(50, 2) = 1225 cells; the last vector of a
     * copy may write further cells. */
    WARI_RUN_CAPACITY = 1225 + 55,
    /* This number is added to residues (values minus captures). The biased residues are positive,
     * and so small that the computations with six of them in kernels_loop.h fit 16 bits. */
    WARI_VALUE_BIAS = 67,
};

/* A run: consecutive columns whose halves have the same numbers of seeds in pits A, B and C. */
struct wari_cell_run {
    int16_t at;    /* first column of the run; negative if the run begins before the columns that
                    * are kept */
    int16_t seeds; /* number of seeds in D, E and F together */
};

/* A shift: consecutive columns whose neighbours by one pit (db/FORMAT.md, "Neighbours") are all at
 * the same distance before them. So these neighbours are consecutive, too, and are copied at once.
 */
struct wari_cell_shift {
    uint16_t at;    /* first column */
    uint16_t cells; /* number of columns, which is equal to the distance; the last of these columns
                     * may lie after the columns that are kept */
};

/* The runs and shifts of the columns that struct wari_columns (rows.h) keeps. */
struct wari_cell_shifts {
    int seeds; /* seeds in the mover's half, as in wari_columns */
    uint32_t first;
    uint32_t count;
    size_t runs;
    struct wari_cell_run run[WARI_CHUNK_RUNS];
    /* The first index is 0 for neighbours by pit C, 1 by pit B, 2 by pit A. */
    size_t shifts[3]; /* number of shifts */
    struct wari_cell_shift shift[3][WARI_CHUNK_RUNS];
};

/* The state of one encoder, about 240 KB. */
struct wari_cell_tables {
    /* The result. For cell i of the chunk, entry[i] is an index of an array [table][symbol].
     * There are at most 582 tables and 98 symbols. */
    uint16_t entry[WARI_CELLS_CAPACITY];

    int seeds; /* number of seeds of the level */
    struct wari_rows rows;
    struct wari_cell_shifts shifts;
    wari_find_kernel *find;
    int8_t value[WARI_CELLS_CAPACITY];
    /* Residues plus WARI_VALUE_BIAS, in the order of the cells. The array begins before the
     * chunk, so that the farthest neighbour of every cell lies in it; values before the chunk
     * are read but ignored. */
    uint8_t
        biased[WARI_CHUNK_POSITIONS + WARI_RUN_CAPACITY + WARI_CHUNK_POSITIONS + WARI_RUN_CAPACITY];
    /* The neighbours by pits D, C, B and A, in the order of the cells. */
    uint8_t moved[4][WARI_RUN_CAPACITY + WARI_CHUNK_POSITIONS + WARI_RUN_CAPACITY];
};

/* Prepares an encoder's tables. Selects the fastest kernel that this processor can run. */
void wari_cell_tables_init(struct wari_cell_tables *tables);

/* Fills in `entry` for all cells of a range. Every value must be in -n..n for level n. */
void wari_cell_tables_of(struct wari_cell_tables *tables, const struct wari_chunk_range *range,
                         const int8_t *values);

#endif

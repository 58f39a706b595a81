/* Computes, for each cell of a chunk whose values are all known, which of the model's tables it
 * uses and which symbol it has. The encoder needs both.
 *
 * A decoder follows each neighbour of a cell to its place. Here the neighbours by one pit are first
 * copied side by side, in vectors: where a distance stays the same for a number of cells, their
 * neighbours are as many consecutive cells.
 */
#ifndef DB_FORMAT_CELL_TABLES_H
#define DB_FORMAT_CELL_TABLES_H

#include "db/format/kernels.h"

enum {
    /* Capacity for the runs that 8192 consecutive columns touch: at most 556, where the mover has
     * 13 seeds. (With fewer seeds a row has at most 455 runs.) */
    WARI_CHUNK_RUNS = 560,
    /* Runs are copied as a whole, even if the chunk begins or ends within a run. A run has at most
     * C(50, 2) cells, plus a vector. */
    WARI_RUN_CAPACITY = 1225 + 55,
    /* Added to residues (values minus captures), so that they are positive and six of them times a
     * factor fit 16 bits. */
    WARI_VALUE_BIAS = 67,
};

/* A run: columns with the same A, B and C. */
struct wari_cell_run {
    int16_t at;    /* its first column; negative if only its last columns are among those kept */
    int16_t seeds; /* in D, E and F together */
};

/* Columns whose neighbours by one pit are all the same number of cells before them. */
struct wari_cell_shift {
    uint16_t at;
    uint16_t cells; /* the number of columns, and also the distance; the last columns may lie beyond
                       those kept */
};

/* The runs and shifts of the columns that are kept in `rows`. */
struct wari_cell_shifts {
    int seeds; /* as in wari_columns */
    uint32_t first;
    uint32_t count;
    size_t runs;
    struct wari_cell_run run[WARI_CHUNK_RUNS];
    size_t shifts[3]; /* for pits C, B and A */
    struct wari_cell_shift shift[3][WARI_CHUNK_RUNS];
};

/* The state of one encoder, about 240 KB. */
struct wari_cell_tables {
    /* The result, for cells 0 .. count - 1 of the chunk: the index of [table][symbol]. There are at
     * most 582 tables and 98 symbols. */
    uint16_t entry[WARI_CELLS_CAPACITY];

    int seeds; /* number of seeds of the level */
    struct wari_rows rows;
    struct wari_cell_shifts shifts;
    wari_find_kernel *find;
    int8_t value[WARI_CELLS_CAPACITY];
    /* Residues plus WARI_VALUE_BIAS, in the order of the cells. Before the chunk there are as many
     * bytes as the farthest neighbour can lie before it; they are read but ignored. */
    uint8_t
        biased[WARI_CHUNK_POSITIONS + WARI_RUN_CAPACITY + WARI_CHUNK_POSITIONS + WARI_RUN_CAPACITY];
    uint8_t moved[4][WARI_RUN_CAPACITY + WARI_CHUNK_POSITIONS +
                     WARI_RUN_CAPACITY]; /* for pits D, C, B, A */
};

/* Prepares an encoder's tables. Selects the fastest kernel that this processor can run. */
void wari_cell_tables_init(struct wari_cell_tables *tables);

/* Fills in `entry` for all values of a range. Every value must be in -n..n. */
void wari_cell_tables_of(struct wari_cell_tables *tables, const struct wari_chunk_range *range,
                         const int8_t *values);

#endif

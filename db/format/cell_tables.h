/* Which of a model's tables each cell of a chunk has, and which symbol, where all values are known:
 * what an encoder goes by.
 *
 * A decoder follows each neighbour of a cell to wherever it is. Here the neighbours by one pit are
 * brought side by side first, in vectors: where a distance stays the same for a number of cells,
 * they are a copy of as many others.
 */
#ifndef DB_CONTEXT_CELL_TABLES_H
#define DB_CONTEXT_CELL_TABLES_H

#include "db/format/kernels.h"

enum {
    /* Room for the runs that 8192 columns in a row touch: at most 556, where the mover has 13
     * seeds. (With fewer seeds there are no more than 455.) */
    WARI_CHUNK_RUNS = 560,
    /* Runs are copied as a whole, though a chunk may begin or end within: C(50, 2), and a vector.
     */
    WARI_RUN_CAPACITY = 1225 + 55,
    /* Values less captures, raised by this, are positive, and six of them and a factor are within
     * 16 bits. */
    WARI_VALUE_BIAS = 67,
};

/* Columns with the same A, B and C. */
struct wari_cell_run {
    int16_t at;    /* the first of them; below 0 where only the last ones count */
    int16_t seeds; /* of D, E and F */
};

/* Columns whose neighbours by one pit are as many cells before them. */
struct wari_cell_shift {
    uint16_t at;
    uint16_t cells; /* how many, and how far; the last ones may not count */
};

/* Those of the columns that are kept in `rows`. */
struct wari_cell_shifts {
    int seeds; /* as in wari_columns */
    uint32_t first;
    uint32_t count;
    size_t runs;
    struct wari_cell_run run[WARI_CHUNK_RUNS];
    size_t shifts[3]; /* by C, B and A */
    struct wari_cell_shift shift[3][WARI_CHUNK_RUNS];
};

/* About 240 KB; one for each encoder. */
struct wari_cell_tables {
    /* What a caller reads, of cells 0 .. count - 1: the place of [table][symbol]. There are at most
     * 582 times 98. */
    uint16_t entry[WARI_CELLS_CAPACITY];

    int seeds; /* of the level */
    struct wari_rows rows;
    struct wari_cell_shifts shifts;
    wari_find_kernel *find;
    int8_t value[WARI_CELLS_CAPACITY];
    /* Lifted, in the order of cells; behind as many bytes as the farthest neighbour, which does not
     * count, may lie before the chunk. */
    uint8_t
        biased[WARI_CHUNK_POSITIONS + WARI_RUN_CAPACITY + WARI_CHUNK_POSITIONS + WARI_RUN_CAPACITY];
    uint8_t moved[4]
                 [WARI_RUN_CAPACITY + WARI_CHUNK_POSITIONS + WARI_RUN_CAPACITY]; /* by D, C, B, A */
};

/* Takes the fastest kernel that the machine has instructions for. */
void wari_cell_tables_init(struct wari_cell_tables *tables);

/* Fills in the slots of all values of a range, each in -n..n. */
void wari_cell_tables_of(struct wari_cell_tables *tables, const struct wari_chunk_range *range,
                         const int8_t *values);

#endif

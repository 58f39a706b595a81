/* The rows that a chunk consists of: distances to neighbours, which all rows of a block have in
 * common, and what the mover of each cell could capture at once.
 *
 * All of it follows from the level and the place alone. FORMAT.md, "Neighbours", defines it.
 */
#ifndef DB_ROWS_ROWS_H
#define DB_ROWS_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "db/format/chunk.h"

enum {
    WARI_CODER_STREAMS = 4,       /* of a chunk, coded side by side */
    WARI_NO_DISTANCE = INT16_MAX, /* no such neighbour */
    WARI_NO_EARLIER_STREAM =
        16384,           /* beyond any distance but that, which is more than a stream beyond it */
    WARI_NEIGHBOURS = 5, /* of a cell, besides the one before it */
    WARI_CELLS_CAPACITY = WARI_CHUNK_POSITIONS + 64, /* rows are written in whole vectors */
    WARI_RUNS_CAPACITY = 20825 + 16, /* C(51, 3): all ways to put up to 48 seeds into three pits */
};

/* What all rows of a block have in common, kept from one row to the next. */
struct wari_columns {
    int seeds;      /* in the mover's half; -1: nothing is here */
    uint32_t first; /* column, and how many */
    uint32_t count;
    int16_t distance[WARI_NEIGHBOURS - 1][WARI_CELLS_CAPACITY];
    uint8_t reach[WARI_CELLS_CAPACITY]; /* bit i: some pit's last seed falls into opponent pit i */
};

struct wari_rows {
    uint8_t
        capture[WARI_CELLS_CAPACITY]; /* of the cells of the chunk: the largest at hand, 0 to 18 */
    struct wari_columns columns;
    int16_t far[3][WARI_SEEDS_MAX + 1]; /* C(seeds + k, k), k = 2, 3, 4, or no distance */

    /* Runs: all (D, E, F) with so many seeds, one number of seeds after the other. */
    int lengths;                               /* numbers of seeds that are there */
    uint32_t first_of_run[WARI_SEEDS_MAX + 2]; /* [seeds] */
    int16_t from_d[WARI_RUNS_CAPACITY];
    uint8_t reach_of_run[WARI_RUNS_CAPACITY]; /* of D, E and F only; else as in `reach` */
};

void wari_rows_init(struct wari_rows *rows);

/* A row, or the part of it that is in the chunk. */
struct wari_row_iterator {
    struct wari_rows *rows;
    const struct wari_layout *layout;
    size_t count;    /* cells of the chunk */
    size_t steps;    /* cells of each stream that are wanted: rows without one are left out */
    size_t at;       /* first cell of the row */
    uint32_t cells;  /* of the row */
    uint32_t skip;   /* columns before them in `columns` */
    int16_t above;   /* distance of the row above */
    int block;       /* seeds on the opponent's side */
    uint32_t row;    /* its number in the block */
    uint32_t column; /* of the first cell */
    uint8_t opponent[WARI_HALF_PITS];
};

/* Before the first row of a range. */
void wari_row_begin(struct wari_row_iterator *walk, struct wari_rows *rows,
                    const struct wari_chunk_range *range);

/* On to the next row, whose columns and captures (of the cells that are wanted) are in `rows` then;
 * false if there is none. */
bool wari_row_next(struct wari_row_iterator *walk);

/* Cells in each stream but the last ones: cell i is in stream i / lane_cells. */
static inline size_t wari_stream_cells(size_t count)
{
    return (count + WARI_CODER_STREAMS - 1) / WARI_CODER_STREAMS;
}

/* Cells of one row in one stream. */
struct wari_row_cells {
    size_t at;     /* the first of them */
    size_t stream; /* the first cell of the stream */
    uint32_t cells;
    uint32_t skip; /* columns before them in `columns` */
    int16_t above; /* distance of the row above */
};

/* The cells of a row in the stream of `length` cells that begins at cell `stream`. There must be
 * some.
 */
static inline struct wari_row_cells wari_row_cells_of_stream(const struct wari_row_iterator *row,
                                                             size_t stream, size_t length)
{
    const size_t end = row->at + row->cells;
    const size_t from = stream > row->at ? stream : row->at;
    const size_t to = stream + length < end ? stream + length : end;
    return (struct wari_row_cells){
        .at = from,
        .stream = stream,
        .cells = (uint32_t)(to - from),
        .skip = row->skip + (uint32_t)(from - row->at),
        .above = row->above,
    };
}

#endif

/* Iterates over the rows of a chunk. Computes the distances of cells to their neighbours, which are
 * the same in all rows of a block, and the capture at hand of each cell: the largest number of
 * seeds that its mover can capture at once.
 *
 * Both follow from the level and the position of the chunk in it. FORMAT.md defines them under
 * "Neighbours" and "Capture at hand". */
#ifndef DB_FORMAT_ROWS_H
#define DB_FORMAT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "db/format/chunk.h"

enum {
    WARI_CODER_STREAMS = 4,         /* number of streams, which are interleaved in every chunk */
    WARI_NO_DISTANCE = INT16_MAX,   /* means that there is no such neighbour */
    WARI_NO_EARLIER_STREAM = 16384, /* used in place of the length of a stream for the cells of the
                                     * first stream. Kernels subtract the length from each distance
                                     * that is not less than it. Here only WARI_NO_DISTANCE is that
                                     * large, and the difference still exceeds the length of a
                                     * stream, so that the neighbour remains absent */
    WARI_NEIGHBOURS = 5,            /* number of neighbours of a cell, not counting the cell
                                     * before it */
    WARI_CELLS_CAPACITY = WARI_CHUNK_POSITIONS + 64, /* capacity for the cells of a chunk and one
                                                      * more vector, since rows are written in whole
                                                      * vectors */
    WARI_RUNS_CAPACITY = 20825 + 16, /* C(51, 3): all ways to place up to 48 seeds in three pits */
};

/* Data that is the same for all rows of a block, and is kept from one row to the next. */
struct wari_columns {
    int seeds;      /* number of seeds in the mover's half; -1 means that no columns are kept */
    uint32_t first; /* the first column kept */
    uint32_t count;
    int16_t distance[WARI_NEIGHBOURS - 1][WARI_CELLS_CAPACITY];
    uint8_t reach[WARI_CELLS_CAPACITY]; /* [column]: bit i is set if the last seed of some sowing
                                         * falls into opponent pit i */
};

/* Computes the largest captures of `cells` cells: the maximum of taken[i] over the bits i that are
 * set in `reach`. May read and write up to 63 bytes after them. There is one function for each set
 * of instructions (kernels.h); all give the same results. */
typedef void wari_captures_kernel(const uint8_t *reach, const uint8_t taken[WARI_HALF_PITS],
                                  size_t cells, uint8_t *capture);

struct wari_rows {
    wari_captures_kernel *captures;
    uint8_t capture[WARI_CELLS_CAPACITY]; /* [cell of the chunk]: the largest capture at hand, 0
                                           * to 18 */
    struct wari_columns columns;
    int16_t far[3][WARI_SEEDS_MAX + 1]; /* C(seeds + k, k) for k = 2, 3, 4, or WARI_NO_DISTANCE */

    /* The runs. A run is the sequence of all (D, E, F) with a given number of seeds in these three
     * pits together. The following arrays hold the run with 0 seeds, then the run with 1 seed, and
     * so on. */
    int lengths;                               /* the runs with 0 to lengths - 1 seeds have been
                                                * computed */
    uint32_t first_of_run[WARI_SEEDS_MAX + 2]; /* [number of seeds]: index of the first
                                                * element of the run */
    int16_t from_d[WARI_RUNS_CAPACITY];        /* [element]: distance to the neighbour by pit D */
    uint8_t reach_of_run[WARI_RUNS_CAPACITY];  /* [element]: bit i is set if the last seed of the
                                                * sowing from D, E or F falls into opponent pit i */
};

/* Prepares the rows. Selects the fastest kernel that this processor can run. */
void wari_rows_init(struct wari_rows *rows);

/* Iterates over the rows of a chunk. The current row consists of those cells of a row of the
 * block that are in the chunk. */
struct wari_row_iterator {
    struct wari_rows *rows;
    const struct wari_layout *layout;
    size_t count;    /* number of cells of the chunk */
    size_t steps;    /* the first `steps` cells of each stream are requested; rows without a
                      * requested cell are skipped */
    size_t at;       /* number of the row's first cell, counted from the start of the chunk */
    uint32_t cells;  /* number of cells of the row */
    uint32_t skip;   /* index in `columns` of the row's first cell */
    int16_t above;   /* distance to the row above: the number of cells of a row; or
                      * WARI_NO_DISTANCE */
    int block;       /* number of seeds on the opponent's side */
    uint32_t row;    /* number of the row in its block */
    uint32_t column; /* column of the row's first cell */
    uint8_t opponent[WARI_HALF_PITS];
};

/* Places the iterator before the first row of a range. */
void wari_row_begin(struct wari_row_iterator *walk, struct wari_rows *rows,
                    const struct wari_chunk_range *range);

/* Moves to the next row. Computes the columns of the row and the captures of its requested cells,
 * and stores them in walk->rows. Returns false if there is no further row. */
bool wari_row_next(struct wari_row_iterator *walk);

/* Returns the number of cells in each stream; the last streams may have fewer. Cell i is in
 * stream i / wari_stream_cells(count). */
static inline size_t wari_stream_cells(size_t count)
{
    return (count + WARI_CODER_STREAMS - 1) / WARI_CODER_STREAMS;
}

/* The cells of one row that are in one stream. */
struct wari_row_cells {
    size_t at;     /* number of the first cell, counted from the start of the chunk */
    size_t stream; /* number of the stream's first cell, counted from the start of the chunk */
    uint32_t cells;
    uint32_t skip; /* index in `columns` of the first cell */
    int16_t above; /* distance to the row above */
};

/* Returns the cells that a row shares with a stream: the stream of `length` cells that begins at
 * cell `stream` of the chunk. They must share at least one cell. */
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

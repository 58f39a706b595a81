/* Iterates over the cells of a level (struct wari_cell), and over the cells of one block of a book
 * (struct wari_book_cells). For each cell of a book, computes a guess and a context before the
 * value of the cell is known. The context says how reliable the guess is. FORMAT.md, "Values of a
 * block", defines guess and context. Reader and writer use the same functions. */
#ifndef DB_BOOK_CELLS_H
#define DB_BOOK_CELLS_H

#include "db/book/wari_book.h"

enum {
    WARI_BOOK_ESCAPE = -128, /* the symbol for all differences that have no symbol of their own */
    WARI_BOOK_SCALE = 12,    /* the frequencies of a context add up to 2^12 = 4096 */
};

/* A cell of a level. */
struct wari_cell {
    struct wari_position position;
    int seeds;           /* number of seeds of the level */
    int across;          /* seeds on the opponent's side */
    uint8_t capture[64]; /* [last pit]: seeds captured by a sowing that ends there; pits are
                          * numbered 0..53, counting on around the board */
};

/* Sets *cell to the cell with this number. */
void wari_cell_find(struct wari_cell *cell, int seeds, uint64_t number);

/* Moves to the next cell of the level. The last cell has no next one and stays as it is. */
void wari_cell_next(struct wari_cell *cell);

/* Returns the largest number of seeds that the mover can capture at once. FORMAT.md, "Capture at
 * hand", defines which moves count. */
int wari_cell_capture(const struct wari_cell *cell);

struct wari_book_cells {
    struct wari_cell current;
    int cell;                     /* number of the current cell in the block */
    int hand;                     /* wari_cell_capture() of the current cell: its capture at hand */
    int8_t rest[WARI_BOOK_CELLS]; /* [cell, for all earlier cells of the block]: value minus
                                   * capture at hand */

    /* Results of wari_book_cells_look(). */
    int guess;
    int context;
};

/* Returns the number of cells of a level with fewer than `across` seeds on the opponent's side. */
uint64_t wari_cells_before(int seeds, int across);

/* Returns the number of cells of a level that a book holds: the cells with at most half of the
 * seeds on the opponent's side. */
uint64_t wari_book_cells_held(int seeds);

/* Sets first_block[n], for each level n in 0..seeds, to the number of the level's first block in
 * the book, and first_block[seeds + 1] to the number of all blocks. */
void wari_book_count_blocks(int seeds, uint64_t first_block[]);

/* Returns the number, within its level, of a position whose opponent has an empty pit. */
uint64_t wari_cell_number(const struct wari_position *position, int seeds, int across);

/* Moves to the cell with this number, which must be the first one of its block. */
void wari_book_cells_begin(struct wari_book_cells *cells, int seeds, uint64_t number);

/* Computes guess and context of the current cell. */
void wari_book_cells_look(struct wari_book_cells *cells);

/* Sets the value, -seeds..seeds, of the current cell and moves to the next one. May be called at
 * most WARI_BOOK_CELLS times. */
void wari_book_cells_put(struct wari_book_cells *cells, int value);

#endif

/* The cells of a block of a book, one after the other, and what is known of each before its value:
 * a guess, and a context that says how much to trust it. FORMAT.md, "Values of a block", defines
 * both. Reader and writer go through a block by these same functions. */
#ifndef DB_BOOK_CELLS_H
#define DB_BOOK_CELLS_H

#include "db/book/wari_book.h"

enum {
    WARI_BOOK_ESCAPE = -128, /* the symbol of a difference that has none of its own */
    WARI_BOOK_SCALE = 12,    /* frequencies of a context add up to 4096 */
};

struct wari_book_cells {
    struct wari_position position; /* of the cell at hand */
    int seeds;                     /* the level */
    int across;                    /* seeds on the opponent's side */
    int cell;                      /* cells of the block before this one */
    int hand;                      /* the largest capture at hand */
    uint8_t capture[64];           /* [place of the last seed, 0..53]: what it captures */
    int8_t rest[WARI_BOOK_CELLS];  /* of the cells before: value less capture at hand */

    /* What wari_book_cells_look() found. */
    int guess;
    int context;
};

/* Cells that a book holds of a level: those with up to half of the seeds on the opponent's side. */
uint64_t wari_book_cells_held(int seeds);

/* Sets first_block[n], for each level 0..seeds, to the number of its first block in the book, and
 * first_block[seeds + 1] to the number of all blocks. */
void wari_book_count_blocks(int seeds, uint64_t first_block[]);

/* The number of a position that is held among those of its level. */
uint64_t wari_book_cells_number(const struct wari_position *position, int seeds, int across);

/* Goes to the cell with this number, the first one of its block. */
void wari_book_cells_begin(struct wari_book_cells *cells, int seeds, uint64_t number);

/* Finds guess and context of the cell at hand. */
void wari_book_cells_look(struct wari_book_cells *cells);

/* Gives the cell at hand its value, -seeds..seeds, and goes to the next one; at most
 * WARI_BOOK_CELLS times. */
void wari_book_cells_put(struct wari_book_cells *cells, int value);

#endif

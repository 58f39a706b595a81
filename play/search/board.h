/* Boards as the search represents them: each row is a word of 48 bits with a byte for each pit,
 * so that a move takes two additions and turning the board is a swap.
 *
 *     bits   47..40  39..32  31..24  23..16  15..8   7..0
 *     pit      F       E       D       C       B      A */
#ifndef PLAY_SEARCH_BOARD_H
#define PLAY_SEARCH_BOARD_H

#include "game/wari_game.h"

struct wari_search_board {
    uint64_t rows[2]; /* the mover's row, the opponent's row */
};

struct wari_step {
    struct wari_search_board next; /* the board after the move, seen by the player who moves next */
    uint8_t pit;
    uint8_t captured;
    bool ends, again; /* as in struct wari_move */
    int8_t end_value;
};

struct wari_steps {
    int count;
    int end_value; /* value of the position if there is no move; valid only if count is 0 */
    struct wari_step list[WARI_HALF_PITS];
};

struct wari_search_board wari_search_board_of(const struct wari_position *position);
struct wari_position wari_search_board_position(const struct wari_search_board *board);

/* Returns the number of seeds in a row. */
static inline int wari_row_seeds(uint64_t row)
{
    return (int)((row * 0x0101010101010101) >> 56);
}

static inline int wari_search_board_seeds(const struct wari_search_board *board)
{
    return wari_row_seeds(board->rows[0]) + wari_row_seeds(board->rows[1]);
}

static inline int wari_row_pit(uint64_t row, int pit)
{
    return (int)(row >> (8 * pit) & 0xFF);
}

/* Computes the same moves as wari_find_moves(), in the same order. */
void wari_search_board_steps(enum wari_rules rules, const struct wari_search_board *board,
                             struct wari_steps *steps);

/* Computes the moves that capture or end the game, and slams that capture nothing, in the order of
 * wari_search_board_steps(). Both rows must have seeds. The list may be empty although the position
 * has moves, so steps->end_value is not set. */
void wari_search_board_captures(enum wari_rules rules, const struct wari_search_board *board,
                                struct wari_steps *steps);

/* Returns the set of the mover's pits that the opponent's next move could capture, as bits. */
unsigned wari_search_board_endangered(const struct wari_search_board *board);

/* Returns a hash key of a board. Two calls return the same key only if both the boards and the
 * values of `about` (0..3) are equal. `about` allows several kinds of results for one board. */
uint64_t wari_search_board_key(const struct wari_search_board *board, unsigned about);

#endif

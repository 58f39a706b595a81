/* Boards as the search keeps them: a row in 48 bits of a word, a byte for each pit, so that a move
 * is two additions and turning the board is a swap.
 *
 *     bits   47..40  39..32  31..24  23..16  15..8   7..0
 *     pit      F       E       D       C       B      A
 */
#ifndef PLAY_SEARCH_BOARD_H
#define PLAY_SEARCH_BOARD_H

#include "game/wari_game.h"

struct wari_search_board {
    uint64_t rows[2]; /* the mover's, the opponent's */
};

struct wari_step {
    struct wari_search_board next; /* seen by the player to move next */
    uint8_t pit;
    uint8_t captured;
    bool ends, again; /* as in struct wari_move */
    int8_t end_value;
};

struct wari_steps {
    int count;
    int end_value; /* where count is 0 */
    struct wari_step list[WARI_HALF_PITS];
};

struct wari_search_board wari_search_board_of(const struct wari_position *position);
struct wari_position wari_search_board_position(const struct wari_search_board *board);

/* The seeds of a row. */
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

/* What wari_moves() says of the same position, in the same order. */
void wari_search_board_steps(enum wari_rules rules, const struct wari_search_board *board,
                             struct wari_steps *steps);

/* The mover's pits that an opponent's next move could capture, as bits. */
unsigned wari_search_board_endangered(const struct wari_search_board *board);

/* A number that no other board has, nor this one with another `about` (0..3), well mixed. */
uint64_t wari_search_board_key(const struct wari_search_board *board, unsigned about);

#endif

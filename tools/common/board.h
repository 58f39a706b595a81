/* The board as people see it. */
#ifndef TOOLS_TEXT_BOARD_H
#define TOOLS_TEXT_BOARD_H

#include "game/wari_game.h"

/* Prints the board with South below, stores if it is a diagram, and who is to move. */
void board_print(const struct wari_setup *setup);

/* The same with an arrow at a pit (0..5) of the side to move, and `words` behind it. */
void board_print_arrow(const struct wari_setup *setup, int pit, const char *words);

enum { BOARD_MOVES = 16 };

/* "A C F", or "a c f" of North: the pits of a set, bit p for pit p. */
const char *board_moves(uint8_t pits, bool north, char text[BOARD_MOVES]);

/* "A", or "A+3" if it captures 3. */
const char *board_move(int pit, bool north, int captured, char text[BOARD_MOVES]);

/* "South" or "North". */
const char *board_player(bool north);

#endif

/* Text that several commands print: numbers, sizes, times, moves, and the board. */
#ifndef TOOLS_COMMON_TEXT_H
#define TOOLS_COMMON_TEXT_H

#include <stdint.h>

#include "game/wari_game.h"

enum {
    TEXT_NUMBER = 32, /* bytes for a number, with its terminating zero */
    TEXT_PATH = 4096,
    BOARD_MOVES = 16, /* bytes for the letters of all moves of a position */
};

/* Each of these functions writes into `text`, which has at least TEXT_NUMBER bytes, and returns
 * `text`. */
const char *text_number(uint64_t number, char text[TEXT_NUMBER]); /* "216,135,140" */
const char *text_bytes(uint64_t bytes, char text[TEXT_NUMBER]);   /* "512.3 MB" (10^6 bytes) */
const char *text_seconds(double seconds, char text[TEXT_NUMBER]); /* "0.84 s", "12 min 05 s" */
const char *text_whole_seconds(double seconds, char text[TEXT_NUMBER]); /* "1 s", "3 h 05 min" */
const char *text_value(int value, char text[TEXT_NUMBER]);              /* "+3", "0", "-2" */

/* "level 3", or "levels 3 to 5" */
const char *text_levels(int first, int last, char text[TEXT_NUMBER]);

/* Copies a path or other text from outside, made safe for a terminal by wari_text_clean(). */
const char *text_path(const char *path, char text[TEXT_PATH]);

/* Returns `part` as a percentage of `whole`; 0 if `whole` is 0. */
double text_percent(uint64_t part, uint64_t whole);

/* ---- The board ---- */

/* Prints the board with South's row at the bottom, the stores if the setup is a diagram, and the
 * side to move. */
void board_print(const struct wari_setup *setup);

/* Like board_print(), but adds an arrow at a pit (0..5) of the side to move, and `words` after the
 * arrow. */
void board_print_arrow(const struct wari_setup *setup, int pit, const char *words);

/* Writes the letters of a set of pits (bit p for pit p): "A C F", or "a c f" for North. */
const char *board_moves(uint8_t pits, bool north, char text[BOARD_MOVES]);

/* Writes a move: "A", or "A+3" if it captures 3 seeds. */
const char *board_move(int pit, bool north, int captured, char text[BOARD_MOVES]);

/* Returns "South" or "North". */
const char *board_player(bool north);

#endif

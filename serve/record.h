/* Game records, as far as a paste into a page needs them. */
#ifndef SERVE_RECORD_H
#define SERVE_RECORD_H

#include <stddef.h>

#include "game/wari_game.h"

enum { RECORD_MOVES_MAX = 1000 };

struct record {
    struct wari_setup start; /* a diagram */
    size_t count;
    char moves[RECORD_MOVES_MAX]; /* letters: A..F South's, a..f North's */
};

/* Reads a list of moves, or an OGN text: tag pairs in brackets (FEN gives the start; the others
 * are passed over), move numbers, moves as letters with or without blanks between them, comments in
 * braces or behind a semicolon, variations in parentheses (passed over), marks such as ! and $3, a
 * result. The moves are not played. WARI_BAD_INPUT says in which line and column something else
 * stands. */
WARI_MUST_CHECK enum wari_status record_read(const char *text, struct record *record,
                                             struct wari_error *error);

#endif

/* Reads lines from a file descriptor, quickly and with their numbers. */
#ifndef TOOLS_COMMON_LINES_H
#define TOOLS_COMMON_LINES_H

#include <stdint.h>

#include "game/wari_game.h"

/* Longer lines are reported as too long. No position needs nearly as many characters. */
enum { LINE_LENGTH_MAX = 4096 };

struct line_reader {
    int descriptor;
    const char *name; /* name of the input, for messages */
    char *buffer;
    size_t begin, end; /* range of the buffer that was read but not yet returned as lines */
    uint64_t number;   /* number of the line that was returned last, counted from 1 */
    bool ended;        /* read() has reported the end of the input */
    bool after_return; /* the last line ended with a carriage return at the end of the buffer; if a
                        * newline follows, it belongs to the end of the same line */
};

struct line {
    const char *text; /* without the end of the line, zero-terminated; valid until the next call */
    size_t length;    /* greater than strlen(text) if the line contains a zero byte */
    bool too_long;    /* `text` is only the beginning of the line */
};

WARI_MUST_CHECK enum wari_status lines_open(struct line_reader *reader, int descriptor,
                                            const char *name, struct wari_error *error);
void lines_close(struct line_reader *reader);

/* Returns the next line, without a byte order mark at the start of the input. A line ends with a
 * newline, a carriage return, or both. *found is false at the end of the input. Fails with WARI_IO
 * if the input cannot be read, with WARI_BAD_INPUT if it begins with the byte order mark of UTF-16,
 * and with WARI_INTERRUPTED after a signal. */
WARI_MUST_CHECK enum wari_status lines_next(struct line_reader *reader, struct line *line,
                                            bool *found, struct wari_error *error);

/* Parses the position in a line of input. Blank lines and lines that start with '#' contain none:
 * *present is false. Fails with WARI_BAD_INPUT like wari_setup_parse(). */
WARI_MUST_CHECK enum wari_status line_position(const struct line *line, struct wari_setup *setup,
                                               bool *present, struct wari_error *error);

/* Returns true if lines_next() may block until more input arrives. */
bool lines_would_wait(const struct line_reader *reader);

#endif

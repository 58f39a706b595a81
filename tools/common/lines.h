/* Reading lines from a file descriptor, quickly and with their numbers. */
#ifndef TOOLS_COMMON_LINES_H
#define TOOLS_COMMON_LINES_H

#include <stdint.h>

#include "game/wari_game.h"

/* Longer lines are reported as too long: no position comes near it. */
enum { LINE_LENGTH_MAX = 4096 };

struct line_reader {
    int descriptor;
    const char *name; /* of the input, for messages */
    char *buffer;
    size_t begin, end; /* what has been read and not been handed out */
    uint64_t number;   /* of the line handed out last, from 1 */
    bool ended;
};

struct line {
    const char *text; /* without the newline, ended by 0; valid until the next call */
    size_t length;    /* more than strlen(text) if the line holds a zero byte */
    bool too_long;    /* text is only its beginning */
};

WARI_MUST_CHECK enum wari_status lines_open(struct line_reader *reader, int descriptor,
                                            const char *name, struct wari_error *error);
void lines_close(struct line_reader *reader);

/* The next line; *found is false at the end of the input. WARI_IO if it cannot be read. */
WARI_MUST_CHECK enum wari_status lines_next(struct line_reader *reader, struct line *line,
                                            bool *found, struct wari_error *error);

/* Reads the position in a line of input. Blank lines and lines that start with '#' hold none:
 * *present is false. WARI_BAD_INPUT as wari_setup_parse(). */
WARI_MUST_CHECK enum wari_status line_position(const struct line *line, struct wari_setup *setup,
                                               bool *present, struct wari_error *error);

/* Whether lines_next() would have to wait for somebody to write more. */
bool lines_would_wait(const struct line_reader *reader);

#endif

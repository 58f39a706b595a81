/* One live line on standard error: rewritten in place on a terminal, absent elsewhere. */
#ifndef TOOLS_TEXT_PROGRESS_H
#define TOOLS_TEXT_PROGRESS_H

#include <stdbool.h>

struct progress_line {
    bool terminal; /* standard error is one */
    int columns;   /* of the terminal */
    bool shown;    /* the line is on the screen */
    double last;   /* when it was last written, in seconds of wari_seconds_now() */
};

void progress_begin(struct progress_line *line);

/* Whether it is time to write the line again: a few times a second are enough for the eye. */
bool progress_due(const struct progress_line *line);

/* Writes the line; longer ones than the terminal is wide are cut. */
void progress_show(struct progress_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Takes the line off the screen, so that something else can be printed. */
void progress_clear(struct progress_line *line);

#endif

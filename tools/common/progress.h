/* The live progress line: rewritten in place on a terminal, printed once a minute elsewhere. */
#ifndef TOOLS_COMMON_PROGRESS_H
#define TOOLS_COMMON_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "system/platform.h"

struct progress_line {
    FILE *to;              /* standard error */
    bool terminal;         /* `to` is a terminal */
    int (*columns)(void);  /* returns the width of the terminal; called at each update */
    double (*clock)(void); /* returns the seconds of a clock that never goes back */
    bool shown;            /* the line is on the screen */
    double last;           /* when the line was last written */
};

void progress_begin(struct progress_line *line);

/* Returns true if it is time to write the line again: after a fifth of a second on a terminal,
 * after a minute elsewhere. */
bool progress_due(const struct progress_line *line);

/* Writes the line: a text in the style of printf(), and `end`, which may be empty. On a narrow
 * terminal the middle of the line is left out, because the end is the most useful part: it says how
 * much is left. */
void progress_show(struct progress_line *line, const char *end, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Removes the line from the screen, so that something else can be printed. */
void progress_clear(struct progress_line *line);

enum { PROGRESS_TEXT = 256 };

/* Joins the beginning and the end of a line by a comma. If the result has more than `width`
 * characters, dots replace its middle. */
void progress_fit(const char *begin, const char *end, int width, char text[PROGRESS_TEXT]);

/* ---- Updates while nothing is reported, from a thread of their own ---- */

struct progress_timer {
    pthread_t thread;
    bool runs;
    struct wari_event stop; /* ends the thread */
    int milliseconds;
    void (*update)(void *context);
    void *context;
};

/* Calls update(context) again and again, from another thread: every second if `line` is on a
 * terminal, four times a minute elsewhere. If no thread or descriptor is available, update() is
 * never called; then progress is shown less often. */
void progress_timer_start(struct progress_timer *timer, const struct progress_line *line,
                          void (*update)(void *context), void *context);

/* Ends the thread. May be called for a timer that was filled with zeros and not started. */
void progress_timer_stop(struct progress_timer *timer);

#endif

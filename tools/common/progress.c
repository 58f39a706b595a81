/* One live line on standard error. Nothing here looks at errors of writing: the line is for the
 * eye, and a run must not fail because nobody watches.
 */
#include "tools/common/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "system/clock.h"

static const double interval = 0.2; /* seconds between two versions of the line */

void progress_begin(struct progress_line *line)
{
    struct winsize size;
    *line = (struct progress_line){.terminal = isatty(STDERR_FILENO) != 0, .columns = 80};
    if (line->terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        line->columns = size.ws_col;
}

bool progress_due(const struct progress_line *line)
{
    return line->terminal && wari_seconds_now() - line->last >= interval;
}

void progress_show(struct progress_line *line, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* Back to the first column, the text, and the rest of the line erased. */
    fprintf(stderr, "\r%.*s\033[K", line->columns - 1, text);
    fflush(stderr);
    line->shown = true;
    line->last = wari_seconds_now();
}

void progress_clear(struct progress_line *line)
{
    if (line->shown)
        fputs("\r\033[K", stderr);
    line->shown = false;
}

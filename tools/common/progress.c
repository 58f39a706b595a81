/* Write errors are ignored here: a command must not fail because its progress cannot be shown. */
#include "tools/common/progress.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "system/clock.h"

/* Seconds between two lines. */
static const double terminal_interval = 0.2, other_interval = 60;

/* Returns the width of the terminal at standard error now, because its window may be resized. */
static int terminal_columns(void)
{
    enum { USUAL = 80 };
    const int columns = wari_terminal_columns(STDERR_FILENO);
    return columns > 1 ? columns : USUAL;
}

void progress_begin(struct progress_line *line)
{
    *line = (struct progress_line){.to = stderr,
                                   .terminal = isatty(STDERR_FILENO) != 0,
                                   .columns = terminal_columns,
                                   .clock = wari_seconds_now};
    if (!line->terminal)
        line->last = line->clock();
}

bool progress_due(const struct progress_line *line)
{
    return line->clock() - line->last >= (line->terminal ? terminal_interval : other_interval);
}

void progress_fit(const char *begin, const char *end, int width, char text[PROGRESS_TEXT])
{
    static const char dots[] = "... ";
    enum { BEGIN_MIN = 2 }; /* a shorter beginning would be useless */
    const int most = width < PROGRESS_TEXT ? width : PROGRESS_TEXT - 1;
    const int length = (int)strlen(begin), end_length = (int)strlen(end);
    const int kept = most - end_length - (int)sizeof dots + 1;
    if (end_length == 0)
        snprintf(text, PROGRESS_TEXT, "%.*s", most, begin);
    else if (length + 2 + end_length <= most)
        snprintf(text, PROGRESS_TEXT, "%s, %s", begin, end);
    else if (kept >= BEGIN_MIN)
        snprintf(text, PROGRESS_TEXT, "%.*s%s%s", kept, begin, dots, end);
    else
        snprintf(text, PROGRESS_TEXT, "%.*s", most, end);
}

void progress_show(struct progress_line *line, const char *end, const char *format, ...)
{
    char begin[PROGRESS_TEXT], text[PROGRESS_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(begin, sizeof begin, format, arguments);
    va_end(arguments);
    progress_fit(begin, end, line->terminal ? line->columns() - 1 : PROGRESS_TEXT, text);
    /* On a terminal: return to the first column, print the text, erase the rest of the line. */
    fprintf(line->to, line->terminal ? "\r%s\033[K" : "%s\n", text);
    fflush(line->to);
    line->shown = line->terminal;
    line->last = line->clock();
}

void progress_clear(struct progress_line *line)
{
    if (line->shown)
        fputs("\r\033[K", line->to);
    line->shown = false;
}

/* ---- Timer ---- */

static void *run_timer(void *context)
{
    struct progress_timer *timer = context;
    struct pollfd stop = {.fd = timer->stop.receiver, .events = POLLIN};
    while (poll(&stop, 1, timer->milliseconds) == 0)
        timer->update(timer->context);
    return NULL;
}

void progress_timer_start(struct progress_timer *timer, const struct progress_line *line,
                          void (*update)(void *context), void *context)
{
    enum { TERMINAL_MS = 1000, OTHER_MS = 15000, STACK_BYTES = 256 << 10 };
    sigset_t all, before;
    pthread_attr_t attributes;
    *timer = (struct progress_timer){.milliseconds = line->terminal ? TERMINAL_MS : OTHER_MS,
                                     .update = update,
                                     .context = context};
    if (wari_event_open(&timer->stop) != 0)
        return;
    if (pthread_attr_init(&attributes) == 0) {
        (void)pthread_attr_setstacksize(&attributes, STACK_BYTES); /* or else the default size */
        sigfillset(&all); /* the other threads handle all signals */
        (void)pthread_sigmask(SIG_SETMASK, &all, &before);
        timer->runs = pthread_create(&timer->thread, &attributes, run_timer, timer) == 0;
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
        (void)pthread_attr_destroy(&attributes);
    }
    if (!timer->runs)
        wari_event_close(&timer->stop);
}

void progress_timer_stop(struct progress_timer *timer)
{
    if (!timer->runs)
        return;
    wari_event_set(&timer->stop);
    (void)pthread_join(timer->thread, NULL);
    wari_event_close(&timer->stop);
    timer->runs = false;
}

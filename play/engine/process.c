/* Another program as a child process.
 *
 * Pipes are ours alone: every descriptor is opened close-on-exec, so that no engine keeps another
 * one's pipe open. Our ends do not block; every wait is a poll() with a deadline, in slices, so
 * that an interruption is noticed whether or not the signal hits the wait. What always holds: at
 * most one line is kept in memory, whatever the program writes.
 */
#include "play/engine/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "play/engine/warden.h"

enum { SLICE = 100 }; /* milliseconds between looks at the stop flag */

int64_t wari_process_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail: this clock exists */
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- Starting ---- */

static void close_pipe(int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            (void)close(ends[i]);
}

/* What kept the program from running; 0 if nothing did. */
static int read_report(int report)
{
    int reason = 0;
    ssize_t count;
    do
        count = read(report, &reason, sizeof reason);
    while (count < 0 && errno == EINTR);
    return count == (ssize_t)sizeof reason ? reason : 0;
}

static void reap(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* The four pipes to a program and its warden: [0] to read from, [1] to write to. */
struct pipes {
    int input[2], output[2], report[2], leash[2];
};

static bool make_pipes(struct pipes *pipes)
{
    return pipe2(pipes->input, O_CLOEXEC) == 0 && pipe2(pipes->output, O_CLOEXEC) == 0 &&
           pipe2(pipes->report, O_CLOEXEC) == 0 && pipe2(pipes->leash, O_CLOEXEC) == 0 &&
           fcntl(pipes->input[1], F_SETFL, O_NONBLOCK) == 0 &&
           fcntl(pipes->output[0], F_SETFL, O_NONBLOCK) == 0;
}

static void close_ends(struct wari_process *process)
{
    (void)close(process->to);
    (void)close(process->from);
    (void)close(process->leash);
    process->to = process->from = process->leash = -1;
    process->pid = 0;
}

/* Whether nothing can be started here now, rather than this. */
static bool is_shortage(int reason)
{
    return reason == EMFILE || reason == ENFILE || reason == EAGAIN || reason == ENOMEM;
}

enum wari_status wari_process_start(struct wari_process *process, char *const *words,
                                    const atomic_bool *stop, struct wari_error *error)
{
    struct pipes pipes = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    process->pid = 0;
    process->to = process->from = process->leash = -1;
    process->stop = stop;
    process->begin = process->end = 0;
    process->cut = false;
    if (!make_pipes(&pipes) || (process->pid = fork()) < 0) {
        int reason = errno;
        process->pid = 0;
        close_pipe(pipes.input);
        close_pipe(pipes.output);
        close_pipe(pipes.report);
        close_pipe(pipes.leash);
        return wari_fail(error, WARI_IO, "cannot start %.200s: %s", words[0], strerror(reason));
    }
    if (process->pid == 0)
        wari_warden_run(words, &(struct wari_warden_ends){pipes.input[0], pipes.output[1],
                                                          pipes.report[1], pipes.leash[0]});
    (void)close(pipes.input[0]);
    (void)close(pipes.output[1]);
    (void)close(pipes.report[1]);
    (void)close(pipes.leash[0]);
    process->to = pipes.input[1];
    process->from = pipes.output[0];
    process->leash = pipes.leash[1];
    int reason = read_report(pipes.report[0]);
    (void)close(pipes.report[0]);
    if (reason == 0)
        return WARI_OK;
    reap(process->pid);
    close_ends(process);
    return wari_fail(error, is_shortage(reason) ? WARI_IO : WARI_BAD_INPUT,
                     "cannot run \"%.200s\": %s", words[0], strerror(reason));
}

/* ---- Talking ---- */

/* Waits for `events` of a descriptor. */
static enum wari_talk wait_for(const struct wari_process *process, int fd, short events,
                               int64_t deadline)
{
    for (;;) {
        if (process->stop && atomic_load(process->stop))
            return WARI_TALK_INTERRUPTED;
        int64_t left = deadline - wari_process_clock();
        if (left <= 0)
            return WARI_TALK_TIMEOUT;
        struct pollfd one = {.fd = fd, .events = events, .revents = 0};
        int ready = poll(&one, 1, left < SLICE ? (int)left : SLICE);
        if (ready > 0)
            return WARI_TALK_OK;
        if (ready < 0 && errno != EINTR)
            return WARI_TALK_GONE;
    }
}

enum wari_talk wari_process_write(struct wari_process *process, const char *text, int64_t deadline)
{
    size_t left = strlen(text);
    if (process->to < 0)
        return WARI_TALK_GONE;
    while (left > 0) {
        ssize_t count = write(process->to, text, left);
        if (count >= 0) {
            text += count;
            left -= (size_t)count;
        } else if (errno == EAGAIN) {
            enum wari_talk talk = wait_for(process, process->to, POLLOUT, deadline);
            if (talk != WARI_TALK_OK)
                return talk;
        } else if (errno != EINTR) {
            return WARI_TALK_GONE;
        }
    }
    return WARI_TALK_OK;
}

/* Takes a line out of the buffer; false if there is no whole one. */
static bool take_line(struct wari_process *process, const char **line)
{
    char *start = process->buffer + process->begin;
    size_t held = process->end - process->begin;
    char *newline = memchr(start, '\n', held);
    if (!newline) {
        memmove(process->buffer, start, held);
        process->begin = 0;
        process->end = held;
        if (held < WARI_PROCESS_LINE_MAX)
            return false;
        newline = process->buffer + held; /* the rest of the line is thrown away */
        start = process->buffer;
        process->end = process->begin = 0;
        if (process->cut)
            return false;
        process->cut = true;
    } else {
        process->begin += (size_t)(newline - start) + 1;
        if (process->cut) {
            process->cut = false;
            return take_line(process, line);
        }
    }
    *newline = '\0';
    for (char *c = start; c < newline; c++)
        if (*c == '\0')
            *c = '?';
    *line = start;
    return true;
}

enum wari_talk wari_process_read(struct wari_process *process, const char **line, int64_t deadline)
{
    if (process->from < 0)
        return WARI_TALK_GONE;
    while (!take_line(process, line)) {
        /* The clock is looked at before each read: a program may write without end. */
        enum wari_talk talk = wait_for(process, process->from, POLLIN, deadline);
        if (talk != WARI_TALK_OK)
            return talk;
        ssize_t count = read(process->from, process->buffer + process->end,
                             WARI_PROCESS_LINE_MAX - process->end);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
            return WARI_TALK_GONE;
        if (count > 0)
            process->end += (size_t)count;
    }
    return WARI_TALK_OK;
}

/* ---- Ending ---- */

/* Whether the process goes within so many milliseconds by itself; it is reaped then. */
static bool goes(const struct wari_process *process, int patience, int *how)
{
    static const struct timespec nap = {0, 2000000};
    int64_t deadline = wari_process_clock() + patience;
    for (;;) {
        pid_t gone = waitpid(process->pid, how, WNOHANG);
        if (gone == process->pid)
            return true;
        if (gone < 0 && errno != EINTR)
            return false;
        if (wari_process_clock() >= deadline || (process->stop && atomic_load(process->stop)))
            return false;
        (void)nanosleep(&nap, NULL);
    }
}

void wari_process_end(struct wari_process *process, int patience, char ending[WARI_PROCESS_ENDING])
{
    int how = 0;
    snprintf(ending, WARI_PROCESS_ENDING, "not running");
    if (process->pid == 0)
        return;
    (void)close(process->to);
    process->to = -1;
    bool went = goes(process, patience, &how);
    (void)close(process->leash); /* what is left ends with the warden */
    process->leash = -1;
    if (!went)
        reap(process->pid);
    (void)close(process->from);
    process->from = -1;
    if (!went)
        snprintf(ending, WARI_PROCESS_ENDING, "killed");
    else if (WIFSIGNALED(how))
        snprintf(ending, WARI_PROCESS_ENDING, "signal %d", WTERMSIG(how));
    else
        snprintf(ending, WARI_PROCESS_ENDING, "exit code %d", WEXITSTATUS(how));
    process->pid = 0;
}

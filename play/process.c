/* Another program as a child process.
 *
 * Pipes are ours alone: every descriptor is opened close-on-exec, so that no engine keeps another
 * one's pipe open. Our ends do not block; every wait is a poll() with a deadline, in slices, so
 * that an interruption is noticed whether or not the signal hits the wait. What always holds: at
 * most one line is kept in memory, whatever the program writes.
 */
#include "play/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SLICE = 100 }; /* milliseconds between looks at the stop flag */

int64_t wari_process_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail: this clock exists */
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- Starting ---- */

/* In the child: becomes the program, or writes errno to `report` and ends. */
static void become(char *const *words, int input, int output, int report, pid_t parent)
{
    static const int restored[] = {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGQUIT, SIGHUP};
    sigset_t none;
    int reason;
    for (size_t i = 0; i < sizeof restored / sizeof *restored; i++)
        (void)signal(restored[i], SIG_DFL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0)
        (void)execvp(words[0], words);
    reason = errno;
    if (write(report, &reason, sizeof reason) < 0)
        _exit(126);
    _exit(127);
}

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

enum wari_status wari_process_start(struct wari_process *process, char *const *words,
                                    const atomic_bool *stop, struct wari_error *error)
{
    int input[2] = {-1, -1}, output[2] = {-1, -1}, report[2] = {-1, -1};
    enum wari_status status = WARI_OK;
    pid_t self = getpid();
    process->pid = 0;
    process->to = process->from = -1;
    process->stop = stop;
    process->begin = process->end = 0;
    process->cut = false;
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0 ||
        pipe2(report, O_CLOEXEC) != 0 || fcntl(input[1], F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(output[0], F_SETFL, O_NONBLOCK) != 0 || (process->pid = fork()) < 0) {
        status = wari_fail(error, WARI_IO, "cannot start %.200s: %s", words[0], strerror(errno));
        process->pid = 0;
        close_pipe(input);
        close_pipe(output);
        close_pipe(report);
        return status;
    }
    if (process->pid == 0)
        become(words, input[0], output[1], report[1], self);
    (void)close(input[0]);
    (void)close(output[1]);
    (void)close(report[1]);
    process->to = input[1];
    process->from = output[0];
    int reason = read_report(report[0]);
    (void)close(report[0]);
    if (reason == 0)
        return WARI_OK;
    (void)close(process->to);
    (void)close(process->from);
    reap(process->pid);
    process->pid = 0;
    process->to = process->from = -1;
    return wari_fail(error, WARI_BAD_INPUT, "cannot run \"%.200s\": %s", words[0],
                     strerror(reason));
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
    bool went = goes(process, patience, &how);
    /* Whatever else is in its group goes with it; the group outlives its leader. */
    (void)kill(-process->pid, SIGKILL);
    if (!went) {
        (void)kill(process->pid, SIGKILL); /* should it not have made its group yet */
        reap(process->pid);
    }
    (void)close(process->from);
    if (!went)
        snprintf(ending, WARI_PROCESS_ENDING, "killed");
    else if (WIFSIGNALED(how))
        snprintf(ending, WARI_PROCESS_ENDING, "signal %d", WTERMSIG(how));
    else
        snprintf(ending, WARI_PROCESS_ENDING, "exit code %d", WEXITSTATUS(how));
    process->pid = 0;
    process->to = process->from = -1;
}

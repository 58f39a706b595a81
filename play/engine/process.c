/* Runs another program as a child process.
 *
 * All pipes are opened close-on-exec, so that no engine keeps another engine's pipe open. The
 * caller's ends do not block; every wait is a series of short poll() calls up to the deadline,
 * so that an interruption is noticed even if the signal arrives between two of them. Invariants:
 * at most one line is kept in memory, whatever the program writes. Each child process in a
 * session other than that of this process is either a supervisor (in the list of struct
 * wari_processes) or an orphan: a process that was started under a supervisor that was killed.
 * Orphans become child processes of the first thread of this process. */
#include "play/engine/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "play/engine/supervisor.h"
#include "play/text.h"
#include "system/clock.h"
#include "system/platform.h"

enum {
    POLL_MS = 100,             /* milliseconds between checks of the stop flag */
    SUPERVISOR_KILL_MS = 1000, /* milliseconds for a supervisor to kill all its descendants; fifty
                                * processes take about ten */
    SUPERVISOR_EXIT_MS = 1000, /* milliseconds for a killed supervisor to exit */
    ORPHANS_EXIT_MS = 2000, /* milliseconds for the orphans to exit; processes that cannot be killed
                             * are then left alone */
};

/* ---- Starting ---- */

static void close_pipe(int files[2])
{
    for (int i = 0; i < 2; i++)
        if (files[i] >= 0)
            (void)close(files[i]);
}

/* Returns the errno with which starting the program failed; 0 if the program runs. */
static int read_report(int report)
{
    int reason = 0;
    ssize_t count;
    do
        count = read(report, &reason, sizeof reason);
    while (count < 0 && errno == EINTR);
    return count == (ssize_t)sizeof reason ? reason : 0;
}

/* The four pipes to a program and its supervisor: read from [0], write to [1]. */
struct pipes {
    int input[2], output[2], report[2], control[2];
};

static bool make_pipes(struct pipes *pipes)
{
    return wari_pipe(pipes->input) == 0 && wari_pipe(pipes->output) == 0 &&
           wari_pipe(pipes->report) == 0 && wari_pipe(pipes->control) == 0 &&
           fcntl(pipes->input[1], F_SETFL, O_NONBLOCK) == 0 &&
           fcntl(pipes->output[0], F_SETFL, O_NONBLOCK) == 0;
}

/* Returns true if `reason`, an errno, means a shortage of resources, so that any other program
 * would have failed to start, too. */
static bool is_shortage(int reason)
{
    return reason == EMFILE || reason == ENFILE || reason == EAGAIN || reason == ENOMEM;
}

static void close_pipes(struct pipes *pipes)
{
    close_pipe(pipes->input);
    close_pipe(pipes->output);
    close_pipe(pipes->report);
    close_pipe(pipes->control);
}

/* Makes the pipes and starts the supervisor. The lock is held meanwhile for two reasons: no other
 * thread may fork before all pipes are marked close-on-exec, and the supervisor, which is not in
 * the list yet, must not be mistaken for an orphan. */
static bool fork_supervisor(struct wari_process *process, char *const *words, struct pipes *pipes)
{
    struct wari_processes *all = process->all;
    pthread_mutex_lock(&all->lock);
    pid_t pid = make_pipes(pipes) ? fork() : -1;
    if (pid == 0)
        wari_supervisor_run(words,
                            &(struct wari_supervisor_files){pipes->input[0], pipes->output[1],
                                                            pipes->report[1], pipes->control[0]});
    int reason = errno;
    if (pid > 0) {
        process->pid = pid;
        process->next = all->first;
        all->first = process;
    }
    pthread_mutex_unlock(&all->lock);
    errno = reason;
    return pid > 0;
}

enum wari_status wari_process_start(struct wari_process *process, struct wari_processes *all,
                                    char *const *words, struct wari_error *error)
{
    struct pipes pipes = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    char ending[WARI_PROCESS_ENDING];
    process->pid = 0;
    process->to = process->from = process->control = -1;
    process->all = all;
    process->begin = process->end = 0;
    process->cut = false;
    if (!fork_supervisor(process, words, &pipes)) {
        int reason = errno;
        close_pipes(&pipes);
        return wari_fail(error, WARI_IO, "cannot start %.200s: %s", words[0], strerror(reason));
    }
    (void)close(pipes.input[0]);
    (void)close(pipes.output[1]);
    (void)close(pipes.report[1]);
    (void)close(pipes.control[0]);
    process->to = pipes.input[1];
    process->from = pipes.output[0];
    process->control = pipes.control[1];
    int reason = read_report(pipes.report[0]);
    (void)close(pipes.report[0]);
    if (reason == 0)
        return WARI_OK;
    wari_process_end(process, 0, ending);
    return wari_fail(error, is_shortage(reason) ? WARI_IO : WARI_BAD_INPUT,
                     "cannot run \"%.200s\": %s", words[0], strerror(reason));
}

/* ---- Communication ---- */

/* Continues the supervisor if it was stopped. Returns true if it has ended (and was not reaped
 * yet). */
static bool has_ended(const struct wari_process *process)
{
    siginfo_t which = {.si_pid = 0};
    (void)kill(process->pid, SIGCONT);
    return waitid(P_PID, (id_t)process->pid, &which, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           which.si_pid == process->pid;
}

/* Waits for `events` of a descriptor. When the engine ends, the supervisor kills the processes that
 * hold the pipes, which closes the pipes. A supervisor that was stopped or killed does not do this,
 * so the function continues a stopped supervisor and notices one that has ended. */
static enum wari_process_result wait_for(const struct wari_process *process, int fd, short events,
                                         int64_t deadline)
{
    for (;;) {
        if (atomic_load(&process->all->stop))
            return WARI_PROCESS_INTERRUPTED;
        int64_t left = deadline - wari_milliseconds_now();
        if (left <= 0)
            return WARI_PROCESS_TIMEOUT;
        struct pollfd one = {.fd = fd, .events = events, .revents = 0};
        int ready = poll(&one, 1, left < POLL_MS ? (int)left : POLL_MS);
        if (ready > 0)
            return WARI_PROCESS_OK;
        if ((ready < 0 && errno != EINTR) || (ready == 0 && has_ended(process)))
            return WARI_PROCESS_GONE;
    }
}

enum wari_process_result wari_process_write(struct wari_process *process, const char *text,
                                            int64_t deadline)
{
    size_t left = strlen(text);
    if (process->to < 0)
        return WARI_PROCESS_GONE;
    while (left > 0) {
        ssize_t count = write(process->to, text, left);
        if (count >= 0) {
            text += count;
            left -= (size_t)count;
        } else if (errno == EAGAIN) {
            enum wari_process_result result = wait_for(process, process->to, POLLOUT, deadline);
            if (result != WARI_PROCESS_OK)
                return result;
        } else if (errno != EINTR) {
            return WARI_PROCESS_GONE;
        }
    }
    return WARI_PROCESS_OK;
}

/* Takes a line out of the buffer. Returns false if there is no complete line. */
static bool take_line(struct wari_process *process, const char **line)
{
    char *start = process->buffer + process->begin;
    size_t length = process->end - process->begin;
    char *newline = memchr(start, '\n', length);
    if (!newline) {
        memmove(process->buffer, start, length);
        process->begin = 0;
        process->end = length;
        if (length < WARI_PROCESS_LINE_MAX)
            return false;
        newline = process->buffer + length; /* discards the rest of the line */
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
    while (newline > start && wari_text_is_blank(newline[-1]))
        newline--;
    *newline = '\0';
    for (char *c = start; c < newline; c++)
        if (*c == '\0')
            *c = '?';
    *line = start;
    return true;
}

enum wari_process_result wari_process_read(struct wari_process *process, const char **line,
                                           int64_t deadline)
{
    if (process->from < 0)
        return WARI_PROCESS_GONE;
    while (!take_line(process, line)) {
        /* Checks the clock before each read, since a program may write without end. */
        enum wari_process_result result = wait_for(process, process->from, POLLIN, deadline);
        if (result != WARI_PROCESS_OK)
            return result;
        ssize_t count = read(process->from, process->buffer + process->end,
                             WARI_PROCESS_LINE_MAX - process->end);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
            return WARI_PROCESS_GONE;
        if (count > 0)
            process->end += (size_t)count;
    }
    return WARI_PROCESS_OK;
}

/* ---- Ending ---- */

static void sleep_briefly(void)
{
    static const struct timespec delay = {0, 2000000};
    (void)nanosleep(&delay, NULL);
}

/* Removes a process from the list. The caller holds the lock. */
static void leave_list(struct wari_process *process)
{
    struct wari_process **link = &process->all->first;
    while (*link != process)
        link = &(*link)->next;
    *link = process->next;
}

/* Reaps the supervisor if it has ended; otherwise continues it if it was stopped and returns
 * false. */
static bool reap(struct wari_process *process, int *wait_status)
{
    pthread_mutex_lock(&process->all->lock);
    pid_t gone = waitpid(process->pid, wait_status, WNOHANG);
    bool ended = gone == process->pid || (gone < 0 && errno == ECHILD); /* SIGCHLD is ignored */
    if (ended)
        leave_list(process);
    else
        (void)kill(process->pid, SIGCONT);
    pthread_mutex_unlock(&process->all->lock);
    return ended;
}

/* Waits for the supervisor to end, and reaps it. Returns false if it does not end within
 * `patience` milliseconds. */
static bool ends_within(struct wari_process *process, int patience, bool interruptible,
                        int *wait_status)
{
    int64_t deadline = wari_milliseconds_now() + patience;
    while (!reap(process, wait_status)) {
        if (wari_milliseconds_now() >= deadline ||
            (interruptible && atomic_load(&process->all->stop)))
            return false;
        sleep_briefly();
    }
    return true;
}

/* Kills a supervisor that does not respond. If even that takes too long, it is treated like an
 * orphan. */
static void kill_supervisor(struct wari_process *process)
{
    int wait_status;
    (void)kill(process->pid, SIGKILL);
    if (ends_within(process, SUPERVISOR_EXIT_MS, false, &wait_status))
        return;
    pthread_mutex_lock(&process->all->lock);
    leave_list(process);
    pthread_mutex_unlock(&process->all->lock);
}

/* Returns true if a process number belongs to a supervisor in the list. The caller holds the
 * lock. */
static bool is_supervisor(const struct wari_processes *all, pid_t pid)
{
    const struct wari_process *process = all->first;
    while (process && process->pid != pid)
        process = process->next;
    return process != NULL;
}

/* Kills all orphans of supervisors once and reaps the orphans that have ended. Returns true if
 * there were any orphans. */
static bool kill_orphans(struct wari_processes *all)
{
    struct wari_child_list children;
    pid_t child, own = getsid(0);
    bool any = false;
    pthread_mutex_lock(&all->lock);
    wari_child_list_open(&children);
    while ((child = wari_child_list_next(&children)) > 0) {
        pid_t session = getsid(child);
        if (session <= 0 || session == own || is_supervisor(all, child))
            continue;
        any = true;
        wari_supervisor_kill(child);
        (void)waitpid(child, NULL, WNOHANG);
    }
    wari_child_list_close(&children);
    pthread_mutex_unlock(&all->lock);
    return any;
}

/* Kills orphans until there are none, since the child processes of a killed process become child
 * processes of this process. Processes of other programs are not affected, because they are
 * below supervisors. */
static void end_orphans(struct wari_processes *all)
{
    int64_t deadline = wari_milliseconds_now() + ORPHANS_EXIT_MS;
    while (all->reaps_orphans && kill_orphans(all) && wari_milliseconds_now() < deadline)
        sleep_briefly();
}

void wari_process_end(struct wari_process *process, int patience, char ending[WARI_PROCESS_ENDING])
{
    int wait_status = 0;
    snprintf(ending, WARI_PROCESS_ENDING, "not running");
    if (process->pid == 0)
        return;
    (void)close(process->to);
    process->to = -1;
    bool ended = ends_within(process, patience, true, &wait_status);
    (void)close(process->control); /* when the control pipe is closed, the supervisor kills the
                                    * remaining processes */
    process->control = -1;
    if (!ended && !ends_within(process, SUPERVISOR_KILL_MS, false, &wait_status))
        kill_supervisor(process);
    (void)close(process->from);
    process->from = -1;
    end_orphans(process->all);
    if (!ended)
        snprintf(ending, WARI_PROCESS_ENDING, "killed");
    else if (WIFSIGNALED(wait_status))
        snprintf(ending, WARI_PROCESS_ENDING, "signal %d", WTERMSIG(wait_status));
    else
        snprintf(ending, WARI_PROCESS_ENDING, "exit code %d", WEXITSTATUS(wait_status));
    process->pid = 0;
}

/* ---- Shared state ---- */

void wari_processes_init(struct wari_processes *processes)
{
    atomic_init(&processes->stop, false);
    processes->reaps_orphans = wari_adopt_orphans();
    processes->first = NULL;
    pthread_mutex_init(&processes->lock, NULL); /* cannot fail with default attributes */
}

void wari_processes_free(struct wari_processes *processes)
{
    if (processes->reaps_orphans)
        wari_stop_adopting();
    pthread_mutex_destroy(&processes->lock);
}

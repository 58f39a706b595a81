/* Another program as a child process.
 *
 * Pipes are ours alone: every descriptor is opened close-on-exec, so that no engine keeps another
 * one's pipe open. Our ends do not block; every wait is a poll() with a deadline, in slices, so
 * that an interruption is noticed whether or not the signal hits the wait. What always holds: at
 * most one line is kept in memory, whatever the program writes; and a child of this process in
 * another session is a warden of the list, or an orphan of one that was killed. Orphans come to the
 * first thread of this process.
 */
#include "play/engine/process.h"

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

#include "play/engine/children.h"
#include "play/engine/warden.h"

enum {
    SLICE = 100,    /* milliseconds between looks at the stop flag */
    KILLING = 1000, /* for a warden to kill all below it: fifty processes take some ten */
    DYING = 1000,   /* for a killed warden to be gone */
    ORPHANS = 2000, /* for what it leaves to be gone; what cannot be killed is then left */
};

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

/* Whether nothing can be started here now, rather than this. */
static bool is_shortage(int reason)
{
    return reason == EMFILE || reason == ENFILE || reason == EAGAIN || reason == ENOMEM;
}

static void close_pipes(struct pipes *pipes)
{
    close_pipe(pipes->input);
    close_pipe(pipes->output);
    close_pipe(pipes->report);
    close_pipe(pipes->leash);
}

/* Starts the warden. Nobody takes it for an orphan: it is in the list before it is let loose. */
static bool fork_warden(struct wari_process *process, char *const *words, const struct pipes *pipes)
{
    struct wari_processes *all = process->all;
    pthread_mutex_lock(&all->lock);
    pid_t pid = fork();
    if (pid == 0)
        wari_warden_run(words, &(struct wari_warden_ends){pipes->input[0], pipes->output[1],
                                                          pipes->report[1], pipes->leash[0]});
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
    process->to = process->from = process->leash = -1;
    process->all = all;
    process->begin = process->end = 0;
    process->cut = false;
    if (!make_pipes(&pipes) || !fork_warden(process, words, &pipes)) {
        int reason = errno;
        close_pipes(&pipes);
        return wari_fail(error, WARI_IO, "cannot start %.200s: %s", words[0], strerror(reason));
    }
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
    wari_process_end(process, 0, ending);
    return wari_fail(error, is_shortage(reason) ? WARI_IO : WARI_BAD_INPUT,
                     "cannot run \"%.200s\": %s", words[0], strerror(reason));
}

/* ---- Talking ---- */

/* Lets a warden go on that was stopped; whether it has ended (nobody has reaped it yet). */
static bool has_ended(const struct wari_process *process)
{
    siginfo_t which = {.si_pid = 0};
    (void)kill(process->pid, SIGCONT);
    return waitid(P_PID, (id_t)process->pid, &which, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           which.si_pid == process->pid;
}

/* Waits for `events` of a descriptor. The end of the engine is one: its warden closes the pipes by
 * killing those that hold them. So a warden that was stopped or killed is looked for, too. */
static enum wari_talk wait_for(const struct wari_process *process, int fd, short events,
                               int64_t deadline)
{
    for (;;) {
        if (atomic_load(&process->all->stop))
            return WARI_TALK_INTERRUPTED;
        int64_t left = deadline - wari_process_clock();
        if (left <= 0)
            return WARI_TALK_TIMEOUT;
        struct pollfd one = {.fd = fd, .events = events, .revents = 0};
        int ready = poll(&one, 1, left < SLICE ? (int)left : SLICE);
        if (ready > 0)
            return WARI_TALK_OK;
        if ((ready < 0 && errno != EINTR) || (ready == 0 && has_ended(process)))
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

static void take_a_nap(void)
{
    static const struct timespec nap = {0, 2000000};
    (void)nanosleep(&nap, NULL);
}

/* Under the lock. */
static void leave_list(struct wari_process *process)
{
    struct wari_process **link = &process->all->first;
    while (*link != process)
        link = &(*link)->next;
    *link = process->next;
}

/* Reaps the warden if it has ended; false if it has not. One that was stopped goes on. */
static bool reap(struct wari_process *process, int *how)
{
    pthread_mutex_lock(&process->all->lock);
    pid_t gone = waitpid(process->pid, how, WNOHANG);
    bool ended = gone == process->pid || (gone < 0 && errno == ECHILD); /* SIGCHLD is ignored */
    if (ended)
        leave_list(process);
    else
        (void)kill(process->pid, SIGCONT);
    pthread_mutex_unlock(&process->all->lock);
    return ended;
}

/* Whether the warden ends within so many milliseconds; it is reaped then. */
static bool goes(struct wari_process *process, int patience, bool heed_stop, int *how)
{
    int64_t deadline = wari_process_clock() + patience;
    while (!reap(process, how)) {
        if (wari_process_clock() >= deadline || (heed_stop && atomic_load(&process->all->stop)))
            return false;
        take_a_nap();
    }
    return true;
}

/* A warden that does not do its work ends without it. If even that takes too long, it is left to
 * those who look for orphans. */
static void kill_warden(struct wari_process *process)
{
    int how;
    (void)kill(process->pid, SIGKILL);
    if (goes(process, DYING, false, &how))
        return;
    pthread_mutex_lock(&process->all->lock);
    leave_list(process);
    pthread_mutex_unlock(&process->all->lock);
}

/* Under the lock. */
static bool is_warden(const struct wari_processes *all, pid_t pid)
{
    const struct wari_process *process = all->first;
    while (process && process->pid != pid)
        process = process->next;
    return process != NULL;
}

/* Kills all orphans of wardens once, and reaps who has ended; whether there were any. */
static bool kill_orphans(struct wari_processes *all)
{
    struct wari_children children;
    char path[64];
    pid_t child, own = getsid(0);
    bool any = false;
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    pthread_mutex_lock(&all->lock);
    wari_children_open(&children, path);
    while ((child = wari_children_next(&children)) > 0) {
        pid_t session = getsid(child);
        if (session <= 0 || session == own || is_warden(all, child))
            continue;
        any = true;
        wari_children_kill(child);
        (void)waitpid(child, NULL, WNOHANG);
    }
    wari_children_close(&children);
    pthread_mutex_unlock(&all->lock);
    return any;
}

/* What is killed leaves its children to this process, until there are none. Those of other programs
 * are not among them: they are below wardens. */
static void end_orphans(struct wari_processes *all)
{
    int64_t deadline = wari_process_clock() + ORPHANS;
    while (all->adopts && kill_orphans(all) && wari_process_clock() < deadline)
        take_a_nap();
}

void wari_process_end(struct wari_process *process, int patience, char ending[WARI_PROCESS_ENDING])
{
    int how = 0;
    snprintf(ending, WARI_PROCESS_ENDING, "not running");
    if (process->pid == 0)
        return;
    (void)close(process->to);
    process->to = -1;
    bool went = goes(process, patience, true, &how);
    (void)close(process->leash); /* what is left ends with the warden */
    process->leash = -1;
    if (!went && !goes(process, KILLING, false, &how))
        kill_warden(process);
    (void)close(process->from);
    process->from = -1;
    end_orphans(process->all);
    if (!went)
        snprintf(ending, WARI_PROCESS_ENDING, "killed");
    else if (WIFSIGNALED(how))
        snprintf(ending, WARI_PROCESS_ENDING, "signal %d", WTERMSIG(how));
    else
        snprintf(ending, WARI_PROCESS_ENDING, "exit code %d", WEXITSTATUS(how));
    process->pid = 0;
}

/* ---- All of a caller ---- */

/* Whether orphans of others come to this process, or may come. */
static bool has_children(void)
{
    siginfo_t which;
    return getpid() == 1 || waitid(P_ALL, 0, &which, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 ||
           errno != ECHILD;
}

void wari_processes_init(struct wari_processes *processes)
{
    atomic_init(&processes->stop, false);
    processes->adopts = !has_children() && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
    processes->first = NULL;
    pthread_mutex_init(&processes->lock, NULL); /* with the system's defaults this cannot fail */
}

void wari_processes_free(struct wari_processes *processes)
{
    if (processes->adopts)
        (void)prctl(PR_SET_CHILD_SUBREAPER, 0);
    pthread_mutex_destroy(&processes->lock);
}

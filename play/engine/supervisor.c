/* The supervisor process of an engine.
 *
 * It starts as a copy of a process that may have many threads, so it uses only functions that
 * are allowed in a signal handler and allocates no memory. Invariant: of the referee's
 * descriptors it keeps only the control pipe and standard error, so no pipe of an engine stays
 * open. */
#include "play/engine/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/platform.h"

enum {
    CANNOT_RUN = 127,
    CONTROL = STDIN_FILENO, /* the supervisor moves the control pipe to this descriptor, because
                             * pselect() accepts only small numbers */
};

static _Noreturn void report_and_exit(int report)
{
    int reason = errno;
    (void)!write(report, &reason, sizeof reason); /* the referee notices the exit in any case */
    _exit(CANNOT_RUN);
}

/* Runs in the engine's process: waits until the supervisor has closed the start pipe and all other
 * descriptors that it does not keep, then replaces the process by the program. A program that ran
 * earlier could stop the supervisor, and the referee would then wait for a pipe that the supervisor
 * holds open. */
static _Noreturn void run_program(char *const *words, const struct wari_supervisor_files *files,
                                  int start_pipe)
{
    char ignored_byte;
    static const int restored[] = {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGCHLD};
    sigset_t none;
    for (size_t i = 0; i < sizeof restored / sizeof *restored; i++)
        (void)signal(restored[i], SIG_DFL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setpgid(0, 0);
    wari_signal_when_parent_ends(SIGKILL);
    (void)!read(start_pipe, &ignored_byte, 1);
    if (dup2(files->input, STDIN_FILENO) >= 0 && dup2(files->output, STDOUT_FILENO) >= 0)
        (void)execvp(words[0], words);
    report_and_exit(files->report);
}

void wari_supervisor_kill(pid_t child)
{
    pid_t group = getpgid(child);
    if (group > 1 && group != getpgrp())
        (void)kill(-group, SIGKILL);
    (void)kill(child, SIGKILL);
}

/* Kills all child processes of this process, with their groups. */
static void kill_children(void)
{
    struct wari_child_list children;
    pid_t child;
    wari_child_list_open(&children);
    while ((child = wari_child_list_next(&children)) > 0)
        wari_supervisor_kill(child);
    wari_child_list_close(&children);
}

/* Reaps a child process that has ended; `options` are those of waitid(). If it is the engine, kills
 * the rest of its group first: as long as the engine is not reaped, no other process can have its
 * number. Returns false if there is no such process; errno is then EINTR if a signal ended the
 * wait. */
static bool reap(pid_t engine, int options, bool *ended, int *wait_status)
{
    siginfo_t which = {.si_pid = 0};
    int status;
    errno = 0;
    if (waitid(P_ALL, 0, &which, WEXITED | WNOWAIT | options) != 0 || which.si_pid <= 0)
        return false;
    if (which.si_pid == engine)
        (void)kill(-engine, SIGKILL);
    if (waitpid(which.si_pid, &status, 0) == engine) {
        *ended = true;
        *wait_status = status;
    }
    return true;
}

/* Kills all descendants. The child processes of a killed process become child processes of this
 * one, so the function repeats this until there are none. On systems where orphans do not come to
 * this process, kills only the processes in the engine's group. */
static void kill_all(pid_t engine, bool *ended, int *wait_status)
{
    do {
        if (!*ended)
            wari_supervisor_kill(engine); /* needed if the list below cannot be read */
        kill_children();
    } while (reap(engine, 0, ended, wait_status) || errno == EINTR);
}

/* Handles SIGCHLD. It has nothing to do: a signal with a handler makes pselect() return. */
static void interrupt_wait(int number)
{
    (void)number;
}

/* Waits until the engine ends or the control pipe is closed. SIGCHLD is blocked except during
 * pselect(), so that it cannot arrive unnoticed between reaping and waiting. */
static void wait_for_engine(pid_t engine, bool *ended, int *wait_status)
{
    sigset_t none;
    sigemptyset(&none);
    while (!*ended) {
        fd_set files;
        FD_ZERO(&files);
        FD_SET(CONTROL, &files);
        int ready = pselect(CONTROL + 1, &files, NULL, NULL, NULL, &none);
        if (ready > 0 || (ready < 0 && errno != EINTR))
            return;
        while (!*ended && reap(engine, WNOHANG, ended, wait_status))
            continue;
    }
}

/* Exits in the same way as the engine. */
static _Noreturn void exit_like(int wait_status)
{
    const struct rlimit none = {0, 0};
    sigset_t all;
    if (!WIFSIGNALED(wait_status))
        _exit(WEXITSTATUS(wait_status));
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)signal(WTERMSIG(wait_status), SIG_DFL);
    sigemptyset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)raise(WTERMSIG(wait_status));
    _exit(128 + WTERMSIG(wait_status));
}

/* Closes all descriptors except standard error and the control pipe. Returns false if the control
 * pipe cannot be kept. */
static bool close_other_files(int control)
{
    if (control != CONTROL && dup2(control, CONTROL) < 0)
        return false;
    (void)close(STDOUT_FILENO);
    wari_close_descriptors_from(STDERR_FILENO + 1);
    return true;
}

/* Makes this process the reaper of its descendants. Starts a session of its own, so that no
 * descendant is in the referee's session: the referee recognises orphans by their session
 * (process.c). Ignores SIGPIPE and the usual signals that end a program. Asks the system for
 * SIGCONT when the referee dies, so that this process continues even if it was stopped. Returns
 * false if this process cannot become the reaper, although the system is Linux. */
static bool prepare(void)
{
    static const int ignored[] = {SIGPIPE, SIGINT, SIGTERM, SIGQUIT, SIGHUP};
    sigset_t child;
    (void)setsid();
    wari_signal_when_parent_ends(SIGCONT);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        (void)signal(ignored[i], SIG_IGN);
    (void)signal(SIGCHLD, interrupt_wait);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    (void)sigprocmask(SIG_SETMASK, &child, NULL);
    return wari_adopt_orphans() || !WARI_SYSTEM_LINUX;
}

_Noreturn void wari_supervisor_run(char *const *words, const struct wari_supervisor_files *files)
{
    int start_pipe[2];
    bool ended = false;
    int wait_status = 0;
    if (!prepare() || wari_pipe(start_pipe) != 0)
        report_and_exit(files->report);
    pid_t engine = fork();
    if (engine < 0)
        report_and_exit(files->report);
    if (engine == 0) {
        (void)close(start_pipe[1]);
        run_program(words, files, start_pipe[0]);
    }
    if (close_other_files(files->control))
        wait_for_engine(engine, &ended, &wait_status);
    kill_all(engine, &ended, &wait_status);
    exit_like(wait_status);
}

/* The supervisor process of an engine.
 *
 * It starts as a copy of a process that may have many threads, so it uses only functions that
 * are allowed in a signal handler and allocates no memory. Invariant: of the referee's
 * descriptors it keeps only the control pipe and standard error, so no pipe of an engine stays
 * open. */
#include "play/engine/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "play/engine/child_processes.h"

enum { CANNOT_RUN = 127 };

static _Noreturn void report_and_exit(int report)
{
    int reason = errno;
    (void)!write(report, &reason, sizeof reason); /* the referee notices the exit in any case */
    _exit(CANNOT_RUN);
}

/* Runs in the engine's process: replaces it by the program after the supervisor has closed the
 * start pipe and all descriptors that it does not keep. From then on the engine may stop the
 * supervisor without anyone waiting for it. */
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
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)!read(start_pipe, &ignored_byte, 1);
    if (dup2(files->input, STDIN_FILENO) >= 0 && dup2(files->output, STDOUT_FILENO) >= 0)
        (void)execvp(words[0], words);
    report_and_exit(files->report);
}

/* Kills all child processes of this process, with their groups. */
static void kill_children(void)
{
    struct wari_child_processes children;
    pid_t child;
    wari_child_processes_open(&children, "/proc/thread-self/children");
    while ((child = wari_child_processes_next(&children)) > 0)
        wari_child_process_kill(child);
    wari_child_processes_close(&children);
}

/* Kills all descendants. A killed process leaves its child processes to this one, so this is
 * repeated until there are none. */
static void kill_all(pid_t engine, bool *ended, int *wait_status)
{
    for (;;) {
        int status;
        if (!*ended)
            wari_child_process_kill(engine); /* also kills it if the list cannot be read */
        kill_children();
        pid_t gone = waitpid(-1, &status, 0);
        if (gone < 0 && errno != EINTR)
            return;
        if (gone == engine) {
            *ended = true;
            *wait_status = status;
        }
    }
}

/* Waits until the engine ends or the control pipe is closed. */
static void wait_for_engine(pid_t engine, int control, int signals, bool *ended, int *wait_status)
{
    struct pollfd files[] = {{.fd = control, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    while (!*ended) {
        struct signalfd_siginfo info;
        int status;
        pid_t gone;
        if (poll(files, 2, -1) < 0 && errno != EINTR)
            return;
        if (files[0].revents)
            return;
        if (files[1].revents)
            (void)!read(signals, &info, sizeof info); /* adds nothing to what waitpid() says */
        while ((gone = waitpid(-1, &status, WNOHANG)) > 0) {
            if (gone == engine) {
                *ended = true;
                *wait_status = status;
            }
        }
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

/* Closes all descriptors except standard error, the control pipe and the signals. */
static void close_other_files(int control, int signals)
{
    enum { FILES_MAX = 1024 };
    int low = control < signals ? control : signals, high = control < signals ? signals : control;
    (void)close(STDIN_FILENO);
    (void)close(STDOUT_FILENO);
    if ((low == 3 || syscall(SYS_close_range, 3, low - 1, 0) == 0) &&
        (high == low + 1 || syscall(SYS_close_range, low + 1, high - 1, 0) == 0) &&
        syscall(SYS_close_range, high + 1, ~0U, 0) == 0)
        return;
    for (int file = 3; file < FILES_MAX; file++)
        if (file != control && file != signals)
            (void)close(file);
}

/* Makes this process the reaper of its descendants, in its own session, so that nothing below it
 * returns to the referee's session. It ignores all signals except SIGKILL and SIGSTOP. If the
 * referee dies, it continues even if it was stopped. Returns a descriptor that reports ended
 * child processes, or -1. */
static int prepare(void)
{
    static const int ignored[] = {SIGPIPE, SIGINT, SIGTERM, SIGQUIT, SIGHUP};
    sigset_t child;
    (void)setsid();
    (void)prctl(PR_SET_PDEATHSIG, SIGCONT);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        (void)signal(ignored[i], SIG_IGN);
    (void)signal(SIGCHLD, SIG_DFL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    (void)sigprocmask(SIG_SETMASK, &child, NULL);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return -1;
    return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

_Noreturn void wari_supervisor_run(char *const *words, const struct wari_supervisor_files *files)
{
    int start_pipe[2];
    bool ended = false;
    int wait_status = 0, signals = prepare();
    if (signals < 0 || pipe2(start_pipe, O_CLOEXEC) != 0)
        report_and_exit(files->report);
    pid_t engine = fork();
    if (engine < 0)
        report_and_exit(files->report);
    if (engine == 0) {
        (void)close(start_pipe[1]);
        run_program(words, files, start_pipe[0]);
    }
    close_other_files(files->control, signals);
    wait_for_engine(engine, files->control, signals, &ended, &wait_status);
    kill_all(engine, &ended, &wait_status);
    exit_like(wait_status);
}

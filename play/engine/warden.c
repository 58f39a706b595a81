/* The process that keeps an engine.
 *
 * It begins as a copy of a process that may have many threads: so it calls only what is allowed in
 * a signal handler, and takes no memory. What always holds: of the descriptors of the referee it
 * keeps the leash and standard error, so that no engine's pipe is held open.
 */
#include "play/engine/warden.h"

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

#include "play/engine/children.h"

enum { CANNOT_RUN = 127 };

static _Noreturn void give_up(int report)
{
    int reason = errno;
    (void)!write(report, &reason, sizeof reason); /* the referee hears of the end, too */
    _exit(CANNOT_RUN);
}

/* In the engine's process: becomes the program once the warden has closed the gate, and with it all
 * that it does not keep: from then on it may be stopped, and nobody waits for it. */
static _Noreturn void become(char *const *words, const struct wari_warden_ends *ends, int gate)
{
    char none_comes;
    static const int restored[] = {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGCHLD};
    sigset_t none;
    for (size_t i = 0; i < sizeof restored / sizeof *restored; i++)
        (void)signal(restored[i], SIG_DFL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)!read(gate, &none_comes, 1);
    if (dup2(ends->input, STDIN_FILENO) >= 0 && dup2(ends->output, STDOUT_FILENO) >= 0)
        (void)execvp(words[0], words);
    give_up(ends->report);
}

/* Kills the processes whose parent this one is, with their groups. */
static void kill_children(void)
{
    struct wari_children children;
    pid_t child;
    wari_children_open(&children, "/proc/thread-self/children");
    while ((child = wari_children_next(&children)) > 0)
        wari_children_kill(child);
    wari_children_close(&children);
}

/* What is killed leaves its children to this process, until there are none. */
static void kill_all(pid_t engine, bool *ended, int *how)
{
    for (;;) {
        int status;
        if (!*ended)
            wari_children_kill(engine); /* also where there is no list */
        kill_children();
        pid_t gone = waitpid(-1, &status, 0);
        if (gone < 0 && errno != EINTR)
            return;
        if (gone == engine) {
            *ended = true;
            *how = status;
        }
    }
}

/* Waits until the engine ends, or nobody holds the leash. */
static void watch(pid_t engine, int leash, int signals, bool *ended, int *how)
{
    struct pollfd files[] = {{.fd = leash, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    while (!*ended) {
        struct signalfd_siginfo what;
        int status;
        pid_t gone;
        if (poll(files, 2, -1) < 0 && errno != EINTR)
            return;
        if (files[0].revents)
            return;
        if (files[1].revents)
            (void)!read(signals, &what, sizeof what); /* says no more than waitpid() does */
        while ((gone = waitpid(-1, &status, WNOHANG)) > 0) {
            if (gone == engine) {
                *ended = true;
                *how = status;
            }
        }
    }
}

/* Ends as the engine has. */
static _Noreturn void end_like(int how)
{
    const struct rlimit none = {0, 0};
    sigset_t all;
    if (!WIFSIGNALED(how))
        _exit(WEXITSTATUS(how));
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)signal(WTERMSIG(how), SIG_DFL);
    sigemptyset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)raise(WTERMSIG(how));
    _exit(128 + WTERMSIG(how));
}

/* Closes all but standard error, the leash and the signals. */
static void let_go(int leash, int signals)
{
    enum { OLD_SYSTEM = 1024 };
    int low = leash < signals ? leash : signals, high = leash < signals ? signals : leash;
    (void)close(STDIN_FILENO);
    (void)close(STDOUT_FILENO);
    if ((low == 3 || syscall(SYS_close_range, 3, low - 1, 0) == 0) &&
        (high == low + 1 || syscall(SYS_close_range, low + 1, high - 1, 0) == 0) &&
        syscall(SYS_close_range, high + 1, ~0U, 0) == 0)
        return;
    for (int file = 3; file < OLD_SYSTEM; file++)
        if (file != leash && file != signals)
            (void)close(file);
}

/* Makes this process the reaper of all below it, deaf to all but SIGKILL and SIGSTOP, in a session
 * that nothing below it leaves for the referee's. Where the referee dies, it goes on though it was
 * stopped. Gives back a descriptor that tells of children, or -1. */
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

_Noreturn void wari_warden_run(char *const *words, const struct wari_warden_ends *ends)
{
    int gate[2];
    bool ended = false;
    int how = 0, signals = prepare();
    if (signals < 0 || pipe2(gate, O_CLOEXEC) != 0)
        give_up(ends->report);
    pid_t engine = fork();
    if (engine < 0)
        give_up(ends->report);
    if (engine == 0) {
        (void)close(gate[1]);
        become(words, ends, gate[0]);
    }
    let_go(ends->leash, signals);
    watch(engine, ends->leash, signals, &ended, &how);
    kill_all(engine, &ended, &how);
    end_like(how);
}

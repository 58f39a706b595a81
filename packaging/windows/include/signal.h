/* <signal.h>, with sigaction() for Ctrl-C, Ctrl-Break and the end of the console. */
#ifndef WINDOWS_INCLUDE_SIGNAL_H
#define WINDOWS_INCLUDE_SIGNAL_H

#include_next <signal.h>
#include <sys/types.h>

#ifndef _POSIX /* otherwise <sys/types.h> defines this type */
typedef _sigset_t sigset_t;
#endif

/* Signals that Windows does not send. */
enum { SIGHUP = 1, SIGPIPE = 13, SIGALRM = 14, SIGXFSZ = 25 };

enum { SA_RESTART = 0x10000000, SIG_SETMASK = 2 };

struct sigaction {
    void (*sa_handler)(int number);
    sigset_t sa_mask;
    int sa_flags;
};

/* The handler of SIGINT is called after Ctrl-C and Ctrl-Break, that of SIGTERM when the console is
 * closed or the user logs off, each in a thread of its own. Other signals are never sent. */
int sigaction(int number, const struct sigaction *action, struct sigaction *previous);

/* Finds out whether a process exists; `number` must be 0. Returns 0 if the process `pid` exists.
 * Otherwise returns -1 and sets errno to ESRCH, or to EINVAL if `number` is not 0. */
int kill(pid_t pid, int number);

static inline int sigemptyset(sigset_t *set)
{
    *set = 0;
    return 0;
}

static inline int sigfillset(sigset_t *set)
{
    *set = ~(sigset_t)0;
    return 0;
}

static inline int sigaddset(sigset_t *set, int number)
{
    *set |= (sigset_t)1 << number;
    return 0;
}

/* There is nothing to block, because no signal interrupts a thread. */
#undef pthread_sigmask

static inline int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    (void)how;
    (void)set;
    if (before)
        *before = 0;
    return 0;
}

#endif

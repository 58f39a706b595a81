/* Ctrl-C, SIGTERM and SIGHUP as a request to stop soon.
 *
 * A handler is given no context, so there are mutable variables at file scope here, as nowhere else
 * in the program. They are lock-free atomics, the only objects that C lets a handler share with
 * threads. The handlers are put in place even where the signals were ignored, as a shell does for a
 * command in the background: a build must stop in good order for anybody who asks. Not so for
 * SIGHUP: who has it ignored (nohup) wants the command to outlive the terminal.
 */
#include "tools/common/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2 &&
                   ATOMIC_LLONG_LOCK_FREE == 2,
               "a signal handler may only touch lock-free atomics");

/* One wish to stop may come as several signals: a terminal that closes sends SIGHUP twice, and
 * timeout(1) one to its child and one to all. */
enum { ONE_WISH_MS = 500 };

static atomic_bool stop_wanted;
static atomic_int signal_seen;
static atomic_llong seen_at; /* milliseconds; 0: not yet */

/* Ends a write() that waits for somebody to read, though perhaps only to be begun again: it had
 * written a part, or had not begun yet. So this comes again and again, once a reader who is there
 * had a second to take what was being written. */
static void disturb(int number)
{
    (void)number;
}

static void disturb_often(void)
{
    static const struct itimerval often = {.it_interval.tv_usec = 100000, .it_value.tv_sec = 1};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = disturb;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGALRM, &action, NULL) == 0)
        (void)setitimer(ITIMER_REAL, &often, NULL);
}

static void ask_to_stop(int number)
{
    int reason = errno;
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    long long at = (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    long long before = 0;
    if (atomic_compare_exchange_strong(&seen_at, &before, at)) {
        atomic_store(&signal_seen, number);
        atomic_store(&stop_wanted, true);
        disturb_often();
    } else if (at - before > ONE_WISH_MS) {
        (void)signal(number, SIG_DFL);
        (void)raise(number);
    }
    errno = reason;
}

void interrupt_catch(void)
{
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = ask_to_stop;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaddset(&action.sa_mask, SIGHUP);
    /* No call can fail: all three signals exist and may be caught. */
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        (void)sigaction(SIGHUP, &action, NULL);
}

const atomic_bool *interrupt_flag(void)
{
    return &stop_wanted;
}

int interrupt_signal(void)
{
    return atomic_load(&signal_seen);
}

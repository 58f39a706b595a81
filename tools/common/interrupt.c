/* SIGINT (Ctrl-C), SIGTERM and SIGHUP as requests to stop soon.
 *
 * A signal handler gets no context pointer. Therefore this file has mutable variables at file
 * scope, as no other file of the program does. They are lock-free atomics, the only objects that C
 * lets a handler share with threads.
 *
 * The handlers of SIGINT and SIGTERM are installed even if the signals are ignored, as they are in
 * a background command of some shells: a build must always be able to stop in good order. An
 * ignored SIGHUP stays ignored, because nohup(1) ignores it to let the command outlive the
 * terminal.
 */
#include "tools/common/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>

#include "system/clock.h"

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2 &&
                   ATOMIC_LLONG_LOCK_FREE == 2,
               "a signal handler may only use lock-free atomics");

/* Signals within this time count as one request: a closing terminal sends SIGHUP twice, and
 * timeout(1) signals both its child and the process group. */
enum { SAME_REQUEST_MS = 500 };

static atomic_bool stop_requested;
static atomic_int first_signal;
static atomic_llong first_signal_ms; /* time of the first signal; 0 means that none has arrived */

/* Handles SIGALRM. It has nothing to do: a signal with a handler makes a blocked write() return. */
static void interrupt_write(int number)
{
    (void)number;
}

/* Starts a timer that interrupts writes to a reader that does not read. The timer repeats, because
 * a write() that was interrupted after some bytes is called again, and because the signal may
 * arrive just before a write(). It starts after a second, which is enough for an active reader to
 * read what is being written. */
static void start_interrupting_writes(void)
{
    static const struct itimerval period = {.it_interval.tv_usec = 100000, .it_value.tv_sec = 1};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt_write;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGALRM, &action, NULL) == 0)
        (void)setitimer(ITIMER_REAL, &period, NULL);
}

static void request_stop(int number)
{
    int saved_errno = errno;
    long long now_ms = wari_milliseconds_now();
    long long first_ms = 0;
    if (atomic_compare_exchange_strong(&first_signal_ms, &first_ms, now_ms)) {
        atomic_store(&first_signal, number);
        atomic_store(&stop_requested, true);
        start_interrupting_writes();
    } else if (now_ms - first_ms > SAME_REQUEST_MS) {
        (void)signal(number, SIG_DFL);
        (void)raise(number);
    }
    errno = saved_errno;
}

void interrupt_catch(void)
{
    struct sigaction action, previous;
    memset(&action, 0, sizeof action);
    action.sa_handler = request_stop;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaddset(&action.sa_mask, SIGHUP);
    /* These calls cannot fail: all three signals exist and may be caught. */
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &previous) == 0 && previous.sa_handler != SIG_IGN)
        (void)sigaction(SIGHUP, &action, NULL);
}

const atomic_bool *interrupt_flag(void)
{
    return &stop_requested;
}

int interrupt_signal(void)
{
    return atomic_load(&first_signal);
}

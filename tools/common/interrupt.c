/* Ctrl-C, SIGTERM and SIGHUP as a request to stop soon.
 *
 * A handler is given no context, so this is the one place in the tree with mutable variables at
 * file scope. Both are lock-free atomics, the only objects that C lets a handler share with
 * threads. The handlers are put in place even where the signals were ignored, as a shell does for a
 * command in the background: a build must stop in good order for anybody who asks. Not so for
 * SIGHUP: who has it ignored (nohup) wants the command to outlive the terminal.
 */
#include "tools/common/interrupt.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2,
               "a signal handler may only touch lock-free atomics");

static atomic_bool stop_wanted;
static atomic_int signal_seen;

static void ask_to_stop(int number)
{
    atomic_store(&signal_seen, number);
    atomic_store(&stop_wanted, true);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
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

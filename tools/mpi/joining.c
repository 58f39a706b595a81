/* A thread watches the clock while this process waits in MPI_Init: it prints a note first, and
 * later ends the process. */
#include "tools/mpi/joining.h"

#include <time.h>
#include <unistd.h>

#include "game/wari_game.h"
#include "system/clock.h"
#include "tools/common/report.h"

/* A job of some hundred ranks starts within seconds. The limit is much longer, since a busy cluster
 * may start the last of the processes late. */
enum { NOTE_SECONDS = 20, LIMIT_SECONDS = 300 };

/* Waits until all processes have joined, but at most 0.1 s. Called with the lock held. */
static void wait_a_moment(struct joining *joining)
{
    enum { NANOSECONDS = 100000000, SECOND = 1000000000 };
    struct timespec until;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += NANOSECONDS;
    until.tv_sec += until.tv_nsec / SECOND;
    until.tv_nsec %= SECOND;
    (void)pthread_cond_timedwait(&joining->changed, &joining->lock, &until);
}

static void *watch(void *context)
{
    struct joining *joining = context;
    bool noted = false;

    (void)pthread_mutex_lock(&joining->lock);
    while (!joining->joined) {
        wait_a_moment(joining);
        const double waited = wari_seconds_now() - joining->began;
        if (joining->joined || waited < NOTE_SECONDS)
            continue;
        if (!noted)
            report_note("", "waiting for processes of this mpirun that have not joined MPI; are "
                            "all of its programs wari-mpi?");
        noted = true;
        if (waited >= LIMIT_SECONDS) {
            report_note("",
                        "not all processes of this mpirun have joined MPI within %d seconds; "
                        "start wari-mpi only, without other programs",
                        LIMIT_SECONDS);
            _exit(report_exit_code(WARI_IO)); /* MPI cannot be ended before it has begun */
        }
    }
    (void)pthread_mutex_unlock(&joining->lock);
    return NULL;
}

void joining_begin(struct joining *joining)
{
    *joining = (struct joining){.lock = PTHREAD_MUTEX_INITIALIZER,
                                .changed = PTHREAD_COND_INITIALIZER,
                                .began = wari_seconds_now()};
    joining->started = pthread_create(&joining->thread, NULL, watch, joining) == 0;
}

void joining_end(struct joining *joining)
{
    (void)pthread_mutex_lock(&joining->lock);
    joining->joined = true;
    (void)pthread_cond_signal(&joining->changed);
    (void)pthread_mutex_unlock(&joining->lock);
    if (joining->started)
        (void)pthread_join(joining->thread, NULL);
}

/* Another program as a child process, spoken to line by line, with a limit to every wait.
 *
 * The program runs in a session of its own, so that Ctrl-C reaches the caller alone, below a warden
 * (warden.h), who kills it with all that it started, also when the caller dies. Should the program
 * kill its warden, the caller gets what is below it, and kills that.
 * Writing to a program that is gone is reported as such; SIGPIPE must be ignored by the caller.
 */
#ifndef PLAY_ENGINE_PROCESS_H
#define PLAY_ENGINE_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "game/wari_game.h"

/* Longer lines are cut to this; nobody has anything to say that long. */
enum { WARI_PROCESS_LINE_MAX = 4096 };

enum wari_talk {
    WARI_TALK_OK,
    WARI_TALK_TIMEOUT,     /* nothing (or no end of a line) in time */
    WARI_TALK_GONE,        /* it has ended, or closed its input or output */
    WARI_TALK_INTERRUPTED, /* `stop` was set */
};

/* What all processes of a caller share; threads may start and end them at once. */
struct wari_processes {
    atomic_bool stop;           /* set by anybody: nobody waits for programs any more */
    bool adopts;                /* the orphans of wardens that were killed come to the caller */
    pthread_mutex_t lock;       /* for what follows, and for starting and reaping */
    struct wari_process *first; /* those that were not reaped */
};

/* Makes the caller the reaper of all below it (PR_SET_CHILD_SUBREAPER). Until the end, children
 * that the caller starts by itself must stay in its session: those in others are taken for orphans
 * of wardens, and killed. So a process has one such list at a time. A caller that has children
 * already, or is process 1, gets orphans of others, too: it is left as it is, and what outlives a
 * warden stays. */
void wari_processes_init(struct wari_processes *processes);

/* To be called after the end of all processes. */
void wari_processes_free(struct wari_processes *processes);

/* Stays where it is while it runs. */
struct wari_process {
    pid_t pid;    /* the warden's; 0: there is none */
    int to, from; /* its standard input and output; -1 */
    int leash;    /* the warden's; -1 */
    struct wari_processes *all;
    struct wari_process *next; /* of all */
    size_t begin, end;         /* what was read and not handed out yet */
    bool cut;                  /* the line being read is too long; its rest is thrown away */
    char buffer[WARI_PROCESS_LINE_MAX + 1];
};

/* Runs words[0], found along PATH, with the words as its arguments; no shell is involved. Standard
 * error stays the caller's.
 * WARI_BAD_INPUT: it cannot be run; WARI_IO: no descriptor, no process or no memory is to be had,
 * which is not its fault. Then pid is 0. */
WARI_MUST_CHECK enum wari_status wari_process_start(struct wari_process *process,
                                                    struct wari_processes *all, char *const *words,
                                                    struct wari_error *error);

/* Milliseconds of a clock that only goes forward, for deadlines. */
int64_t wari_process_clock(void);

/* Writes text, to the last byte. */
WARI_MUST_CHECK enum wari_talk wari_process_write(struct wari_process *process, const char *text,
                                                  int64_t deadline);

/* The next line, without its end; it is ended by 0 and lasts until the next call. Zero bytes in it
 * become '?'. */
WARI_MUST_CHECK enum wari_talk wari_process_read(struct wari_process *process, const char **line,
                                                 int64_t deadline);

enum { WARI_PROCESS_ENDING = 64 };

/* Ends the process: closes its input, waits up to `patience` milliseconds for it to go, kills it
 * and what it has started, reaps it. Takes a few seconds more at most, whatever was done to the
 * warden, and though something cannot be killed. How it ended goes to *ending ("exit code 3",
 * "signal 11", "killed"). A process that was never started is no matter. */
void wari_process_end(struct wari_process *process, int patience, char ending[WARI_PROCESS_ENDING]);

#endif

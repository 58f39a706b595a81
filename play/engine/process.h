/* Runs another program as a child process and exchanges lines with it; every wait has a deadline.
 *
 * The program runs in its own session, so that Ctrl-C reaches only the caller. Between the caller
 * and the program there is a supervisor process (supervisor.h), which kills the program together
 * with everything that it started, also when the caller dies. If the program kills its supervisor,
 * the processes below the supervisor become child processes of the caller, which kills them.
 * Writing to a program that has exited returns an error; the caller must ignore SIGPIPE. */
#ifndef PLAY_ENGINE_PROCESS_H
#define PLAY_ENGINE_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "game/wari_game.h"

/* Longer lines are cut to this length. No line of the protocol is that long. */
enum { WARI_PROCESS_LINE_MAX = 4096 };

enum wari_process_result {
    WARI_PROCESS_OK,
    WARI_PROCESS_TIMEOUT,     /* no complete line in time */
    WARI_PROCESS_GONE,        /* the program exited, or closed its input or output */
    WARI_PROCESS_INTERRUPTED, /* `stop` was set */
};

/* State shared by all processes of a caller. Several threads may start and end processes at the
 * same time. */
struct wari_processes {
    atomic_bool stop;     /* set it to true, from any thread, to end all waits for programs */
    bool reaps_orphans;   /* orphans of killed supervisors become child processes of the caller */
    pthread_mutex_t lock; /* protects the following field, and starting and reaping of processes */
    struct wari_process *first; /* list of the processes that have not been reaped */
};

/* Makes the caller the reaper of its descendants (wari_adopt_orphans()). Until
 * wari_processes_free(), child processes that the caller starts otherwise must stay in its
 * session: those in other sessions are mistaken for orphans of supervisors and killed. So a
 * process may have only one such list at a time. If the caller already has child processes, or is
 * process 1, it would get other orphans, too. In this case, and on systems other than Linux,
 * nothing is changed, and processes that survive a supervisor are left alone. */
void wari_processes_init(struct wari_processes *processes);

/* Called after all processes have ended. */
void wari_processes_free(struct wari_processes *processes);

/* A child process that runs a program. The struct must not be moved in memory while the program
 * runs. */
struct wari_process {
    pid_t pid; /* process number of the supervisor; 0 if there is none */
    int to,
        from; /* write end of its standard input, read end of its standard output; -1 if closed */
    int control; /* write end of the supervisor's control pipe; -1 if closed */
    struct wari_processes *all;
    struct wari_process *next; /* next process in `all` */
    size_t begin, end;         /* range of the buffer that was read but not returned yet */
    bool cut;                  /* true if the current line is too long; the rest of the line is
                                * discarded */
    char buffer[WARI_PROCESS_LINE_MAX + 1];
};

/* Runs words[0], searched along PATH, with the words as its arguments; no shell is involved. The
 * program inherits the caller's standard error.
 *   WARI_BAD_INPUT   the program cannot be run
 *   WARI_IO          no descriptor, process or memory is available; any program would fail to start
 * On failure pid is 0. */
WARI_MUST_CHECK enum wari_status wari_process_start(struct wari_process *process,
                                                    struct wari_processes *all, char *const *words,
                                                    struct wari_error *error);

/* Writes the complete text. */
WARI_MUST_CHECK enum wari_process_result wari_process_write(struct wari_process *process,
                                                            const char *text, int64_t deadline);

/* Returns the next line, terminated by 0, without its line end and the blanks before the line end,
 * such as the CR of other systems. The line is valid until the next call. Zero bytes in it are
 * replaced by '?'. */
WARI_MUST_CHECK enum wari_process_result wari_process_read(struct wari_process *process,
                                                           const char **line, int64_t deadline);

enum { WARI_PROCESS_ENDING = 64 };

/* Ends the process: closes its input, waits up to `patience` milliseconds for it to exit, kills
 * it and everything that it started, and reaps it. Takes at most a few seconds more, even if the
 * supervisor was tampered with or a process cannot be killed. *ending receives a description
 * such as "exit code 3", "signal 11" or "killed". Does nothing for a process that was never
 * started. */
void wari_process_end(struct wari_process *process, int patience, char ending[WARI_PROCESS_ENDING]);

#endif

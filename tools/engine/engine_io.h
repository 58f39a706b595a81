/* Input and output of an engine, shared by its two threads. The input thread reads commands; the
 * command thread executes them one after the other, including searches.
 *
 * The input thread executes `stop`, `ponderhit`, `isready` and `quit` itself, so that they apply
 * to the "go" before them whatever else is in the queue. Each "go" has a number in the order of
 * arrival, starting with 1. Each "go" is answered exactly once: by the command thread, or, if the
 * search does not end after `stop`, by the input thread with the best move found so far.
 *
 * Both threads print whole lines, and wait if the reader of the output is slow. A thread that
 * locks both standard output and the mutex locks standard output first. */
#ifndef TOOLS_ENGINE_ENGINE_IO_H
#define TOOLS_ENGINE_ENGINE_IO_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "play/engine/uci.h"
#include "system/platform.h"

/* The "go" being executed. */
struct current_search {
    bool endless;      /* search until "stop" or "ponderhit" */
    bool ponder;       /* after "ponderhit" the search is no longer endless */
    int64_t limit;     /* time limit in milliseconds from "ponderhit" on; -1 means none */
    int64_t stop_at;   /* time at which the search has to stop, on the clock of the input lines; -1
                          means none */
    int64_t answer_at; /* time at which the input thread answers with the best move so far; -1 means
                          none */
    bool answered_early; /* the input thread has answered, and the search has not ended yet */
    char letter;         /* best move so far; '0' if there is none */
    char reply;          /* expected reply of the opponent; 0 if unknown */
};

struct input_line {
    struct input_line *next;
    int64_t read_at; /* monotonic clock, in milliseconds */
    char text[];
};

struct input_queue {
    struct input_line *first, *last;
    int count;
};

/* Numbers of "go" commands, which are counted from 1 in the order of arrival. Each field is the
 * number of the last "go" for which the comment after the field is true; 0 if there is none. */
struct go_numbers {
    uint64_t heard;    /* it was read */
    uint64_t stopped;  /* it has to stop */
    uint64_t begun;    /* its search was begun */
    uint64_t answered; /* it was answered */
    uint64_t infinite; /* it has the parameter "infinite" */
    uint64_t ponder;   /* it has the parameter "ponder" */
    uint64_t hit;      /* it was read before a "ponderhit" */
};

struct input_state {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct wari_event wake; /* a search has begun, output was lost, or the command thread has
                             * ended */
    struct input_queue queue;
    bool executing;      /* the command thread is executing a command */
    bool identifying;    /* this command is "uci" */
    int identifications; /* number of "uci" commands that were read and not yet answered: "isready"
                          * waits for them, so that interfaces get the answers in order */
    bool closed;         /* no more commands will come */
    bool ended;          /* the command thread has ended */
    struct go_numbers go;
    int64_t turn_at; /* the later of two times: when the current command was read, and when the
                        previous "go" was answered */
};

/* The state that the two threads share. */
struct engine_io {
    struct input_state input;
    struct current_search search; /* protected by the mutex, like `input` */
    atomic_bool stop;             /* stop flag of the search */
    atomic_bool lost;             /* output could not be written */
    atomic_bool busy; /* a command is being executed, other than a search without a time limit */
};

WARI_MUST_CHECK enum wari_status engine_io_init(struct engine_io *io, struct wari_error *error);
/* Called after the command thread has ended. */
void engine_io_free(struct engine_io *io);

/* ---- Functions for the input thread ---- */

/* Reads commands until "quit", the end of the input, or the end of the command thread, or until
 * output is lost or its reader has gone. Then stops all searches, and waits until the command
 * thread has executed the commands in the queue. Sets *finished to true if the command thread has
 * ended. Otherwise the command thread did not end in time; it may hold any lock, so the caller may
 * only call _exit().
 *
 *     WARI_IO          the input cannot be read; or commands before its end were not answered in
 *                      time
 *     WARI_NO_MEMORY   a line cannot be stored */
WARI_MUST_CHECK enum wari_status engine_io_read_input(struct engine_io *io, bool *finished,
                                                      struct wari_error *error);

/* ---- Functions for the command thread ---- */

/* Waits for the next command and returns it; the caller must pass it to free(). Returns NULL when
 * there are no more commands. */
struct input_line *engine_io_next_command(struct engine_io *io);

/* Begins the search for the next "go". `letter` is a move to fall back on. `limit` is in
 * milliseconds from input.turn_at on. Returns the time left for the search;
 * -1 if there is no limit, or if it starts with "ponderhit". */
int64_t engine_io_begin_search(struct engine_io *io, const struct wari_uci_go *go, int64_t limit,
                               char letter);

/* Records a better move and the expected reply of the opponent; 0 if that is unknown. */
void engine_io_set_best_move(struct engine_io *io, char letter, char reply);

/* Answers the "go". If the search is endless, first waits until it is stopped. If `letter` is the
 * last move recorded by engine_io_set_best_move(), the expected reply is printed, too. */
void engine_io_answer(struct engine_io *io, char letter);

/* Notifies the input thread that the command thread ends; engine_io_read_input() then
 * returns. */
void engine_io_end_commands(struct engine_io *io);

/* Prints one line and flushes it. Prints nothing and returns false if the input thread has answered
 * the current "go", because no "info" may follow its "bestmove". */
bool engine_io_print(struct engine_io *io, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

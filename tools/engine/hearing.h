/* What is said to an engine: heard at once, whatever is being thought of, and kept until the thread
 * that obeys takes it.
 *
 * The thread that listens carries out `stop`, `ponderhit`, `isready` and `quit` itself, so that
 * they hold for the "go" before them whatever else waits. A "go" has the number of its coming,
 * from 1. Every one is answered once: by the thread that thinks, or, where that does not come to an
 * end after `stop`, by the listening one with the best move known so far.
 */
#ifndef TOOLS_ENGINE_HEARING_H
#define TOOLS_ENGINE_HEARING_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "play/engine/uci.h"

/* The "go" being thought of. */
struct thought {
    bool endless;     /* until "stop", or "ponderhit" */
    bool ponder;      /* it is endless until "ponderhit" */
    int64_t limit;    /* milliseconds from "ponderhit" on; -1: none */
    int64_t stop_at;  /* when that is nearly over, on the clock of lines; -1 */
    int64_t speak_at; /* when the best move so far is said in its place; -1 */
    bool spoken;      /* that was done, and whoever thinks has not come to its end */
    char letter;      /* that move; '0' if there is none */
    char reply;       /* the opponent's move that is expected then; 0 if there is none */
};

struct heard_line {
    struct heard_line *next;
    int64_t heard_at; /* on a clock that only goes forward, in milliseconds */
    char text[];
};

struct heard_lines {
    struct heard_line *first, *last;
    int count;
};

enum { ANSWER = 24 }; /* bytes of a "bestmove" */

/* What the listening thread has to say and could not, for the other one prints or nobody takes what
 * it printed. Whoever prints next says this first, whichever thread that is. */
struct owed {
    char answer[ANSWER]; /* "": none */
    uint64_t crowded;    /* so many lines were passed over, for too many wait */
    uint64_t malformed;  /* so many were, for they are bad */
    uint64_t ready;      /* so many "readyok" */
};

struct hearing {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int wake; /* an eventfd: the thread that obeys has begun to think, or has ended */
    struct heard_lines waiting;
    bool obeying; /* the thread that obeys has one of them in hand */
    bool closed;  /* nothing more will come */
    bool ended;   /* the thread that obeys has */

    /* Numbers of "go": the last one that was heard, is to stop, was begun, was answered, is
     * endless, has its "ponderhit". */
    uint64_t heard, stopped, begun, answered, endless, hit;
    int64_t turn_at; /* the line being obeyed was heard by then, and the "go" before answered */
};

/* What both threads share. */
struct conversation {
    struct hearing hearing;
    struct thought thought;
    struct owed owed;              /* behind the mutex, as the two above */
    atomic_bool stop;              /* for who thinks */
    atomic_uint_least64_t printed; /* goes up whenever something was */
};

WARI_MUST_CHECK enum wari_status conversation_begin(struct conversation *talk,
                                                    struct wari_error *error);
/* To be called when the thread that obeys is gone. */
void conversation_free(struct conversation *talk);

/* Prints one line, out at once. */
void conversation_say(struct conversation *talk, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- The thread that listens ---- */

/* Listens until "quit", the end of the input, the end of the reader of the output, or that of the
 * thread that obeys, and then stops all thinking. *obeyed: the other thread has ended; otherwise it
 * does not come to an end in time, and only _exit() is left: it may hold anything.
 *   WARI_IO          the input cannot be read, or answers were not taken or not found in time
 *   WARI_NO_MEMORY   a line cannot be kept */
WARI_MUST_CHECK enum wari_status conversation_listen(struct conversation *talk, bool *obeyed,
                                                     struct wari_error *error);

/* ---- The thread that obeys ---- */

/* The next line, to be given to free(); NULL when there will be none. */
struct heard_line *conversation_next(struct conversation *talk);

/* The next "go" is being thought of; `letter`: a move in case that nothing better is found. Of the
 * limit, in milliseconds from when it was heard, returns what is left to think; -1: there is none,
 * or it begins with "ponderhit". */
int64_t conversation_think(struct conversation *talk, const struct wari_uci_go *go, int64_t limit,
                           char letter);

/* A better move was found, and what the opponent is expected to reply; 0: that is not known. */
void conversation_improve(struct conversation *talk, char letter, char reply);

/* Answers the "go", in the case of an endless one when that was stopped. If this move was the
 * better one found last, the reply is told, too. */
void conversation_answer(struct conversation *talk, char letter);

/* The thread that obeys ends. */
void conversation_end(struct conversation *talk);

#endif

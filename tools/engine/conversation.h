/* What the two threads of an engine share: the one that listens (hearing.h), and the one that
 * obeys.
 */
#ifndef TOOLS_ENGINE_CONVERSATION_H
#define TOOLS_ENGINE_CONVERSATION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

/* What is to be said and was not yet. The listening thread cannot where the other one prints, or
 * where nobody takes what it printed. Whoever prints next says this first, whichever thread it is.
 */
struct owed {
    char answer[ANSWER]; /* "": none */
    uint64_t crowded;    /* so many lines were passed over, for too many wait */
    uint64_t malformed;  /* so many were, for they are bad */
    uint64_t ready;      /* so many "readyok" */
};

/* The last "go" that was heard, is to stop, was begun, was answered, is infinite, ponders, has its
 * "ponderhit". */
struct go_numbers {
    uint64_t heard, stopped, begun, answered, infinite, ponder, hit;
};

struct hearing {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int wake; /* an eventfd: the thread that obeys has begun to think, or has ended */
    struct heard_lines waiting;
    bool obeying;  /* the thread that obeys has one of them in hand */
    bool replying; /* and has said something to it */
    bool waived;   /* those that wait are no more to be obeyed */
    bool closed;   /* nothing more will come */
    bool ended;    /* the thread that obeys has */
    struct go_numbers go;
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

#endif

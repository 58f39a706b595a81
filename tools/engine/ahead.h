/* A thread of low priority that decodes blocks of the database while the engine has nothing else to
 * do: between two commands, and during a search without a time limit. It never delays a command: as
 * soon as the engine is busy, the thread finishes its block, which takes some 0.1 ms, and waits. */
#ifndef TOOLS_ENGINE_AHEAD_H
#define TOOLS_ENGINE_AHEAD_H

#include <pthread.h>
#include <stdatomic.h>

#include "db/probe/ahead.h"
#include "play/search/search.h"
#include "system/platform.h"

enum { AHEAD_POSITIONS = 4096 };

/* All functions except for the thread's own are called by the command thread. */
struct engine_ahead {
    const atomic_bool *busy; /* true while the thread has to wait */
    struct wari_db *db;
    pthread_t thread;
    bool started;              /* the thread exists; only the command thread uses this field */
    struct wari_event changed; /* set when the thread may have something to do; open while `started`
                                */
    struct wari_event over;    /* set by the thread at its end; open while `started` */
    atomic_bool ended;         /* the thread has to end */
    atomic_bool due;           /* there may be something left to decode */
    pthread_mutex_t mutex;     /* protects the fields below */
    /* Positions whose values the last search did not read. Their blocks come first. */
    int count, next;
    struct wari_position positions[AHEAD_POSITIONS];
    struct wari_decoding_ahead levels; /* comes after the positions */
};

/* Prepares the structure. There is no thread yet. */
void engine_ahead_init(struct engine_ahead *ahead, const atomic_bool *busy);

/* Chooses what to decode next: the blocks that `search`, which may be NULL, did without, and then
 * the levels up to `seeds`. Starts the thread if there is none. May do nothing, if the machine is
 * busy or the thread cannot be started. Every call names the same `db` until engine_ahead_end(). */
void engine_ahead_plan(struct engine_ahead *ahead, struct wari_db *db,
                       const struct wari_search *search, int seeds);

/* Lets the thread continue. Called after *busy was set to false. */
void engine_ahead_wake(struct engine_ahead *ahead);

/* Ends the thread and waits for its end. Does nothing if there is no thread. */
void engine_ahead_end(struct engine_ahead *ahead);

/* Does the same before the program ends, but waits for a short time only. Returns false if the
 * thread is still reading a block; then the process can only be ended with all its threads. */
WARI_MUST_CHECK bool engine_ahead_end_soon(struct engine_ahead *ahead);

#endif

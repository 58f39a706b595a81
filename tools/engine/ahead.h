/* A thread of low priority that decodes blocks of the database into the cache in idle time: between
 * two commands, and during a search without a time limit. It never delays a command: as soon as the
 * engine is busy, the thread finishes its block, which takes some 0.1 ms, and waits. */
#ifndef TOOLS_ENGINE_AHEAD_H
#define TOOLS_ENGINE_AHEAD_H

#include <pthread.h>
#include <stdatomic.h>

#include "db/probe/ahead.h"
#include "play/search/search.h"
#include "system/platform.h"

enum { AHEAD_POSITIONS = 4096 };

/* All functions below are called by the command thread. */
struct engine_ahead {
    const atomic_bool *busy; /* while it is true, the thread waits */
    struct wari_db *db;
    pthread_t thread;
    bool started; /* the thread exists; only the command thread uses this field */
    /* Both events are open while `started` is true. */
    struct wari_event changed; /* wakes the thread, which may have something to do */
    struct wari_event over;    /* set by the thread at its end */
    atomic_bool ended;         /* the thread must end */
    atomic_bool due;           /* blocks may be left to decode */
    pthread_mutex_t mutex;     /* protects the fields below */
    /* Positions whose values the last search did not read. The thread decodes their blocks first.
     * `next` is the index of the position with which it continues. */
    int count, next;
    struct wari_position positions[AHEAD_POSITIONS];
    /* The levels that are decoded after the positions. */
    struct wari_decoding_ahead levels;
};

/* Initializes the struct. Starts no thread. */
void engine_ahead_init(struct engine_ahead *ahead, const atomic_bool *busy);

/* Chooses what to decode next: first the blocks that `search`, which may be NULL, did not read,
 * then the levels up to `seeds`. Starts the thread if there is none. Does nothing if the thread
 * holds the mutex or cannot be started. Until engine_ahead_end(), every call must pass the same
 * `db`. */
void engine_ahead_plan(struct engine_ahead *ahead, struct wari_db *db,
                       const struct wari_search *search, int seeds);

/* Lets the thread continue. Called after *busy was set to false. */
void engine_ahead_wake(struct engine_ahead *ahead);

/* Ends the thread and waits for its end. Does nothing if there is no thread. */
void engine_ahead_end(struct engine_ahead *ahead);

/* Ends the thread before the program ends, but waits for only a short time. Returns false if the
 * thread is still reading a block. The program must then exit without waiting for its threads. */
WARI_MUST_CHECK bool engine_ahead_end_soon(struct engine_ahead *ahead);

#endif

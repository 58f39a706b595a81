/* The decoding thread holds the mutex only while it chooses its next block, never while it decodes.
 * But it has a low priority, so on a busy machine it may not run for a long time, even while it
 * holds the mutex. So the command thread never waits for the mutex: if the mutex is locked, the
 * command thread leaves the list of blocks to be decoded as it is.
 *
 * If a read fails, the thread ends. The next search that needs the block reports the failure. */
#include "tools/engine/ahead.h"

#include <poll.h>
#include <sched.h>

/* Time in which the thread must end. Decoding a block takes much less time, unless the disk does
 * not respond. */
enum { END_MS = 200 };

void engine_ahead_init(struct engine_ahead *ahead, const atomic_bool *busy)
{
    *ahead = (struct engine_ahead){.busy = busy, .changed = {-1, -1}, .over = {-1, -1}};
    pthread_mutex_init(&ahead->mutex, NULL); /* cannot fail with default attributes */
}

/* Decodes one block. Except for `seeds`, which the command thread sets, only this function changes
 * `levels` while the thread runs. */
static void decode_one(struct engine_ahead *ahead)
{
    struct wari_position position;
    bool more = true;
    int value;
    pthread_mutex_lock(&ahead->mutex);
    const bool listed = ahead->next < ahead->count;
    struct wari_decoding_ahead levels = ahead->levels;
    if (listed)
        position = ahead->positions[ahead->next++];
    pthread_mutex_unlock(&ahead->mutex);
    enum wari_status status = listed ? wari_probe(ahead->db, &position, &value, NULL)
                                     : wari_decode_ahead(ahead->db, &levels, &more, NULL);
    if (status != WARI_OK)
        atomic_store(&ahead->ended, true);
    if (listed)
        return;
    pthread_mutex_lock(&ahead->mutex);
    levels.seeds = ahead->levels.seeds; /* the command thread may have changed it meanwhile */
    ahead->levels = levels;
    if (!more && ahead->next == ahead->count)
        atomic_store(&ahead->due, false);
    pthread_mutex_unlock(&ahead->mutex);
}

/* Waits until the event is set or a signal arrives. */
static void wait_for_change(struct engine_ahead *ahead)
{
    struct pollfd file = {.fd = ahead->changed.receiver, .events = POLLIN};
    (void)poll(&file, 1, -1);
    wari_event_clear(&ahead->changed);
}

static void *run_thread(void *context)
{
    struct engine_ahead *ahead = context;
#ifdef SCHED_IDLE
    const struct sched_param parameter = {.sched_priority = 0};
    /* The system may refuse this priority. The thread then runs with the usual one. */
    (void)pthread_setschedparam(pthread_self(), SCHED_IDLE, &parameter);
#endif
    while (!atomic_load(&ahead->ended)) {
        if (atomic_load(&ahead->due) && !atomic_load(ahead->busy))
            decode_one(ahead);
        else
            wait_for_change(ahead);
    }
    wari_event_set(&ahead->over);
    return NULL;
}

static void close_events(struct engine_ahead *ahead)
{
    wari_event_close(&ahead->changed);
    wari_event_close(&ahead->over);
}

void engine_ahead_plan(struct engine_ahead *ahead, struct wari_db *db,
                       const struct wari_search *search, int seeds)
{
    if (pthread_mutex_trylock(&ahead->mutex) != 0)
        return;
    ahead->next = 0;
    ahead->count = search ? wari_search_unread(search, ahead->positions, AHEAD_POSITIONS) : 0;
    ahead->levels.seeds = seeds;
    atomic_store(&ahead->due, true);
    pthread_mutex_unlock(&ahead->mutex);
    if (ahead->started)
        return;
    ahead->db = db;
    atomic_store(&ahead->ended, false);
    ahead->started = wari_event_open(&ahead->changed) == 0 && wari_event_open(&ahead->over) == 0 &&
                     pthread_create(&ahead->thread, NULL, run_thread, ahead) == 0;
    if (!ahead->started)
        close_events(ahead);
}

void engine_ahead_wake(struct engine_ahead *ahead)
{
    if (ahead->started)
        wari_event_set(&ahead->changed);
}

static void request_thread_end(struct engine_ahead *ahead)
{
    atomic_store(&ahead->ended, true);
    wari_event_set(&ahead->changed);
}

void engine_ahead_end(struct engine_ahead *ahead)
{
    if (!ahead->started)
        return;
    request_thread_end(ahead);
    (void)pthread_join(ahead->thread, NULL);
    ahead->started = false;
    ahead->levels = (struct wari_decoding_ahead){0};
    ahead->count = ahead->next = 0;
    close_events(ahead);
}

bool engine_ahead_end_soon(struct engine_ahead *ahead)
{
    if (!ahead->started)
        return true;
    request_thread_end(ahead);
    struct pollfd over = {.fd = ahead->over.receiver, .events = POLLIN};
    if (poll(&over, 1, END_MS) != 1) /* a signal may end the wait early, which does no harm */
        return false;
    engine_ahead_end(ahead);
    return true;
}

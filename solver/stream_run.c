/* Running the passes of streamed levels. One thread says what pieces the steps to come need; some
 * threads do nothing but these transfers, one after the other, without regard for where a step
 * ends, so the disk never waits while a frame is free. A step begins when its own transfers are
 * done, and the workers share out its jobs. */
#include "solver/stream_late.h"

enum { UNDER_WAY = WARI_STEPS_AHEAD + 1 /* steps: the one that runs, and those ahead */ };

/* What the threads share while a pass runs; all but the jobs of a step under the lock. */
struct running {
    struct wari_level *level;
    const struct wari_stream_pass *pass;
    pthread_mutex_t lock;
    pthread_cond_t moved;     /* anything of what follows */
    uint32_t listed;          /* steps whose transfers are listed */
    uint32_t transfers;       /* listed, of all these steps */
    uint32_t taken;           /* of these, by some thread */
    uint32_t end[UNDER_WAY];  /* of a step's transfers, in the list */
    uint32_t left[UNDER_WAY]; /* transfers of a step that are not done */
    uint32_t begun;           /* steps whose jobs may be taken */
    int working;              /* threads that have not finished with the jobs of the last of them */
    bool done;
    uint32_t jobs; /* of the step that runs */
    _Atomic uint32_t next_job;
};

/* ---- Transfers ------------------------------------------------------------------------------ */

enum wari_status wari_stream_transfer(const struct wari_level *level, uint32_t i, int room,
                                      struct wari_error *error)
{
    struct wari_stream *stream = level->stream;
    const struct wari_pieces *pieces = &stream->pieces;
    const struct wari_transfer *transfer = &pieces->transfer[i % pieces->frames];
    enum wari_status status =
        wari_pieces_transfer(&stream->pieces, i, wari_stream_room(stream, room), error);

    if (status == WARI_OK && transfer->read)
        wari_overlay_apply(level, transfer->piece);
    return status;
}

static void transfer(struct running *running, uint32_t i, int room)
{
    struct wari_error error;

    if (!wari_level_stopped(running->level) &&
        wari_stream_transfer(running->level, i, room, &error) != WARI_OK)
        wari_team_fail(running->level->team, &error);
}

/* The first step that end[] and left[] know of: all before it are done. */
static uint32_t first_step(const struct running *running)
{
    return running->listed < UNDER_WAY ? 0 : running->listed - UNDER_WAY;
}

/* The step that a transfer belongs to. */
static uint32_t step_of(const struct running *running, uint32_t i)
{
    uint32_t step = first_step(running);

    while (running->end[step % UNDER_WAY] <= i)
        step++;
    return step;
}

static bool all_done_before(const struct running *running, uint32_t step)
{
    uint32_t left = 0;

    for (uint32_t before = first_step(running); before < step; before++)
        left += running->left[before % UNDER_WAY];
    return left == 0;
}

static void take_transfers(struct running *running, int room)
{
    const struct wari_pieces *pieces = &running->level->stream->pieces;

    pthread_mutex_lock(&running->lock);
    for (;;) {
        while (running->taken == running->transfers && !running->done)
            pthread_cond_wait(&running->moved, &running->lock);
        if (running->taken == running->transfers)
            break;
        const uint32_t i = running->taken++, step = step_of(running, i);
        while (pieces->transfer[i % pieces->frames].after && !all_done_before(running, step))
            pthread_cond_wait(&running->moved, &running->lock);
        pthread_mutex_unlock(&running->lock);
        transfer(running, i, room);
        pthread_mutex_lock(&running->lock);
        if (--running->left[step % UNDER_WAY] == 0)
            pthread_cond_broadcast(&running->moved);
    }
    pthread_mutex_unlock(&running->lock);
}

/* ---- Jobs ----------------------------------------------------------------------------------- */

static void do_jobs(struct running *running, struct wari_worker *worker, uint32_t step)
{
    uint32_t i;

    while ((i = atomic_fetch_add_explicit(&running->next_job, 1, memory_order_relaxed)) <
               running->jobs &&
           !wari_level_stopped(running->level))
        running->pass->job(running->level, worker, running->pass->context, step, i);
}

static void finish_jobs(struct running *running)
{
    if (--running->working == 0)
        pthread_cond_broadcast(&running->moved);
}

static void work(struct running *running, struct wari_worker *worker)
{
    pthread_mutex_lock(&running->lock);
    for (uint32_t step = 0;; step++) {
        while (running->begun == step && !running->done)
            pthread_cond_wait(&running->moved, &running->lock);
        if (running->begun == step)
            break;
        pthread_mutex_unlock(&running->lock);
        do_jobs(running, worker, step);
        pthread_mutex_lock(&running->lock);
        finish_jobs(running);
    }
    pthread_mutex_unlock(&running->lock);
}

/* ---- The thread that says what comes next ---------------------------------------------------- */

/* Lists the transfers of one more step; others must not list meanwhile. */
static void list_step(struct running *running, uint32_t step)
{
    struct wari_level *level = running->level;
    const struct wari_stream_pass *pass = running->pass;

    level->stream->step++;
    if (pass->want && !wari_level_stopped(level) && !pass->want(level, pass->context, step))
        wari_stream_lacks_frames(level);
}

static void list_ahead(struct running *running, uint32_t step)
{
    struct wari_pieces *pieces = &running->level->stream->pieces;

    while (running->listed < running->pass->steps && running->listed <= step + WARI_STEPS_AHEAD) {
        const uint32_t place = running->listed % UNDER_WAY;
        list_step(running, running->listed);
        pthread_mutex_lock(&running->lock);
        running->end[place] = pieces->transfers;
        running->left[place] = pieces->transfers - running->transfers;
        running->transfers = pieces->transfers;
        running->listed++;
        pthread_cond_broadcast(&running->moved);
        pthread_mutex_unlock(&running->lock);
    }
}

static void run_step(struct running *running, uint32_t step)
{
    struct wari_team *team = running->level->team;

    pthread_mutex_lock(&running->lock);
    while (running->left[step % UNDER_WAY] > 0)
        pthread_cond_wait(&running->moved, &running->lock);
    running->level->stream->pieces.settled = running->end[step % UNDER_WAY];
    running->jobs = running->pass->jobs(running->level, running->pass->context, step);
    atomic_store_explicit(&running->next_job, 0, memory_order_relaxed);
    running->working = team->threads;
    running->begun++;
    pthread_cond_broadcast(&running->moved);
    pthread_mutex_unlock(&running->lock);
    do_jobs(running, &team->worker[0], step);
    pthread_mutex_lock(&running->lock);
    finish_jobs(running);
    while (running->working > 0)
        pthread_cond_wait(&running->moved, &running->lock);
    pthread_mutex_unlock(&running->lock);
}

static void lead(struct running *running)
{
    for (uint32_t step = 0; step < running->pass->steps && !wari_level_stopped(running->level);
         step++) {
        list_ahead(running, step);
        run_step(running, step);
    }
    pthread_mutex_lock(&running->lock);
    running->done = true;
    pthread_cond_broadcast(&running->moved);
    pthread_mutex_unlock(&running->lock);
}

static void run_together(int thread, void *context)
{
    struct running *running = context;
    struct wari_team *team = running->level->team;

    if (thread == 0)
        lead(running);
    else if (thread < team->threads)
        work(running, &team->worker[thread]);
    else
        take_transfers(running, thread - team->threads);
}

/* One thread: a step's transfers, then its jobs. */
static void run_alone(struct running *running)
{
    struct wari_pieces *pieces = &running->level->stream->pieces;

    for (uint32_t step = 0; step < running->pass->steps && !wari_level_stopped(running->level);
         step++) {
        list_step(running, step);
        for (; pieces->settled != pieces->transfers; pieces->settled++)
            transfer(running, pieces->settled, WARI_TRANSFERERS);
        running->jobs = running->pass->jobs(running->level, running->pass->context, step);
        atomic_store_explicit(&running->next_job, 0, memory_order_relaxed);
        do_jobs(running, &running->level->team->worker[0], step);
    }
}

void wari_stream_run(struct wari_level *level, const struct wari_stream_pass *pass)
{
    struct running running = {.level = level, .pass = pass};

    atomic_init(&running.next_job, 0);
    level->stream->pieces.transfers = level->stream->pieces.settled = 0;
    if (level->stream->alone ||
        (!pass->want && pass->steps == 1 && pass->jobs(level, pass->context, 0) <= 1)) {
        run_alone(&running);
        return;
    }
    pthread_mutex_init(&running.lock, NULL);
    pthread_cond_init(&running.moved, NULL);
    wari_crew_run(level->stream->crew, run_together, &running);
    pthread_cond_destroy(&running.moved);
    pthread_mutex_destroy(&running.lock);
}

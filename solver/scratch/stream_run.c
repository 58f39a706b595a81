/* Running the passes of streamed levels. Some threads do nothing but transfers, one after the
 * other, without regard for where a step ends, so the disk never waits while a frame is free.
 * Workers take jobs of the first step that has any, if its transfers and those before are done:
 * while the last jobs of a step run, those of the next one begin, since steps may take less than a
 * millisecond and waiting for each other would cost a third of that. Whoever finds that a step may
 * be listed lists it: frames of a step are taken only when it is finished, and all steps before it
 * (pieces.h). */
#include "solver/scratch/stream.h"

enum { UNDER_WAY = WARI_STEPS_AHEAD + 1 /* steps: the first unfinished one, and those ahead */ };

/* A step that is listed and not finished. */
struct under_way {
    uint32_t end;         /* of its transfers, in the list */
    uint32_t left;        /* of these, that are not done */
    uint32_t jobs, taken; /* of these, by some worker */
    uint32_t undone;      /* jobs that are not done */
};

/* What the threads share while a pass runs, all of it under the lock. Steps `finished` to
 * `listed` - 1 are under way. */
struct running {
    struct wari_level *level;
    const struct wari_stream_pass *pass;
    pthread_mutex_t lock;
    pthread_cond_t for_transfers; /* some are listed, or all those of a step are done */
    pthread_cond_t for_workers;   /* a step has jobs, or may be listed */
    struct under_way step[UNDER_WAY];
    uint32_t first_step;       /* of the pass, as stream->step counts */
    uint32_t finished, listed; /* steps */
    uint32_t transfers;        /* listed, of all these steps */
    uint32_t begun;            /* of these, by some thread */
    uint32_t settled;          /* of these, done for certain: those of steps that are finished */
    bool listing;              /* some worker is at it */
    bool done;
};

static struct under_way *step_at(struct running *running, uint32_t step)
{
    return &running->step[step % UNDER_WAY];
}

/* Steps without jobs are finished as soon as their transfers are done. */
static void finish_steps(struct running *running)
{
    while (running->finished < running->listed) {
        const struct under_way *first = step_at(running, running->finished);
        if (first->left > 0 || first->undone > 0)
            break;
        running->settled = first->end;
        running->finished++;
    }
    if (running->finished == running->pass->steps || wari_level_stopped(running->level)) {
        running->done = true;
        pthread_cond_broadcast(&running->for_transfers);
    }
    pthread_cond_broadcast(&running->for_workers);
}

/* ---- Transfers ------------------------------------------------------------------------------ */

enum wari_status wari_stream_transfer(const struct wari_level *level, uint32_t i, int room,
                                      struct wari_error *error)
{
    struct wari_stream *stream = level->stream;
    const struct wari_pieces *pieces = &stream->pieces;
    const struct wari_transfer *transfer = &pieces->transfer[i % pieces->frames];
    enum wari_status status =
        wari_pieces_transfer(&stream->pieces, i, wari_stream_room(stream, room), error);

    if (status != WARI_OK || !transfer->read)
        return status;
    return stream->amend ? stream->amend(level, stream->amending, transfer->piece,
                                         wari_stream_room(stream, room), error)
                         : WARI_OK;
}

static void transfer(struct wari_level *level, uint32_t i, int room)
{
    struct wari_error error;

    if (!wari_level_stopped(level) && wari_stream_transfer(level, i, room, &error) != WARI_OK)
        wari_team_fail(level->team, &error);
}

/* The step that a transfer belongs to. */
static uint32_t step_of(struct running *running, uint32_t i)
{
    uint32_t step = running->finished;

    while (step_at(running, step)->end <= i)
        step++;
    return step;
}

static bool all_done_before(struct running *running, uint32_t step)
{
    uint32_t left = 0;

    for (uint32_t before = running->finished; before < step; before++)
        left += step_at(running, before)->left;
    return left == 0;
}

static void take_transfers(struct running *running, int room)
{
    const struct wari_pieces *pieces = &running->level->stream->pieces;

    pthread_mutex_lock(&running->lock);
    for (;;) {
        while (running->begun == running->transfers && !running->done)
            pthread_cond_wait(&running->for_transfers, &running->lock);
        if (running->begun == running->transfers)
            break;
        const uint32_t i = running->begun++, step = step_of(running, i);
        while (pieces->transfer[i % pieces->frames].after && !all_done_before(running, step))
            pthread_cond_wait(&running->for_transfers, &running->lock);
        pthread_mutex_unlock(&running->lock);
        transfer(running->level, i, room);
        pthread_mutex_lock(&running->lock);
        if (--step_at(running, step)->left == 0) {
            finish_steps(running);
            pthread_cond_broadcast(&running->for_transfers);
        }
    }
    pthread_mutex_unlock(&running->lock);
}

/* ---- Listing -------------------------------------------------------------------------------- */

static bool may_list(const struct running *running)
{
    return !running->listing && running->listed < running->pass->steps &&
           running->listed - running->finished < UNDER_WAY;
}

/* Of the transfers, that are done for certain. */
static uint32_t settled(struct running *running)
{
    uint32_t transfers = running->settled;

    for (uint32_t step = running->finished;
         step < running->listed && step_at(running, step)->left == 0; step++)
        transfers = step_at(running, step)->end;
    return transfers;
}

/* Lists the transfers of the next step; returns the number of its jobs. Others must not list
 * meanwhile. */
static uint32_t list_step(struct wari_level *level, const struct wari_stream_pass *pass,
                          uint32_t step)
{
    level->stream->step++;
    if (pass->want && !wari_level_stopped(level) && !pass->want(level, pass->context, step))
        wari_stream_lacks_frames(level);
    return pass->jobs(level, pass->context, step);
}

/* Under the lock, which is given up meanwhile. */
static void list_next(struct running *running)
{
    struct wari_pieces *pieces = &running->level->stream->pieces;
    struct under_way *next = step_at(running, running->listed);
    uint32_t jobs;

    running->listing = true;
    pieces->settled = settled(running);
    pieces->oldest = running->first_step + running->finished;
    pthread_mutex_unlock(&running->lock);
    jobs = list_step(running->level, running->pass, running->listed);
    pthread_mutex_lock(&running->lock);
    *next = (struct under_way){.end = pieces->transfers,
                               .left = pieces->transfers - running->transfers,
                               .jobs = jobs,
                               .undone = jobs};
    running->transfers = pieces->transfers;
    running->listed++;
    running->listing = false;
    if (next->left > 0)
        pthread_cond_broadcast(&running->for_transfers);
    else
        finish_steps(running);
}

/* ---- Jobs ----------------------------------------------------------------------------------- */

/* A step that has a job for a worker; NULL: none has now. A piece that a step needs may come by a
 * transfer of an earlier one. */
static struct under_way *step_with_jobs(struct running *running, uint32_t *number)
{
    for (*number = running->finished; *number < running->listed; ++*number) {
        struct under_way *step = step_at(running, *number);
        if (step->left > 0)
            break;
        if (step->taken < step->jobs)
            return step;
    }
    return NULL;
}

static void work(struct running *running, struct wari_worker *worker)
{
    const struct wari_stream_pass *pass = running->pass;

    pthread_mutex_lock(&running->lock);
    while (!running->done) {
        struct under_way *step;
        uint32_t number;
        if (wari_level_stopped(running->level)) {
            finish_steps(running);
        } else if (may_list(running)) {
            list_next(running);
        } else if ((step = step_with_jobs(running, &number))) {
            const uint32_t job = step->taken++;
            pthread_mutex_unlock(&running->lock);
            pass->job(running->level, worker, pass->context, number, job);
            pthread_mutex_lock(&running->lock);
            if (--step->undone == 0)
                finish_steps(running);
        } else {
            pthread_cond_wait(&running->for_workers, &running->lock);
        }
    }
    pthread_mutex_unlock(&running->lock);
}

static void run_together(int thread, void *context)
{
    struct running *running = context;
    struct wari_team *team = running->level->team;

    if (thread < team->threads)
        work(running, &team->worker[thread]);
    else
        take_transfers(running, thread - team->threads);
}

/* One thread: a step's transfers, then its jobs. */
static void run_alone(struct wari_level *level, const struct wari_stream_pass *pass)
{
    struct wari_pieces *pieces = &level->stream->pieces;

    for (uint32_t step = 0; step < pass->steps && !wari_level_stopped(level); step++) {
        pieces->oldest = level->stream->step + 1;
        const uint32_t jobs = list_step(level, pass, step);
        for (; pieces->settled != pieces->transfers; pieces->settled++)
            transfer(level, pieces->settled, WARI_TRANSFERERS);
        for (uint32_t job = 0; job < jobs && !wari_level_stopped(level); job++)
            pass->job(level, &level->team->worker[0], pass->context, step, job);
    }
}

void wari_stream_run(struct wari_level *level, const struct wari_stream_pass *pass)
{
    struct running running = {.level = level, .pass = pass, .first_step = level->stream->step + 1};

    level->stream->pieces.transfers = level->stream->pieces.settled = 0;
    if (level->stream->alone ||
        (!pass->want && pass->steps == 1 && pass->jobs(level, pass->context, 0) <= 1)) {
        run_alone(level, pass);
        return;
    }
    running.done = pass->steps == 0;
    pthread_mutex_init(&running.lock, NULL);
    pthread_cond_init(&running.for_transfers, NULL);
    pthread_cond_init(&running.for_workers, NULL);
    wari_crew_run(level->stream->crew, run_together, &running);
    pthread_cond_destroy(&running.for_workers);
    pthread_cond_destroy(&running.for_transfers);
    pthread_mutex_destroy(&running.lock);
}

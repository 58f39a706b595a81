/* Running passes over a level in a scratch file. Some threads do nothing but transfers, one after
 * the other, without regard for where a step ends, so the disk never waits while a frame is free.
 * Workers take jobs of the first step that has any, if its transfers and those before are done:
 * while the last jobs of a step run, those of the next one begin, since steps may take less than a
 * millisecond and waiting for each other would cost a third of that. A thread that finds that a
 * step may be listed lists it: frames of a step are taken only when it is finished, and all steps
 * before it (pieces.h). */
#include "solver/scratch/passes.h"

/* Further away than any step. */
#define FAR (UINT64_C(1) << 40)

enum { UNDER_WAY = WARI_STEPS_AHEAD + 1 /* steps: the first unfinished one, and those ahead */ };

/* ---- What passes want ------------------------------------------------------------------------ */

void wari_scratch_look_far(struct wari_level *level, int turn)
{
    struct wari_scratch *scratch = wari_scratch_of(level);

    for (int block = 0; block <= level->layout.seeds; block++) {
        int away = 1;
        for (; away < scratch->turns.count; away++) {
            const struct wari_turn *next =
                &scratch->turns.turn[(turn + away) % scratch->turns.count];
            if (next->first + block <= level->layout.seeds ||
                (block >= next->first && block < next->first + next->count))
                break;
        }
        scratch->turns.far[block] = (uint64_t)away;
    }
}

/* Among pieces of the same block the later ones: of what is gone through again and again only a
 * part can stay, and that has to be the same part each time. */
uint64_t wari_scratch_far_away(const struct wari_scratch *scratch, uint32_t piece)
{
    const int block = wari_piece_block(&scratch->pieces, piece);

    return FAR + (scratch->turns.far[block] << 32) + wari_piece_row(&scratch->pieces, block, piece);
}

void wari_scratch_lacks_frames(const struct wari_level *level)
{
    struct wari_error error;

    (void)wari_fail(&error, WARI_NO_MEMORY,
                    "level %d is solved by bits in too little memory; allow more (--memory)",
                    level->layout.seeds);
    wari_team_fail(level->team, &error);
}

bool wari_scratch_want(struct wari_scratch *scratch, const uint32_t *piece, uint32_t count,
                       bool read)
{
    if (!wari_pieces_want(&scratch->pieces, piece, count, scratch->step, read))
        return false;
    for (uint32_t i = 0; i < count; i++)
        wari_piece_frame(&scratch->pieces, piece[i])->next =
            wari_scratch_far_away(scratch, piece[i]);
    return true;
}

/* ---- Steps under way ------------------------------------------------------------------------- */

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
    const struct wari_scratch_pass *pass;
    pthread_mutex_t lock;
    pthread_cond_t for_transfers; /* some are listed, or all those of a step are done */
    pthread_cond_t for_workers;   /* a step has jobs, or may be listed */
    struct under_way step[UNDER_WAY];
    uint32_t first_step;       /* of the pass, as scratch->step counts */
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

enum wari_status wari_scratch_transfer(const struct wari_level *level, uint32_t i, int room,
                                       struct wari_error *error)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_pieces *pieces = &scratch->pieces;
    const struct wari_transfer *transfer = &pieces->transfers.transfer[i % pieces->frames.count];
    enum wari_status status =
        wari_pieces_transfer(&scratch->pieces, i, wari_scratch_room(scratch, room), error);

    if (status != WARI_OK || !transfer->read)
        return status;
    return scratch->amendment.amend
               ? scratch->amendment.amend(level, scratch->amendment.context, transfer->piece,
                                          wari_scratch_room(scratch, room), error)
               : WARI_OK;
}

static void transfer(struct wari_level *level, uint32_t i, int room)
{
    struct wari_error error;

    if (!wari_level_stopped(level) && wari_scratch_transfer(level, i, room, &error) != WARI_OK)
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
    const struct wari_pieces *pieces = &wari_scratch_of(running->level)->pieces;

    pthread_mutex_lock(&running->lock);
    for (;;) {
        while (running->begun == running->transfers && !running->done)
            pthread_cond_wait(&running->for_transfers, &running->lock);
        if (running->begun == running->transfers)
            break;
        const uint32_t i = running->begun++, step = step_of(running, i);
        while (pieces->transfers.transfer[i % pieces->frames.count].after &&
               !all_done_before(running, step))
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
static uint32_t list_step(struct wari_level *level, const struct wari_scratch_pass *pass,
                          uint32_t step)
{
    wari_scratch_of(level)->step++;
    if (pass->want && !wari_level_stopped(level) && !pass->want(level, pass->context, step))
        wari_scratch_lacks_frames(level);
    return pass->jobs(level, pass->context, step);
}

/* Under the lock, which is given up meanwhile. */
static void list_next(struct running *running)
{
    struct wari_pieces *pieces = &wari_scratch_of(running->level)->pieces;
    struct under_way *next = step_at(running, running->listed);
    uint32_t jobs;

    running->listing = true;
    pieces->transfers.settled = settled(running);
    pieces->frames.oldest = running->first_step + running->finished;
    pthread_mutex_unlock(&running->lock);
    jobs = list_step(running->level, running->pass, running->listed);
    pthread_mutex_lock(&running->lock);
    *next = (struct under_way){.end = pieces->transfers.listed,
                               .left = pieces->transfers.listed - running->transfers,
                               .jobs = jobs,
                               .undone = jobs};
    running->transfers = pieces->transfers.listed;
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
    const struct wari_scratch_pass *pass = running->pass;

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
static void run_alone(struct wari_level *level, const struct wari_scratch_pass *pass)
{
    struct wari_pieces *pieces = &wari_scratch_of(level)->pieces;

    for (uint32_t step = 0; step < pass->steps && !wari_level_stopped(level); step++) {
        pieces->frames.oldest = wari_scratch_of(level)->step + 1;
        const uint32_t jobs = list_step(level, pass, step);
        for (; pieces->transfers.settled != pieces->transfers.listed; pieces->transfers.settled++)
            transfer(level, pieces->transfers.settled, WARI_TRANSFERERS);
        for (uint32_t job = 0; job < jobs && !wari_level_stopped(level); job++)
            pass->job(level, &level->team->worker[0], pass->context, step, job);
    }
}

void wari_scratch_run(struct wari_level *level, const struct wari_scratch_pass *pass)
{
    struct running running = {
        .level = level, .pass = pass, .first_step = wari_scratch_of(level)->step + 1};

    wari_scratch_of(level)->pieces.transfers.listed =
        wari_scratch_of(level)->pieces.transfers.settled = 0;
    if (wari_scratch_of(level)->alone ||
        (!pass->want && pass->steps == 1 && pass->jobs(level, pass->context, 0) <= 1)) {
        run_alone(level, pass);
        return;
    }
    running.done = pass->steps == 0;
    pthread_mutex_init(&running.lock, NULL);
    pthread_cond_init(&running.for_transfers, NULL);
    pthread_cond_init(&running.for_workers, NULL);
    wari_crew_run(wari_scratch_of(level)->crew, run_together, &running);
    pthread_cond_destroy(&running.for_workers);
    pthread_cond_destroy(&running.for_transfers);
    pthread_mutex_destroy(&running.lock);
}

/* ---- One piece after the other -------------------------------------------------------------- */

static bool want_each(struct wari_level *level, void *context, uint32_t step)
{
    const struct wari_scratch_each *each = context;
    struct wari_scratch *scratch = wari_scratch_of(level);
    const uint32_t run = wari_scratch_cap(scratch->pieces.frames.count), from = step * run;
    const uint32_t end = from + run < each->count ? from + run : each->count;

    for (uint32_t i = from; i < end; i++)
        wari_pieces_keep(&scratch->pieces, scratch->list[i], scratch->step);
    for (uint32_t i = from; i < end; i++)
        if (!wari_scratch_want(scratch, &scratch->list[i], 1,
                               !each->read || each->read(level, scratch->list[i])))
            return false;
    return true;
}

static uint32_t jobs_each(const struct wari_level *level, void *context, uint32_t step)
{
    const struct wari_scratch_each *each = context;
    const uint32_t run = wari_scratch_cap(wari_scratch_of(level)->pieces.frames.count),
                   left = each->count - step * run;

    return left < run ? left : run;
}

static void job_each(struct wari_level *level, struct wari_worker *worker, void *context,
                     uint32_t step, uint32_t i)
{
    const struct wari_scratch_each *each = context;

    each->job(level, worker, each->context,
              wari_scratch_of(level)
                  ->list[step * wari_scratch_cap(wari_scratch_of(level)->pieces.frames.count) + i]);
}

void wari_scratch_each(struct wari_level *level, struct wari_scratch_each *each)
{
    const uint32_t run = wari_scratch_cap(wari_scratch_of(level)->pieces.frames.count);
    const struct wari_scratch_pass pass = {.steps = (each->count + run - 1) / run,
                                           .want = want_each,
                                           .jobs = jobs_each,
                                           .job = job_each,
                                           .context = each};

    wari_scratch_run(level, &pass);
}

struct wari_row_run wari_scratch_rows_of(const struct wari_level *level, uint32_t piece)
{
    const struct wari_pieces *pieces = &wari_scratch_of(level)->pieces;
    const int block = wari_piece_block(pieces, piece);
    const uint32_t first = wari_piece_row(pieces, block, piece);

    return (struct wari_row_run){.block = block,
                                 .first = first,
                                 .count = wari_piece_rows(pieces, block, piece),
                                 .pitch = pieces->cut.pitch[block],
                                 .cells = wari_pieces_row(pieces, block, first)};
}

uint32_t wari_scratch_list_all(struct wari_level *level)
{
    struct wari_scratch *scratch = wari_scratch_of(level);

    wari_scratch_look_far(level, 0);
    for (uint32_t piece = 0; piece < scratch->pieces.cut.count; piece++)
        scratch->list[piece] = piece;
    return scratch->pieces.cut.count;
}

static bool want_none(struct wari_level *level, void *context, uint32_t step)
{
    (void)context, (void)step;
    wari_pieces_want_none(&wari_scratch_of(level)->pieces);
    return true;
}

static uint32_t no_jobs(const struct wari_level *level, void *context, uint32_t step)
{
    (void)level, (void)context, (void)step;
    return 0;
}

void wari_scratch_flush(struct wari_level *level)
{
    const struct wari_scratch_pass pass = {.steps = 1, .want = want_none, .jobs = no_jobs};

    wari_scratch_run(level, &pass);
}

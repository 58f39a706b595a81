/* Running passes over a level in a scratch file. Most threads wait for the disk, so the crew has
 * more of them than there are processors. Each takes one piece after the other from the file,
 * through a job, and back to the file. What makes pieces keeps a processor busy: the team's threads
 * do nothing else, and hand their lanes to the others, who write. */
#include "solver/scratch/scratch.h"

struct running {
    struct wari_level *level;
    const struct wari_scratch_pass *pass;
    uint32_t taken;
    int making;                     /* threads */
    struct wari_lane *empty, *full; /* lanes that wait for these threads, and for the others */
};

/* With the lock. */
static uint32_t next_piece(struct running *running)
{
    const struct wari_scratch_pass *pass = running->pass;

    if (wari_level_stopped(running->level))
        return WARI_NO_PIECE;
    if (pass->next)
        return pass->next(running->level, pass->context, running->taken++);
    return running->taken < pass->end - pass->first ? pass->first + running->taken++
                                                    : WARI_NO_PIECE;
}

static bool works(const struct running *running, const struct wari_lane *lane)
{
    const struct wari_scratch_pass *pass = running->pass;

    return pass->job(running->level, lane, pass->context, lane->piece) && pass->to &&
           !wari_level_stopped(running->level);
}

static void transfer(const struct running *running, const struct wari_lane *lane, bool write)
{
    const struct wari_scratch_pass *pass = running->pass;
    struct wari_error error;

    if ((write ? wari_piece_write(pass->to, lane->piece, lane->cells, lane->room, &error)
               : wari_piece_read(pass->from, lane->piece, lane->cells, lane->room, &error)) !=
        WARI_OK)
        wari_team_fail(running->level->team, &error);
}

/* All that is done to pieces, by one thread. */
static void take_through(struct running *running, struct wari_lane *lane)
{
    struct wari_scratch *scratch = wari_scratch_of(running->level);

    for (;;) {
        pthread_mutex_lock(&scratch->lock);
        lane->piece = next_piece(running);
        pthread_mutex_unlock(&scratch->lock);
        if (lane->piece == WARI_NO_PIECE)
            return;
        if (running->pass->from)
            transfer(running, lane, false);
        if (!wari_level_stopped(running->level) && works(running, lane))
            transfer(running, lane, true);
    }
}

/* ---- Makers and writers ---------------------------------------------------------------------- */

static struct wari_lane *take(struct wari_lane **lanes)
{
    struct wari_lane *lane = *lanes;

    *lanes = lane->next;
    return lane;
}

static void give(struct wari_scratch *scratch, struct wari_lane **lanes, struct wari_lane *lane)
{
    lane->next = *lanes;
    *lanes = lane;
    pthread_cond_broadcast(&scratch->lanes);
}

static void make(struct running *running, struct wari_worker *worker)
{
    struct wari_scratch *scratch = wari_scratch_of(running->level);
    struct wari_lane *lane;
    uint32_t piece;

    pthread_mutex_lock(&scratch->lock);
    while ((piece = next_piece(running)) != WARI_NO_PIECE) {
        while (!running->empty)
            pthread_cond_wait(&scratch->lanes, &scratch->lock);
        lane = take(&running->empty);
        pthread_mutex_unlock(&scratch->lock);
        lane->piece = piece;
        lane->worker = worker;
        const bool made = works(running, lane);
        pthread_mutex_lock(&scratch->lock);
        give(scratch, made ? &running->full : &running->empty, lane);
    }
    running->making--;
    pthread_cond_broadcast(&scratch->lanes);
    pthread_mutex_unlock(&scratch->lock);
}

static void write_made(struct running *running)
{
    struct wari_scratch *scratch = wari_scratch_of(running->level);
    struct wari_lane *lane;

    pthread_mutex_lock(&scratch->lock);
    while (running->full || running->making > 0) {
        if (!running->full) {
            pthread_cond_wait(&scratch->lanes, &scratch->lock);
            continue;
        }
        lane = take(&running->full);
        pthread_mutex_unlock(&scratch->lock);
        transfer(running, lane, true);
        pthread_mutex_lock(&scratch->lock);
        give(scratch, &running->empty, lane);
    }
    pthread_mutex_unlock(&scratch->lock);
}

/* ---- A pass ---------------------------------------------------------------------------------- */

static void run_thread(int thread, void *context)
{
    struct running *running = context;
    const struct wari_team *team = running->level->team;

    if (!running->pass->makes)
        take_through(running, &wari_scratch_of(running->level)->lane[thread]);
    else if (thread < team->threads)
        make(running, &team->worker[thread]);
    else
        write_made(running);
}

void wari_scratch_run(struct wari_level *level, const struct wari_scratch_pass *pass)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    struct running running = {.level = level, .pass = pass, .making = level->team->threads};

    for (int i = 0; i < scratch->shape.lanes; i++) {
        scratch->lane[i].worker = NULL;
        scratch->lane[i].next = running.empty;
        running.empty = &scratch->lane[i];
    }
    wari_crew_run(scratch->crew, run_thread, &running);
}

/* ---- For jobs -------------------------------------------------------------------------------- */

struct wari_worker *wari_scratch_take_worker(struct wari_level *level)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    int number;

    pthread_mutex_lock(&scratch->lock);
    while (scratch->idle.count == 0)
        pthread_cond_wait(&scratch->idle.some, &scratch->lock);
    number = scratch->idle.number[--scratch->idle.count];
    pthread_mutex_unlock(&scratch->lock);
    return &level->team->worker[number];
}

void wari_scratch_give_worker(struct wari_level *level, const struct wari_worker *worker)
{
    struct wari_scratch *scratch = wari_scratch_of(level);

    pthread_mutex_lock(&scratch->lock);
    scratch->idle.number[scratch->idle.count++] = (int)(worker - level->team->worker);
    pthread_cond_signal(&scratch->idle.some);
    pthread_mutex_unlock(&scratch->lock);
}

struct wari_row_run wari_scratch_rows_of(const struct wari_level *level, uint32_t piece,
                                         int8_t *cells)
{
    const struct wari_pieces_cut *cut = &wari_scratch_of(level)->pieces.cut;
    const int block = wari_piece_block(cut, piece);

    return (struct wari_row_run){.block = block,
                                 .first = wari_piece_row(cut, block, piece),
                                 .count = wari_piece_rows(cut, block, piece),
                                 .pitch = cut->pitch[block],
                                 .cells = cells};
}

struct rows_job {
    wari_rows_job *job;
    void *context;
};

static bool job_of_piece(struct wari_level *level, const struct wari_lane *lane, void *context,
                         uint32_t piece)
{
    const struct rows_job *job = context;
    const struct wari_row_run rows = wari_scratch_rows_of(level, piece, lane->cells);
    struct wari_worker *worker = wari_scratch_take_worker(level);

    job->job(level, worker, job->context, &rows);
    wari_scratch_give_worker(level, worker);
    return true;
}

void wari_scratch_each_rows(struct wari_level *level, enum wari_access access, wari_rows_job *job,
                            void *context)
{
    const struct wari_pieces *pieces = &wari_scratch_of(level)->pieces;
    struct rows_job rows = {job, context};
    const struct wari_scratch_pass pass = {.from = access == WARI_MAKES ? NULL : pieces,
                                           .to = access == WARI_READS ? NULL : pieces,
                                           .end = pieces->cut.count,
                                           .job = job_of_piece,
                                           .context = &rows};

    wari_scratch_run(level, &pass);
}

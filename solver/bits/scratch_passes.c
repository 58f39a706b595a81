/* Running passes over a level in a scratch file. Each thread of the crew takes one piece after the
 * other from the file, through a job, and back to the file. Most of them wait for the disk, so
 * there are more than processors; a job that keeps one busy for long takes a worker of the team, of
 * which there are as many. */
#include "solver/bits/scratch.h"

struct running {
    struct wari_level *level;
    const struct wari_scratch_pass *pass;
    uint32_t taken;
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

static void take_through(int thread, void *context)
{
    struct running *running = context;
    const struct wari_scratch_pass *pass = running->pass;
    struct wari_level *level = running->level;
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_lane *lane = &scratch->lane[thread];

    for (;;) {
        pthread_mutex_lock(&scratch->lock);
        const uint32_t piece = next_piece(running);
        pthread_mutex_unlock(&scratch->lock);
        if (piece == WARI_NO_PIECE)
            return;
        if (pass->from && !wari_scratch_read(level, pass->from, lane, piece))
            return;
        if (pass->job(level, lane, pass->context, piece) && pass->to)
            wari_scratch_write(level, pass->to, lane, piece);
    }
}

void wari_scratch_run(struct wari_level *level, const struct wari_scratch_pass *pass)
{
    struct running running = {.level = level, .pass = pass};

    wari_thread_pool_run(wari_scratch_of(level)->crew, take_through, &running);
}

/* ---- For jobs -------------------------------------------------------------------------------- */

bool wari_scratch_read(struct wari_level *level, const struct wari_pieces *pieces,
                       const struct wari_lane *lane, uint32_t piece)
{
    struct wari_error error;

    if (wari_piece_read(pieces, piece, lane->cells, lane->room, &error) != WARI_OK)
        wari_workers_fail(level->workers, &error);
    return !wari_level_stopped(level);
}

void wari_scratch_write(struct wari_level *level, const struct wari_pieces *pieces,
                        const struct wari_lane *lane, uint32_t piece)
{
    struct wari_error error;

    if (!wari_level_stopped(level) &&
        wari_piece_write(pieces, piece, lane->cells, lane->room, &error) != WARI_OK)
        wari_workers_fail(level->workers, &error);
}

struct wari_worker *wari_scratch_take_worker(struct wari_level *level)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    int number;

    pthread_mutex_lock(&scratch->lock);
    while (scratch->idle.count == 0)
        pthread_cond_wait(&scratch->idle.some, &scratch->lock);
    number = scratch->idle.number[--scratch->idle.count];
    pthread_mutex_unlock(&scratch->lock);
    return &level->workers->worker[number];
}

void wari_scratch_give_worker(struct wari_level *level, const struct wari_worker *worker)
{
    struct wari_scratch *scratch = wari_scratch_of(level);

    pthread_mutex_lock(&scratch->lock);
    scratch->idle.number[scratch->idle.count++] = (int)(worker - level->workers->worker);
    pthread_cond_signal(&scratch->idle.some);
    pthread_mutex_unlock(&scratch->lock);
}

struct wari_row_range wari_scratch_rows_of(const struct wari_level *level, uint32_t piece,
                                           int8_t *cells)
{
    const struct wari_pieces_cut *cut = &wari_scratch_of(level)->pieces.cut;
    const int block = wari_piece_block(cut, piece);

    return (struct wari_row_range){.block = block,
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
    const struct wari_row_range rows = wari_scratch_rows_of(level, piece, lane->cells);
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

/* Running passes over a level in a scratch file: each thread of the crew has a lane, and takes one
 * piece after the other from the file, through a job, and back to the file. There are more of them
 * than processors, since most wait for the disk. */
#include "solver/scratch/passes.h"

struct running {
    struct wari_level *level;
    const struct wari_scratch_pass *pass;
    uint32_t taken;
};

static uint32_t next_piece(struct running *running)
{
    struct wari_scratch *scratch = wari_scratch_of(running->level);
    const struct wari_scratch_pass *pass = running->pass;
    uint32_t piece = WARI_NO_PIECE;

    pthread_mutex_lock(&scratch->lock);
    if (wari_level_stopped(running->level))
        piece = WARI_NO_PIECE;
    else if (pass->next)
        piece = pass->next(running->level, pass->context, running->taken++);
    else if (running->taken < pass->end - pass->first)
        piece = pass->first + running->taken++;
    pthread_mutex_unlock(&scratch->lock);
    return piece;
}

static enum wari_status take_through(const struct running *running, const struct wari_lane *lane,
                                     uint32_t piece, struct wari_error *error)
{
    const struct wari_scratch_pass *pass = running->pass;
    const enum wari_status status =
        pass->from ? wari_piece_read(pass->from, piece, lane->cells, lane->room, error) : WARI_OK;

    if (status != WARI_OK || !pass->job(running->level, lane, pass->context, piece) || !pass->to ||
        wari_level_stopped(running->level))
        return status;
    return wari_piece_write(pass->to, piece, lane->cells, lane->room, error);
}

static void run_lane(int thread, void *context)
{
    struct running *running = context;
    const struct wari_scratch *scratch = wari_scratch_of(running->level);
    const size_t frame = scratch->shape.frame_bytes;
    uint8_t *memory = scratch->memory.lanes + 2 * (size_t)thread * frame;
    const struct wari_lane lane = {(int8_t *)memory, memory + frame};
    struct wari_error error;
    uint32_t piece;

    while ((piece = next_piece(running)) != WARI_NO_PIECE)
        if (take_through(running, &lane, piece, &error) != WARI_OK)
            wari_team_fail(running->level->team, &error);
}

void wari_scratch_run(struct wari_level *level, const struct wari_scratch_pass *pass)
{
    struct running running = {.level = level, .pass = pass};

    wari_crew_run(wari_scratch_of(level)->crew, run_lane, &running);
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

/* Processes the blocks of distributed levels in dense sweeps, in the capture pass, and when full
 * halves are counted; see distributed.h.
 */
#include <omp.h>
#include <string.h>

#include "solver/cluster/rounds.h"
#include "solver/level/first_codes.h"
#include "solver/level/histogram.h"
#include "solver/memory/memory.h"

/* The current work of a thread. */
struct thread {
    struct wari_distributed *distributed;
    struct wari_worker *worker;
    const struct wari_round_plan *plan;
    const struct wari_job *job;
    uint32_t round;
    struct wari_sweep_result *result;
};

/* ---- Items ----------------------------------------------------------------------------------- */

/* Returns this thread's cursors, one for each rank. The cursor of a rank points to the next row
 * that was received from this rank for the item that the thread computes. */
static const int8_t **cursors_of(const struct wari_distributed *distributed)
{
    return distributed->cursors + (size_t)omp_get_thread_num() * (size_t)distributed->net->ranks;
}

/* Returns a child row, either a row that this rank owns or a received row. Received rows have to be
 * requested in the order in which wari_pack_rows() packed them, since each call advances a cursor.
 */
static const int8_t *child_row(const struct wari_level *level, const struct wari_item *item,
                               int child, uint32_t row)
{
    const struct wari_distributed *distributed = level->backend_data;

    if (wari_owns_row(level, child, row))
        return wari_resident_row(level, item, child, row);
    const struct wari_needed_columns need =
        wari_needed_columns_of(level, item, level->layout.seeds - item->block - child);
    const int8_t **at = &cursors_of(distributed)[wari_ranks_owner(&distributed->ranks, child, row)];
    const int8_t *columns = *at;
    *at += need.columns;
    /* Points to column 0 of the row, although only the needed columns were received. */
    return (const int8_t *)((uintptr_t)columns - need.first);
}

/* Prepares child_row() for this rank's i-th item in a round: points the cursor of each rank to the
 * first row that the rank has sent for the item. */
static void find_rows(const struct thread *thread, uint32_t i)
{
    const struct wari_distributed *distributed = thread->distributed;
    const struct wari_round *rows = &distributed->rows[thread->round % 2];
    const size_t ranks = (size_t)distributed->net->ranks;
    const int8_t **cursor = cursors_of(distributed);

    for (size_t rank = 0; rank < ranks; rank++)
        cursor[rank] = rows->in + rows->own[i * ranks + rank];
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* Copies rows of a strip, column by column. */
static void copy_columns(int8_t *to, size_t to_pitch, const int8_t *from, size_t from_pitch,
                         uint32_t rows, uint32_t columns)
{
    for (uint32_t column = 0; column < columns; column++)
        memcpy(to + column * to_pitch, from + column * from_pitch, rows);
}

/* Merges smallest child codes into rows of a strip that this rank owns, or, in the capture pass,
 * stores first codes in these rows. The codes are given by columns, with `pitch` bytes from column
 * to column. */
static void merge_rows(const struct thread *thread, const struct wari_item *item,
                       const struct wari_tile_rows *rows, const int8_t *columns, uint32_t pitch)
{
    struct wari_level *level = thread->distributed->level;
    struct wari_merge merge = {.block = item->block,
                               .first_row = rows->first,
                               .rows = rows->end - rows->first,
                               .first_column = item->first_column,
                               .columns = item->columns,
                               .worst = columns};
    int8_t whole[WARI_ITEM_STRIP_CELLS] __attribute__((aligned(64)));

    if (rows->first % WARI_STRIP != 0 || pitch < WARI_STRIP || item->columns < WARI_ITEM_COLUMNS) {
        memset(whole, 0, sizeof whole);
        copy_columns(whole, WARI_STRIP, columns, pitch, merge.rows, item->columns);
        merge.worst = whole;
    }
    if (thread->job->sweep)
        wari_merge_item_strip(level, thread->worker, &merge, thread->job->sweep, thread->result);
    else
        wari_first_codes_write(
            level->kernel, merge.worst, merge.rows, merge.columns,
            (struct wari_cell_area){wari_level_row(level, merge.block, merge.first_row) +
                                        merge.first_column,
                                    level->resident.pitch[merge.block]});
}

/* Copies the rows of a computed tile into the buffers for the ranks that own them, and merges the
 * rows that this rank owns. */
static void send_tile(const struct thread *thread, const struct wari_item *item, uint32_t i)
{
    const struct wari_distributed *distributed = thread->distributed;
    const struct wari_round *tiles = &distributed->tiles[thread->round % 2];
    const int ranks = distributed->net->ranks;

    for (int rank = 0; rank < ranks; rank++) {
        struct wari_tile_rows left = wari_tile_rows_of(distributed, item, rank);
        int8_t *out = tiles->out + tiles->own[i * (size_t)ranks + (size_t)rank];
        while (left.first < left.end) {
            const struct wari_tile_rows rows = wari_tile_rows_in_strip(&left);
            const uint32_t count = rows.end - rows.first;
            const int8_t *tile =
                thread->worker->tile +
                (size_t)(rows.first / WARI_STRIP - item->first_strip) * WARI_ITEM_STRIP_CELLS +
                rows.first % WARI_STRIP;
            if (rank == distributed->net->rank)
                merge_rows(thread, item, &rows, tile, WARI_STRIP);
            else
                copy_columns(out, count, tile, WARI_STRIP, count, item->columns);
            out += (size_t)count * item->columns;
            left.first = rows.end;
        }
    }
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* Computes the i-th item of this rank in the current round. */
static void compute_item(const struct thread *thread, uint32_t i)
{
    struct wari_level *level = thread->distributed->level;
    struct wari_worker *worker = thread->worker;
    const struct wari_job *job = thread->job;
    const struct wari_item item =
        wari_round_item(thread->plan, thread->distributed->net->rank, thread->round, i);
    const uint32_t first = item.first_strip / WARI_BAND_STRIPS;
    const uint32_t bands = (item.strips + WARI_BAND_STRIPS - 1) / WARI_BAND_STRIPS;

    if (job->sweep || job->histogram)
        find_rows(thread, i);
    if (job->histogram) {
        wari_count_full(level, worker, &item, child_row, job->histogram);
        return;
    }
    if (job->sweep)
        wari_compute_item(level, worker, &item, child_row);
    for (uint32_t band = 0; !job->sweep && band < bands; band++)
        if (!wari_first_codes(level, worker, &item, first + band,
                              worker->tile +
                                  (size_t)band * WARI_BAND_STRIPS * WARI_ITEM_STRIP_CELLS))
            return;
    send_tile(thread, &item, i);
}

/* Merges the rows of this rank in an item that another rank has computed. `task` identifies the
 * item (wari_other_ranks_item()). */
static void merge_item(const struct thread *thread, uint32_t task)
{
    const struct wari_distributed *distributed = thread->distributed;
    const struct wari_round *tiles = &distributed->tiles[thread->round % 2];
    struct wari_item item;

    if (!wari_other_ranks_item(distributed, thread->plan, thread->round, task, &item))
        return;
    struct wari_tile_rows left = wari_tile_rows_of(distributed, &item, distributed->net->rank);
    const int8_t *in = tiles->in + tiles->others[task];
    while (left.first < left.end) {
        const struct wari_tile_rows rows = wari_tile_rows_in_strip(&left);
        merge_rows(thread, &item, &rows, in, rows.end - rows.first);
        in += (size_t)(rows.end - rows.first) * item.columns;
        left.first = rows.end;
    }
}

/* Lets exchanges make progress, which only the main thread may do. */
static void progress_exchanges(struct wari_distributed *distributed)
{
    if (omp_get_thread_num() != 0)
        return;
    for (int i = 0; i < 2; i++) {
        wari_exchange_progress(distributed->rows[i].exchange);
        wari_exchange_progress(distributed->tiles[i].exchange);
    }
}

/* Calls `work` for all tasks of a round, with all threads. */
static void do_round(const struct thread *round, uint32_t tasks,
                     void (*work)(const struct thread *thread, uint32_t task))
{
    struct wari_distributed *distributed = round->distributed;
    uint64_t changed = 0, cells = 0;

#pragma omp parallel num_threads(distributed->threads) reduction(+ : changed, cells)
    {
        struct wari_sweep_result result = {0};
        struct thread thread = *round;
        thread.worker = &distributed->level->workers->worker[omp_get_thread_num()];
        thread.result = &result;
#pragma omp for schedule(dynamic)
        for (uint32_t task = 0; task < tasks; task++) {
            if (!wari_level_stopped(distributed->level))
                work(&thread, task);
            progress_exchanges(distributed);
        }
        changed += result.changed;
        cells += result.cells;
    }
    round->result->changed += changed;
    round->result->cells += cells;
}

static void begin_rows(struct wari_distributed *distributed, const struct wari_round_plan *plan,
                       uint32_t round)
{
    struct wari_round *rows = &distributed->rows[round % 2];

    wari_pack_rows(distributed, plan, round, rows);
    wari_exchange_begin(rows->exchange, distributed->net);
}

static void copy_block(const struct wari_distributed *distributed, int block)
{
#pragma omp parallel num_threads(distributed->threads)
    wari_memory_copy_block(distributed->level, block, (uint32_t)omp_get_thread_num(),
                           (uint32_t)omp_get_num_threads());
}

/* Begins to exchange the tiles of the current round, and merges the tiles of the round before. */
static void change_tiles(struct thread *at)
{
    struct wari_distributed *distributed = at->distributed;
    const uint32_t tasks = (uint32_t)distributed->net->ranks * at->plan->batch;
    const uint32_t round = at->round;

    if (round > 0)
        wari_exchange_end(distributed->tiles[(round - 1) % 2].exchange);
    if (round < at->plan->rounds)
        wari_exchange_begin(distributed->tiles[round % 2].exchange, distributed->net);
    if (round == 0)
        return;
    at->round--;
    do_round(at, tasks, merge_item);
    at->round++;
}

void wari_distributed_block(struct wari_distributed *distributed, int block,
                            const struct wari_job *job, struct wari_sweep_result *result)
{
    const struct wari_round_plan *plan =
        &distributed->plan[job->histogram ? WARI_PARENTS_FULL : WARI_PARENTS_ROWS][block];
    const bool rows = job->sweep || job->histogram, tiles = !job->histogram;
    struct thread at = {.distributed = distributed, .plan = plan, .job = job, .result = result};

    for (int i = 0; i < 2; i++) {
        distributed->rows[i].exchange->kind =
            job->histogram ? WARI_MESSAGE_COUNT : WARI_MESSAGE_ROWS;
        distributed->tiles[i].exchange->kind = job->sweep ? WARI_MESSAGE_TILES : WARI_MESSAGE_CODES;
    }
    if (job->sweep && wari_has_own_children(&distributed->level->layout, block))
        copy_block(distributed, block);
    if (rows && plan->rounds > 0)
        begin_rows(distributed, plan, 0);
    for (; at.round < plan->rounds; at.round++) {
        if (rows)
            wari_exchange_end(distributed->rows[at.round % 2].exchange);
        if (rows && at.round + 1 < plan->rounds)
            begin_rows(distributed, plan, at.round + 1);
        if (tiles)
            wari_assign_tiles(distributed, plan, at.round, &distributed->tiles[at.round % 2]);
        do_round(&at, wari_round_items(plan, distributed->net->rank, at.round), compute_item);
        if (tiles)
            change_tiles(&at);
    }
    if (tiles)
        change_tiles(&at);
}

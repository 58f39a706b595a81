/* Looks up every value that a packed file is to leave out, and compares it with the value of its
 * position's best move.
 *
 * The order of the positions is chosen for speed. Consider all positions with one mover half m. The
 * positions after their moves are in only a few rows, whatever the opponent's half is: these rows
 * belong to m without the seeds that were sown, in this level and in lower levels. So the program
 * processes all rows of a block for one m, and then for the next m, which needs mostly the same
 * rows again. In the order of the file, the program would instead process all m for one opponent's
 * half. Every row would then need a chunk for each row of all lower blocks: more than two decoded
 * chunks for a position if the cache does not hold all of them.
 *
 * The expected values are stored in the order of the file. So the program first reads a range of
 * a block's columns, as many as there is memory for, and then proves it column by column:
 *
 *                        first     first + count
 *                 +---------+---------+--------+
 *     row 0       |         |         |        |      an item to be proved is up to 16 columns
 *     row 1       |         | columns |        |      by up to 2048 rows of the range; threads
 *     ...         |         |         |        |      take items in turn, first all items of
 *                 +---------+---------+--------+      the same columns
 *
 * The result of an item does not depend on other threads. A thread that fails stops the others. */
#include "db/maintain/pack_proof.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "db/probe/probe.h"
#include "index/half.h"

enum {
    ITEM_COLUMNS = 16, /* number of columns of an item: a quarter of a cache line of the column
                        * range */
    ITEM_ROWS = 2048,  /* number of rows of an item: its values fit the processor's inner caches */
    READ_CELLS = 16 * WARI_CHUNK_POSITIONS, /* approximate number of cells that a thread reads at
                                             * a time */
};

struct column_range {
    int block;
    uint32_t first, count; /* the first column, and the number of columns */
    int8_t *values;        /* [row][column - first] */
};

struct worker;

/* The state that the threads share. */
struct work {
    const struct wari_proof *proof;
    const struct wari_layout *layout;
    struct column_range range;
    enum wari_status (*task)(struct worker *worker, uint64_t item);
    uint64_t items;
    atomic_uint_fast64_t next;   /* number of the first item that no thread has taken */
    atomic_uint_fast64_t proved; /* number of positions proved in the level so far */
    atomic_bool ended;           /* a thread failed */
};

struct worker {
    struct work *work;
    pthread_t thread;
    enum wari_status status;
    struct wari_error error;
    int8_t values[ITEM_COLUMNS][ITEM_ROWS]; /* the expected values of the current item */
};

static uint64_t count_items(uint64_t of, uint64_t each)
{
    return (of + each - 1) / each;
}

static uint32_t less(uint64_t one, uint64_t other)
{
    return (uint32_t)(one < other ? one : other);
}

/* ---- Reading columns ------------------------------------------------------------------------ */

static uint64_t rows_to_read(const struct work *work)
{
    const uint32_t columns = work->layout->columns[work->range.block];
    return columns < READ_CELLS ? READ_CELLS / columns : 1;
}

static enum wari_status read_rows(struct worker *worker, uint64_t item)
{
    const struct work *work = worker->work;
    const struct wari_proof *proof = work->proof;
    const struct column_range *range = &work->range;
    const uint64_t columns = work->layout->columns[range->block];
    const uint64_t first = item * rows_to_read(work);
    const uint32_t rows = less(rows_to_read(work), work->layout->rows[range->block] - first);
    const uint64_t at = work->layout->block_offset[range->block] + first * columns + range->first;
    int8_t *values = range->values + first * range->count;
    enum wari_status status = WARI_OK;

    if (range->count == columns) /* whole rows are contiguous */
        return wari_values(proof->db, proof->seeds, at, rows * columns, values, &worker->error);
    for (uint32_t row = 0; row < rows && status == WARI_OK; row++)
        status = wari_values(proof->db, proof->seeds, at + row * columns, range->count,
                             values + (size_t)row * range->count, &worker->error);
    return status;
}

/* ---- Proving ----------------------------------------------------------------------------- */

/* Proves rows `row` .. `row` + `rows` - 1 of a column. `values` are their expected values. */
static enum wari_status prove_column(struct worker *worker, uint32_t column, uint32_t row,
                                     uint32_t rows, const int8_t *values)
{
    const struct work *work = worker->work;
    const struct wari_proof *proof = work->proof;
    const int block = work->range.block;
    struct wari_position position;
    uint8_t *opponent = position.pits + WARI_HALF_PITS;

    wari_half_unrank(proof->seeds - block, column, position.pits);
    wari_row_unrank(block, row, opponent);
    for (uint32_t i = 0; i < rows; i++) {
        int value;
        enum wari_status status = wari_value_by_moves(proof->db, &position, &value, &worker->error);
        if (status != WARI_OK)
            return status;
        if (value != values[i])
            return wari_fail(&worker->error, WARI_CORRUPT,
                             "level %d: the value of position number %llu is not that of its best "
                             "move; the database is wrong, so build it again in another folder",
                             proof->seeds,
                             (unsigned long long)wari_layout_rank(work->layout, &position));
        while (wari_half_next(opponent) && wari_half_full(opponent))
            continue;
    }
    return WARI_OK;
}

static enum wari_status prove_item(struct worker *worker, uint64_t item)
{
    struct work *work = worker->work;
    const struct column_range *range = &work->range;
    const uint32_t all = work->layout->rows[range->block];
    const uint64_t down = count_items(all, ITEM_ROWS);
    const uint32_t row = (uint32_t)(item % down) * ITEM_ROWS;
    const uint32_t rows = less(ITEM_ROWS, all - row);
    /* First column of the item, counted from the first column of the range. */
    const uint32_t column = (uint32_t)(item / down) * ITEM_COLUMNS;
    const uint32_t columns = less(ITEM_COLUMNS, range->count - column);
    enum wari_status status = WARI_OK;

    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++)
            worker->values[j][i] = range->values[(size_t)(row + i) * range->count + column + j];
    for (uint32_t j = 0; j < columns && status == WARI_OK; j++)
        status = prove_column(worker, range->first + column + j, row, rows, worker->values[j]);
    atomic_fetch_add(&work->proved, (uint64_t)rows * columns);
    return status;
}

/* ---- Threads -------------------------------------------------------------------------------- */

/* Processes an item. Returns false if no item is left or a thread has failed. `reports` is true for
 * the worker of the calling thread, which also reports progress. */
static bool do_item(struct worker *worker, bool reports)
{
    struct work *work = worker->work;
    const struct wari_proof *proof = work->proof;
    const uint64_t item =
        atomic_load(&work->ended) ? work->items : atomic_fetch_add(&work->next, 1);

    if (item >= work->items)
        return false;
    worker->status = work->task(worker, item);
    if (worker->status == WARI_OK && reports)
        worker->status =
            proof->progress(proof->context, atomic_load(&work->proved), &worker->error);
    if (worker->status != WARI_OK)
        atomic_store(&work->ended, true);
    return worker->status == WARI_OK;
}

static void *run_worker(void *worker)
{
    while (do_item(worker, false))
        continue;
    return NULL;
}

/* Lets all workers process the items of a task. */
static enum wari_status run_task(struct work *work, struct worker *workers,
                                 enum wari_status (*task)(struct worker *worker, uint64_t item),
                                 uint64_t items, struct wari_error *error)
{
    const uint32_t count = less(items, (uint64_t)work->proof->threads);
    uint32_t started = 1;

    work->task = task;
    work->items = items;
    atomic_store(&work->next, 0);
    while (started < count &&
           pthread_create(&workers[started].thread, NULL, run_worker, &workers[started]) == 0)
        started++;
    while (do_item(&workers[0], true))
        continue;
    for (uint32_t i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    for (uint32_t i = 0; i < started; i++) {
        if (workers[i].status == WARI_OK)
            continue;
        if (error != NULL)
            *error = workers[i].error;
        return workers[i].status;
    }
    return WARI_OK;
}

/* ---- Blocks --------------------------------------------------------------------------------- */

/* Returns the number of columns in a range of a block: as many as there is memory for, but at least
 * one. */
static uint32_t range_width(const struct wari_layout *layout, int block, uint64_t memory)
{
    const uint64_t fit = memory / layout->rows[block];
    return fit == 0 ? 1 : less(fit, layout->columns[block]);
}

static enum wari_status prove_block(struct work *work, struct worker *workers, int block,
                                    struct wari_error *error)
{
    const uint32_t columns = work->layout->columns[block];
    const uint32_t rows = work->layout->rows[block];
    const uint32_t width = range_width(work->layout, block, work->proof->memory);
    enum wari_status status = WARI_OK;

    work->range.block = block;
    for (uint32_t first = 0; first < columns && status == WARI_OK; first += width) {
        struct column_range *range = &work->range;
        range->first = first;
        range->count = less(width, columns - first);
        status = run_task(work, workers, read_rows, count_items(rows, rows_to_read(work)), error);
        if (status == WARI_OK)
            status = run_task(
                work, workers, prove_item,
                count_items(rows, ITEM_ROWS) * count_items(range->count, ITEM_COLUMNS), error);
    }
    return status;
}

/* Returns the size of the largest column range of any block, in bytes. */
static uint64_t most_bytes(const struct wari_layout *layout, uint64_t memory)
{
    uint64_t most = 0;
    for (int block = layout->seeds / 2 + 1; block <= layout->seeds; block++) {
        const uint64_t bytes = (uint64_t)layout->rows[block] * range_width(layout, block, memory);
        most = bytes > most ? bytes : most;
    }
    return most;
}

uint64_t wari_proof_memory_max(int seeds)
{
    struct wari_layout layout;
    wari_layout_init(&layout, seeds);
    return most_bytes(&layout, UINT64_MAX);
}

uint64_t wari_proof_memory_min(int seeds)
{
    struct wari_layout layout;
    wari_layout_init(&layout, seeds);
    return most_bytes(&layout, 0);
}

enum wari_status wari_prove(const struct wari_proof *proof, struct wari_error *error)
{
    struct work work = {.proof = proof, .layout = &proof->db->layout[proof->seeds]};
    const int seeds = proof->seeds;
    const size_t workers_bytes = (size_t)proof->threads * sizeof(struct worker);
    void *memory;
    enum wari_status status = wari_allocate(
        proof->db->host, workers_bytes + (size_t)most_bytes(work.layout, proof->memory),
        "proving what a level's file may leave out", &memory, error);
    if (status != WARI_OK)
        return status;

    struct worker *workers = memory;
    work.range.values = (int8_t *)memory + workers_bytes;
    atomic_init(&work.next, 0);
    atomic_init(&work.proved, 0);
    atomic_init(&work.ended, false);
    for (int i = 0; i < proof->threads; i++) {
        workers[i].work = &work;
        workers[i].status = WARI_OK;
    }
    for (int block = seeds / 2 + 1; block <= seeds && status == WARI_OK; block++)
        status = prove_block(&work, workers, block, error);
    wari_release(proof->db->host, memory);
    return status;
}

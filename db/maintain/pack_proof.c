/* Looks every value up that a packed file is to leave out.
 *
 * The order makes it quick. What a mover half m leads to lies in few rows, whatever the opponent
 * has: those of what is left of m, in this level and in the levels below. So all rows of a block
 * have their turn with one m, and then with the next one, most of whose rows are the same again.
 * In the order of the file, where all m follow each other before the opponent's half changes,
 * every row would want a chunk of each row of all blocks below: more than two decoded chunks a
 * position where the cache does not hold all of them.
 *
 * The values to compare with stand in the order of the file. So a **strip** of a block is read
 * first, as many columns of it as there is room for, and then proved column by column:
 *
 *                        first     first + count
 *                 +---------+---------+--------+
 *     row 0       |         |         |        |      an item to be proved is up to 16 columns
 *     row 1       |         |  strip  |        |      by up to 2048 rows of it; threads take
 *     ...         |         |         |        |      them in turn, those of the same columns
 *                 +---------+---------+--------+      one after the other
 *
 * What a thread finds depends on nobody else, and one that fails ends the others.
 */
#include "db/maintain/pack_proof.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "db/probe/probe.h"
#include "index/half.h"

enum {
    ITEM_COLUMNS = 16, /* a quarter of a cache line of the strip */
    ITEM_ROWS = 2048,  /* an item's values then stay in a processor's nearer caches */
    READ_CELLS = 16 * WARI_CHUNK_POSITIONS, /* that a thread reads at a time, about */
};

struct strip {
    int block;
    uint32_t first, count; /* columns */
    int8_t *values;        /* [row][column - first] */
};

struct worker;

/* What threads do side by side; shared by them. */
struct work {
    const struct wari_proof *proof;
    const struct wari_layout *layout;
    struct strip strip;
    enum wari_status (*task)(struct worker *worker, uint64_t item);
    uint64_t items;
    atomic_uint_fast64_t next;   /* the first item that nobody has taken */
    atomic_uint_fast64_t proved; /* positions, of the whole level */
    atomic_bool ended;           /* a thread failed */
};

struct worker {
    struct work *work;
    pthread_t thread;
    enum wari_status status;
    struct wari_error error;
    int8_t values[ITEM_COLUMNS][ITEM_ROWS]; /* of the item being proved */
};

static uint64_t count_items(uint64_t of, uint64_t each)
{
    return (of + each - 1) / each;
}

static uint32_t less(uint64_t one, uint64_t other)
{
    return (uint32_t)(one < other ? one : other);
}

/* ---- Reading a strip ------------------------------------------------------------------------ */

static uint64_t rows_to_read(const struct work *work)
{
    const uint32_t columns = work->layout->columns[work->strip.block];
    return columns < READ_CELLS ? READ_CELLS / columns : 1;
}

static enum wari_status read_rows(struct worker *worker, uint64_t item)
{
    const struct work *work = worker->work;
    const struct wari_proof *proof = work->proof;
    const struct strip *strip = &work->strip;
    const uint64_t columns = work->layout->columns[strip->block];
    const uint64_t first = item * rows_to_read(work);
    const uint32_t rows = less(rows_to_read(work), work->layout->rows[strip->block] - first);
    const uint64_t at = work->layout->block_offset[strip->block] + first * columns + strip->first;
    int8_t *values = strip->values + first * strip->count;
    enum wari_status status = WARI_OK;

    if (strip->count == columns) /* whole rows, one after the other */
        return wari_values(proof->db, proof->seeds, at, rows * columns, values, &worker->error);
    for (uint32_t row = 0; row < rows && status == WARI_OK; row++)
        status = wari_values(proof->db, proof->seeds, at + row * columns, strip->count,
                             values + (size_t)row * strip->count, &worker->error);
    return status;
}

/* ---- Proving it ----------------------------------------------------------------------------- */

/* Rows `row` .. `row` + `rows` - 1 of a column; `values`: what stands there. */
static enum wari_status prove_column(struct worker *worker, uint32_t column, uint32_t row,
                                     uint32_t rows, const int8_t *values)
{
    const struct work *work = worker->work;
    const struct wari_proof *proof = work->proof;
    const int block = work->strip.block;
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
                             "level %d: position %llu is not worth the best of its moves; verify "
                             "the database and build it anew",
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
    const struct strip *strip = &work->strip;
    const uint32_t all = work->layout->rows[strip->block];
    const uint64_t down = count_items(all, ITEM_ROWS);
    const uint32_t row = (uint32_t)(item % down) * ITEM_ROWS;
    const uint32_t rows = less(ITEM_ROWS, all - row);
    const uint32_t column = (uint32_t)(item / down) * ITEM_COLUMNS; /* of the strip */
    const uint32_t columns = less(ITEM_COLUMNS, strip->count - column);
    enum wari_status status = WARI_OK;

    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++)
            worker->values[j][i] = strip->values[(size_t)(row + i) * strip->count + column + j];
    for (uint32_t j = 0; j < columns && status == WARI_OK; j++)
        status = prove_column(worker, strip->first + column + j, row, rows, worker->values[j]);
    atomic_fetch_add(&work->proved, (uint64_t)rows * columns);
    return status;
}

/* ---- Threads -------------------------------------------------------------------------------- */

/* Does an item; false if none is left. The calling thread's worker is the one that looks around. */
static bool do_item(struct worker *worker, bool looks)
{
    struct work *work = worker->work;
    const struct wari_proof *proof = work->proof;
    const uint64_t item =
        atomic_load(&work->ended) ? work->items : atomic_fetch_add(&work->next, 1);

    if (item >= work->items)
        return false;
    worker->status = work->task(worker, item);
    if (worker->status == WARI_OK && looks)
        worker->status = proof->look(proof->context, atomic_load(&work->proved), &worker->error);
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

/* Has the workers do a task, item after item. */
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

/* Columns of a block's strips: as many as there is room for, and one at least. */
static uint32_t strip_width(const struct wari_layout *layout, int block, uint64_t room)
{
    const uint64_t fit = room / layout->rows[block];
    return fit == 0 ? 1 : less(fit, layout->columns[block]);
}

static enum wari_status prove_block(struct work *work, struct worker *workers, int block,
                                    struct wari_error *error)
{
    const uint32_t columns = work->layout->columns[block];
    const uint32_t rows = work->layout->rows[block];
    const uint32_t width = strip_width(work->layout, block, work->proof->room);
    enum wari_status status = WARI_OK;

    work->strip.block = block;
    for (uint32_t first = 0; first < columns && status == WARI_OK; first += width) {
        struct strip *strip = &work->strip;
        strip->first = first;
        strip->count = less(width, columns - first);
        status = run_task(work, workers, read_rows, count_items(rows, rows_to_read(work)), error);
        if (status == WARI_OK)
            status = run_task(
                work, workers, prove_item,
                count_items(rows, ITEM_ROWS) * count_items(strip->count, ITEM_COLUMNS), error);
    }
    return status;
}

/* Bytes of the largest strip that any block is cut into. */
static uint64_t most_bytes(const struct wari_layout *layout, uint64_t room)
{
    uint64_t most = 0;
    for (int block = layout->seeds / 2 + 1; block <= layout->seeds; block++) {
        const uint64_t bytes = (uint64_t)layout->rows[block] * strip_width(layout, block, room);
        most = bytes > most ? bytes : most;
    }
    return most;
}

uint64_t wari_proof_room(int seeds)
{
    struct wari_layout layout;
    wari_layout_init(&layout, seeds);
    return most_bytes(&layout, UINT64_MAX);
}

uint64_t wari_proof_least(int seeds)
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
    enum wari_status status =
        wari_allocate(proof->db->host, workers_bytes + (size_t)most_bytes(work.layout, proof->room),
                      "proving what a level's file may leave out", &memory, error);
    if (status != WARI_OK)
        return status;

    struct worker *workers = memory;
    work.strip.values = (int8_t *)memory + workers_bytes;
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

/* Opens and closes the scratch data of a level, and runs passes.
 *
 * In a pass, each I/O thread reads one range after the other from the file, calls the job, and
 * writes the range back. Some of these threads wait for the disk while others compute, so there are
 * more I/O threads than workers (WARI_IO_THREADS_EXTRA). A job that computes for long takes a
 * worker, so that no more I/O threads compute at once than there are workers.
 */
#include "solver/bits/scratch.h"

#include <string.h>

#include "solver/bits/scratch_file.h"

/* ---- The shape ------------------------------------------------------------------------------- */

/* A buffer has to be large enough for each of three uses: the longest row; one strip of an item;
 * and two pages, since the bytes of a snapshot may span two pages (bits_snapshots.c). */
size_t wari_scratch_buffer_least(const struct wari_layout *layout)
{
    const uint32_t strip = 2 * WARI_ITEM_STRIP_CELLS - WARI_RANGE_PADDING;
    const uint32_t row = wari_level_pitch(layout->columns[0]); /* bytes of the longest row */

    return (size_t)wari_align_transfer((row > strip ? row : strip) + WARI_RANGE_PADDING);
}

/* The children of a column are in at most WARI_HALF_PITS rows. */
uint32_t wari_scratch_cache_least(int io_threads)
{
    return (uint32_t)io_threads * WARI_HALF_PITS;
}

bool wari_scratch_shape(const struct wari_layout *layout, uint64_t bytes,
                        struct wari_scratch_shape *shape)
{
    struct wari_division rows, columns;
    uint64_t second, fixed, entries;

    wari_divide_into_rows(&rows, layout, shape->buffer_bytes);
    wari_divide_into_columns(&columns, layout, shape->buffer_bytes);
    second = wari_division_file_bytes(&columns);
    if (shape->reused > second)
        second = shape->reused;
    shape->append_at = wari_division_file_bytes(&rows) + second;
    shape->file = shape->append_at + shape->appended + wari_full_halves_bytes(layout);
    entries = bytes / shape->buffer_bytes; /* upper bound on the number of cache entries */
    shape->tables = wari_division_table_bytes(&rows) + wari_division_table_bytes(&columns) +
                    sizeof(struct wari_scratch) + entries * sizeof(struct wari_cached_range) +
                    rows.count * sizeof(uint32_t) +
                    (uint64_t)shape->io_threads * (sizeof(struct wari_io_buffers) + sizeof(int)) +
                    WARI_TRANSFER_ALIGN;
    shape->reserved = wari_align_transfer(shape->reserved);
    fixed = 2 * (uint64_t)shape->io_threads * shape->buffer_bytes + shape->reserved + shape->tables;
    if (bytes < fixed + shape->buffer_bytes)
        return false;
    shape->pool = (bytes - fixed) / WARI_TRANSFER_ALIGN * WARI_TRANSFER_ALIGN;
    shape->bytes = fixed + shape->pool;
    return shape->reserved + shape->pool >=
           wari_scratch_cache_least(shape->io_threads) * shape->buffer_bytes;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Allocates all tables in one block of memory. Tables with the widest elements come first, so that
 * all tables are aligned. */
static enum wari_status make_tables(struct wari_level *level, struct wari_error *error)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_scratch_shape *shape = &scratch->shape;
    const size_t ranges = scratch->row_ranges.division.count,
                 threads = (size_t)level->workers->count;
    const size_t entries = (size_t)((shape->reserved + shape->pool) / shape->buffer_bytes);
    const size_t io_threads = (size_t)shape->io_threads;
    const size_t bytes = entries * sizeof(struct wari_cached_range) +
                         io_threads * sizeof(struct wari_io_buffers) + ranges * sizeof(uint32_t) +
                         threads * sizeof(int);
    const enum wari_status status = wari_allocate(
        level->host, bytes, "the tables of a scratch file", &scratch->memory.tables, error);

    if (status != WARI_OK)
        return status;
    scratch->cache.entry = scratch->memory.tables;
    scratch->buffers = (void *)(scratch->cache.entry + entries);
    scratch->cache.index = (void *)(scratch->buffers + io_threads);
    scratch->idle.number = (void *)(scratch->cache.index + ranges);
    for (int i = 0; i < level->workers->count; i++)
        scratch->idle.number[scratch->idle.count++] = i;
    return WARI_OK;
}

static enum wari_status make_memory(struct wari_level *level, struct wari_error *error)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_scratch_shape *shape = &scratch->shape;
    const uint64_t bytes = shape->bytes - shape->tables + WARI_TRANSFER_ALIGN;
    enum wari_status status;

    if (bytes > SIZE_MAX)
        return wari_fail(error, WARI_NO_MEMORY, "the level does not fit into the address space");
    status = wari_allocate(level->host, (size_t)bytes, "the buffers of a scratch file",
                           &scratch->memory.all, error);
    if (status != WARI_OK)
        return status;
    scratch->memory.buffers =
        (uint8_t *)(((uintptr_t)scratch->memory.all + WARI_TRANSFER_ALIGN - 1) /
                    WARI_TRANSFER_ALIGN * WARI_TRANSFER_ALIGN);
    for (int i = 0; i < shape->io_threads; i++) {
        uint8_t *buffer = scratch->memory.buffers + 2 * (size_t)i * shape->buffer_bytes;
        scratch->buffers[i] = (struct wari_io_buffers){.cells = (int8_t *)buffer,
                                                       .packed = buffer + shape->buffer_bytes};
    }
    scratch->memory.reserved =
        scratch->memory.buffers + 2 * (size_t)shape->io_threads * shape->buffer_bytes;
    scratch->memory.pool = (int8_t *)scratch->memory.reserved + shape->reserved;
    return WARI_OK;
}

/* Ranges of columns follow the ranges of rows in the file. */
static enum wari_status open_ranges(struct wari_level *level, struct wari_error *error)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const enum wari_status status = wari_ranges_open(&scratch->row_ranges, error);

    return status == WARI_OK ? wari_ranges_open(&scratch->column_ranges, error) : status;
}

static void divide_level(const struct wari_level *level, struct wari_scratch *scratch)
{
    const size_t bytes = scratch->shape.buffer_bytes;

    scratch->row_ranges = scratch->column_ranges = (struct wari_ranges){
        .file = &scratch->file, .kernel = level->kernel, .buffer_bytes = bytes};
    wari_divide_into_rows(&scratch->row_ranges.division, &level->layout, bytes);
    wari_divide_into_columns(&scratch->column_ranges.division, &level->layout, bytes);
    scratch->column_ranges.base = wari_division_file_bytes(&scratch->row_ranges.division);
    scratch->column_ranges.sequential = true;
}

enum wari_status wari_scratch_open(struct wari_level *level, const struct wari_scratch_shape *shape,
                                   const struct wari_scratch_location *location,
                                   struct wari_error *error)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    enum wari_status status;

    pthread_mutex_init(&scratch->lock, NULL);
    pthread_mutex_init(&scratch->cache.values, NULL);
    pthread_cond_init(&scratch->cache.loaded, NULL);
    pthread_cond_init(&scratch->idle.released, NULL);
    scratch->shape = *shape;
    divide_level(level, scratch);
    status = wari_thread_pool_create(&scratch->thread_pool, level->host, shape->io_threads, error);
    if (status == WARI_OK)
        status = make_tables(level, error);
    if (status == WARI_OK)
        status = make_memory(level, error);
    if (status == WARI_OK)
        status = wari_scratch_file_open(&scratch->file, level->host, location->folder,
                                        location->name, error);
    if (status == WARI_OK)
        status = open_ranges(level, error);
    if (status == WARI_OK)
        status = wari_full_halves_open(&level->full_halves, level->host, &level->layout,
                                       location->folder, location->name, error);
    if (status != WARI_OK)
        wari_scratch_close(level);
    return status;
}

void wari_scratch_close(struct wari_level *level)
{
    struct wari_scratch *scratch = wari_scratch_of(level);

    wari_full_halves_close(&level->full_halves);
    wari_thread_pool_destroy(scratch->thread_pool);
    wari_ranges_close(&scratch->column_ranges);
    wari_ranges_close(&scratch->row_ranges);
    wari_scratch_file_close(&scratch->file);
    wari_release(level->host, scratch->memory.tables);
    wari_release(level->host, scratch->memory.all);
    pthread_cond_destroy(&scratch->idle.released);
    pthread_cond_destroy(&scratch->cache.loaded);
    pthread_mutex_destroy(&scratch->cache.values);
    pthread_mutex_destroy(&scratch->lock);
}

static uint64_t sum(const atomic_uint_fast64_t *a, const atomic_uint_fast64_t *b)
{
    return atomic_load_explicit(a, memory_order_relaxed) +
           atomic_load_explicit(b, memory_order_relaxed);
}

void wari_scratch_add_statistics(struct wari_level *level)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_full_halves *full = &level->full_halves;

    level->progress.statistics->bytes_read = sum(&scratch->file.bytes_read, &full->bytes_read);
    level->progress.statistics->bytes_written =
        sum(&scratch->file.bytes_written, &full->bytes_written);
}

/* ---- Passes ---------------------------------------------------------------------------------- */

struct running {
    struct wari_level *level;
    const struct wari_scratch_pass *pass;
    uint32_t begun; /* number of ranges that threads have begun to process */
};

/* Returns the next range of a pass. To be called with scratch->lock held. */
static uint32_t next_range(struct running *running)
{
    const struct wari_scratch_pass *pass = running->pass;

    if (wari_level_stopped(running->level))
        return WARI_NO_RANGE;
    if (pass->next)
        return pass->next(running->level, pass->context, running->begun++);
    return running->begun < pass->end - pass->first ? pass->first + running->begun++
                                                    : WARI_NO_RANGE;
}

static void process_ranges(int thread, void *context)
{
    struct running *running = context;
    const struct wari_scratch_pass *pass = running->pass;
    struct wari_level *level = running->level;
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_io_buffers *buffers = &scratch->buffers[thread];

    for (;;) {
        pthread_mutex_lock(&scratch->lock);
        const uint32_t range = next_range(running);
        pthread_mutex_unlock(&scratch->lock);
        if (range == WARI_NO_RANGE)
            return;
        if (pass->from && !wari_scratch_read_range(level, pass->from, buffers, range))
            return;
        if (pass->job(level, buffers, pass->context, range) && pass->to)
            wari_scratch_write_range(level, pass->to, buffers, range);
    }
}

void wari_scratch_run_pass(struct wari_level *level, const struct wari_scratch_pass *pass)
{
    struct running running = {.level = level, .pass = pass};

    wari_thread_pool_run(wari_scratch_of(level)->thread_pool, process_ranges, &running);
}

/* ---- For jobs -------------------------------------------------------------------------------- */

bool wari_scratch_read_range(struct wari_level *level, const struct wari_ranges *ranges,
                             const struct wari_io_buffers *buffers, uint32_t range)
{
    struct wari_error error;

    if (wari_range_read(ranges, range, buffers->cells, buffers->packed, &error) != WARI_OK)
        wari_workers_fail(level->workers, &error);
    return !wari_level_stopped(level);
}

void wari_scratch_write_range(struct wari_level *level, const struct wari_ranges *ranges,
                              const struct wari_io_buffers *buffers, uint32_t range)
{
    struct wari_error error;

    if (!wari_level_stopped(level) &&
        wari_range_write(ranges, range, buffers->cells, buffers->packed, &error) != WARI_OK)
        wari_workers_fail(level->workers, &error);
}

struct wari_worker *wari_scratch_take_worker(struct wari_level *level)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    int number;

    pthread_mutex_lock(&scratch->lock);
    while (scratch->idle.count == 0)
        pthread_cond_wait(&scratch->idle.released, &scratch->lock);
    number = scratch->idle.number[--scratch->idle.count];
    pthread_mutex_unlock(&scratch->lock);
    return &level->workers->worker[number];
}

void wari_scratch_release_worker(struct wari_level *level, const struct wari_worker *worker)
{
    struct wari_scratch *scratch = wari_scratch_of(level);

    pthread_mutex_lock(&scratch->lock);
    scratch->idle.number[scratch->idle.count++] = (int)(worker - level->workers->worker);
    pthread_cond_signal(&scratch->idle.released);
    pthread_mutex_unlock(&scratch->lock);
}

struct wari_row_range wari_scratch_row_range(const struct wari_level *level, uint32_t range,
                                             int8_t *cells)
{
    const struct wari_division *division = &wari_scratch_of(level)->row_ranges.division;
    const int block = wari_range_block(division, range);

    return (struct wari_row_range){.block = block,
                                   .first = wari_range_first_row(division, block, range),
                                   .count = wari_range_row_count(division, block, range),
                                   .pitch = division->pitch[block],
                                   .cells = cells};
}

struct rows_job {
    wari_rows_job *job;
    void *context;
};

static bool process_rows(struct wari_level *level, const struct wari_io_buffers *buffers,
                         void *context, uint32_t range)
{
    const struct rows_job *job = context;
    const struct wari_row_range rows = wari_scratch_row_range(level, range, buffers->cells);
    struct wari_worker *worker = wari_scratch_take_worker(level);

    job->job(level, worker, job->context, &rows);
    wari_scratch_release_worker(level, worker);
    return true;
}

void wari_scratch_each_rows(struct wari_level *level, enum wari_access access, wari_rows_job *job,
                            void *context)
{
    const struct wari_ranges *ranges = &wari_scratch_of(level)->row_ranges;
    struct rows_job rows = {job, context};
    const struct wari_scratch_pass pass = {.from = access == WARI_MAKES ? NULL : ranges,
                                           .to = access == WARI_READS ? NULL : ranges,
                                           .end = ranges->division.count,
                                           .job = process_rows,
                                           .context = &rows};

    wari_scratch_run_pass(level, &pass);
}

/* Counts all placements of a level by value.
 *
 * Stored cells are counted as they stand. Positions whose opponent half is full cannot arise from a
 * move and are not stored, but published histograms count them: they get one look through their
 * moves, by the same passes that solve, with the full halves as parents.
 */
#include "solver/stream.h"

#include <omp.h>
#include <string.h>

enum { LANES = 4 }; /* tables counted into in turn, so that equal neighbours do not wait */

struct counts {
    uint64_t lane[LANES][256]; /* by the value as an unsigned byte */
};

static void count_cells(const int8_t *cells, uint64_t count, struct counts *counts)
{
    uint64_t i = 0;

    for (; i + LANES <= count; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            counts->lane[lane][(uint8_t)cells[i + (uint64_t)lane]]++;
    for (; i < count; i++)
        counts->lane[0][(uint8_t)cells[i]]++;
}

static void count_full_segment(const struct wari_level *level, struct wari_worker *worker,
                               const struct wari_item *item, uint32_t segment,
                               struct counts *counts)
{
    const uint32_t first = segment * WARI_SEGMENT_STRIPS;
    const uint32_t left = item->first_strip + item->strips - first;
    const uint32_t strips = left < WARI_SEGMENT_STRIPS ? left : WARI_SEGMENT_STRIPS;
    const uint32_t rows = item->rows - first * WARI_STRIP;
    int8_t best[WARI_SEGMENT];

    for (uint32_t column = 0; column < item->columns; column++) {
        struct wari_source sources[WARI_HALF_PITS];
        const int count = wari_item_sources(level, item, column, NULL, sources);
        if (!wari_best_captures(level, worker, item, column, segment, best))
            return;
        level->kernel->worst(sources, count, first, strips, worker->tile, WARI_STRIP);
        for (uint32_t i = 0; i < rows && i < WARI_SEGMENT; i++) {
            const int quiet = -wari_cell_value(&level->codes, worker->tile[i]);
            if (quiet > best[i])
                best[i] = (int8_t)quiet;
        }
        count_cells(best, rows < WARI_SEGMENT ? rows : WARI_SEGMENT, counts);
    }
}

static void count_full_item(const struct wari_level *level, struct wari_worker *worker,
                            const struct wari_item *item, struct counts *counts)
{
    const uint32_t end = item->first_strip + item->strips;

    for (uint32_t strip = item->first_strip; strip < end && !wari_level_stopped(level);
         strip += WARI_SEGMENT_STRIPS)
        count_full_segment(level, worker, item, strip / WARI_SEGMENT_STRIPS, counts);
}

/* The stored cells of a block, as codes. */
static void count_stored(const struct wari_level *level, int block, struct counts *counts)
{
#pragma omp for schedule(static) nowait
    for (uint32_t row = 0; row < level->layout.rows[block]; row++)
        if (!wari_level_stopped(level))
            count_cells(level->cells + level->offset[block] + (uint64_t)row * level->pitch[block],
                        level->layout.columns[block], counts);
}

static void count_full(const struct wari_level *level, struct wari_worker *worker, int block,
                       struct counts *counts)
{
    const uint32_t items = wari_item_count(level, WARI_PARENTS_FULL, block);

#pragma omp for schedule(dynamic) nowait
    for (uint32_t i = 0; i < items; i++) {
        const struct wari_item item = wari_item_at(level, WARI_PARENTS_FULL, block, i);
        count_full_item(level, worker, &item, counts);
    }
}

static uint64_t sum(const struct counts *counts, uint8_t at)
{
    uint64_t total = 0;

    for (int lane = 0; lane < LANES; lane++)
        total += counts->lane[lane][at];
    return total;
}

static void add(const struct wari_level *level, const struct counts *codes,
                const struct counts *values, uint64_t histogram[2 * WARI_SEEDS_MAX + 1])
{
    const int n = level->layout.seeds;

    for (int code = 0; code < 256; code++)
        if (sum(codes, (uint8_t)code) != 0)
            histogram[level->codes.value[code] + WARI_SEEDS_MAX] += sum(codes, (uint8_t)code);
    for (int value = -n; value <= n; value++)
        histogram[value + WARI_SEEDS_MAX] += sum(values, (uint8_t)(int8_t)value);
}

/* ---- Streamed levels ------------------------------------------------------------------------ */

static void count_piece(struct wari_level *level, struct wari_worker *worker, void *histogram,
                        uint32_t piece)
{
    const struct wari_pieces *pieces = &level->stream->pieces;
    const int block = wari_piece_block(pieces, piece);
    const uint32_t first = wari_piece_row(pieces, block, piece);
    struct counts codes = {{{0}}}, values = {{{0}}};

    (void)worker;
    for (uint32_t row = first; row < first + wari_piece_rows(pieces, block, piece); row++)
        count_cells(wari_pieces_row(pieces, 0, block, row), level->layout.columns[block], &codes);
    pthread_mutex_lock(&level->stream->lock);
    add(level, &codes, &values, histogram);
    pthread_mutex_unlock(&level->stream->lock);
}

static bool want_planned(struct wari_level *level, void *context, uint32_t step)
{
    (void)context;
    return wari_stream_want_planned(level, step);
}

static uint32_t slices_of(const struct wari_level *level, void *context, uint32_t step)
{
    (void)context;
    return level->stream->plan.first_slice[step + 1] - level->stream->plan.first_slice[step];
}

static void count_full_slice(struct wari_level *level, struct wari_worker *worker, void *histogram,
                             uint32_t step, uint32_t i)
{
    const struct wari_stream *stream = level->stream;
    const struct wari_slice *slice = &stream->plan.slice[stream->plan.first_slice[step] + i];
    const struct wari_gather *gather = &level->tables->gather[WARI_PARENTS_FULL][stream->block][0];
    const struct wari_item item = {.parents = WARI_PARENTS_FULL,
                                   .block = stream->block,
                                   .first_column = slice->first_column,
                                   .columns = slice->columns,
                                   .strips = gather->strips,
                                   .rows = gather->parents};
    struct counts codes = {{{0}}}, values = {{{0}}};

    count_full_item(level, worker, &item, &values);
    pthread_mutex_lock(&level->stream->lock);
    add(level, &codes, &values, histogram);
    pthread_mutex_unlock(&level->stream->lock);
}

/* Full halves have 6 seeds or more. */
static void stream_histogram(struct wari_level *level, uint64_t *histogram)
{
    struct wari_stream *stream = level->stream;
    struct wari_stream_each each = {
        .count = wari_stream_list_all(level), .job = count_piece, .context = histogram};
    struct wari_stream_pass pass = {
        .want = want_planned, .jobs = slices_of, .job = count_full_slice, .context = histogram};

    stream->array = 0;
    wari_stream_each(level, &each);
    for (int turn = 0; turn <= level->layout.seeds; turn++) {
        stream->block = level->order[turn];
        if (level->tables->gather[WARI_PARENTS_FULL][stream->block][0].parents == 0)
            continue;
        wari_stream_look_far(level, turn);
        stream->plan.column = 0;
        while (!wari_level_stopped(level) && wari_stream_plan(level, stream->block)) {
            pass.steps = stream->plan.steps;
            wari_stream_run(level, &pass);
        }
    }
    for (int i = 0; i < level->team->threads; i++)
        wari_reader_release(level->team->worker[i].reader);
}

void wari_level_histogram(struct wari_level *level, uint64_t histogram[2 * WARI_SEEDS_MAX + 1])
{
    memset(histogram, 0, (2 * WARI_SEEDS_MAX + 1) * sizeof *histogram);
    if (level->stream) {
        stream_histogram(level, histogram);
        return;
    }
#pragma omp parallel num_threads(level->team->threads)
    {
        struct wari_worker *worker = &level->team->worker[omp_get_thread_num()];
        struct counts codes = {{{0}}}, values = {{{0}}};
        for (int block = 0; block <= level->layout.seeds; block++) {
            count_stored(level, block, &codes);
            count_full(level, worker, block, &values);
        }
        wari_reader_release(worker->reader);
#pragma omp critical
        add(level, &codes, &values, histogram);
    }
}

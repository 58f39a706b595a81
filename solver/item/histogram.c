/* Counts all placements of a level by value.
 *
 * Stored cells are counted as they stand. Positions whose opponent half is full cannot arise from a
 * move and are not stored, but published histograms count them: they get one look through their
 * moves, by the same passes that solve, with the full halves as parents.
 */
#include "solver/item/histogram.h"

#include <omp.h>
#include <string.h>

#include "solver/item/captures.h"
#include "solver/level/events.h"
#include "solver/level/item_order.h"
#include "solver/scratch/stream.h"

static void count_cells(const int8_t *cells, uint64_t count, uint64_t lanes[WARI_COUNT_LANES][256])
{
    uint64_t i = 0;

    for (; i + WARI_COUNT_LANES <= count; i += WARI_COUNT_LANES)
        for (int lane = 0; lane < WARI_COUNT_LANES; lane++)
            lanes[lane][(uint8_t)cells[i + (uint64_t)lane]]++;
    for (; i < count; i++)
        lanes[0][(uint8_t)cells[i]]++;
}

void wari_count_row(const struct wari_level *level, int block, uint32_t row,
                    struct wari_placements *counts)
{
    count_cells(level->cells + wari_level_place(level, block, row), level->layout.columns[block],
                counts->code);
}

void wari_count_full(const struct wari_level *level, struct wari_worker *worker,
                     const struct wari_item *item, wari_find_sources *find, void *context,
                     const int8_t *captures, struct wari_placements *counts)
{
    const uint32_t left = item->rows - item->first_strip * WARI_STRIP;
    const uint32_t rows = left < WARI_SEGMENT ? left : WARI_SEGMENT;
    int8_t best[WARI_SEGMENT];

    for (uint32_t column = 0; column < item->columns; column++) {
        struct wari_source sources[WARI_HALF_PITS];
        const int count = find(context, column, sources);
        for (int i = 0; i < count; i++)
            sources[i].ahead = NULL;
        if (captures)
            memcpy(best, captures + (size_t)column * rows, rows);
        else if (!wari_best_captures(level, worker, item, column,
                                     item->first_strip / WARI_SEGMENT_STRIPS, best))
            return;
        level->kernel->worst(sources, count, item->first_strip, item->strips, worker->tile,
                             WARI_STRIP);
        for (uint32_t i = 0; i < rows; i++) {
            const int quiet = -wari_cell_value(&level->codes, worker->tile[i]);
            if (quiet > best[i])
                best[i] = (int8_t)quiet;
        }
        count_cells(best, rows, counts->value);
    }
}

/* What wari_item_sources() needs. */
struct here {
    const struct wari_level *level;
    struct wari_worker *worker;
    const struct wari_item *item;
};

static int find_here(void *context, uint32_t column, struct wari_source sources[WARI_HALF_PITS])
{
    const struct here *here = context;

    return wari_item_sources(here->level, here->worker, here->item, column, NULL, sources);
}

/* An item, segment by segment. */
static void count_full_item(struct wari_level *level, struct wari_worker *worker,
                            const struct wari_item *whole, struct wari_placements *counts)
{
    const uint32_t end = whole->first_strip + whole->strips;
    /* in the tile, behind what one column takes of it */
    int8_t *captures = wari_full_halves_kept(level) ? worker->tile + WARI_SEGMENT : NULL;
    struct wari_item item = *whole;
    struct here here = {level, worker, &item};

    for (; item.first_strip < end && !wari_level_stopped(level);
         item.first_strip += WARI_SEGMENT_STRIPS) {
        const uint32_t left = end - item.first_strip;
        item.strips = left < WARI_SEGMENT_STRIPS ? left : WARI_SEGMENT_STRIPS;
        if (captures && !wari_full_halves_read(level, &item, captures))
            return;
        wari_count_full(level, worker, &item, find_here, &here, captures, counts);
    }
}

static uint64_t sum(const uint64_t lanes[WARI_COUNT_LANES][256], uint8_t at)
{
    uint64_t total = 0;

    for (int lane = 0; lane < WARI_COUNT_LANES; lane++)
        total += lanes[lane][at];
    return total;
}

void wari_count_add(const struct wari_level *level, const struct wari_placements *counts,
                    uint64_t histogram[2 * WARI_SEEDS_MAX + 1])
{
    const int n = level->layout.seeds;

    for (int code = 0; code < 256; code++) {
        const int value = level->codes.value[code];
        if (value >= -n && value <= n) /* whatever cells are: never beside the array */
            histogram[value + WARI_SEEDS_MAX] += sum(counts->code, (uint8_t)code);
    }
    for (int value = -n; value <= n; value++)
        histogram[value + WARI_SEEDS_MAX] += sum(counts->value, (uint8_t)(int8_t)value);
}

/* ---- Streamed levels ------------------------------------------------------------------------ */

static void add_counts(struct wari_level *level, const struct wari_placements *counts,
                       uint64_t *histogram)
{
    pthread_mutex_lock(&level->stream->lock);
    wari_count_add(level, counts, histogram);
    pthread_mutex_unlock(&level->stream->lock);
}

void wari_count_piece(struct wari_level *level, struct wari_worker *worker, void *histogram,
                      uint32_t piece)
{
    const struct wari_pieces *pieces = &level->stream->pieces;
    const int block = wari_piece_block(pieces, piece);
    const uint32_t first = wari_piece_row(pieces, block, piece);
    struct wari_placements counts = {0};

    (void)worker;
    for (uint32_t row = first; row < first + wari_piece_rows(pieces, block, piece); row++)
        count_cells(wari_pieces_row(pieces, block, row), level->layout.columns[block], counts.code);
    add_counts(level, &counts, histogram);
}

static void count_full_slice(struct wari_level *level, struct wari_worker *worker, void *histogram,
                             uint32_t step, uint32_t i)
{
    const struct wari_stream *stream = level->stream;
    const struct wari_slice *slice = &stream->plan.slice[stream->plan.first_slice[step] + i];
    const struct wari_item item =
        wari_full_item(level, slice->block, slice->first_column, slice->columns);
    struct wari_placements counts = {0};

    count_full_item(level, worker, &item, &counts);
    add_counts(level, &counts, histogram);
}

/* Full halves have 6 seeds or more. Nothing is written, so no window is needed, and all blocks that
 * have some take one turn together: each row of this level and of those below is used for all of
 * them at the same time. */
static void count_full(struct wari_level *level, uint64_t *histogram)
{
    struct wari_stream *stream = level->stream;
    struct wari_stream_pass pass = {.want = wari_stream_want_planned,
                                    .jobs = wari_stream_slices,
                                    .job = count_full_slice,
                                    .context = histogram};
    const struct wari_turn turn = {WARI_HALF_PITS, level->layout.seeds + 1 - WARI_HALF_PITS};
    const bool reads_below = !wari_full_halves_kept(level);

    if (turn.count < 1)
        return;
    for (int block = turn.first; block <= level->layout.seeds; block++)
        stream->plan.runs[block] = 1;
    if (reads_below)
        wari_stream_lend(level);
    wari_stream_begin_plan(level, turn);
    while (!wari_level_stopped(level) && wari_stream_plan(level)) {
        pass.steps = stream->plan.steps;
        wari_stream_run(level, &pass);
    }
    for (int i = 0; i < level->team->threads; i++)
        wari_reader_release(level->team->worker[i].reader);
    if (reads_below)
        wari_lower_return(level->lower);
}

/* `histogram`: zeros. From here on codes are only read, again and again: pieces have the memory
 * that nobody else needs, unless the levels below have to be read once more. */
static void stream_histogram(struct wari_level *level, uint64_t *histogram)
{
    struct wari_stream_each each = {.job = wari_count_piece, .context = histogram};

    if (wari_full_halves_kept(level))
        wari_stream_keep(level);
    if (level->counted) {
        memcpy(histogram, level->counts, sizeof level->counts);
        level->counted = false;
    } else {
        each.count = wari_stream_list_all(level);
        wari_stream_each(level, &each);
    }
    count_full(level, histogram);
}

void wari_level_histogram(struct wari_level *level, uint64_t histogram[2 * WARI_SEEDS_MAX + 1])
{
    struct wari_item_order order;

    memset(histogram, 0, (2 * WARI_SEEDS_MAX + 1) * sizeof *histogram);
    if (level->stream) {
        stream_histogram(level, histogram);
        wari_full_halves_check(level);
        wari_full_halves_close(level);
        return;
    }
    wari_forget_events(level);
    wari_item_order_make(&order, level, WARI_PARENTS_FULL);
#pragma omp parallel num_threads(level->team->threads)
    {
        struct wari_worker *worker = &level->team->worker[omp_get_thread_num()];
        struct wari_placements counts;
        memset(&counts, 0, sizeof counts);
        for (int block = 0; block <= level->layout.seeds; block++) {
#pragma omp for schedule(static) nowait
            for (uint32_t row = 0; row < level->layout.rows[block]; row++)
                if (!wari_level_stopped(level))
                    wari_count_row(level, block, row, &counts);
        }
#pragma omp for schedule(dynamic) nowait
        for (uint64_t i = 0; i < order.items; i++) {
            const struct wari_item item = wari_item_in_order(&order, level, i);
            count_full_item(level, worker, &item, &counts);
        }
        wari_reader_release(worker->reader);
#pragma omp critical
        wari_count_add(level, &counts, histogram);
    }
    wari_full_halves_check(level);
    wari_full_halves_close(level);
}

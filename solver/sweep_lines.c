/* Sweeping all cells of an item: for each column the smallest children of all strips, by streaming
 * along child rows into the worker's tile; then strip by strip the tile is turned round and merged
 * into the block. The tile stays in the L2 cache. */
#include "solver/events.h"
#include "solver/stream.h"
#include "solver/sweep.h"

int8_t wari_answer(const struct wari_level *level, struct wari_worker *worker, int block,
                   uint32_t row, uint32_t column, int8_t worst, int8_t code)
{
    int best;

    if (!wari_best_capture_at(level, worker, block, row, column, &best))
        return code;
    return wari_cell_asked(&level->codes, worst,
                           best == WARI_NO_CAPTURE ? level->codes.none : best);
}

/* A column's quiet moves. */
struct sources {
    int count;
    struct wari_source source[WARI_HALF_PITS];
};

static void find_sources(const struct wari_level *level, const struct wari_item *item,
                         uint32_t column, struct sources *sources)
{
    const int8_t *own = !level->stream && wari_holds_own_children(&level->layout, item->block)
                            ? level->scratch
                            : NULL;

    sources->count =
        column == item->columns ? 0 : wari_item_sources(level, item, column, own, sources->source);
}

/* The next column's rows are fetched while this one's are computed. */
static void look_ahead(struct sources *now, const struct sources *next)
{
    for (int i = 0; i < now->count; i++)
        now->source[i].ahead = i < next->count ? &next->source[i] : NULL;
}

static void compute_item(const struct wari_level *level, struct wari_worker *worker,
                         const struct wari_item *item, struct wari_tally *tally)
{
    struct sources sources[2];

    find_sources(level, item, 0, &sources[0]);
    for (uint32_t column = 0; column < item->columns; column++) {
        struct sources *now = &sources[column % 2], *next = &sources[(column + 1) % 2];
        find_sources(level, item, column + 1, next);
        look_ahead(now, next);
        tally->bytes +=
            level->kernel->worst(now->source, now->count, item->first_strip, item->strips,
                                 worker->tile + column * WARI_STRIP, WARI_PATCH);
    }
}

static void answer_asks(struct wari_level *level, struct wari_worker *worker,
                        const struct wari_item *item, uint32_t strip,
                        const struct wari_patch *patch)
{
    struct wari_merged *merged = &worker->merged;

    for (int i = 0; i < merged->asks; i++) {
        const struct wari_ask *ask = &merged->ask[i];
        int8_t *cell = patch->cells + ask->row * patch->pitch + ask->column;
        const int8_t code = wari_answer(level, worker, item->block, strip * WARI_STRIP + ask->row,
                                        item->first_column + ask->column, ask->worst, *cell);
        if (code == *cell)
            continue;
        if (!(merged->rows >> ask->row & 1))
            merged->differ[ask->row] = 0;
        merged->rows |= UINT64_C(1) << ask->row;
        merged->differ[ask->row] |= UINT64_C(1) << ask->column;
        merged->changed++;
        *cell = code;
    }
}

/* Leaves events for the cells that a merge has changed. What they were before is forgotten. */
static void tell(struct wari_level *level, struct wari_worker *worker, const struct wari_item *item,
                 uint32_t strip, const struct wari_patch *patch)
{
    for (uint64_t rows = worker->merged.rows; rows != 0; rows &= rows - 1) {
        const uint32_t place = (uint32_t)__builtin_ctzll(rows);
        const uint32_t row = strip * WARI_STRIP + place;
        for (uint64_t left = worker->merged.differ[place]; left != 0; left &= left - 1) {
            const uint32_t column = (uint32_t)__builtin_ctzll(left);
            wari_tell_parents(level, worker, item->block, row, item->first_column + column,
                              patch->cells[place * patch->pitch + column], WARI_CODE_UNKNOWN, true);
        }
    }
}

static void merge_strip(struct wari_level *level, struct wari_worker *worker,
                        const struct wari_item *item, uint32_t strip,
                        const struct wari_sweep *sweep, struct wari_tally *tally)
{
    const int block = item->block;
    const struct wari_patch patch = {
        .codes = &level->codes,
        .worst = worker->tile + (size_t)(strip - item->first_strip) * WARI_PATCH,
        .cells = wari_swept_row(level, block, strip * WARI_STRIP) + item->first_column,
        .floor = wari_code_row(level, block, strip * WARI_STRIP) + item->first_column,
        .pitch = level->pitch[block],
        .rows = (int)wari_strip_rows(item, strip),
        .width = (int)item->columns,
        .surplus = level->layout.seeds - 2 * block,
    };
    struct wari_merged *merged = &worker->merged;

    if (sweep->kind == WARI_GROW)
        level->kernel->grow(&patch, merged);
    else
        level->kernel->shrink(&patch, merged);
    answer_asks(level, worker, item, strip, &patch);
    if (sweep->keep_events)
        tell(level, worker, item, strip, &patch);
    if (level->stream && merged->rows != 0)
        wari_stream_changed(level->stream, strip);
    tally->changed += merged->changed;
    tally->cells += (uint64_t)patch.rows * item->columns;
    tally->bytes += ((uint64_t)patch.rows * (sweep->kind == WARI_GROW ? 1 : 2) +
                     (uint64_t)__builtin_popcountll(merged->rows)) *
                    item->columns;
}

void wari_sweep_lines(struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, const struct wari_sweep *sweep,
                      struct wari_tally *tally)
{
    if (!level->stream || !wari_stream_fed(level, worker, item))
        compute_item(level, worker, item, tally);
    for (uint32_t i = 0; i < item->strips; i++)
        merge_strip(level, worker, item, item->first_strip + i, sweep, tally);
}

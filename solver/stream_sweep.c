/* Passes over a streamed level that compute every cell: the captures, and dense sweeps. A block is
 * read into the window, its children go by, and what changed is written back. Blocks that hold
 * children of their own read these as they were before: pieces change only when the window is
 * stored. */
#include <string.h>

#include "solver/checkpoint.h"
#include "solver/stream_late.h"

enum { ITEM_STRIPS = 64 }; /* of an item at most: long stretches, but some items a step */

/* The block that has its turn. */
struct turn {
    const struct wari_sweep *sweep; /* NULL: captures */
    bool planned;                   /* steps are those of the plan, not the whole block */
};

/* ---- Items ---------------------------------------------------------------------------------- */

static uint32_t first_strip(const struct wari_stream *stream)
{
    return stream->first_row / WARI_STRIP;
}

static uint32_t runs_of(const struct wari_stream *stream)
{
    const uint32_t strips = (stream->rows + WARI_STRIP - 1) / WARI_STRIP;

    return (strips + ITEM_STRIPS - 1) / ITEM_STRIPS;
}

static uint32_t slices_of(const struct wari_level *level, const struct turn *turn, uint32_t step)
{
    const struct wari_stream_plan *plan = &level->stream->plan;

    if (turn->planned)
        return plan->first_slice[step + 1] - plan->first_slice[step];
    return (level->layout.columns[level->stream->block] + WARI_GROUP - 1) / WARI_GROUP;
}

static uint32_t jobs_of(const struct wari_level *level, void *context, uint32_t step)
{
    return slices_of(level, context, step) * runs_of(level->stream);
}

static struct wari_item item_of(const struct wari_level *level, const struct turn *turn,
                                uint32_t step, uint32_t i)
{
    const struct wari_stream *stream = level->stream;
    const uint32_t runs = runs_of(stream), columns = level->layout.columns[stream->block];
    const uint32_t end = (stream->first_row + stream->rows + WARI_STRIP - 1) / WARI_STRIP;
    struct wari_slice slice = {i / runs * WARI_GROUP, WARI_GROUP};
    struct wari_item item = {.parents = WARI_PARENTS_ROWS,
                             .block = stream->block,
                             .first_strip = first_strip(stream) + i % runs * ITEM_STRIPS,
                             .strips = ITEM_STRIPS,
                             .rows = level->layout.rows[stream->block]};

    if (turn->planned)
        slice = stream->plan.slice[stream->plan.first_slice[step] + i / runs];
    else if (slice.columns > columns - slice.first_column)
        slice.columns = columns - slice.first_column;
    item.first_column = slice.first_column;
    item.columns = slice.columns;
    if (item.strips > end - item.first_strip)
        item.strips = end - item.first_strip;
    return item;
}

static void compute_job(struct wari_level *level, struct wari_worker *worker, void *context,
                        uint32_t step, uint32_t i)
{
    const struct turn *turn = context;
    const struct wari_item item = item_of(level, turn, step, i);

    if (turn->sweep)
        wari_sweep_lines(level, worker, &item, turn->sweep, &worker->tally);
    else
        wari_captures_of_item(level, worker, &item);
}

static bool want_planned(struct wari_level *level, void *context, uint32_t step)
{
    (void)context;
    return wari_stream_want_planned(level, step);
}

/* ---- Captures ------------------------------------------------------------------------------- */

static void release_readers(struct wari_level *level)
{
    for (int i = 0; i < level->team->threads; i++)
        wari_reader_release(level->team->worker[i].reader);
}

void wari_stream_captures(struct wari_level *level)
{
    struct wari_stream *stream = level->stream;
    struct turn turn = {NULL, false};
    const struct wari_stream_pass pass = {
        .steps = 1, .jobs = jobs_of, .job = compute_job, .context = &turn};

    stream->array = 0;
    for (int block = 0; block < stream->shape.fed; block++)
        wari_stream_forget_fed(level, block);
    for (int i = 0; i <= level->layout.seeds; i++) {
        wari_stream_look_far(level, i);
        for (uint32_t row = 0; row < level->layout.rows[i] && !wari_level_stopped(level);
             row += stream->rows) {
            wari_stream_open_window(level, i, row);
            wari_stream_run(level, &pass);
            wari_stream_feed(level);
            wari_stream_store_window(level, true);
        }
    }
    release_readers(level);
}

/* ---- Dense sweeps --------------------------------------------------------------------------- */

static void sweep_window(struct wari_level *level, const struct wari_sweep *sweep)
{
    struct wari_stream *stream = level->stream;
    const bool fed = stream->block < stream->shape.fed && stream->complete[stream->block];
    struct turn turn = {sweep, !fed};
    struct wari_stream_pass pass = {.steps = 1,
                                    .want = fed ? NULL : want_planned,
                                    .jobs = jobs_of,
                                    .job = compute_job,
                                    .context = &turn};

    wari_stream_load_window(level);
    stream->plan.column = 0;
    if (fed)
        wari_stream_run(level, &pass);
    while (!fed && !wari_level_stopped(level) && wari_stream_plan(level, stream->block)) {
        pass.steps = stream->plan.steps;
        wari_stream_run(level, &pass);
    }
}

static void sweep_blocks(struct wari_level *level, const struct wari_sweep *sweep)
{
    struct wari_stream *stream = level->stream;

    for (int turn = 0; turn <= level->layout.seeds; turn++) {
        const int block = level->order[turn];
        wari_stream_look_far(level, turn);
        for (uint32_t row = 0; row < level->layout.rows[block] && !wari_level_stopped(level);
             row += stream->rows) {
            wari_stream_open_window(level, block, row);
            sweep_window(level, sweep);
            if (block < stream->shape.fed)
                wari_stream_forget_fed(level, block);
            wari_stream_feed(level);
            wari_stream_store_window(level, false);
        }
        wari_checkpoint_if_due(level, sweep->kind);
    }
}

/* Room for records: late sweeps have no use for window and fed blocks. */
static void give_pages(struct wari_level *level, bool late)
{
    const struct wari_stream_shape *shape = &level->stream->shape;
    uint64_t bytes = shape->pages;

    if (late)
        bytes += shape->window * (uint64_t)level->stream->pieces.arrays + shape->fed_bytes;
    bytes /= sizeof(struct wari_page);
    level->page_count = bytes < WARI_LATE_PAGES_MAX ? (uint32_t)bytes : WARI_LATE_PAGES_MAX;
}

struct wari_tally wari_stream_sweep(struct wari_level *level, const struct wari_sweep *sweep)
{
    struct wari_stream *stream = level->stream;
    struct wari_tally sum = {0};

    stream->array = sweep->kind == WARI_SHRINK;
    give_pages(level, sweep->cells_only);
    if (sweep->cells_only || sweep->kind != stream->fed_kind)
        memset(stream->complete, 0, sizeof stream->complete);
    stream->fed_kind = sweep->kind;
    if (sweep->cells_only)
        return wari_stream_round(level, sweep->kind);
    for (int i = 0; i < level->team->threads; i++)
        level->team->worker[i].tally = sum;
    sweep_blocks(level, sweep);
    for (int i = 0; i < level->team->threads; i++) {
        const struct wari_tally *tally = &level->team->worker[i].tally;
        sum.changed += tally->changed;
        sum.cells += tally->cells;
        sum.bytes += tally->bytes;
    }
    return sum;
}

/* Dense sweeps of a streamed level. The blocks of a turn are read into the window, their children
 * go by, and what changed is written back. Blocks that hold children of the turn read these as they
 * were before: pieces change only when the window is stored. */
#include <string.h>

#include "solver/checkpoint.h"
#include "solver/stream_late.h"

enum { ITEM_STRIPS = 64 }; /* of an item at most: long stretches, but some items a step */

/* ---- Items ---------------------------------------------------------------------------------- */

static struct wari_item item_of(const struct wari_level *level, uint32_t step, uint32_t i)
{
    const struct wari_stream *stream = level->stream;
    const struct wari_slice *slice = &stream->plan.slice[stream->plan.first_slice[step] + i];
    const uint32_t rows = stream->held[slice->block];
    const uint32_t end = (stream->first_row + rows + WARI_STRIP - 1) / WARI_STRIP;
    struct wari_item item = {.parents = WARI_PARENTS_ROWS,
                             .block = slice->block,
                             .first_column = slice->first_column,
                             .columns = slice->columns,
                             .first_strip =
                                 stream->first_row / WARI_STRIP + slice->run * ITEM_STRIPS,
                             .strips = ITEM_STRIPS,
                             .rows = level->layout.rows[slice->block]};

    if (item.strips > end - item.first_strip)
        item.strips = end - item.first_strip;
    return item;
}

static void compute_item(struct wari_level *level, struct wari_worker *worker, void *sweep,
                         uint32_t step, uint32_t i)
{
    const struct wari_item item = item_of(level, step, i);

    wari_sweep_lines(level, worker, &item, sweep, &worker->tally);
}

/* Computes what is in the window. */
static void compute_window(struct wari_level *level, const struct wari_sweep *sweep)
{
    struct wari_stream *stream = level->stream;
    struct wari_sweep copy = *sweep;
    struct wari_stream_pass pass = {.want = wari_stream_want_planned,
                                    .jobs = wari_stream_slices,
                                    .job = compute_item,
                                    .context = &copy};

    for (int block = stream->now.first; block < stream->now.first + stream->now.count; block++) {
        const uint32_t strips = (stream->held[block] + WARI_STRIP - 1) / WARI_STRIP;
        stream->plan.runs[block] = (strips + ITEM_STRIPS - 1) / ITEM_STRIPS;
    }
    wari_stream_begin_plan(level, stream->now);
    while (!wari_level_stopped(level) && wari_stream_plan(level)) {
        pass.steps = stream->plan.steps;
        wari_stream_run(level, &pass);
    }
}

/* ---- A sweep -------------------------------------------------------------------------------- */

static void sweep_turns(struct wari_level *level, const struct wari_sweep *sweep)
{
    struct wari_stream *stream = level->stream;

    for (int turn = 0; turn < stream->turns; turn++) {
        const struct wari_turn now = stream->turn[turn];
        wari_stream_look_far(level, turn);
        for (uint32_t row = 0; row < level->layout.rows[now.first] && !wari_level_stopped(level);
             row += stream->rows) {
            wari_stream_open_window(level, now, row);
            wari_stream_load_window(level);
            compute_window(level, sweep);
            wari_stream_store_changes(level);
        }
        wari_checkpoint_if_due(level);
    }
}

/* Room for records: late sweeps have no use for the window. */
static void give_pages(struct wari_level *level, bool late)
{
    const struct wari_stream_shape *shape = &level->stream->shape;
    uint64_t bytes = shape->pages;

    if (late)
        bytes += shape->window;
    bytes /= sizeof(struct wari_page);
    level->page_count = bytes < WARI_LATE_PAGES_MAX ? (uint32_t)bytes : WARI_LATE_PAGES_MAX;
}

struct wari_tally wari_stream_sweep(struct wari_level *level, const struct wari_sweep *sweep)
{
    struct wari_tally sum = {0};

    give_pages(level, sweep->cells_only);
    if (sweep->cells_only)
        return wari_stream_round(level);
    for (int i = 0; i < level->team->threads; i++)
        level->team->worker[i].tally = sum;
    sweep_turns(level, sweep);
    for (int i = 0; i < level->team->threads; i++) {
        const struct wari_tally *tally = &level->team->worker[i].tally;
        sum.changed += tally->changed;
        sum.cells += tally->cells;
        sum.bytes += tally->bytes;
    }
    return sum;
}

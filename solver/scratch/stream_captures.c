/* The captures of a streamed level.
 *
 * Levels below are read once or a little more, however small their cache, only if the columns of
 * all blocks go by together (item_order.h); block by block it would be ten to thirty times. So
 * the first codes are made in that order, which is no order of rows. They are written in
 * **stripes**: of each block some columns, all rows, cut into **units** that fit into a frame:
 *
 *     stripe 0: unit 0 | unit 1 | ... | stripe 1: unit 0 | ...      a unit: [row][column]
 *
 * Then each turn's blocks are put together in the window, from their stripes, and stored as pieces.
 * That is one more writing and reading of the level, in place of some ten decodings of all levels
 * below. Stripes are pieces of their own (their "rows" are units), behind the codes in the scratch
 * file. Frames are theirs or the level's in turns.
 */
#include <string.h>

#include "solver/bits/lists.h"
#include "solver/item/capture_pass.h"
#include "solver/scratch/stream.h"

/* ---- How blocks are cut ---------------------------------------------------------------------- */

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

struct wari_stripes wari_stream_stripes(const struct wari_layout *layout, int block,
                                        size_t frame_bytes)
{
    const uint32_t rows = layout->rows[block], columns = layout->columns[block];
    /* a strip has to fit */
    const uint32_t step =
        frame_bytes - WARI_PIECE_PADDING < WARI_PATCH ? WARI_GROUP / 2 : WARI_GROUP;
    const uint32_t width = least_of(columns, step);
    const uint64_t room = (frame_bytes - WARI_PIECE_PADDING) / width;
    /* whole segments if possible: captures are looked up by these */
    const uint64_t most = room / WARI_SEGMENT * WARI_SEGMENT;
    struct wari_stripes stripes = {
        .step = step, .width = width, .groups = (columns + step - 1) / step, .run = rows};

    if (rows > room)
        stripes.run = (uint32_t)(most > 0 ? most : room / WARI_STRIP * WARI_STRIP);
    stripes.runs = (rows + stripes.run - 1) / stripes.run;
    return stripes;
}

void wari_stream_lay_out_stripes(struct wari_pieces *stripes, const struct wari_layout *layout,
                                 size_t frame_bytes)
{
    struct wari_layout units = {.seeds = layout->seeds};
    uint32_t pitch[WARI_SEEDS_MAX + 1];

    for (int block = 0; block <= layout->seeds; block++) {
        const struct wari_stripes cut = wari_stream_stripes(layout, block, frame_bytes);
        units.rows[block] = cut.groups * cut.runs;
        pitch[block] = cut.run * cut.width;
    }
    wari_pieces_lay_out(stripes, &units, pitch, frame_bytes);
}

/* ---- Making stripes -------------------------------------------------------------------------- */

/* Frames change hands. */
static void swap_pieces(struct wari_level *level)
{
    struct wari_stream *stream = level->stream;
    struct wari_pieces pieces;

    wari_stream_flush(level);
    memcpy(&pieces, &stream->pieces, sizeof pieces);
    memcpy(&stream->pieces, &stream->stripes, sizeof pieces);
    memcpy(&stream->stripes, &pieces, sizeof pieces);
}

static struct wari_stripes cut_of(const struct wari_level *level, int block)
{
    return wari_stream_stripes(&level->layout, block, level->stream->shape.frame_bytes);
}

static uint32_t unit_of(const struct wari_stripes *cut, const struct wari_slice *slice)
{
    return slice->first_column / cut->step * cut->runs + slice->run;
}

/* Plans as many units as there is room for. */
static bool plan_units(struct wari_level *level)
{
    struct wari_stream *stream = level->stream;
    struct wari_stream_plan *plan = &stream->plan;
    int block;

    wari_stream_begin_steps(plan);
    while (plan->slices < stream->shape.entries && plan->needs < stream->shape.entries &&
           (block = wari_stream_next_block(plan)) >= 0) {
        const struct wari_stripes cut = cut_of(level, block);
        const uint32_t column = plan->column[block];
        const uint32_t columns = least_of(cut.step, level->layout.columns[block] - column);
        const struct wari_slice slice = {.first_column = column,
                                         .columns = (uint8_t)columns,
                                         .block = (uint8_t)block,
                                         .run = (uint16_t)plan->run};
        const uint32_t piece = wari_piece_of(&stream->pieces, block, unit_of(&cut, &slice));
        if (plan->seen[piece] != plan->stamp) {
            if (plan->needs - plan->first_need[plan->steps] == wari_stream_cap(stream))
                wari_stream_end_step(plan);
            plan->seen[piece] = plan->stamp;
            plan->need[plan->needs++] = piece;
        }
        plan->slice[plan->slices++] = slice;
        if (++plan->run == cut.runs) {
            plan->run = 0;
            wari_stream_go_by(level, block, columns);
        }
    }
    wari_stream_end_step(plan);
    wari_stream_look_ahead(stream);
    return plan->steps > 0;
}

/* Pieces that some unit has been written to are read if they are no longer there. */
static bool want_units(struct wari_level *level, void *context, uint32_t step)
{
    struct wari_stream *stream = level->stream;
    const struct wari_stream_plan *plan = &stream->plan;
    const uint32_t first = plan->first_need[step], end = plan->first_need[step + 1];

    (void)context;
    for (uint32_t i = first; i < end; i++)
        wari_pieces_keep(&stream->pieces, plan->need[i], stream->step);
    for (uint32_t i = first; i < end; i++) {
        const uint32_t piece = plan->need[i];
        const bool begun =
            atomic_exchange_explicit(&stream->touched[piece], 1, memory_order_relaxed) != 0;
        if (!wari_stream_want(stream, &piece, 1, begun))
            return false;
        if (plan->next[i] != WARI_NO_PIECE)
            wari_piece_frame(&stream->pieces, piece)->next = plan->next[i];
    }
    return true;
}

/* Puts a segment's codes, tile[strip][column][WARI_STRIP], into a unit that begins at `unit`. */
static void write_codes(const struct wari_level *level, const struct wari_item *item,
                        uint32_t segment, uint32_t width, const int8_t *tile, int8_t *unit)
{
    const uint32_t end = item->first_strip + item->strips;
    const uint32_t first = segment * WARI_SEGMENT_STRIPS;
    uint32_t strip = first > item->first_strip ? first : item->first_strip;
    int8_t turned[WARI_PATCH];

    for (; strip < first + WARI_SEGMENT_STRIPS && strip < end; strip++) {
        int8_t *to = unit + (size_t)(strip - item->first_strip) * WARI_STRIP * width;
        level->kernel->transpose(tile + (size_t)(strip - first) * WARI_PATCH, turned);
        for (uint32_t row = 0; row < wari_strip_rows(item, strip); row++)
            wari_copy_group(to + (size_t)row * width, turned + (size_t)row * WARI_GROUP,
                            item->columns);
    }
}

static void make_unit(struct wari_level *level, struct wari_worker *worker, void *context,
                      uint32_t step, uint32_t i)
{
    struct wari_stream *stream = level->stream;
    const struct wari_slice *slice = &stream->plan.slice[stream->plan.first_slice[step] + i];
    const int block = slice->block;
    const struct wari_stripes cut = cut_of(level, block);
    const uint32_t first_row = slice->run * cut.run, unit = unit_of(&cut, slice);
    const uint32_t rows = least_of(cut.run, level->layout.rows[block] - first_row);
    const struct wari_item item = {.parents = WARI_PARENTS_ROWS,
                                   .block = block,
                                   .first_column = slice->first_column,
                                   .columns = slice->columns,
                                   .first_strip = first_row / WARI_STRIP,
                                   .strips = (rows + WARI_STRIP - 1) / WARI_STRIP,
                                   .rows = level->layout.rows[block]};
    const uint32_t end = item.first_strip + item.strips;
    int8_t *to = wari_pieces_row(&stream->pieces, block, unit);

    (void)context;
    for (uint32_t segment = item.first_strip / WARI_SEGMENT_STRIPS;
         segment * WARI_SEGMENT_STRIPS < end && !wari_level_stopped(level); segment++) {
        if (!wari_first_codes(level, worker, &item, segment, worker->tile))
            return;
        write_codes(level, &item, segment, cut.width, worker->tile, to);
    }
    wari_pieces_written(&stream->pieces, wari_piece_of(&stream->pieces, block, unit));
    wari_full_halves_write(level, worker, &item);
}

static void make_stripes(struct wari_level *level)
{
    struct wari_stream *stream = level->stream;
    struct wari_stream_pass pass = {
        .want = want_units, .jobs = wari_stream_slices, .job = make_unit};
    const struct wari_turn all = {0, level->layout.seeds + 1};

    for (int block = 0; block <= level->layout.seeds; block++)
        stream->far[block] = 1;
    for (uint32_t piece = 0; piece < stream->pieces.count; piece++)
        atomic_store_explicit(&stream->touched[piece], 0, memory_order_relaxed);
    wari_stream_lend(level);
    wari_full_halves_begin(level);
    wari_stream_begin_plan(level, all);
    while (!wari_level_stopped(level) && plan_units(level)) {
        pass.steps = stream->plan.steps;
        wari_stream_run(level, &pass);
    }
    for (int i = 0; i < level->team->threads; i++)
        wari_reader_release(level->team->worker[i].reader);
    wari_lower_return(level->lower);
    wari_full_halves_written(level);
}

/* ---- From stripes to rows -------------------------------------------------------------------- */

/* The rows of a unit that are in the window: from .. to - 1. */
struct shared {
    uint32_t first_row; /* of the unit */
    uint32_t from, to;
};

static struct shared shared_of(const struct wari_level *level, const struct wari_stripes *cut,
                               int block, uint32_t unit)
{
    const struct wari_stream *stream = level->stream;
    const uint32_t first = unit % cut->runs * cut->run;
    const uint32_t end = least_of(first + cut->run, level->layout.rows[block]);
    const uint32_t window_end = stream->first_row + stream->held[block];

    return (struct shared){first, first > stream->first_row ? first : stream->first_row,
                           least_of(end, window_end)};
}

static void copy_units(struct wari_level *level, struct wari_worker *worker, void *context,
                       uint32_t piece)
{
    const struct wari_stream *stream = level->stream;
    const int block = wari_piece_block(&stream->pieces, piece);
    const struct wari_stripes cut = cut_of(level, block);
    const uint32_t first = wari_piece_row(&stream->pieces, block, piece);
    const uint32_t end = first + wari_piece_rows(&stream->pieces, block, piece);

    (void)worker, (void)context;
    for (uint32_t unit = first; unit < end; unit++) {
        const struct shared shared = shared_of(level, &cut, block, unit);
        const uint32_t column = unit / cut.runs * cut.step;
        const uint32_t columns = least_of(cut.step, level->layout.columns[block] - column);
        const int8_t *from = wari_pieces_row(&stream->pieces, block, unit);
        for (uint32_t row = shared.from; row < shared.to; row++)
            wari_copy_group(level->stream->window + stream->place[block] +
                                (size_t)(row - stream->first_row) * level->pitch[block] + column,
                            from + (size_t)(row - shared.first_row) * cut.width, columns);
    }
}

/* Pieces of which some row is in the window. */
static uint32_t list_units(struct wari_level *level)
{
    struct wari_stream *stream = level->stream;
    const struct wari_pieces *pieces = &stream->pieces;
    uint32_t count = 0;

    for (int block = stream->now.first; block < stream->now.first + stream->now.count; block++) {
        const struct wari_stripes cut = cut_of(level, block);
        for (uint32_t piece = pieces->first[block]; piece < pieces->first[block + 1]; piece++) {
            const uint32_t first = wari_piece_row(pieces, block, piece);
            const uint32_t end = first + wari_piece_rows(pieces, block, piece);
            bool any = false;
            for (uint32_t unit = first; unit < end && !any; unit++) {
                const struct shared shared = shared_of(level, &cut, block, unit);
                any = shared.from < shared.to;
            }
            if (any)
                stream->list[count++] = piece;
        }
    }
    return count;
}

static void fill_window(struct wari_level *level)
{
    struct wari_stream_each each = {.count = list_units(level), .job = copy_units};

    wari_stream_each(level, &each);
}

/* Where values will grow by bits, the lists that this begins with are made on the way. */
static void make_rows(struct wari_level *level)
{
    struct wari_stream *stream = level->stream;

    for (int turn = 0; turn < stream->turns; turn++) {
        const struct wari_turn now = stream->turn[turn];
        for (uint32_t row = 0; row < level->layout.rows[now.first] && !wari_level_stopped(level);
             row += stream->rows) {
            wari_stream_open_window(level, now, row);
            swap_pieces(level);
            fill_window(level);
            swap_pieces(level);
            wari_stream_look_far(level, turn);
            wari_stream_store_window(level, stream->bits ? wari_lists_add : NULL);
        }
    }
}

void wari_stream_captures(struct wari_level *level)
{
    struct wari_stream *stream = level->stream;
    struct wari_error error;

    swap_pieces(level);
    make_stripes(level);
    swap_pieces(level);
    if (stream->shape.by_bits && wari_bits_create(level, level->layout.seeds, &error) != WARI_OK)
        wari_team_fail(level->team, &error);
    make_rows(level);
    if (stream->bits)
        wari_lists_end(stream->bits);
}

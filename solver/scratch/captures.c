/* The captures of a level in a scratch file.
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
#include "solver/scratch/captures.h"

#include <string.h>

#include "solver/item/first_codes.h"
#include "solver/item/full_captures.h"
#include "solver/item/histogram.h"
#include "solver/scratch/open.h"
#include "solver/scratch/passes.h"
#include "solver/scratch/steps.h"

/* ---- How blocks are cut ---------------------------------------------------------------------- */

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- Making stripes -------------------------------------------------------------------------- */

/* Frames change hands. */
static void swap_pieces(struct wari_level *level)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    struct wari_pieces pieces;

    wari_scratch_flush(level);
    memcpy(&pieces, &scratch->pieces, sizeof pieces);
    memcpy(&scratch->pieces, &scratch->stripes, sizeof pieces);
    memcpy(&scratch->stripes, &pieces, sizeof pieces);
}

static struct wari_stripes cut_of(const struct wari_level *level, int block)
{
    return wari_scratch_stripes(&level->layout, block, wari_scratch_of(level)->shape.frame_bytes);
}

static uint32_t unit_of(const struct wari_stripes *cut, const struct wari_slice *slice)
{
    return slice->first_column / cut->step * cut->runs + slice->run;
}

/* Plans as many units as there is room for. */
static bool plan_units(struct wari_level *level)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    struct wari_scratch_plan *plan = &scratch->plan;
    int block;

    wari_scratch_begin_steps(plan);
    while (plan->slices < scratch->shape.entries && plan->needs < scratch->shape.entries &&
           (block = wari_scratch_next_block(plan)) >= 0) {
        const struct wari_stripes cut = cut_of(level, block);
        const uint32_t column = plan->column[block];
        const uint32_t columns = least_of(cut.step, level->layout.columns[block] - column);
        const struct wari_slice slice = {.first_column = column,
                                         .columns = (uint8_t)columns,
                                         .block = (uint8_t)block,
                                         .run = (uint16_t)plan->run};
        const uint32_t piece = wari_piece_of(&scratch->pieces, block, unit_of(&cut, &slice));
        if (plan->seen[piece] != plan->stamp) {
            if (plan->needs - plan->first_need[plan->steps] ==
                wari_scratch_cap(scratch->pieces.frames.count))
                wari_scratch_end_step(plan);
            plan->seen[piece] = plan->stamp;
            plan->need[plan->needs++] = piece;
        }
        plan->slice[plan->slices++] = slice;
        if (++plan->run == cut.runs) {
            plan->run = 0;
            wari_scratch_go_by(level, block, columns);
        }
    }
    wari_scratch_end_step(plan);
    wari_scratch_look_ahead(scratch);
    return plan->steps > 0;
}

/* Pieces that some unit has been written to are read if they are no longer there. */
static bool want_units(struct wari_level *level, void *context, uint32_t step)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_scratch_plan *plan = &scratch->plan;
    const uint32_t first = plan->first_need[step], end = plan->first_need[step + 1];

    (void)context;
    for (uint32_t i = first; i < end; i++)
        wari_pieces_keep(&scratch->pieces, plan->need[i], scratch->step);
    for (uint32_t i = first; i < end; i++) {
        const uint32_t piece = plan->need[i];
        const bool begun =
            atomic_exchange_explicit(&scratch->touched[piece], 1, memory_order_relaxed) != 0;
        if (!wari_scratch_want(scratch, &piece, 1, begun))
            return false;
        if (plan->next[i] != WARI_NO_PIECE)
            wari_piece_frame(&scratch->pieces, piece)->next = plan->next[i];
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
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_slice *slice = &scratch->plan.slice[scratch->plan.first_slice[step] + i];
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
    int8_t *to = wari_pieces_row(&scratch->pieces, block, unit);

    (void)context;
    for (uint32_t segment = item.first_strip / WARI_SEGMENT_STRIPS;
         segment * WARI_SEGMENT_STRIPS < end && !wari_level_stopped(level); segment++) {
        if (!wari_first_codes(level, worker, &item, segment, worker->tile))
            return;
        write_codes(level, &item, segment, cut.width, worker->tile, to);
    }
    wari_pieces_written(&scratch->pieces, wari_piece_of(&scratch->pieces, block, unit));
    wari_full_captures_write(level, worker, &item);
}

static void make_stripes(struct wari_level *level)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    struct wari_scratch_pass pass = {
        .want = want_units, .jobs = wari_scratch_slices, .job = make_unit};
    const struct wari_turn all = {0, level->layout.seeds + 1};

    for (int block = 0; block <= level->layout.seeds; block++)
        scratch->turns.far[block] = 1;
    for (uint32_t piece = 0; piece < scratch->pieces.cut.count; piece++)
        atomic_store_explicit(&scratch->touched[piece], 0, memory_order_relaxed);
    wari_scratch_lend(level);
    wari_full_captures_begin(level);
    wari_scratch_begin_plan(level, all);
    while (!wari_level_stopped(level) && plan_units(level)) {
        pass.steps = scratch->plan.steps;
        wari_scratch_run(level, &pass);
    }
    wari_level_release_readers(level);
    wari_lower_return(level->lower);
    wari_full_captures_written(level);
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
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const uint32_t first = unit % cut->runs * cut->run;
    const uint32_t end = least_of(first + cut->run, level->layout.rows[block]);
    const uint32_t window_end = scratch->window.first_row + scratch->window.held[block];

    return (struct shared){first,
                           first > scratch->window.first_row ? first : scratch->window.first_row,
                           least_of(end, window_end)};
}

static void copy_units(struct wari_level *level, struct wari_worker *worker, void *context,
                       uint32_t piece)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const int block = wari_piece_block(&scratch->pieces, piece);
    const struct wari_stripes cut = cut_of(level, block);
    const uint32_t first = wari_piece_row(&scratch->pieces, block, piece);
    const uint32_t end = first + wari_piece_rows(&scratch->pieces, block, piece);

    (void)worker, (void)context;
    for (uint32_t unit = first; unit < end; unit++) {
        const struct shared shared = shared_of(level, &cut, block, unit);
        const uint32_t column = unit / cut.runs * cut.step;
        const uint32_t columns = least_of(cut.step, level->layout.columns[block] - column);
        const int8_t *from = wari_pieces_row(&scratch->pieces, block, unit);
        for (uint32_t row = shared.from; row < shared.to; row++)
            wari_copy_group(
                wari_scratch_of(level)->window.memory + scratch->window.place[block] +
                    (size_t)(row - scratch->window.first_row) * level->held.pitch[block] + column,
                from + (size_t)(row - shared.first_row) * cut.width, columns);
    }
}

/* Pieces of which some row is in the window. */
static uint32_t list_units(struct wari_level *level)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_pieces *pieces = &scratch->pieces;
    uint32_t count = 0;

    for (int block = scratch->window.now.first;
         block < scratch->window.now.first + scratch->window.now.count; block++) {
        const struct wari_stripes cut = cut_of(level, block);
        for (uint32_t piece = pieces->cut.first[block]; piece < pieces->cut.first[block + 1];
             piece++) {
            const uint32_t first = wari_piece_row(pieces, block, piece);
            const uint32_t end = first + wari_piece_rows(pieces, block, piece);
            bool any = false;
            for (uint32_t unit = first; unit < end && !any; unit++) {
                const struct shared shared = shared_of(level, &cut, block, unit);
                any = shared.from < shared.to;
            }
            if (any)
                scratch->list[count++] = piece;
        }
    }
    return count;
}

static void fill_window(struct wari_level *level)
{
    struct wari_scratch_each each = {.count = list_units(level), .job = copy_units};

    wari_scratch_each(level, &each);
}

static void make_rows(struct wari_level *level, wari_scratch_rows *also)
{
    struct wari_scratch *scratch = wari_scratch_of(level);

    for (int turn = 0; turn < scratch->turns.count; turn++) {
        const struct wari_turn now = scratch->turns.turn[turn];
        for (uint32_t row = 0; row < level->layout.rows[now.first] && !wari_level_stopped(level);
             row += scratch->window.rows) {
            wari_scratch_open_window(level, now, row);
            swap_pieces(level);
            fill_window(level);
            swap_pieces(level);
            wari_scratch_look_far(level, turn);
            wari_scratch_store_window(level, also);
        }
    }
}

void wari_scratch_captures(struct wari_level *level, const struct wari_scratch_codes *codes)
{
    swap_pieces(level);
    make_stripes(level);
    swap_pieces(level);
    codes->begun(level);
    make_rows(level, codes->also);
}

/* ---- Full halves ----------------------------------------------------------------------------- */

static const int8_t *row_in_piece(const struct wari_level *level, const struct wari_item *item,
                                  int child, uint32_t row)
{
    (void)item;
    return wari_pieces_row(&wari_scratch_of(level)->pieces, child, row);
}

static void count_full_slice(struct wari_level *level, struct wari_worker *worker, void *histogram,
                             uint32_t step, uint32_t i)
{
    const struct wari_scratch_plan *plan = &wari_scratch_of(level)->plan;
    const struct wari_slice *slice = &plan->slice[plan->first_slice[step] + i];
    const struct wari_item item =
        wari_item_of_full(level, slice->block, slice->first_column, slice->columns);

    wari_count_full(level, worker, &item, row_in_piece, histogram);
}

/* Full halves have 6 seeds or more. Nothing is written, so no window is needed, and all blocks that
 * have some take one turn together: each row of this level and of those below is used for all of
 * them at the same time. */
void wari_scratch_count_full(struct wari_level *level, uint64_t *histogram)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    struct wari_scratch_pass pass = {.want = wari_scratch_want_planned,
                                     .jobs = wari_scratch_slices,
                                     .job = count_full_slice,
                                     .context = histogram};
    const struct wari_turn turn = {WARI_HALF_PITS, level->layout.seeds + 1 - WARI_HALF_PITS};
    const bool reads_below = !wari_full_captures_kept(level);

    if (turn.count < 1)
        return;
    if (reads_below)
        wari_scratch_lend(level);
    wari_scratch_begin_plan(level, turn);
    while (!wari_level_stopped(level) && wari_scratch_plan(level)) {
        pass.steps = scratch->plan.steps;
        wari_scratch_run(level, &pass);
    }
    wari_level_release_readers(level);
    if (reads_below)
        wari_lower_return(level->lower);
}

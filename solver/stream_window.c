/* The window of the blocks that have their turn, and the plan of the steps by which their children
 * go by. */
#include "solver/stream.h"

#include <string.h>

/* ---- The window ----------------------------------------------------------------------------- */

uint32_t wari_stream_window_rows(const struct wari_stream *stream, int block)
{
    const uint32_t rows = stream->pieces.block_rows[block];
    const uint64_t room = (stream->shape.window - WARI_PIECE_PADDING) / stream->pieces.pitch[block];

    return rows <= room ? rows : (uint32_t)(room / WARI_STRIP * WARI_STRIP);
}

void wari_stream_open_window(struct wari_level *level, struct wari_turn turn, uint32_t first_row)
{
    struct wari_stream *stream = level->stream;
    const uint32_t most = wari_stream_window_rows(stream, turn.first);
    const uint32_t left = level->layout.rows[turn.first] - first_row;
    uint64_t place = 0;

    stream->now = turn;
    stream->first_row = first_row;
    stream->rows = turn.count == 1 && left > most ? most : left;
    for (int block = turn.first; block < turn.first + turn.count; block++) {
        stream->place[block] = place;
        place += wari_stream_block_bytes(&level->layout, block);
    }
    for (uint32_t strip = stream->first_strip[turn.first];
         strip < stream->first_strip[turn.first + turn.count]; strip++)
        atomic_store_explicit(&stream->changed[strip], 0, memory_order_relaxed);
}

uint32_t wari_stream_rows(const struct wari_stream *stream, int block)
{
    return stream->now.count == 1 ? stream->rows : stream->pieces.block_rows[block];
}

/* The rows that a piece and the window share. */
struct overlap {
    uint32_t first, rows;
    bool whole; /* all of the piece */
};

static struct overlap overlap_of(const struct wari_stream *stream, int block, uint32_t piece)
{
    const uint32_t from = wari_piece_row(&stream->pieces, block, piece);
    const uint32_t to = from + wari_piece_rows(&stream->pieces, block, piece);
    const uint32_t window_end = stream->first_row + wari_stream_rows(stream, block);
    const uint32_t first = from > stream->first_row ? from : stream->first_row;
    const uint32_t end = to < window_end ? to : window_end;

    return (struct overlap){first, end - first, first == from && end == to};
}

static void copy_in(struct wari_level *level, struct wari_worker *worker, void *context,
                    uint32_t piece)
{
    const struct wari_stream *stream = level->stream;
    const int block = wari_piece_block(&stream->pieces, piece);
    const struct overlap overlap = overlap_of(stream, block, piece);
    const size_t bytes = (size_t)overlap.rows * stream->pieces.pitch[block];

    (void)worker, (void)context;
    for (int array = 0; array <= stream->array; array++)
        memcpy(wari_stream_window_row(stream, array, block, overlap.first),
               wari_pieces_row(&stream->pieces, array, block, overlap.first), bytes);
}

static bool any_changed(const struct wari_stream *stream, int block, const struct overlap *overlap)
{
    const _Atomic uint8_t *changed = stream->changed + stream->first_strip[block];
    const uint32_t last = (overlap->first + overlap->rows - 1) / WARI_STRIP;

    for (uint32_t strip = overlap->first / WARI_STRIP; strip <= last; strip++)
        if (atomic_load_explicit(&changed[strip], memory_order_relaxed) != 0)
            return true;
    return false;
}

/* Lists the window's pieces: all, or those of which something changed. */
static uint32_t list_pieces(struct wari_stream *stream, bool all)
{
    const struct wari_pieces *pieces = &stream->pieces;
    uint32_t count = 0;

    for (int block = stream->now.first; block < stream->now.first + stream->now.count; block++) {
        const uint32_t last_row = stream->first_row + wari_stream_rows(stream, block) - 1;
        const uint32_t end = wari_piece_of(pieces, block, last_row) + 1;
        uint32_t piece = wari_piece_of(pieces, block, stream->first_row);
        for (; piece < end; piece++) {
            const struct overlap overlap = overlap_of(stream, block, piece);
            if (all || any_changed(stream, block, &overlap))
                stream->list[count++] = piece;
        }
    }
    return count;
}

void wari_stream_load_window(struct wari_level *level)
{
    struct wari_stream *stream = level->stream;
    struct wari_stream_each each = {
        .count = list_pieces(stream, true), .both = stream->array == 1, .job = copy_in};

    wari_stream_each(level, &each);
}

/* A piece that is only partly in the window has to be read before it is written to, unless this is
 * the first time. */
static bool is_cut(const struct wari_level *level, uint32_t piece)
{
    const int block = wari_piece_block(&level->stream->pieces, piece);

    return !overlap_of(level->stream, block, piece % level->stream->pieces.count).whole;
}

static bool was_begun(const struct wari_level *level, uint32_t piece)
{
    const struct wari_stream *stream = level->stream;

    return wari_piece_row(&stream->pieces, wari_piece_block(&stream->pieces, piece), piece) <
           stream->first_row;
}

static void copy_out(struct wari_level *level, struct wari_worker *worker, void *context,
                     uint32_t piece)
{
    struct wari_stream *stream = level->stream;
    const int array = stream->array, block = wari_piece_block(&stream->pieces, piece);
    const struct overlap overlap = overlap_of(stream, block, piece % stream->pieces.count);

    (void)worker, (void)context;
    memcpy(wari_pieces_row(&stream->pieces, array, block, overlap.first),
           wari_stream_window_row(stream, array, block, overlap.first),
           (size_t)overlap.rows * stream->pieces.pitch[block]);
    wari_pieces_written(&stream->pieces,
                        piece % stream->pieces.count + (uint32_t)array * stream->pieces.count);
}

void wari_stream_store_window(struct wari_level *level, bool all)
{
    struct wari_stream *stream = level->stream;
    const uint32_t count = list_pieces(stream, all);
    struct wari_stream_each each = {
        .count = count, .read = all ? was_begun : is_cut, .job = copy_out};

    for (uint32_t i = 0; stream->array == 1 && i < count; i++)
        stream->list[i] += stream->pieces.count;
    wari_stream_each(level, &each);
}

/* ---- Plans ---------------------------------------------------------------------------------- */

void wari_stream_look_far(struct wari_level *level, int turn)
{
    struct wari_stream *stream = level->stream;

    for (int block = 0; block <= level->layout.seeds; block++) {
        int away = 1;
        for (; away < stream->turns; away++) {
            const struct wari_turn *next = &stream->turn[(turn + away) % stream->turns];
            if (next->first + block <= level->layout.seeds ||
                (block >= next->first && block < next->first + next->count))
                break;
        }
        stream->far[block] = (uint64_t)away;
    }
}

/* The mover half of a column as a number that is in the order of its pits. */
static uint64_t key_of(const struct wari_level *level, int block, uint32_t column)
{
    const int seeds = level->layout.seeds - block;
    uint8_t half[WARI_HALF_PITS];
    uint64_t key = 0;

    if (column == level->layout.columns[block])
        return UINT64_MAX;
    wari_half_unrank(seeds, column, half);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        key = key << 8 | half[pit];
    return key;
}

void wari_stream_begin_plan(struct wari_level *level, struct wari_turn turn)
{
    struct wari_stream_plan *plan = &level->stream->plan;

    plan->turn = turn;
    for (int block = turn.first; block < turn.first + turn.count; block++) {
        plan->column[block] = 0;
        plan->key[block] = key_of(level, block, 0);
    }
}

/* The block whose columns go by next; -1 if there are no more. */
static int next_block(const struct wari_stream_plan *plan)
{
    int next = -1;

    for (int block = plan->turn.first; block < plan->turn.first + plan->turn.count; block++)
        if (plan->key[block] < (next < 0 ? UINT64_MAX : plan->key[next]))
            next = block;
    return next;
}

/* Adds the pieces that some columns need to the step that is being planned; false if there are too
 * many for the step, or for the plan (*full). Those that were added are taken back then. */
static bool add_columns(struct wari_level *level, const struct wari_slice *slice,
                        uint32_t first_need, bool *full)
{
    const struct wari_stream *stream = level->stream;
    struct wari_stream_plan *plan = &level->stream->plan;
    const int movers = level->layout.seeds - slice->block;
    const wari_sowing *sowing =
        level->tables->sowings[movers] + (size_t)slice->first_column * WARI_HALF_PITS;
    const uint32_t before = plan->needs, cap = wari_stream_cap(stream);
    bool fits = true;

    for (uint32_t i = 0; i < slice->columns * (uint32_t)WARI_HALF_PITS && fits; i++, sowing++) {
        if (*sowing == WARI_NO_SOWING)
            continue;
        const int child = movers - wari_sowing_sown(*sowing);
        const uint32_t piece = wari_piece_of(&stream->pieces, child, wari_sowing_row(*sowing)) +
                               (uint32_t)stream->array * stream->pieces.count;
        if (plan->seen[piece % stream->pieces.count] == plan->stamp)
            continue;
        *full = plan->needs == stream->shape.entries;
        fits = !*full && plan->needs - first_need < cap;
        if (!fits)
            break;
        plan->seen[piece % stream->pieces.count] = plan->stamp;
        plan->need[plan->needs++] = piece;
    }
    if (!fits)
        while (plan->needs > before)
            plan->seen[plan->need[--plan->needs] % stream->pieces.count] = 0;
    return fits;
}

static void begin_step(struct wari_stream_plan *plan)
{
    plan->first_slice[plan->steps] = plan->slices;
    plan->first_need[plan->steps] = plan->needs;
    plan->stamp++;
}

/* Goes through a plan from its end, to know when each piece is needed next. */
static void look_ahead(struct wari_stream *stream)
{
    struct wari_stream_plan *plan = &stream->plan;
    const uint32_t pieces = stream->pieces.count, first_step = stream->step + 1;

    memset(plan->later, 0xff, pieces * sizeof *plan->later); /* WARI_NO_PIECE: not at all */
    for (uint32_t step = plan->steps; step-- > 0;)
        for (uint32_t i = plan->first_need[step]; i < plan->first_need[step + 1]; i++) {
            uint32_t *later = &plan->later[plan->need[i] % pieces];
            plan->next[i] = *later;
            *later = first_step + step;
        }
    for (uint32_t i = 0; i < stream->pieces.frames; i++) {
        struct wari_frame *frame = &stream->pieces.frame[i];
        if (frame->piece == WARI_NO_PIECE)
            continue;
        frame->next = wari_stream_far_away(stream, frame->piece);
        if (frame->piece / pieces == (uint32_t)stream->array &&
            plan->later[frame->piece % pieces] != WARI_NO_PIECE)
            frame->next = plan->later[frame->piece % pieces];
    }
}

/* A step is whole. */
static void end_step(struct wari_stream_plan *plan)
{
    if (plan->slices == plan->first_slice[plan->steps])
        return;
    plan->steps++;
    begin_step(plan);
}

/* Adds a slice, once for each run of rows. */
static void add_slice(struct wari_level *level, struct wari_slice slice)
{
    struct wari_stream_plan *plan = &level->stream->plan;

    for (slice.run = 0; slice.run < plan->runs[slice.block]; slice.run++)
        plan->slice[plan->slices++] = slice;
    plan->column[slice.block] += slice.columns;
    plan->key[slice.block] = key_of(level, slice.block, plan->column[slice.block]);
}

bool wari_stream_plan(struct wari_level *level, bool children)
{
    struct wari_stream *stream = level->stream;
    struct wari_stream_plan *plan = &stream->plan;
    uint32_t width = WARI_GROUP;
    bool full = false;
    int block;

    plan->steps = plan->slices = plan->needs = 0;
    begin_step(plan);
    while (!full && (block = next_block(plan)) >= 0 &&
           plan->slices + plan->runs[block] <= stream->shape.entries) {
        const uint32_t column = plan->column[block], left = level->layout.columns[block] - column;
        struct wari_slice slice = {.first_column = column, .block = (uint8_t)block};
        uint32_t columns = WARI_GROUP - column % WARI_GROUP;
        if (columns > width)
            columns = width;
        slice.columns = (uint8_t)(columns > left ? left : columns);
        if (!children || add_columns(level, &slice, plan->first_need[plan->steps], &full)) {
            add_slice(level, slice);
            width = WARI_GROUP;
        } else if (plan->slices > plan->first_slice[plan->steps]) {
            end_step(plan);
        } else if (!full) {
            width = slice.columns / 2;
        }
    }
    end_step(plan);
    look_ahead(stream);
    return plan->steps > 0;
}

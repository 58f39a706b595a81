/* The window of the block that has its turn, what is fed from it, and the plan of the steps by
 * which its children go by. */
#include "solver/stream.h"

#include <string.h>

/* ---- The window ----------------------------------------------------------------------------- */

uint32_t wari_stream_window_rows(const struct wari_stream *stream, int block)
{
    const uint32_t rows = stream->pieces.block_rows[block];
    const uint64_t room = (stream->shape.window - WARI_PIECE_PADDING) / stream->pieces.pitch[block];

    return rows <= room ? rows : (uint32_t)(room / WARI_STRIP * WARI_STRIP);
}

void wari_stream_open_window(struct wari_level *level, int block, uint32_t first_row)
{
    struct wari_stream *stream = level->stream;
    const uint32_t most = wari_stream_window_rows(stream, block);
    const uint32_t left = level->layout.rows[block] - first_row;

    stream->block = block;
    stream->first_row = first_row;
    stream->rows = left < most ? left : most;
    for (uint32_t strip = first_row / WARI_STRIP;
         strip <= (first_row + stream->rows - 1) / WARI_STRIP; strip++)
        atomic_store_explicit(&stream->changed[strip], 0, memory_order_relaxed);
}

/* The rows that a piece and the window share. */
struct overlap {
    uint32_t first, rows;
    bool whole; /* all of the piece */
};

static struct overlap overlap_of(const struct wari_stream *stream, uint32_t piece)
{
    const int block = stream->block;
    const uint32_t from = wari_piece_row(&stream->pieces, block, piece);
    const uint32_t to = from + wari_piece_rows(&stream->pieces, block, piece);
    const uint32_t window_end = stream->first_row + stream->rows;
    const uint32_t first = from > stream->first_row ? from : stream->first_row;
    const uint32_t end = to < window_end ? to : window_end;

    return (struct overlap){first, end - first, first == from && end == to};
}

static int8_t *window_row(const struct wari_stream *stream, int array, uint32_t row)
{
    return stream->window[array] +
           (size_t)(row - stream->first_row) * stream->pieces.pitch[stream->block];
}

static void copy_in(struct wari_level *level, struct wari_worker *worker, void *context,
                    uint32_t piece)
{
    const struct wari_stream *stream = level->stream;
    const struct overlap overlap = overlap_of(stream, piece);
    const size_t bytes = (size_t)overlap.rows * stream->pieces.pitch[stream->block];

    (void)worker, (void)context;
    for (int array = 0; array <= stream->array; array++)
        memcpy(window_row(stream, array, overlap.first),
               wari_pieces_row(&stream->pieces, array, stream->block, overlap.first), bytes);
}

/* Lists the window's pieces: all, or those of which something changed. */
static uint32_t list_pieces(struct wari_stream *stream, bool all)
{
    const uint32_t last_row = stream->first_row + stream->rows - 1;
    const uint32_t end = wari_piece_of(&stream->pieces, stream->block, last_row) + 1;
    uint32_t piece = wari_piece_of(&stream->pieces, stream->block, stream->first_row), count = 0;

    for (; piece < end; piece++) {
        const struct overlap overlap = overlap_of(stream, piece);
        const uint32_t last = (overlap.first + overlap.rows - 1) / WARI_STRIP;
        bool changed = all;
        for (uint32_t strip = overlap.first / WARI_STRIP; strip <= last && !changed; strip++)
            changed = atomic_load_explicit(&stream->changed[strip], memory_order_relaxed) != 0;
        if (changed)
            stream->list[count++] = piece;
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
    return !overlap_of(level->stream, piece).whole;
}

static bool was_begun(const struct wari_level *level, uint32_t piece)
{
    const struct wari_stream *stream = level->stream;

    return wari_piece_row(&stream->pieces, stream->block, piece) < stream->first_row;
}

static void copy_out(struct wari_level *level, struct wari_worker *worker, void *context,
                     uint32_t piece)
{
    struct wari_stream *stream = level->stream;
    const struct overlap overlap = overlap_of(stream, piece % stream->pieces.count);
    const int array = stream->array;

    (void)worker, (void)context;
    memcpy(wari_pieces_row(&stream->pieces, array, stream->block, overlap.first),
           window_row(stream, array, overlap.first),
           (size_t)overlap.rows * stream->pieces.pitch[stream->block]);
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

/* ---- Fed blocks ----------------------------------------------------------------------------- */

bool wari_stream_fed(const struct wari_level *level, struct wari_worker *worker,
                     const struct wari_item *item)
{
    const struct wari_stream *stream = level->stream;

    if (item->block >= stream->shape.fed || !stream->complete[item->block])
        return false;
    for (uint32_t column = 0; column < item->columns; column++) {
        const int8_t *from =
            stream->worst[item->block] + (size_t)(item->first_column + column) * item->rows;
        for (uint32_t i = 0; i < item->strips; i++) {
            const uint32_t strip = item->first_strip + i;
            memcpy(worker->tile + (size_t)i * WARI_PATCH + column * WARI_STRIP,
                   from + (size_t)strip * WARI_STRIP, wari_strip_rows(item, strip));
        }
    }
    return true;
}

void wari_stream_forget_fed(struct wari_level *level, int block)
{
    struct wari_stream *stream = level->stream;

    memset(stream->worst[block], WARI_NO_QUIET,
           (size_t)level->layout.rows[block] * level->layout.columns[block]);
    stream->complete[block] = true;
}

/* Columns of a fed block that a job enters children for. */
enum { FEED_COLUMNS = 1024 };

static uint32_t feed_jobs(const struct wari_level *level, void *context, uint32_t block)
{
    (void)context;
    if ((int)block > level->layout.seeds - level->stream->block)
        return 0; /* no seeds can be sown from one into the other */
    return (level->layout.columns[block] + FEED_COLUMNS - 1) / FEED_COLUMNS;
}

static void enter(int8_t *to, const int8_t *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = from[i] < to[i] ? from[i] : to[i];
}

/* Enters the rows of the window that are children of one mover half. */
static void feed_column(const struct wari_level *level, int block, uint32_t column)
{
    const struct wari_stream *stream = level->stream;
    const int sown = level->layout.seeds - block - stream->block;
    const uint32_t rows = level->layout.rows[block];
    const struct wari_gather *gather = &level->tables->gather[WARI_PARENTS_ROWS][block][sown];
    const wari_sowing *sowings =
        level->tables->sowings[level->layout.seeds - block] + (size_t)column * WARI_HALF_PITS;
    int8_t worst[WARI_FED_ROWS_MAX] __attribute__((aligned(64)));

    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        const uint32_t row = wari_sowing_row(sowings[pit]) - stream->first_row;
        if (sowings[pit] == WARI_NO_SOWING || wari_sowing_sown(sowings[pit]) != sown ||
            row >= stream->rows)
            continue;
        const struct wari_source source = {
            .row = stream->window[stream->array] + (size_t)row * level->pitch[stream->block],
            .gather = gather,
            .last = wari_sowing_last(sowings[pit]),
        };
        (void)level->kernel->worst(&source, 1, 0, gather->strips, worst, WARI_STRIP);
        enter(stream->worst[block] + (size_t)column * rows, worst, rows);
    }
}

static void feed_job(struct wari_level *level, struct wari_worker *worker, void *context,
                     uint32_t block, uint32_t i)
{
    const uint32_t columns = level->layout.columns[block], first = i * FEED_COLUMNS;

    (void)worker, (void)context;
    if (block == 0 && level->stream->block == level->layout.seeds)
        return; /* feeding: a move must reach an empty row */
    for (uint32_t column = first; column < columns && column < first + FEED_COLUMNS; column++)
        feed_column(level, (int)block, column);
}

void wari_stream_feed(struct wari_level *level)
{
    const struct wari_stream_pass pass = {
        .steps = (uint32_t)level->stream->shape.fed, .jobs = feed_jobs, .job = feed_job};

    wari_stream_run(level, &pass);
}

/* ---- Plans ---------------------------------------------------------------------------------- */

void wari_stream_look_far(struct wari_level *level, int turn)
{
    struct wari_stream *stream = level->stream;
    const int blocks = level->layout.seeds + 1;

    for (int block = 0; block < blocks; block++) {
        int away = 1;
        for (; away < blocks; away++) {
            const int parent = level->order[(turn + away) % blocks];
            if (parent == block ||
                (parent >= stream->shape.fed && parent + block <= level->layout.seeds))
                break;
        }
        stream->far[block] = (uint64_t)away;
    }
}

/* Adds the pieces that some columns need to the step that is being planned; false if there are too
 * many for the step, or for the plan (*full). Those that were added are taken back then. */
static bool add_columns(struct wari_level *level, int block, const struct wari_slice *slice,
                        uint32_t first_need, bool *full)
{
    const struct wari_stream *stream = level->stream;
    struct wari_stream_plan *plan = &level->stream->plan;
    const int n = level->layout.seeds;
    const wari_sowing *sowing =
        level->tables->sowings[n - block] + (size_t)slice->first_column * WARI_HALF_PITS;
    const uint32_t before = plan->needs, cap = wari_stream_cap(stream);
    bool fits = true;

    for (uint32_t i = 0; i < slice->columns * WARI_HALF_PITS && fits; i++, sowing++) {
        if (*sowing == WARI_NO_SOWING)
            continue;
        const int child = n - block - wari_sowing_sown(*sowing);
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

bool wari_stream_plan(struct wari_level *level, int block)
{
    struct wari_stream *stream = level->stream;
    struct wari_stream_plan *plan = &stream->plan;
    const uint32_t columns = level->layout.columns[block];
    uint32_t width = WARI_GROUP;
    bool full = false;

    plan->steps = plan->slices = plan->needs = 0;
    begin_step(plan);
    while (plan->column < columns && plan->slices < stream->shape.entries) {
        struct wari_slice slice = {plan->column, WARI_GROUP - plan->column % WARI_GROUP};
        if (slice.columns > width)
            slice.columns = width;
        if (slice.columns > columns - plan->column)
            slice.columns = columns - plan->column;
        if (add_columns(level, block, &slice, plan->first_need[plan->steps], &full)) {
            plan->slice[plan->slices++] = slice;
            plan->column += slice.columns;
            width = WARI_GROUP;
        } else if (plan->slices > plan->first_slice[plan->steps]) { /* a step is whole */
            plan->steps++;
            begin_step(plan);
        } else if (!full) {
            width = slice.columns / 2;
        }
        if (full)
            break;
    }
    if (plan->slices > plan->first_slice[plan->steps]) {
        plan->steps++;
        begin_step(plan);
    }
    look_ahead(stream);
    return plan->steps > 0;
}

/* Making streamed levels, and what their passes have in common. How these run: stream_run.c. */
#include "solver/scratch/stream.h"

#include <string.h>

#include "solver/bits/bits.h"
#include "solver/level/events.h"

/* Bytes of the pieces of a step; with less of them threads would wait for each other most of the
 * time. */
enum { WORTH_A_TEAM = 1 << 20 };

/* ---- Memory --------------------------------------------------------------------------------- */

static uint32_t *take(uint8_t **memory, uint64_t count, size_t size)
{
    uint32_t *taken = (void *)*memory;

    *memory += count * size;
    return taken;
}

/* Tables, from the widest elements to the smallest. */
static enum wari_status make_tables(struct wari_level *level, struct wari_error *error)
{
    struct wari_stream *stream = level->stream;
    struct wari_stream_plan *plan = &stream->plan;
    const uint64_t entries = stream->shape.entries, pieces = stream->shape.pieces;
    uint64_t bytes;
    void *tables;
    uint8_t *at;
    enum wari_status status;

    bytes = entries * (4 * sizeof(uint32_t) + sizeof(struct wari_slice)) +
            (3 * pieces + 2) * sizeof(uint32_t) + pieces;
    status =
        wari_allocate(level->host, (size_t)bytes, "the plans of a streamed level", &tables, error);
    if (status != WARI_OK)
        return status;
    memset(tables, 0, (size_t)bytes);
    stream->tables = at = tables;
    plan->slice = (void *)take(&at, entries, sizeof(struct wari_slice));
    plan->first_slice = take(&at, entries + 1, sizeof(uint32_t));
    plan->first_need = take(&at, entries + 1, sizeof(uint32_t));
    plan->need = take(&at, entries, sizeof(uint32_t));
    plan->next = take(&at, entries, sizeof(uint32_t));
    plan->seen = take(&at, pieces, sizeof(uint32_t));
    plan->later = take(&at, pieces, sizeof(uint32_t));
    stream->list = take(&at, pieces, sizeof(uint32_t));
    stream->touched = (void *)at;
    return WARI_OK;
}

static enum wari_status make_memory(struct wari_level *level, struct wari_error *error)
{
    struct wari_stream *stream = level->stream;
    const struct wari_stream_shape *shape = &stream->shape;
    const uint64_t bytes = shape->bytes - shape->tables + WARI_PIECE_ALIGN;
    enum wari_status status;
    int8_t *at;

    if (bytes > SIZE_MAX)
        return wari_fail(error, WARI_NO_MEMORY,
                         "a streamed level would not fit into the address "
                         "space");
    status = wari_allocate(level->host, (size_t)bytes, "the buffers of a streamed level",
                           &stream->memory, error);
    if (status != WARI_OK)
        return status;
    at = (int8_t *)(((uintptr_t)stream->memory + WARI_PIECE_ALIGN - 1) / WARI_PIECE_ALIGN *
                    WARI_PIECE_ALIGN);
    stream->pieces.memory = at;
    at += shape->frames * shape->frame_bytes;
    stream->room = (void *)at;
    at += WARI_ROOMS * shape->frame_bytes;
    level->pages = (void *)at;
    at += shape->pages;
    stream->window = at;
    level->page_count = (uint32_t)(shape->pages / sizeof(struct wari_page));
    return WARI_OK;
}

enum wari_status wari_stream_create(struct wari_level *level, enum wari_cycle cycle, uint64_t bytes,
                                    uint64_t idle, const char *folder, const char *name,
                                    struct wari_error *error)
{
    const int seeds = level->layout.seeds;
    struct wari_stream *stream;
    void *memory;
    enum wari_status status =
        wari_allocate(level->host, sizeof *stream, "what a streamed level needs", &memory, error);

    level->stream = NULL;
    if (status != WARI_OK)
        return status;
    level->stream = stream = memory;
    memset(stream, 0, sizeof *stream);
    pthread_mutex_init(&stream->lock, NULL);
    if (!wari_stream_fits(seeds, cycle, bytes, idle, level->team->threads, &stream->shape))
        status = wari_fail(error, WARI_NO_MEMORY, "level %d cannot be solved by bits in %llu bytes",
                           seeds, (unsigned long long)bytes);
    /* Hopes need no codes, so that there are enough for all captures. */
    wari_cells_init(&level->codes, seeds, WARI_EVEN);
    wari_pieces_lay_out(&stream->pieces, &level->layout, level->pitch, stream->shape.frame_bytes);
    wari_stream_lay_out_stripes(&stream->stripes, &level->layout, stream->shape.frame_bytes);
    stream->pieces.host = level->host;
    stream->pieces.kernel = level->kernel;
    stream->turns = wari_stream_turns(&level->layout, stream->shape.window, stream->turn);
    if (status == WARI_OK)
        status = wari_crew_create(&stream->crew, level->host,
                                  level->team->threads + WARI_TRANSFERERS, error);
    if (status == WARI_OK)
        status = make_tables(level, error);
    if (status == WARI_OK)
        status = make_memory(level, error);
    if (status == WARI_OK)
        status = wari_pieces_open(&stream->pieces, folder, name, stream->pieces.memory,
                                  stream->shape.frames, error);
    if (status == WARI_OK)
        status = wari_pieces_share(&stream->stripes, &stream->pieces,
                                   stream->pieces.offset[seeds + 1], error);
    if (status == WARI_OK)
        wari_full_halves_share(level, stream->pieces.fd, stream->pieces.path,
                               stream->shape.full_halves);
    if (status != WARI_OK) {
        wari_stream_destroy(level);
        return status;
    }
    stream->alone = wari_stream_cap(stream) * stream->shape.frame_bytes < WORTH_A_TEAM;
    return WARI_OK;
}

void wari_stream_measure(struct wari_level *level)
{
    const struct wari_stream *stream = level->stream;

    if (!stream)
        return;
    level->measure->bytes_read =
        atomic_load_explicit(&stream->pieces.bytes_read, memory_order_relaxed) +
        atomic_load_explicit(&stream->stripes.bytes_read, memory_order_relaxed) +
        atomic_load_explicit(&level->full_halves.bytes_read, memory_order_relaxed);
    level->measure->bytes_written =
        atomic_load_explicit(&stream->pieces.bytes_written, memory_order_relaxed) +
        atomic_load_explicit(&stream->stripes.bytes_written, memory_order_relaxed) +
        atomic_load_explicit(&level->full_halves.bytes_written, memory_order_relaxed);
}

void wari_stream_destroy(struct wari_level *level)
{
    struct wari_stream *stream = level->stream;

    if (!stream)
        return;
    wari_bits_destroy(level);
    wari_crew_destroy(stream->crew);
    wari_pieces_unshare(&stream->stripes);
    wari_pieces_close(&stream->pieces);
    wari_release(level->host, stream->tables);
    wari_release(level->host, stream->memory);
    pthread_mutex_destroy(&stream->lock);
    wari_release(level->host, stream);
    level->stream = NULL;
    level->pages = NULL;
}

/* Pages and the window are next to each other. */
void wari_stream_lend(struct wari_level *level)
{
    struct wari_stream *stream = level->stream;

    wari_pieces_lend(&stream->pieces, NULL, 0);
    wari_lower_lend(level->lower, level->pages, stream->shape.pages + stream->shape.window);
}

void wari_stream_keep(struct wari_level *level)
{
    struct wari_stream *stream = level->stream;

    wari_pieces_lend(&stream->pieces, level->pages, stream->shape.pages + stream->shape.window);
}

/* ---- What passes want ------------------------------------------------------------------------ */

/* Further away than any step. */
#define FAR (UINT64_C(1) << 40)

/* Among pieces of the same block the later ones: of what is gone through again and again only a
 * part can stay, and that has to be the same part each time. */
uint64_t wari_stream_far_away(const struct wari_stream *stream, uint32_t piece)
{
    const int block = wari_piece_block(&stream->pieces, piece);

    return FAR + (stream->far[block] << 32) + wari_piece_row(&stream->pieces, block, piece);
}

void wari_stream_lacks_frames(const struct wari_level *level)
{
    struct wari_error error;

    (void)wari_fail(&error, WARI_NO_MEMORY, "level %d is streamed in too little memory",
                    level->layout.seeds);
    wari_team_fail(level->team, &error);
}

bool wari_stream_want(struct wari_stream *stream, const uint32_t *piece, uint32_t count, bool read)
{
    if (!wari_pieces_want(&stream->pieces, piece, count, stream->step, read))
        return false;
    for (uint32_t i = 0; i < count; i++)
        wari_piece_frame(&stream->pieces, piece[i])->next = wari_stream_far_away(stream, piece[i]);
    return true;
}

bool wari_stream_want_planned(struct wari_level *level, void *context, uint32_t step)
{
    struct wari_stream *stream = level->stream;
    const struct wari_stream_plan *plan = &stream->plan;
    const uint32_t first = plan->first_need[step], end = plan->first_need[step + 1];

    (void)context;
    if (!wari_stream_want(stream, plan->need + first, end - first, true))
        return false;
    for (uint32_t i = first; i < end; i++)
        if (plan->next[i] != WARI_NO_PIECE)
            wari_piece_frame(&stream->pieces, plan->need[i])->next = plan->next[i];
    return true;
}

uint32_t wari_stream_slices(const struct wari_level *level, void *context, uint32_t step)
{
    const struct wari_stream_plan *plan = &level->stream->plan;

    (void)context;
    return plan->first_slice[step + 1] - plan->first_slice[step];
}

/* ---- One piece after the other -------------------------------------------------------------- */

static bool want_each(struct wari_level *level, void *context, uint32_t step)
{
    const struct wari_stream_each *each = context;
    struct wari_stream *stream = level->stream;
    const uint32_t run = wari_stream_cap(stream), from = step * run;
    const uint32_t end = from + run < each->count ? from + run : each->count;

    for (uint32_t i = from; i < end; i++)
        wari_pieces_keep(&stream->pieces, stream->list[i], stream->step);
    for (uint32_t i = from; i < end; i++)
        if (!wari_stream_want(stream, &stream->list[i], 1,
                              !each->read || each->read(level, stream->list[i])))
            return false;
    return true;
}

static uint32_t jobs_each(const struct wari_level *level, void *context, uint32_t step)
{
    const struct wari_stream_each *each = context;
    const uint32_t run = wari_stream_cap(level->stream), left = each->count - step * run;

    return left < run ? left : run;
}

static void job_each(struct wari_level *level, struct wari_worker *worker, void *context,
                     uint32_t step, uint32_t i)
{
    const struct wari_stream_each *each = context;

    each->job(level, worker, each->context,
              level->stream->list[step * wari_stream_cap(level->stream) + i]);
}

void wari_stream_each(struct wari_level *level, struct wari_stream_each *each)
{
    const uint32_t run = wari_stream_cap(level->stream);
    const struct wari_stream_pass pass = {.steps = (each->count + run - 1) / run,
                                          .want = want_each,
                                          .jobs = jobs_each,
                                          .job = job_each,
                                          .context = each};

    wari_stream_run(level, &pass);
}

uint32_t wari_stream_list_all(struct wari_level *level)
{
    struct wari_stream *stream = level->stream;

    wari_stream_look_far(level, 0);
    for (uint32_t piece = 0; piece < stream->pieces.count; piece++)
        stream->list[piece] = piece;
    return stream->pieces.count;
}

static bool want_none(struct wari_level *level, void *context, uint32_t step)
{
    (void)context, (void)step;
    wari_pieces_want_none(&level->stream->pieces);
    return true;
}

static uint32_t no_jobs(const struct wari_level *level, void *context, uint32_t step)
{
    (void)level, (void)context, (void)step;
    return 0;
}

void wari_stream_flush(struct wari_level *level)
{
    const struct wari_stream_pass pass = {.steps = 1, .want = want_none, .jobs = no_jobs};

    wari_stream_run(level, &pass);
}

/* ---- Values --------------------------------------------------------------------------------- */

struct fetching {
    const struct wari_level *level;
    _Atomic uint32_t next; /* transfer */
};

/* By the caller, and by those of the crew that do nothing but transfers: a room for each. */
static void fetch(int thread, void *context)
{
    struct fetching *fetching = context;
    const struct wari_level *level = fetching->level;
    const int room = thread == 0 ? WARI_TRANSFERERS : thread - level->team->threads;
    struct wari_error error;
    uint32_t i;

    while (room >= 0 && (i = atomic_fetch_add_explicit(&fetching->next, 1, memory_order_relaxed)) <
                            level->stream->pieces.transfers)
        if (wari_stream_transfer(level, i, room, &error) != WARI_OK)
            wari_team_fail(level->team, &error);
}

/* Whoever reads one piece after the other gets some at a time. */
static bool fetch_pieces(const struct wari_level *level, uint32_t piece)
{
    struct wari_stream *stream = level->stream;
    struct wari_pieces *pieces = &stream->pieces;
    const bool goes_on = piece > 0 && pieces->at[piece - 1] && !stream->alone;
    const uint32_t most = goes_on ? WARI_ROOMS : 1;
    struct fetching fetching = {.level = level};
    uint32_t wanted[WARI_ROOMS], count = 0;

    for (; count < most && piece + count < pieces->count && !pieces->at[piece + count]; count++)
        wanted[count] = piece + count;
    pieces->transfers = pieces->settled = 0;
    pieces->oldest = ++stream->step;
    if (!wari_stream_want(stream, wanted, count, true)) {
        wari_stream_lacks_frames(level);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) /* until all others have gone, which came before */
        wari_piece_frame(pieces, wanted[i])->next = UINT64_MAX - stream->step;
    atomic_init(&fetching.next, 0);
    if (count > 1)
        wari_crew_run(stream->crew, fetch, &fetching);
    else
        fetch(0, &fetching);
    return !wari_level_stopped(level);
}

/* A row of codes, read if need be; NULL if that fails. */
static const int8_t *fetch_row(const struct wari_level *level, int block, uint32_t row)
{
    const struct wari_pieces *pieces = &level->stream->pieces;
    const uint32_t piece = wari_piece_of(pieces, block, row);

    return pieces->at[piece] || fetch_pieces(level, piece) ? wari_pieces_row(pieces, block, row)
                                                           : NULL;
}

void wari_stream_values(const struct wari_level *level, uint64_t first, size_t count,
                        int8_t *values)
{
    const struct wari_layout *layout = &level->layout;
    int block = 0;

    pthread_mutex_lock(&level->stream->lock);
    while (count > 0 && !wari_level_stopped(level)) {
        while (first >= layout->block_offset[block + 1])
            block++;
        const uint64_t place = first - layout->block_offset[block];
        const uint32_t columns = layout->columns[block];
        const uint32_t column = (uint32_t)(place % columns);
        const size_t run = columns - column < count ? columns - column : count;
        const int8_t *cells = fetch_row(level, block, (uint32_t)(place / columns));
        if (!cells)
            break;
        level->kernel->look_up(level->codes.value, cells + column, run, values);
        values += run;
        first += run;
        count -= run;
    }
    pthread_mutex_unlock(&level->stream->lock);
}

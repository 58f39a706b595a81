/* Opening a level in a scratch file: its memory, tables and file; and its values. */
#include "solver/scratch/open.h"

#include <string.h>

#include "solver/scratch/passes.h"

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
    struct wari_scratch *scratch = wari_scratch_of(level);
    struct wari_scratch_plan *plan = &scratch->plan;
    const uint64_t entries = scratch->shape.entries, pieces = scratch->shape.pieces;
    uint64_t bytes;
    void *tables;
    uint8_t *at;
    enum wari_status status;

    bytes = entries * (4 * sizeof(uint32_t) + sizeof(struct wari_slice)) +
            (3 * pieces + 2) * sizeof(uint32_t) + pieces;
    status =
        wari_allocate(level->host, (size_t)bytes, "the plans of a level by bits", &tables, error);
    if (status != WARI_OK)
        return status;
    memset(tables, 0, (size_t)bytes);
    scratch->memory.tables = at = tables;
    plan->slice = (void *)take(&at, entries, sizeof(struct wari_slice));
    plan->first_slice = take(&at, entries + 1, sizeof(uint32_t));
    plan->first_need = take(&at, entries + 1, sizeof(uint32_t));
    plan->need = take(&at, entries, sizeof(uint32_t));
    plan->next = take(&at, entries, sizeof(uint32_t));
    plan->seen = take(&at, pieces, sizeof(uint32_t));
    plan->later = take(&at, pieces, sizeof(uint32_t));
    scratch->list = take(&at, pieces, sizeof(uint32_t));
    scratch->touched = (void *)at;
    return WARI_OK;
}

static enum wari_status make_memory(struct wari_level *level, struct wari_error *error)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_scratch_shape *shape = &scratch->shape;
    const uint64_t bytes = shape->bytes - shape->tables + WARI_PIECE_ALIGN;
    enum wari_status status;
    int8_t *at;

    if (bytes > SIZE_MAX)
        return wari_fail(error, WARI_NO_MEMORY,
                         "a level by bits would not fit into the address space");
    status = wari_allocate(level->host, (size_t)bytes, "the buffers of a level by bits",
                           &scratch->memory.all, error);
    if (status != WARI_OK)
        return status;
    at = (int8_t *)(((uintptr_t)scratch->memory.all + WARI_PIECE_ALIGN - 1) / WARI_PIECE_ALIGN *
                    WARI_PIECE_ALIGN);
    scratch->memory.frames = at;
    at += shape->frames * shape->frame_bytes;
    scratch->memory.rooms = (void *)at;
    at += WARI_ROOMS * shape->frame_bytes;
    scratch->memory.pages = (void *)at;
    at += shape->pages;
    scratch->window.memory = at;
    return WARI_OK;
}

/* Stripes come behind the codes in the file. Both are in the same frames, in turns. */
static enum wari_status make_pieces(struct wari_level *level, struct wari_error *error)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_scratch_shape *shape = &scratch->shape;
    struct wari_pieces *pieces = &scratch->pieces;
    enum wari_status status;

    *pieces = (struct wari_pieces){.file = &scratch->file,
                                   .kernel = level->kernel,
                                   .frames = {.count = shape->frames,
                                              .bytes = shape->frame_bytes,
                                              .memory = scratch->memory.frames}};
    memcpy(&scratch->stripes, pieces, sizeof *pieces);
    wari_pieces_cut_level(&pieces->cut, &level->layout, level->held.pitch, shape->frame_bytes);
    wari_scratch_cut_stripes(&scratch->stripes.cut, &level->layout, shape->frame_bytes);
    scratch->stripes.stored.base = wari_pieces_file_bytes(&pieces->cut);
    status = wari_pieces_open(pieces, error);
    return status == WARI_OK ? wari_pieces_open(&scratch->stripes, error) : status;
}

enum wari_status wari_scratch_open(struct wari_level *level, const struct wari_scratch_shape *shape,
                                   const struct wari_scratch_place *place, struct wari_error *error)
{
    const struct wari_layout *layout = &level->layout;
    struct wari_scratch *scratch;
    void *memory;
    enum wari_status status =
        wari_allocate(level->host, sizeof *scratch, "what a level by bits needs", &memory, error);

    if (status != WARI_OK)
        return status;
    level->place = scratch = memory;
    memset(scratch, 0, sizeof *scratch);
    pthread_mutex_init(&scratch->memory.lock, NULL);
    scratch->shape = *shape;
    scratch->turns.count = wari_scratch_turns(layout, shape->window, scratch->turns.turn);
    scratch->alone = wari_scratch_cap(shape->frames) * shape->frame_bytes < WORTH_A_TEAM;
    status = wari_crew_create(&scratch->crew, level->host, level->team->threads + WARI_TRANSFERERS,
                              error);
    if (status == WARI_OK)
        status = make_tables(level, error);
    if (status == WARI_OK)
        status = make_memory(level, error);
    if (status == WARI_OK)
        status =
            wari_scratch_file_open(&scratch->file, level->host, place->folder, place->name, error);
    if (status == WARI_OK)
        status = make_pieces(level, error);
    if (status == WARI_OK)
        wari_full_halves_share(&level->full_halves, level->host, layout, scratch->file.fd,
                               scratch->file.path, shape->full_halves);
    else
        wari_scratch_close(level);
    return status;
}

void wari_scratch_close(struct wari_level *level)
{
    struct wari_scratch *scratch = wari_scratch_of(level);

    if (!scratch)
        return;
    wari_full_halves_close(&level->full_halves);
    wari_crew_destroy(scratch->crew);
    wari_pieces_close(&scratch->stripes);
    wari_pieces_close(&scratch->pieces);
    wari_scratch_file_close(&scratch->file);
    wari_release(level->host, scratch->memory.tables);
    wari_release(level->host, scratch->memory.all);
    pthread_mutex_destroy(&scratch->memory.lock);
    wari_release(level->host, scratch);
    level->place = NULL;
}

static uint64_t sum(const atomic_uint_fast64_t *a, const atomic_uint_fast64_t *b)
{
    return atomic_load_explicit(a, memory_order_relaxed) +
           atomic_load_explicit(b, memory_order_relaxed);
}

void wari_scratch_measure(struct wari_level *level)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_full_halves *full = &level->full_halves;

    level->course.measure->bytes_read = sum(&scratch->file.bytes_read, &full->bytes_read);
    level->course.measure->bytes_written = sum(&scratch->file.bytes_written, &full->bytes_written);
}

/* Pages and the window are next to each other. */
void wari_scratch_lend(struct wari_level *level)
{
    struct wari_scratch *scratch = wari_scratch_of(level);

    wari_pieces_lend(&scratch->pieces, NULL, 0);
    wari_lower_lend(level->lower, scratch->memory.pages,
                    scratch->shape.pages + scratch->shape.window);
}

void wari_scratch_keep(struct wari_level *level)
{
    struct wari_scratch *scratch = wari_scratch_of(level);

    wari_pieces_lend(&scratch->pieces, scratch->memory.pages,
                     scratch->shape.pages + scratch->shape.window);
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
                            wari_scratch_of(level)->pieces.transfers.listed)
        if (wari_scratch_transfer(level, i, room, &error) != WARI_OK)
            wari_team_fail(level->team, &error);
}

/* A thread that reads one piece after the other gets some at a time. */
static bool fetch_pieces(const struct wari_level *level, uint32_t piece)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    struct wari_pieces *pieces = &scratch->pieces;
    const bool goes_on = piece > 0 && pieces->at[piece - 1] && !scratch->alone;
    const uint32_t most = goes_on ? WARI_ROOMS : 1;
    struct fetching fetching = {.level = level};
    uint32_t wanted[WARI_ROOMS], count = 0;

    for (; count < most && piece + count < pieces->cut.count && !pieces->at[piece + count]; count++)
        wanted[count] = piece + count;
    pieces->transfers.listed = pieces->transfers.settled = 0;
    pieces->frames.oldest = ++scratch->step;
    if (!wari_scratch_want(scratch, wanted, count, true)) {
        wari_scratch_lacks_frames(level);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) /* until all others have gone, which came before */
        wari_piece_frame(pieces, wanted[i])->next = UINT64_MAX - scratch->step;
    atomic_init(&fetching.next, 0);
    if (count > 1)
        wari_crew_run(scratch->crew, fetch, &fetching);
    else
        fetch(0, &fetching);
    return !wari_level_stopped(level);
}

/* A row of codes, read if need be; NULL if that fails. */
static const int8_t *fetch_row(const struct wari_level *level, int block, uint32_t row)
{
    const struct wari_pieces *pieces = &wari_scratch_of(level)->pieces;
    const uint32_t piece = wari_piece_of(pieces, block, row);

    return pieces->at[piece] || fetch_pieces(level, piece) ? wari_pieces_row(pieces, block, row)
                                                           : NULL;
}

void wari_scratch_values(const struct wari_level *level, uint64_t first, size_t count,
                         int8_t *values)
{
    const struct wari_layout *layout = &level->layout;
    int block = 0;

    pthread_mutex_lock(&wari_scratch_of(level)->memory.lock);
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
    pthread_mutex_unlock(&wari_scratch_of(level)->memory.lock);
}

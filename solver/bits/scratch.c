/* Dividing and opening a level in a scratch file. What lanes and the caller do not have of the
 * memory is the window. */
#include "solver/bits/scratch.h"

#include <string.h>

#include "solver/bits/stripes.h"

/* ---- The shape ------------------------------------------------------------------------------- */

/* A row fits, a strip of a group, and two units of transfer, which a stretch of bits that begins
 * anywhere may need (bits_fold.c). */
size_t wari_scratch_frame_least(const struct wari_layout *layout)
{
    const uint32_t strip = 2 * WARI_ITEM_STRIP_CELLS - WARI_PIECE_PADDING;
    const uint32_t row = wari_level_pitch(layout->columns[0]); /* the longest */

    return (size_t)wari_whole_units((row > strip ? row : strip) + WARI_PIECE_PADDING);
}

/* A column's children are in so many rows. */
uint32_t wari_scratch_frames_read(int lanes)
{
    return (uint32_t)lanes * WARI_HALF_PITS;
}

bool wari_scratch_shape(const struct wari_layout *layout, uint64_t bytes,
                        struct wari_scratch_shape *shape)
{
    struct wari_pieces_cut pieces, stripes;
    uint64_t behind, fixed, frames;

    wari_pieces_cut_level(&pieces, layout, shape->frame_bytes);
    wari_stripes_cut(&stripes, layout, shape->frame_bytes);
    behind = wari_pieces_file_bytes(&stripes);
    if (shape->reused > behind)
        behind = shape->reused;
    shape->behind = wari_pieces_file_bytes(&pieces) + behind;
    shape->file = shape->behind + shape->appended + wari_full_halves_bytes(layout);
    frames = bytes / shape->frame_bytes; /* to read, at most */
    shape->tables = wari_pieces_table_bytes(&pieces) + wari_pieces_table_bytes(&stripes) +
                    sizeof(struct wari_scratch) + frames * sizeof(struct wari_frame) +
                    pieces.count * sizeof(uint32_t) +
                    (uint64_t)shape->lanes * (sizeof(struct wari_lane) + sizeof(int)) +
                    WARI_PIECE_ALIGN;
    shape->aside = wari_whole_units(shape->aside);
    fixed = 2 * (uint64_t)shape->lanes * shape->frame_bytes + shape->aside + shape->tables;
    if (bytes < fixed + shape->frame_bytes)
        return false;
    shape->window = (bytes - fixed) / WARI_PIECE_ALIGN * WARI_PIECE_ALIGN;
    shape->bytes = fixed + shape->window;
    return shape->aside + shape->window >=
           wari_scratch_frames_read(shape->lanes) * shape->frame_bytes;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* From the widest elements to the smallest. */
static enum wari_status make_tables(struct wari_level *level, struct wari_error *error)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_scratch_shape *shape = &scratch->shape;
    const size_t pieces = scratch->pieces.cut.count, threads = (size_t)level->workers->count;
    const size_t frames = (size_t)((shape->aside + shape->window) / shape->frame_bytes);
    const size_t lanes = (size_t)shape->lanes;
    const size_t bytes = frames * sizeof(struct wari_frame) + lanes * sizeof(struct wari_lane) +
                         pieces * sizeof(uint32_t) + threads * sizeof(int);
    const enum wari_status status = wari_allocate(
        level->host, bytes, "the tables of a level by bits", &scratch->memory.tables, error);

    if (status != WARI_OK)
        return status;
    scratch->reading.frame = scratch->memory.tables;
    scratch->lane = (void *)(scratch->reading.frame + frames);
    scratch->reading.at = (void *)(scratch->lane + lanes);
    scratch->idle.number = (void *)(scratch->reading.at + pieces);
    for (int i = 0; i < level->workers->count; i++)
        scratch->idle.number[scratch->idle.count++] = i;
    return WARI_OK;
}

static enum wari_status make_memory(struct wari_level *level, struct wari_error *error)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_scratch_shape *shape = &scratch->shape;
    const uint64_t bytes = shape->bytes - shape->tables + WARI_PIECE_ALIGN;
    enum wari_status status;

    if (bytes > SIZE_MAX)
        return wari_fail(error, WARI_NO_MEMORY,
                         "a level by bits would not fit into the address space");
    status = wari_allocate(level->host, (size_t)bytes, "the buffers of a level by bits",
                           &scratch->memory.all, error);
    if (status != WARI_OK)
        return status;
    scratch->memory.lanes = (uint8_t *)(((uintptr_t)scratch->memory.all + WARI_PIECE_ALIGN - 1) /
                                        WARI_PIECE_ALIGN * WARI_PIECE_ALIGN);
    for (int i = 0; i < shape->lanes; i++) {
        uint8_t *frame = scratch->memory.lanes + 2 * (size_t)i * shape->frame_bytes;
        scratch->lane[i] =
            (struct wari_lane){.cells = (int8_t *)frame, .room = frame + shape->frame_bytes};
    }
    scratch->memory.aside = scratch->memory.lanes + 2 * (size_t)shape->lanes * shape->frame_bytes;
    scratch->memory.window = (int8_t *)scratch->memory.aside + shape->aside;
    return WARI_OK;
}

/* Stripes come behind the codes in the file. */
static enum wari_status make_pieces(struct wari_level *level, struct wari_error *error)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const enum wari_status status = wari_pieces_open(&scratch->pieces, error);

    return status == WARI_OK ? wari_pieces_open(&scratch->stripes, error) : status;
}

static void cut_pieces(const struct wari_level *level, struct wari_scratch *scratch)
{
    const size_t frame = scratch->shape.frame_bytes;

    scratch->pieces = scratch->stripes =
        (struct wari_pieces){.file = &scratch->file, .kernel = level->kernel, .frame_bytes = frame};
    wari_pieces_cut_level(&scratch->pieces.cut, &level->layout, frame);
    wari_stripes_cut(&scratch->stripes.cut, &level->layout, frame);
    scratch->stripes.base = wari_pieces_file_bytes(&scratch->pieces.cut);
    scratch->stripes.in_turn = true;
}

enum wari_status wari_scratch_open(struct wari_level *level, const struct wari_scratch_shape *shape,
                                   const struct wari_scratch_place *place, struct wari_error *error)
{
    struct wari_scratch *scratch;
    void *memory;
    enum wari_status status =
        wari_allocate(level->host, sizeof *scratch, "what a level by bits needs", &memory, error);

    if (status != WARI_OK)
        return status;
    level->backend_data = scratch = memory;
    memset(scratch, 0, sizeof *scratch);
    pthread_mutex_init(&scratch->lock, NULL);
    pthread_mutex_init(&scratch->reading.values, NULL);
    pthread_cond_init(&scratch->reading.whole, NULL);
    pthread_cond_init(&scratch->idle.some, NULL);
    scratch->level = level;
    scratch->shape = *shape;
    cut_pieces(level, scratch);
    status = wari_thread_pool_create(&scratch->crew, level->host, shape->lanes, error);
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
        status = wari_full_halves_open(&level->full_halves, level->host, &level->layout,
                                       place->folder, place->name, error);
    if (status != WARI_OK)
        wari_scratch_close(level);
    return status;
}

void wari_scratch_close(struct wari_level *level)
{
    struct wari_scratch *scratch = wari_scratch_of(level);

    if (!scratch)
        return;
    wari_full_halves_close(&level->full_halves);
    wari_thread_pool_destroy(scratch->crew);
    wari_pieces_close(&scratch->stripes);
    wari_pieces_close(&scratch->pieces);
    wari_scratch_file_close(&scratch->file);
    wari_release(level->host, scratch->memory.tables);
    wari_release(level->host, scratch->memory.all);
    pthread_cond_destroy(&scratch->idle.some);
    pthread_cond_destroy(&scratch->reading.whole);
    pthread_mutex_destroy(&scratch->reading.values);
    pthread_mutex_destroy(&scratch->lock);
    wari_release(level->host, scratch);
    level->backend_data = NULL;
}

static uint64_t sum(const atomic_uint_fast64_t *a, const atomic_uint_fast64_t *b)
{
    return atomic_load_explicit(a, memory_order_relaxed) +
           atomic_load_explicit(b, memory_order_relaxed);
}

void wari_scratch_add_statistics(struct wari_level *level)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_full_halves *full = &level->full_halves;

    level->progress.statistics->bytes_read = sum(&scratch->file.bytes_read, &full->bytes_read);
    level->progress.statistics->bytes_written =
        sum(&scratch->file.bytes_written, &full->bytes_written);
}

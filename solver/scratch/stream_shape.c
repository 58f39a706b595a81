/* How the memory of a streamed level is divided. Each block that the window has room for beside
 * others spares nearly one reading of the level a sweep, frames keep what would be read again. So
 * the window comes first, and all that is left are frames. */
#include <string.h>

#include "solver/bits/lists.h"
#include "solver/level/events.h"
#include "solver/scratch/stream.h"

enum {
    FRAMES_LEAST = 24,    /* a step of one column needs 6 pieces, so do two ahead; 6 may stay */
    FRAMES_WANTED = 128,  /* then a step has some columns, and pieces are worth reading */
    FRAME_MOST = 1 << 20, /* longer transfers are no faster */
    PAGES_LEAST = 64,     /* of events */
    NEEDS_LEAST = 1024,   /* entries of a plan */
    WINDOW_SHARE = 55,    /* per cent; or as much as the largest block takes, */
    WINDOW_MOST = 70,     /* up to that */
    PAGES_SHARE = 15,     /* a dense sweep less for each fifth more of them */
};

/* What is the same for all divisions of a level. */
struct level_shape {
    struct wari_layout layout;
    uint32_t pitch[WARI_SEEDS_MAX + 1];
    uint64_t longest_row, largest_block, least_window, cells;
};

static void measure(struct level_shape *level, int seeds)
{
    memset(level, 0, sizeof *level);
    wari_layout_init(&level->layout, seeds);
    for (int s = 0; s <= seeds; s++) {
        const uint32_t rows = level->layout.rows[s];
        const uint64_t pitch = wari_level_pitch(level->layout.columns[s]);
        const uint64_t least = (rows < WARI_STRIP ? rows : WARI_STRIP) * pitch;
        level->pitch[s] = (uint32_t)pitch;
        level->cells += rows * pitch;
        if (pitch > level->longest_row)
            level->longest_row = pitch;
        if (rows * pitch > level->largest_block)
            level->largest_block = rows * pitch;
        if (least > level->least_window)
            level->least_window = least;
    }
}

static uint64_t window_bytes(uint64_t cells)
{
    return wari_whole_units(cells + WARI_PIECE_PADDING);
}

uint64_t wari_stream_block_bytes(const struct wari_layout *layout, int block)
{
    const uint64_t bytes = (uint64_t)layout->rows[block] * wari_level_pitch(layout->columns[block]);

    return (bytes + WARI_BLOCK_PADDING + 63) / 64 * 64;
}

int wari_stream_turns(const struct wari_layout *layout, uint64_t window,
                      struct wari_turn turns[WARI_SEEDS_MAX + 1])
{
    int low = 0, high = layout->seeds, count = 0; /* blocks low .. high are to be given turns */

    while (low <= high) {
        const bool from_high = layout->seeds - high <= low;
        uint64_t bytes = 0;
        int blocks = 0;
        for (; low + blocks <= high; blocks++) {
            bytes += wari_stream_block_bytes(layout, from_high ? high - blocks : low + blocks);
            if (bytes > window && blocks > 0)
                break;
        }
        turns[count++] = (struct wari_turn){from_high ? high - blocks + 1 : low, blocks};
        low += from_high ? 0 : blocks;
        high -= from_high ? blocks : 0;
    }
    return count;
}

/* Fills in everything that follows from frames, window and pages. */
static void add_up(const struct level_shape *level, struct wari_stream_shape *shape)
{
    struct wari_pieces pieces, stripes;
    uint64_t behind;

    wari_pieces_lay_out(&pieces, &level->layout, level->pitch, shape->frame_bytes);
    wari_stream_lay_out_stripes(&stripes, &level->layout, shape->frame_bytes);
    shape->scratch = wari_pieces_file_bytes(&pieces);
    behind = wari_pieces_file_bytes(&stripes);
    if (shape->by_bits && wari_bits_snapshot_bytes(&level->layout) > behind)
        behind = wari_bits_snapshot_bytes(&level->layout);
    shape->full_halves = shape->scratch + behind;
    shape->scratch = shape->full_halves + wari_full_halves_bytes(&level->layout);
    shape->lists = wari_whole_units(shape->scratch);
    if (shape->by_bits)
        shape->scratch = shape->lists + shape->bits.lists;
    shape->pieces = pieces.count > stripes.count ? pieces.count : stripes.count;
    shape->entries = NEEDS_LEAST > 4 * pieces.count ? NEEDS_LEAST : 4 * pieces.count;
    shape->tables =
        wari_pieces_table_bytes(&pieces, shape->frames) +
        wari_pieces_table_bytes(&stripes, shape->frames) + sizeof(struct wari_stream) +
        (uint64_t)shape->pieces * (3 * sizeof(uint32_t) + 1) + /* list, seen, later, touched */
        (uint64_t)shape->entries * (4 * sizeof(uint32_t) + sizeof(struct wari_slice)) +
        WARI_PIECE_ALIGN;
    shape->bytes = (shape->frames + WARI_ROOMS) * shape->frame_bytes + shape->pages +
                   shape->window + shape->tables;
}

static struct wari_stream_shape least_shape(const struct level_shape *level)
{
    struct wari_stream_shape shape = {
        .frame_bytes = wari_whole_units(level->longest_row + WARI_PIECE_PADDING),
        .frames = FRAMES_LEAST,
        .window = window_bytes(level->least_window),
        .pages = PAGES_LEAST * sizeof(struct wari_page),
    };

    add_up(level, &shape);
    return shape;
}

uint64_t wari_stream_least(int seeds)
{
    struct level_shape level;

    measure(&level, seeds);
    return least_shape(&level).bytes;
}

/* A frame for a given room: many, but not so small that transfers are slow. */
static size_t frame_for(const struct level_shape *level, uint64_t bytes)
{
    uint64_t frame = wari_whole_units(bytes / FRAMES_WANTED);

    if (frame > FRAME_MOST)
        frame = FRAME_MOST;
    if (frame < wari_whole_units(level->longest_row + WARI_PIECE_PADDING))
        frame = wari_whole_units(level->longest_row + WARI_PIECE_PADDING);
    return (size_t)frame;
}

/* A turn less for each two blocks that fit together; but a block that does not fit as a whole takes
 * several. */
static uint64_t window_share(const struct level_shape *level, uint64_t bytes)
{
    const uint64_t most = bytes * WINDOW_MOST / 100;
    const uint64_t share = bytes * WINDOW_SHARE / 100;
    const uint64_t block = window_bytes(level->largest_block);

    return share < block ? (block < most ? block : most) : share;
}

bool wari_stream_shape(int seeds, uint64_t bytes, struct wari_stream_shape *shape)
{
    struct level_shape level;
    struct wari_stream_shape least;
    uint64_t share, left, a_frame;

    measure(&level, seeds);
    *shape = least = least_shape(&level);
    if (bytes < least.bytes)
        return false;
    left = bytes - least.bytes; /* to be given out on top of the least */
    share = window_share(&level, bytes);
    if (share > least.window) {
        const uint64_t most = window_bytes(level.cells);
        uint64_t more = (share < most ? share : most) - least.window;
        if (more > left)
            more = left;
        shape->window += more;
        left -= more;
    }
    share = bytes * PAGES_SHARE / 100 / sizeof(struct wari_page) * sizeof(struct wari_page);
    if (share > shape->pages && share - shape->pages <= left) {
        left -= share - shape->pages;
        shape->pages = share;
    }
    left += (least.frames + WARI_ROOMS) * least.frame_bytes;
    shape->frame_bytes = frame_for(&level, left);
    /* tables grow with the number of frames, too */
    a_frame = shape->frame_bytes + 2 * (sizeof(struct wari_frame) + sizeof(struct wari_transfer));
    shape->frames = (uint32_t)((left - WARI_ROOMS * shape->frame_bytes) / a_frame);
    add_up(&level, shape);
    while (shape->bytes > bytes && shape->frames > FRAMES_LEAST) {
        shape->frames--;
        add_up(&level, shape);
    }
    if (shape->bytes > bytes || shape->frames < FRAMES_LEAST)
        *shape = least;
    return true;
}

/* Lists are made in the memory of pages: makes some of a part of the window if there are too few of
 * them, and it can spare as much. */
static void give_pages(const struct level_shape *level, uint64_t bytes,
                       struct wari_stream_shape *shape)
{
    const uint64_t page = sizeof(struct wari_page);
    const uint64_t wanted = (bytes + page - 1) / page * page;

    if (wanted <= shape->pages ||
        shape->window + shape->pages < window_bytes(level->least_window) + wanted)
        return;
    shape->window -= wanted - shape->pages;
    shape->pages = wanted;
}

/* The table of lists is there while they are made, beside everything else: what is not idle then
 * has to come from frames. False if there are too few. */
static bool give_frames(uint64_t bytes, struct wari_stream_shape *shape)
{
    const uint64_t frames = (bytes + shape->frame_bytes - 1) / shape->frame_bytes;

    if (shape->frames < FRAMES_LEAST + frames)
        return false;
    shape->frames -= (uint32_t)frames;
    return true;
}

void wari_stream_shape_bits(int seeds, enum wari_cycle cycle, uint64_t bytes, uint64_t idle,
                            int threads, struct wari_stream_shape *shape)
{
    struct wari_stream_shape by_bits = *shape;
    struct level_shape level;

    measure(&level, seeds);
    give_pages(&level, wari_lists_least(&level.layout, threads), &by_bits);
    by_bits.bits.planes = cycle == WARI_OWN ? 3 : 2;
    by_bits.by_bits =
        wari_bits_shape(&level.layout, &by_bits, bytes + idle, threads, &by_bits.bits) &&
        (by_bits.bits.table <= idle || give_frames(by_bits.bits.table - idle, &by_bits));
    if (by_bits.by_bits)
        *shape = by_bits;
    add_up(&level, shape);
}

bool wari_stream_fits(int seeds, enum wari_cycle cycle, uint64_t bytes, uint64_t idle, int threads,
                      struct wari_stream_shape *shape)
{
    if (!wari_stream_shape(seeds, bytes, shape))
        return false;
    wari_stream_shape_bits(seeds, cycle, bytes, idle, threads, shape);
    return shape->by_bits;
}

/* What is enough for more is enough for less: as little as fits, to within a unit. */
uint64_t wari_stream_needs(int seeds, enum wari_cycle cycle, uint64_t most, uint64_t idle,
                           int threads)
{
    struct wari_stream_shape shape;
    uint64_t low = 0, high = most / WARI_PIECE_ALIGN; /* of these, `high` fits */

    if (!wari_stream_fits(seeds, cycle, high * WARI_PIECE_ALIGN, idle, threads, &shape))
        return UINT64_MAX;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (wari_stream_fits(seeds, cycle, middle * WARI_PIECE_ALIGN, idle, threads, &shape))
            high = middle;
        else
            low = middle;
    }
    return high * WARI_PIECE_ALIGN;
}

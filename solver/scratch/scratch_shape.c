/* How the memory of a level in a scratch file is divided. Each block that the window has room for
 * beside others spares nearly one reading of the level a sweep, frames keep what would be read
 * again. So the window comes first, and all that is left are frames. */
#include "solver/scratch/scratch.h"

#include <string.h>

#include "solver/kernel/kernel.h"
#include "solver/level/events.h"
#include "solver/level/size.h"

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

/* ---- Stripes --------------------------------------------------------------------------------- */

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

struct wari_stripes wari_scratch_stripes(const struct wari_layout *layout, int block,
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

void wari_scratch_cut_stripes(struct wari_pieces_cut *stripes, const struct wari_layout *layout,
                              size_t frame_bytes)
{
    struct wari_layout units = {.seeds = layout->seeds};
    uint32_t pitch[WARI_SEEDS_MAX + 1];

    for (int block = 0; block <= layout->seeds; block++) {
        const struct wari_stripes cut = wari_scratch_stripes(layout, block, frame_bytes);
        units.rows[block] = cut.groups * cut.runs;
        pitch[block] = cut.run * cut.width;
    }
    wari_pieces_cut_level(stripes, &units, pitch, frame_bytes);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

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

uint64_t wari_scratch_block_bytes(const struct wari_layout *layout, int block)
{
    const uint64_t bytes = (uint64_t)layout->rows[block] * wari_level_pitch(layout->columns[block]);

    return (bytes + WARI_BLOCK_PADDING + 63) / 64 * 64;
}

int wari_scratch_turns(const struct wari_layout *layout, uint64_t window,
                       struct wari_turn turns[WARI_SEEDS_MAX + 1])
{
    int low = 0, high = layout->seeds, count = 0; /* blocks low .. high are to be given turns */

    while (low <= high) {
        const bool from_high = layout->seeds - high <= low;
        uint64_t bytes = 0;
        int blocks = 0;
        for (; low + blocks <= high; blocks++) {
            bytes += wari_scratch_block_bytes(layout, from_high ? high - blocks : low + blocks);
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
static void add_up(const struct level_shape *level, struct wari_scratch_shape *shape)
{
    struct wari_pieces_cut pieces, stripes;
    uint64_t behind;

    wari_pieces_cut_level(&pieces, &level->layout, level->pitch, shape->frame_bytes);
    wari_scratch_cut_stripes(&stripes, &level->layout, shape->frame_bytes);
    behind = wari_pieces_file_bytes(&stripes);
    if (shape->reused > behind)
        behind = shape->reused;
    shape->full_halves = wari_pieces_file_bytes(&pieces) + behind;
    shape->behind = wari_whole_units(shape->full_halves + wari_full_halves_bytes(&level->layout));
    shape->file = shape->behind + shape->appended;
    shape->pieces = pieces.count > stripes.count ? pieces.count : stripes.count;
    shape->entries = NEEDS_LEAST > 4 * pieces.count ? NEEDS_LEAST : 4 * pieces.count;
    shape->tables =
        wari_pieces_table_bytes(&pieces, shape->frames) +
        wari_pieces_table_bytes(&stripes, shape->frames) + sizeof(struct wari_scratch) +
        (uint64_t)shape->pieces * (3 * sizeof(uint32_t) + 1) + /* list, seen, later, touched */
        (uint64_t)shape->entries * (4 * sizeof(uint32_t) + sizeof(struct wari_slice)) +
        WARI_PIECE_ALIGN;
    shape->bytes = (shape->frames + WARI_ROOMS) * shape->frame_bytes + shape->pages +
                   shape->window + shape->tables;
}

static struct wari_scratch_shape least_shape(const struct level_shape *level)
{
    struct wari_scratch_shape shape = {
        .frame_bytes = wari_whole_units(level->longest_row + WARI_PIECE_PADDING),
        .frames = FRAMES_LEAST,
        .window = window_bytes(level->least_window),
        .pages = PAGES_LEAST * sizeof(struct wari_page),
    };

    add_up(level, &shape);
    return shape;
}

uint64_t wari_scratch_least(int seeds)
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

bool wari_scratch_shape(int seeds, uint64_t bytes, struct wari_scratch_shape *shape)
{
    struct level_shape level;
    struct wari_scratch_shape least;
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

void wari_scratch_give_pages(int seeds, uint64_t bytes, struct wari_scratch_shape *shape)
{
    const uint64_t page = sizeof(struct wari_page);
    const uint64_t wanted = (bytes + page - 1) / page * page;
    struct level_shape level;

    measure(&level, seeds);
    if (wanted <= shape->pages ||
        shape->window + shape->pages < window_bytes(level.least_window) + wanted)
        return;
    shape->window -= wanted - shape->pages;
    shape->pages = wanted;
}

bool wari_scratch_take_frames(uint64_t bytes, struct wari_scratch_shape *shape)
{
    const uint64_t frames = (bytes + shape->frame_bytes - 1) / shape->frame_bytes;

    if (shape->frames < FRAMES_LEAST + frames)
        return false;
    shape->frames -= (uint32_t)frames;
    return true;
}

void wari_scratch_add_up(int seeds, struct wari_scratch_shape *shape)
{
    struct level_shape level;

    measure(&level, seeds);
    add_up(&level, shape);
}

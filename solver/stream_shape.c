/* How the memory of a streamed level is divided. What a pass gains from more memory differs: the
 * window spares a pass over the children for each part that it is short of, a fed block spares
 * nearly one reading of the level a sweep, and frames keep what would be read again. So the largest
 * block comes first, then fed blocks, and all that is left are frames. */
#include <string.h>

#include "solver/stream.h"
#include "solver/stream_late.h"

enum {
    FRAMES_LEAST = 24,    /* a step of one column needs 6 pieces, and the next step, too */
    FRAMES_WANTED = 256,  /* then a step has some columns, and pieces are worth reading */
    FRAME_MOST = 1 << 20, /* longer transfers are no faster */
    PAGES_LEAST = 64,     /* of events */
    NEEDS_LEAST = 1024,   /* entries of a plan */
    WINDOW_SHARE = 70,    /* per cent, at most */
    FED_SHARE = 14,
    PAGES_SHARE = 5,
};

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + WARI_PIECE_ALIGN - 1) / WARI_PIECE_ALIGN * WARI_PIECE_ALIGN;
}

/* What is the same for all divisions of a level. */
struct level_shape {
    struct wari_layout layout;
    uint32_t pitch[WARI_SEEDS_MAX + 1];
    int arrays;
    uint64_t longest_row, largest_block, least_window, cells;
    uint32_t most_strips;
};

static void measure(struct level_shape *level, int seeds, enum wari_cycle cycle)
{
    memset(level, 0, sizeof *level);
    wari_layout_init(&level->layout, seeds);
    level->arrays = cycle == WARI_OWN ? 2 : 1;
    for (int s = 0; s <= seeds; s++) {
        const uint32_t rows = level->layout.rows[s];
        const uint32_t strips = (rows + WARI_STRIP - 1) / WARI_STRIP;
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
        if (strips > level->most_strips)
            level->most_strips = strips;
    }
}

static uint64_t window_bytes(uint64_t cells)
{
    return aligned(cells + WARI_PIECE_PADDING);
}

static uint64_t fed_bytes(const struct level_shape *level, int block)
{
    return (uint64_t)level->layout.rows[block] * level->layout.columns[block];
}

/* Fills in everything that follows from frames, window, pages and fed blocks. */
static void add_up(const struct level_shape *level, struct wari_stream_shape *shape)
{
    struct wari_pieces pieces;

    wari_pieces_lay_out(&pieces, &level->layout, level->pitch, level->arrays, shape->frame_bytes);
    shape->scratch = wari_pieces_file_bytes(&pieces);
    shape->entries = NEEDS_LEAST > 4 * shape->frames ? NEEDS_LEAST : 4 * shape->frames;
    shape->tables =
        wari_pieces_table_bytes(&pieces, shape->frames) + sizeof(struct wari_stream) +
        wari_late_store_bytes() + level->most_strips +
        (uint64_t)pieces.count * (3 * sizeof(uint32_t) + 1) + /* list, seen, later, touched */
        (uint64_t)shape->entries * (4 * sizeof(uint32_t) + sizeof(struct wari_slice)) +
        WARI_PIECE_ALIGN;
    shape->bytes = shape->frames * shape->frame_bytes + shape->pages +
                   shape->window * (uint64_t)level->arrays + shape->fed_bytes + shape->tables;
}

static struct wari_stream_shape least_shape(const struct level_shape *level)
{
    struct wari_stream_shape shape = {
        .frame_bytes = aligned(level->longest_row + WARI_PIECE_PADDING),
        .frames = FRAMES_LEAST,
        .window = window_bytes(level->least_window),
        .pages = PAGES_LEAST * sizeof(struct wari_page),
    };

    add_up(level, &shape);
    return shape;
}

uint64_t wari_stream_least(int seeds, enum wari_cycle cycle)
{
    struct level_shape level;

    measure(&level, seeds, cycle);
    return least_shape(&level).bytes;
}

/* A frame for a given room: many, but not so small that transfers are slow. */
static size_t frame_for(const struct level_shape *level, uint64_t bytes)
{
    uint64_t frame = aligned(bytes / FRAMES_WANTED);

    if (frame > FRAME_MOST)
        frame = FRAME_MOST;
    if (frame < level->longest_row + WARI_PIECE_PADDING)
        frame = aligned(level->longest_row + WARI_PIECE_PADDING);
    return (size_t)frame;
}

bool wari_stream_shape(int seeds, enum wari_cycle cycle, uint64_t bytes,
                       struct wari_stream_shape *shape)
{
    struct level_shape level;
    struct wari_stream_shape least;
    uint64_t share, left, a_frame;

    measure(&level, seeds, cycle);
    *shape = least = least_shape(&level);
    if (bytes < least.bytes)
        return false;
    left = bytes - least.bytes; /* to be given out on top of the least */
    share = bytes * WINDOW_SHARE / 100 / (uint64_t)level.arrays;
    if (share > least.window) {
        const uint64_t most = window_bytes(level.largest_block);
        uint64_t more = (share < most ? share : most) - least.window;
        if (more > left / (uint64_t)level.arrays)
            more = left / (uint64_t)level.arrays;
        shape->window += more;
        left -= more * (uint64_t)level.arrays;
    }
    while (shape->fed < seeds / 2 &&
           level.layout.rows[shape->fed] <= WARI_FED_ROWS_MAX - WARI_STRIP &&
           fed_bytes(&level, shape->fed) <= left &&
           shape->fed_bytes + fed_bytes(&level, shape->fed) <= bytes * FED_SHARE / 100 &&
           window_bytes(fed_bytes(&level, shape->fed)) + WARI_STRIP * 64 <= shape->window) {
        left -= fed_bytes(&level, shape->fed);
        shape->fed_bytes += fed_bytes(&level, shape->fed);
        shape->fed++;
    }
    share = bytes * PAGES_SHARE / 100 / sizeof(struct wari_page) * sizeof(struct wari_page);
    if (share > shape->pages && share - shape->pages <= left) {
        left -= share - shape->pages;
        shape->pages = share;
    }
    left += least.frames * least.frame_bytes;
    shape->frame_bytes = frame_for(&level, left);
    /* tables grow with the number of frames: entries of a plan, frames, transfers */
    a_frame = shape->frame_bytes + 4 * (4 * sizeof(uint32_t) + sizeof(struct wari_slice)) +
              sizeof(struct wari_frame) + sizeof(struct wari_transfer);
    shape->frames = (uint32_t)(left / a_frame);
    add_up(&level, shape);
    while (shape->bytes > bytes && shape->frames > FRAMES_LEAST) {
        shape->frames--;
        add_up(&level, shape);
    }
    if (shape->bytes > bytes)
        *shape = least;
    return true;
}

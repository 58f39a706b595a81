/* The planes: how they are laid out, how much memory that takes, and how codes fill them. */
#include <string.h>

#include "db/host/bytes.h"
#include "solver/bits/lists.h"

enum {
    FRAMES_LEAST = 8, /* a few pieces a step, and two steps ahead */
    FRAMES_WANTED = 24,
    PAGES_SHARE = 100, /* of a plane: one byte in so many */
    PAGES_LEAST = 128,
};

static uint64_t plane_bytes(const struct wari_layout *layout)
{
    uint64_t bytes = 0;

    for (int block = 0; block <= layout->seeds; block++)
        bytes += (uint64_t)layout->rows[block] * ((layout->columns[block] + 7) / 8);
    return bytes;
}

uint64_t wari_bits_snapshot_units(const struct wari_layout *layout)
{
    return wari_whole_units(plane_bytes(layout)) / WARI_PIECE_ALIGN;
}

/* With a third plane goes a row of zeros. */
uint64_t wari_bits_planes_bytes(const struct wari_layout *layout, int planes)
{
    uint64_t bytes = (uint64_t)planes * (plane_bytes(layout) + WARI_BITS_PADDING);
    uint32_t longest = 0;

    for (int block = 0; block <= layout->seeds; block++)
        if (layout->columns[block] > longest)
            longest = layout->columns[block];
    if (planes > 2)
        bytes += (longest + 7) / 8 + WARI_BITS_PADDING;
    return bytes + wari_bits_snapshot_units(layout) * WARI_BITS_PLACES * sizeof(uint32_t);
}

uint64_t wari_bits_snapshot_bytes(const struct wari_layout *layout)
{
    return wari_whole_units(plane_bytes(layout)) * WARI_BITS_PLACES;
}

/* Counted: 0.44 bytes a cell at 18 seeds, 0.46 at 22. The more seeds, the longer the lists, and the
 * further apart their cells. And of each list each thread may have hardly begun a chunk. */
static uint64_t list_bytes(const struct wari_layout *layout, uint32_t chunk_bytes, int threads)
{
    const uint64_t hundredths = 40 + (uint64_t)layout->seeds;
    const uint64_t begun = (uint64_t)threads * (uint64_t)(layout->seeds + 1) * chunk_bytes;

    return layout->block_offset[layout->seeds + 1] / 100 * hundredths + begun;
}

void wari_bits_lay_out(struct wari_bits *bits, const struct wari_layout *layout)
{
    uint64_t offset = 0;

    for (int block = 0; block <= layout->seeds; block++) {
        bits->offset[block] = offset;
        bits->pitch[block] = (layout->columns[block] + 7) / 8;
        offset += (uint64_t)layout->rows[block] * bits->pitch[block];
    }
    bits->offset[layout->seeds + 1] = offset;
}

/* Lists are made before there are planes, in the memory of pages. */
bool wari_bits_shape(const struct wari_layout *layout, const struct wari_stream_shape *stream,
                     uint64_t bytes, int threads, struct wari_bits_shape *shape)
{
    const uint64_t plane = plane_bytes(layout) + WARI_BITS_PADDING;
    const uint64_t wanted = plane / PAGES_SHARE / sizeof(struct wari_bits_page);
    uint64_t fixed = wari_bits_planes_bytes(layout, shape->planes) +
                     WARI_ROOMS * stream->frame_bytes + stream->tables +
                     wari_bits_worker_bytes(threads) + wari_bits_words_bytes(layout);
    uint64_t left;

    shape->chunk = wari_lists_chunk(layout, stream->pages, threads);
    shape->snapshots = (uint32_t)(stream->frame_bytes / (2 * WARI_PIECE_ALIGN));
    if (shape->snapshots > WARI_BITS_SNAPSHOTS)
        shape->snapshots = WARI_BITS_SNAPSHOTS;
    if (shape->chunk == 0 || shape->snapshots == 0)
        return false;
    shape->lists = list_bytes(layout, shape->chunk, threads);
    shape->table = wari_lists_table_bytes(layout, shape->chunk, threads) + sizeof(struct wari_bits);
    fixed += shape->table;
    if (bytes < fixed)
        return false;
    left = bytes - fixed;
    shape->frames = FRAMES_WANTED < stream->frames ? FRAMES_WANTED : stream->frames;
    while (shape->frames > FRAMES_LEAST && shape->frames * stream->frame_bytes > left / 2)
        shape->frames--;
    if (shape->frames * stream->frame_bytes + PAGES_LEAST * sizeof(struct wari_bits_page) > left)
        return false;
    left = (left - shape->frames * stream->frame_bytes) / sizeof(struct wari_bits_page);
    shape->pages = (uint32_t)(left < wanted ? left : wanted);
    if (shape->pages < PAGES_LEAST)
        shape->pages = PAGES_LEAST;
    return true;
}

/* ---- From codes ------------------------------------------------------------------------------ */

enum { IS_WON = 1, IS_LOST = 2, IS_KEPT = 4 };

struct filling {
    struct wari_bits *bits;
    int8_t state[3][256]; /* [the block may be held: not, ahead, behind][code] */
    atomic_uint_fast64_t hopes;
};

/* The lowest bits of eight bytes, the first one lowest. */
static uint8_t pack(uint64_t bytes)
{
    return (uint8_t)((bytes & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56);
}

/* Returns how many hopes there are: cells that are kept, but neither won nor lost. */
static uint64_t fill_row(const struct wari_bits *bits, const int8_t state[256], const int8_t *cells,
                         uint32_t columns, uint64_t at)
{
    enum { AT_ONCE = 512 };
    const struct wari_kernel_ops *kernel = bits->level->kernel;
    int8_t states[AT_ONCE];
    uint64_t hopes = 0;

    for (uint32_t column = 0; column < columns; column += AT_ONCE) {
        const uint32_t left = columns - column, count = left < AT_ONCE ? left : AT_ONCE;
        memset(states, 0, sizeof states);
        kernel->look_up(state, cells + column, count, states);
        for (uint32_t i = 0; i < count; i += 8, at++) {
            const uint64_t eight = wari_load64((const uint8_t *)states + i);
            bits->won[at] = pack(eight);
            bits->lost[at] = pack(eight >> 1);
            if (!bits->kept)
                continue;
            bits->kept[at] = pack(eight >> 2);
            /* what is won has no other bit of the two, and so has what is lost */
            hopes += (uint64_t)__builtin_popcount(bits->kept[at] &
                                                  ~(unsigned)(bits->won[at] ^ bits->lost[at]));
        }
    }
    return hopes;
}

static void fill_piece(struct wari_level *level, struct wari_worker *worker, void *context,
                       uint32_t piece)
{
    struct filling *filling = context;
    struct wari_bits *bits = filling->bits;
    const struct wari_pieces *pieces = &level->stream->pieces;
    const int block = wari_piece_block(pieces, piece);
    const uint32_t first = wari_piece_row(pieces, block, piece);
    const uint32_t end = first + wari_piece_rows(pieces, block, piece);
    const int surplus = level->layout.seeds - 2 * block;
    const int8_t *state = filling->state[surplus >= bits->bound    ? 1
                                         : surplus <= -bits->bound ? 2
                                                                   : 0];
    uint64_t hopes = 0;

    (void)worker;
    for (uint32_t row = first; row < end; row++)
        hopes += fill_row(bits, state, wari_pieces_row(pieces, block, row),
                          level->layout.columns[block], wari_bits_place(bits, block, row, 0));
    atomic_fetch_add_explicit(&filling->hopes, hopes, memory_order_relaxed);
}

uint64_t wari_bits_from_codes(struct wari_bits *bits)
{
    struct wari_level *level = bits->level;
    const struct wari_cells *codes = &level->codes;
    struct filling filling = {.bits = bits, .hopes = 0};
    struct wari_stream_each each = {
        .count = wari_stream_list_all(level), .job = fill_piece, .context = &filling};

    for (int code = 0; code < 256; code++) {
        const int value = codes->value[code], floor = codes->floor[code];
        int state = 0;
        if (value >= bits->bound)
            state = IS_WON;
        else if (value <= -bits->bound)
            state = IS_LOST;
        else if (floor > -bits->bound)
            state = IS_WON | IS_LOST; /* held */
        for (int i = 0; i < 3; i++)
            filling.state[i][code] = (int8_t)state;
        if (value >= bits->bound - 1)
            filling.state[1][code] |= IS_KEPT;
        if (value <= 1 - bits->bound && state != (IS_WON | IS_LOST))
            filling.state[2][code] |= IS_KEPT;
    }
    wari_stream_each(level, &each);
    return atomic_load_explicit(&filling.hopes, memory_order_relaxed);
}

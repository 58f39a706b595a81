/* Whether a level can be solved by bits, and with how much. */
#include "solver/bits/fits.h"

#include "solver/bits/lists.h"
#include "solver/bits/worker.h"

enum {
    LISTS_SHARE = 15, /* per cent, while they are made; the window has most of the rest. A guess */
    LANES_SHARE = 8,  /* one byte in so many, and what planes and pages leave. A guess: level 24
                       * in 128 MB gets frames of 270 KB (scratch.h) */
    FRAME_MOST = 1 << 20, /* longer transfers are no faster */
    PAGES_SHARE = 100,    /* of a plane: one byte in so many, for one cell in 6,400: they are worked
                           * on while they come. A guess */
    PAGES_LEAST = 128,    /* one for each thread, and some to hand on */
};

/* Counted: 0.44 bytes a cell at 18 seeds, 0.46 at 22. The more seeds, the longer the lists, and the
 * further apart their cells. And of each list each set may have hardly begun a chunk. */
static uint64_t list_bytes(const struct wari_layout *layout, uint32_t chunk_bytes, int sets)
{
    const uint64_t hundredths = 40 + (uint64_t)layout->seeds;
    const uint64_t begun = (uint64_t)sets * (uint64_t)(layout->seeds + 1) * chunk_bytes;

    return layout->block_offset[layout->seeds + 1] / 100 * hundredths + begun;
}

/* What is there while values grow, but for lanes and pages. */
static uint64_t fixed_bytes(const struct wari_layout *layout, int threads,
                            const struct wari_bits_shape *shape)
{
    return wari_bits_planes_bytes(layout, shape->planes) + wari_bits_worker_bytes(threads) +
           wari_bits_words_bytes(layout) + shape->table + shape->scratch.tables;
}

/* Pages for news that serve best. */
static uint64_t pages_wanted(const struct wari_layout *layout)
{
    const uint64_t plane = wari_bits_planes_bytes(layout, 2) - wari_bits_planes_bytes(layout, 1);

    return plane / PAGES_SHARE / sizeof(struct wari_bits_page);
}

/* The longest frames that leave the others enough of it: `left` while values grow, `bytes` before
 * that. */
static size_t frame_for(const struct wari_layout *layout, uint64_t left, uint64_t bytes, int lanes)
{
    const uint64_t pages =
        wari_least(left / 2, pages_wanted(layout) * sizeof(struct wari_bits_page));
    const uint64_t share = wari_least(left - pages, bytes / LANES_SHARE) / (2 * (uint64_t)lanes);
    const size_t frame =
        (size_t)wari_least(share, FRAME_MOST) / WARI_PIECE_ALIGN * WARI_PIECE_ALIGN;
    const size_t least = wari_scratch_frame_least(layout);

    return frame > least ? frame : least;
}

/* News have what is left beside `least` bytes. */
static bool give_pages(const struct wari_layout *layout, uint64_t bytes, uint64_t least,
                       struct wari_bits_shape *shape)
{
    if (bytes < least + PAGES_LEAST * sizeof(struct wari_bits_page))
        return false;
    shape->pages =
        (uint32_t)wari_least((bytes - least) / sizeof(struct wari_bits_page), pages_wanted(layout));
    if (shape->pages < PAGES_LEAST)
        shape->pages = PAGES_LEAST;
    return true;
}

/* Tables are longest with the shortest frames. The table of lists is there while they are made,
 * too, beside all that the scratch has: what is not idle then it cannot have. */
bool wari_bits_fits(int seeds, enum wari_cycle cycle, uint64_t bytes, uint64_t idle, int threads,
                    struct wari_bits_shape *shape)
{
    struct wari_scratch_shape *scratch = &shape->scratch;
    const int lanes = threads + WARI_LANES_WAITING;
    struct wari_layout layout;
    uint64_t fixed, own, left;

    wari_layout_init(&layout, seeds);
    *shape = (struct wari_bits_shape){
        .planes = cycle == WARI_OWN ? 3 : 2,
        .chunk = wari_lists_chunk(&layout, bytes * LISTS_SHARE / 100, lanes)};
    shape->table = wari_lists_table_bytes(&layout, shape->chunk, lanes) + sizeof(struct wari_bits);
    *scratch = (struct wari_scratch_shape){.lanes = lanes,
                                           .frame_bytes = wari_scratch_frame_least(&layout),
                                           .aside = wari_lists_room(&layout, shape->chunk, lanes),
                                           .reused = wari_bits_snapshot_bytes(&layout),
                                           .appended = list_bytes(&layout, shape->chunk, lanes)};
    own = bytes - wari_least(bytes, shape->table > idle ? shape->table - idle : 0);
    if (!wari_scratch_shape(&layout, own, scratch))
        return false;
    fixed = fixed_bytes(&layout, threads, shape);
    if (bytes + idle < fixed + PAGES_LEAST * sizeof(struct wari_bits_page))
        return false;
    left = bytes + idle - fixed - PAGES_LEAST * sizeof(struct wari_bits_page);
    scratch->frame_bytes = frame_for(&layout, left, own, scratch->lanes);
    shape->snapshots =
        (uint32_t)wari_least(scratch->frame_bytes / (2 * WARI_PIECE_ALIGN), WARI_BITS_SNAPSHOTS);
    return wari_scratch_shape(&layout, own, scratch) &&
           give_pages(&layout, bytes + idle,
                      fixed + 2 * (uint64_t)scratch->lanes * scratch->frame_bytes, shape);
}

/* What is enough for more is enough for less: as little as fits, to within a unit. */
uint64_t wari_bits_needs(int seeds, enum wari_cycle cycle, uint64_t most, uint64_t idle,
                         int threads)
{
    struct wari_bits_shape shape;
    uint64_t low = 0, high = most / WARI_PIECE_ALIGN; /* of these, `high` fits */

    if (!wari_bits_fits(seeds, cycle, high * WARI_PIECE_ALIGN, idle, threads, &shape))
        return UINT64_MAX;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (wari_bits_fits(seeds, cycle, middle * WARI_PIECE_ALIGN, idle, threads, &shape))
            high = middle;
        else
            low = middle;
    }
    return high * WARI_PIECE_ALIGN;
}

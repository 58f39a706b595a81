/* Whether a level can be solved by bits, and with how much. */
#include "solver/bits/fits.h"

#include "solver/bits/lists.h"
#include "solver/bits/worker.h"

enum {
    FRAMES_LEAST = 8, /* a few pieces a step, and two steps ahead */
    FRAMES_WANTED = 24,
    PAGES_SHARE = 100, /* of a plane: one byte in so many */
    PAGES_LEAST = 128,
};

/* Counted: 0.44 bytes a cell at 18 seeds, 0.46 at 22. The more seeds, the longer the lists, and the
 * further apart their cells. And of each list each thread may have hardly begun a chunk. */
static uint64_t list_bytes(const struct wari_layout *layout, uint32_t chunk_bytes, int threads)
{
    const uint64_t hundredths = 40 + (uint64_t)layout->seeds;
    const uint64_t begun = (uint64_t)threads * (uint64_t)(layout->seeds + 1) * chunk_bytes;

    return layout->block_offset[layout->seeds + 1] / 100 * hundredths + begun;
}

/* Lists are made before there are planes, in the memory of pages. False if there is not enough of
 * it. */
static bool divide(const struct wari_layout *layout, uint64_t bytes, int threads,
                   struct wari_bits_shape *shape)
{
    struct wari_scratch_shape *scratch = &shape->scratch;
    const uint64_t plane = wari_bits_planes_bytes(layout, 2) - wari_bits_planes_bytes(layout, 1);
    const uint64_t wanted = plane / PAGES_SHARE / sizeof(struct wari_bits_page);
    uint64_t fixed = wari_bits_planes_bytes(layout, shape->planes) +
                     WARI_ROOMS * scratch->frame_bytes + scratch->tables +
                     wari_bits_worker_bytes(threads) + wari_bits_words_bytes(layout);
    uint64_t left;

    shape->chunk = wari_lists_chunk(layout, scratch->pages, threads);
    shape->snapshots = (uint32_t)(scratch->frame_bytes / (2 * WARI_PIECE_ALIGN));
    if (shape->snapshots > WARI_BITS_SNAPSHOTS)
        shape->snapshots = WARI_BITS_SNAPSHOTS;
    if (shape->chunk == 0 || shape->snapshots == 0)
        return false;
    scratch->appended = list_bytes(layout, shape->chunk, threads);
    shape->table = wari_lists_table_bytes(layout, shape->chunk, threads) + sizeof(struct wari_bits);
    fixed += shape->table;
    if (bytes < fixed)
        return false;
    left = bytes - fixed;
    shape->frames = FRAMES_WANTED < scratch->frames ? FRAMES_WANTED : scratch->frames;
    while (shape->frames > FRAMES_LEAST && shape->frames * scratch->frame_bytes > left / 2)
        shape->frames--;
    if (shape->frames * scratch->frame_bytes + PAGES_LEAST * sizeof(struct wari_bits_page) > left)
        return false;
    left = (left - shape->frames * scratch->frame_bytes) / sizeof(struct wari_bits_page);
    shape->pages = (uint32_t)(left < wanted ? left : wanted);
    if (shape->pages < PAGES_LEAST)
        shape->pages = PAGES_LEAST;
    return true;
}

bool wari_bits_fits(int seeds, enum wari_cycle cycle, uint64_t bytes, uint64_t idle, int threads,
                    struct wari_bits_shape *shape)
{
    struct wari_scratch_shape *scratch = &shape->scratch;
    struct wari_layout layout;

    if (!wari_scratch_shape(seeds, bytes, scratch))
        return false;
    wari_layout_init(&layout, seeds);
    shape->planes = cycle == WARI_OWN ? 3 : 2;
    wari_scratch_give_pages(seeds, wari_lists_least(&layout, threads), scratch);
    if (!divide(&layout, bytes + idle, threads, shape))
        return false;
    /* The table of lists is there while they are made, beside everything else: what is not idle
     * then has to come from frames. */
    if (shape->table > idle && !wari_scratch_take_frames(shape->table - idle, scratch))
        return false;
    scratch->reused = wari_bits_snapshot_bytes(&layout);
    wari_scratch_add_up(seeds, scratch);
    return true;
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

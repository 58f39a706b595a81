/* Divides the memory of a level for the bit backend. */
#include "solver/bits/bits_backend.h"

#include "solver/bits/bits.h"
#include "solver/bits/capture_lists.h"

enum {
    /* Memory of the capture lists (capture_lists.h) while they are made, in per cent of the level's
     * memory. The pool (scratch.h) gets most of the rest. The best value was not measured. */
    LISTS_SHARE = 15,

    /* All I/O buffers together get at most an eighth of the level's memory, and at most the memory
     * that the bit planes and the worklist leave. The best value was not measured. Level 24 in 128
     * MB gets buffers of 270 KB (scratch.h). */
    BUFFERS_SHARE = 8,
    BUFFER_BYTES_MAX = 1 << 20, /* longer transfers are not faster */

    /* The worklist gets one byte for each 100 bytes of a plane, which is enough for one cell in
     * 6,400 cells. The worklist need not hold more, since it is processed while cells are pushed.
     * The best value was not measured. */
    WORKLIST_SHARE = 100,
    WORKLIST_BUFFERS_MIN = 128, /* one buffer for each thread, and some full buffers */
};

/* Returns an estimate of the size of the capture lists in the file, in bytes. The measured size was
 * 0.44 bytes a cell at 18 seeds and 0.46 at 22. It grows with the number of seeds, since there are
 * more lists and the gaps between their cells are longer. In addition, each list may have one
 * nearly empty node for each of the `sets` sets of open nodes (capture_lists.h). */
static uint64_t list_bytes(const struct wari_layout *layout, uint32_t node_bytes, int sets)
{
    const uint64_t hundredths = 40 + (uint64_t)layout->seeds;
    const uint64_t open_nodes = (uint64_t)sets * (uint64_t)(layout->seeds + 1) * node_bytes;

    return layout->block_offset[layout->seeds + 1] / 100 * hundredths + open_nodes;
}

/* Returns the memory that is needed while values grow, without I/O buffers and worklist. */
static uint64_t fixed_bytes(const struct wari_layout *layout, int threads,
                            const struct wari_bits_shape *shape)
{
    return wari_bits_planes_bytes(layout, shape->planes) + wari_bits_worker_bytes(threads) +
           wari_bits_words_bytes(layout) + shape->table_bytes + shape->scratch.tables;
}

/* Returns the largest useful number of worklist buffers: more buffers do not make the build
 * faster. */
static uint64_t best_worklist_buffers(const struct wari_layout *layout)
{
    const uint64_t plane = wari_bits_planes_bytes(layout, 2) - wari_bits_planes_bytes(layout, 1);

    return plane / WORKLIST_SHARE / sizeof(struct wari_worklist_buffer);
}

/* Returns the size of each I/O buffer: the largest size that leaves enough memory for everything
 * else. `left` is the memory that I/O buffers and worklist share while values grow; `bytes` is the
 * memory of the scratch data in the capture pass. */
static size_t choose_buffer_bytes(const struct wari_layout *layout, uint64_t left, uint64_t bytes,
                                  int io_threads)
{
    const uint64_t worklist =
        wari_least(left / 2, best_worklist_buffers(layout) * sizeof(struct wari_worklist_buffer));
    const uint64_t share =
        wari_least(left - worklist, bytes / BUFFERS_SHARE) / (2 * (uint64_t)io_threads);
    const size_t best =
        (size_t)wari_least(share, BUFFER_BYTES_MAX) / WARI_TRANSFER_ALIGN * WARI_TRANSFER_ALIGN;
    const size_t least = wari_scratch_buffer_least(layout);

    return best > least ? best : least;
}

/* Assigns to the worklist the memory that is left of `bytes` after the `least` bytes that
 * everything else needs. Returns false if too little is left. */
static bool choose_worklist_buffers(const struct wari_layout *layout, uint64_t bytes,
                                    uint64_t least, struct wari_bits_shape *shape)
{
    if (bytes < least + WORKLIST_BUFFERS_MIN * sizeof(struct wari_worklist_buffer))
        return false;
    shape->worklist_buffers = (uint32_t)wari_least(
        (bytes - least) / sizeof(struct wari_worklist_buffer), best_worklist_buffers(layout));
    if (shape->worklist_buffers < WORKLIST_BUFFERS_MIN)
        shape->worklist_buffers = WORKLIST_BUFFERS_MIN;
    return true;
}

/* The tables of the scratch data are largest if the buffers are smallest. So their size is first
 * computed with the smallest buffers, as an upper bound. While the capture lists are made, the
 * scratch data uses all of its memory, and the table of the lists exists as well. This table uses
 * the idle memory; if it is larger than the idle memory, the difference is subtracted from the
 * memory of the scratch data. */
bool wari_bits_shape_for(int seeds, enum wari_cycle cycle, uint64_t bytes, uint64_t idle,
                         int threads, struct wari_bits_shape *shape)
{
    struct wari_scratch_shape *scratch = &shape->scratch;
    const int io_threads = threads + WARI_IO_THREADS_EXTRA;
    struct wari_layout layout;
    uint64_t fixed, usable, left;

    wari_layout_init(&layout, seeds);
    *shape = (struct wari_bits_shape){.planes = cycle == WARI_OWN ? 3 : 2,
                                      .list_node_bytes = wari_capture_lists_node_bytes(
                                          &layout, bytes * LISTS_SHARE / 100, io_threads)};
    shape->table_bytes =
        wari_capture_lists_table_bytes(&layout, shape->list_node_bytes, io_threads) +
        sizeof(struct wari_bits) - sizeof(struct wari_scratch);
    *scratch = (struct wari_scratch_shape){
        .io_threads = io_threads,
        .buffer_bytes = wari_scratch_buffer_least(&layout),
        .reserved = wari_capture_lists_bytes(&layout, shape->list_node_bytes, io_threads),
        .reused = wari_bits_snapshot_bytes(&layout),
        .appended = list_bytes(&layout, shape->list_node_bytes, io_threads)};
    usable = bytes - wari_least(bytes, shape->table_bytes > idle ? shape->table_bytes - idle : 0);
    if (!wari_scratch_shape(&layout, usable, scratch))
        return false;
    fixed = fixed_bytes(&layout, threads, shape);
    if (bytes + idle < fixed + WORKLIST_BUFFERS_MIN * sizeof(struct wari_worklist_buffer))
        return false;
    left = bytes + idle - fixed - WORKLIST_BUFFERS_MIN * sizeof(struct wari_worklist_buffer);
    scratch->buffer_bytes = choose_buffer_bytes(&layout, left, usable, scratch->io_threads);
    shape->snapshots = (uint32_t)wari_least(scratch->buffer_bytes / (2 * WARI_TRANSFER_ALIGN),
                                            WARI_BITS_SNAPSHOTS);
    return wari_scratch_shape(&layout, usable, scratch) &&
           choose_worklist_buffers(
               &layout, bytes + idle,
               fixed + 2 * (uint64_t)scratch->io_threads * scratch->buffer_bytes, shape);
}

/* Searches for the least number of bytes with which wari_bits_shape_for() returns true, by a binary
 * search over multiples of WARI_TRANSFER_ALIGN. */
uint64_t wari_bits_bytes_needed(int seeds, enum wari_cycle cycle, uint64_t upper, uint64_t idle,
                                int threads)
{
    struct wari_bits_shape shape;
    uint64_t low = 0, high = upper / WARI_TRANSFER_ALIGN; /* `high` is always enough */

    if (!wari_bits_shape_for(seeds, cycle, high * WARI_TRANSFER_ALIGN, idle, threads, &shape))
        return UINT64_MAX;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (wari_bits_shape_for(seeds, cycle, middle * WARI_TRANSFER_ALIGN, idle, threads, &shape))
            high = middle;
        else
            low = middle;
    }
    return high * WARI_TRANSFER_ALIGN;
}

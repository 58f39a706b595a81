/* The layout and the sizes of a level's arrays in memory. */
#include "solver/level/size.h"

#include <string.h>

#include "solver/level/events.h"
#include "solver/rows/sow.h"

/* Event buffers take one byte for each EVENT_SHARE cells, which is one event for 66 cells. A cell
 * that changes needs 3 or 4 events. If memory is short, one byte for each EVENT_SHARE_LEAST cells
 * is enough; then five more sweeps are dense. */
enum { EVENT_SHARE = 8, EVENT_SHARE_LEAST = 32 };

/* Long rows begin at a cache line. That takes 1 to 5 % more memory at 12 to 20 seeds, but each row
 * of an item is then in one line, not two, and two threads never write to the same line. */
uint32_t wari_level_pitch(uint32_t columns)
{
    enum { LONG = 56 };

    return columns < LONG ? columns : (columns + WARI_LINE - 1) / WARI_LINE * WARI_LINE;
}

bool wari_has_own_children(const struct wari_layout *layout, int block)
{
    const int sown = layout->seeds - 2 * block;

    return sown >= 0 && sown <= WARI_SOWN_MAX && wari_pair_occurs(layout->seeds, block, sown);
}

void wari_partition_whole(struct wari_partition *partition, int seeds)
{
    memset(partition, 0, sizeof *partition);
    for (int s = 0; s <= seeds; s++)
        partition->rows[s] = wari_row_count(s);
}

struct wari_sizes wari_level_lay_out(int seeds, const struct wari_partition *partition,
                                     uint32_t pitch[WARI_SEEDS_MAX + 1],
                                     uint64_t offset[WARI_SEEDS_MAX + 2])
{
    struct wari_layout layout;
    struct wari_sizes sizes = {0};

    wari_layout_init(&layout, seeds);
    for (int s = 0; s <= seeds; s++) {
        pitch[s] = wari_level_pitch(layout.columns[s]);
        const uint64_t bytes = (uint64_t)partition->rows[s] * pitch[s];
        offset[s] =
            (sizes.cells + WARI_BLOCK_PADDING - 1) / WARI_BLOCK_PADDING * WARI_BLOCK_PADDING;
        sizes.cells = offset[s] + bytes + WARI_BLOCK_PADDING;
        if (wari_has_own_children(&layout, s) && bytes + WARI_BLOCK_PADDING > sizes.copy)
            sizes.copy = bytes + WARI_BLOCK_PADDING;
    }
    sizes.event_buffers = sizes.cells / EVENT_SHARE / sizeof(struct wari_event_buffer);
    offset[seeds + 1] = sizes.cells;
    return sizes;
}

static uint64_t total_bytes(const struct wari_sizes *sizes)
{
    return sizes->cells + sizes->copy + sizes->event_buffers * sizeof(struct wari_event_buffer);
}

static uint64_t min_event_buffers(const struct wari_sizes *sizes)
{
    return (sizes->event_buffers * EVENT_SHARE + EVENT_SHARE_LEAST - 1) / EVENT_SHARE_LEAST;
}

double wari_sizes_limit(struct wari_sizes *sizes, uint64_t bytes)
{
    const uint64_t preferred = sizes->event_buffers, least = min_event_buffers(sizes);
    const uint64_t all = total_bytes(sizes), more = all > bytes ? all - bytes : 0;
    const uint64_t taken =
        (more + sizeof(struct wari_event_buffer) - 1) / sizeof(struct wari_event_buffer);

    if (taken == 0 || preferred == 0)
        return 1;
    sizes->event_buffers = preferred > least + taken ? preferred - taken : least;
    return (double)sizes->event_buffers / (double)preferred;
}

struct wari_sizes wari_level_sizes(int seeds)
{
    uint32_t pitch[WARI_SEEDS_MAX + 1];
    uint64_t offset[WARI_SEEDS_MAX + 2];
    struct wari_partition all;

    wari_partition_whole(&all, seeds);
    return wari_level_lay_out(seeds, &all, pitch, offset);
}

uint64_t wari_level_bytes(int seeds)
{
    const struct wari_sizes sizes = wari_level_sizes(seeds);

    return total_bytes(&sizes);
}

uint64_t wari_level_least(int seeds)
{
    struct wari_sizes sizes = wari_level_sizes(seeds);

    sizes.event_buffers = min_event_buffers(&sizes);
    return total_bytes(&sizes);
}

double wari_level_events_share(int seeds, uint64_t bytes)
{
    struct wari_sizes sizes = wari_level_sizes(seeds);

    return WARI_LEAVE_EVENTS_BELOW * wari_sizes_limit(&sizes, bytes);
}

/* Allocates the arrays of a level in memory. */
#include "solver/memory/memory.h"

#include "system/huge_pages.h"

/* Cells begin at a cache line, and so do the buffers of events after them. */
static uint64_t cells_bytes(const struct wari_sizes *sizes)
{
    return (sizes->cells + WARI_LINE - 1) / WARI_LINE * WARI_LINE;
}

static uint64_t arrays_bytes(const struct wari_sizes *sizes)
{
    return WARI_LINE + cells_bytes(sizes) +
           sizes->event_buffers * sizeof(struct wari_event_buffer) + sizes->copy;
}

static enum wari_status allocate(const struct wari_host *host, uint64_t bytes, void **memory,
                                 struct wari_error *error)
{
    enum wari_status status;

    *memory = NULL;
    if (bytes > SIZE_MAX)
        return wari_fail(error, WARI_NO_MEMORY,
                         "the cells of a level would not fit into the address space");
    status = wari_allocate(host, (size_t)bytes, "the cells of a level", memory, error);
    if (status == WARI_OK)
        wari_ask_for_huge_pages(*memory, bytes);
    return status;
}

static enum wari_status make_arrays(struct wari_level *level, const struct wari_sizes *sizes,
                                    struct wari_error *error)
{
    struct wari_resident *resident = &level->resident;
    const bool shared = resident->buffer && resident->buffer->bytes >= arrays_bytes(sizes);
    const enum wari_status status =
        shared ? WARI_OK : allocate(level->host, arrays_bytes(sizes), &resident->memory, error);

    if (status != WARI_OK)
        return status;
    const uintptr_t memory = (uintptr_t)(shared ? resident->buffer->memory : resident->memory);
    resident->cells = (int8_t *)((memory + WARI_LINE - 1) / WARI_LINE * WARI_LINE);
    level->events.buffer =
        (struct wari_event_buffer *)(void *)(resident->cells + cells_bytes(sizes));
    resident->copy = (int8_t *)(level->events.buffer + sizes->event_buffers);
    return WARI_OK;
}

enum wari_status wari_level_buffer_create(struct wari_level_buffer *buffer,
                                          const struct wari_host *host, int seeds,
                                          struct wari_error *error)
{
    const struct wari_sizes sizes = wari_level_sizes(seeds);
    const enum wari_status status = allocate(host, arrays_bytes(&sizes), &buffer->memory, error);

    buffer->bytes = status == WARI_OK ? arrays_bytes(&sizes) : 0;
    return status;
}

/* Returns the number of ranges of a block for event-driven sweeps, so that each has some work. */
static uint32_t ranges_of(uint64_t cells)
{
    enum { CELLS_PER_RANGE = 1 << 18 };
    const uint64_t ranges = cells / CELLS_PER_RANGE + 1;

    return ranges < WARI_EVENT_RANGES_MAX ? (uint32_t)ranges : WARI_EVENT_RANGES_MAX;
}

enum wari_status wari_memory_allocate(struct wari_level *level, int seeds, enum wari_cycle cycle,
                                      const struct wari_partition *partition, uint64_t bytes,
                                      struct wari_error *error)
{
    struct wari_sizes sizes;
    double left;

    wari_level_begin(level, seeds, cycle);
    level->resident.partition = *partition;
    sizes = wari_level_lay_out(seeds, partition, level->resident.pitch, level->resident.offset);
    left = wari_sizes_limit(&sizes, bytes);
    level->resident.copy_bytes = sizes.copy;
    level->events.buffer_count = (uint32_t)sizes.event_buffers;
    level->events.leave_share = WARI_LEAVE_EVENTS_BELOW * left;
    level->events.only_share = WARI_EVENTS_ONLY_BELOW * left;
    wari_events_set_ranges(&level->events, &level->layout, ranges_of(sizes.cells));
    return make_arrays(level, &sizes, error);
}

void wari_memory_free(struct wari_level *level)
{
    wari_release(level->host, level->resident.memory);
    level->resident.memory = NULL;
    level->events.buffer = NULL;
}

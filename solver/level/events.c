/* Lists of events; see events.h. */
#include "solver/level/events.h"

/* The fixed-point number replaces a division for each row. It is rounded up by at most 2^-56, so
 * with fewer than 2^22 rows a product is too large by less than 2^-34. A product that is not an
 * integer is at least 2^-22 below the next integer, so the error never reaches that integer. */
void wari_events_set_ranges(struct wari_events *events, const struct wari_layout *layout,
                            uint32_t ranges)
{
    events->ranges = ranges;
    for (int s = 0; s <= layout->seeds; s++)
        events->ranges_per_row[s] =
            ((uint64_t)ranges << WARI_EVENT_RANGES_SHIFT) / layout->rows[s] + 1;
}

void wari_clear_events(struct wari_events *events, struct wari_workers *workers)
{
    atomic_store_explicit(&events->next_buffer, 0, memory_order_relaxed);
    for (int i = 0; i < workers->count; i++) {
        struct wari_worker *worker = &workers->worker[i];
        for (int list = 0; list < WARI_EVENT_LISTS; list++)
            worker->lists[list] = WARI_NO_EVENT_BUFFER;
        worker->free_buffer = WARI_NO_EVENT_BUFFER;
        worker->lost_events = false;
    }
}

bool wari_events_lost(const struct wari_workers *workers)
{
    for (int i = 0; i < workers->count; i++)
        if (workers->worker[i].lost_events)
            return true;
    return false;
}

static uint32_t new_buffer(struct wari_events *events, struct wari_worker *worker)
{
    uint32_t buffer = worker->free_buffer;

    if (buffer != WARI_NO_EVENT_BUFFER) {
        worker->free_buffer = events->buffer[buffer].next;
        return buffer;
    }
    if (atomic_load_explicit(&events->next_buffer, memory_order_relaxed) >= events->buffer_count)
        return WARI_NO_EVENT_BUFFER;
    buffer = atomic_fetch_add_explicit(&events->next_buffer, 1, memory_order_relaxed);
    return buffer < events->buffer_count ? buffer : WARI_NO_EVENT_BUFFER;
}

uint32_t wari_take_event_buffer(struct wari_events *events, struct wari_worker *owner,
                                uint32_t list)
{
    const uint32_t buffer = owner->lists[list];

    if (buffer != WARI_NO_EVENT_BUFFER)
        owner->lists[list] = events->buffer[buffer].next;
    return buffer;
}

void wari_give_event_buffer(struct wari_events *events, struct wari_worker *worker, uint32_t buffer)
{
    events->buffer[buffer].next = worker->free_buffer;
    worker->free_buffer = buffer;
}

bool wari_push_event(struct wari_events *events, struct wari_worker *worker, uint32_t list,
                     wari_event event)
{
    uint32_t first = worker->lists[list];
    struct wari_event_buffer *buffer;

    if (first == WARI_NO_EVENT_BUFFER ||
        events->buffer[first].count == WARI_EVENT_BUFFER_CAPACITY) {
        const uint32_t next = first;
        first = new_buffer(events, worker);
        if (first == WARI_NO_EVENT_BUFFER) {
            worker->lost_events = true;
            return false;
        }
        events->buffer[first].next = next;
        events->buffer[first].count = 0;
        worker->lists[list] = first;
    }
    buffer = &events->buffer[first];
    buffer->event[buffer->count++] = event;
    return true;
}

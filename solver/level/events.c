/* Lists of events; see events.h. */
#include "solver/level/events.h"

/* So that the part of a row takes no division. Rounded up by one, a row's is off by less than
 * 2^22 / 2^56, and so stays below the next whole number if that is at least 1 / 2^22 away. */
void wari_events_set_ranges(struct wari_events *events, const struct wari_layout *layout,
                            uint32_t parts)
{
    events->ranges = parts;
    for (int s = 0; s <= layout->seeds; s++)
        events->ranges_per_row[s] =
            ((uint64_t)parts << WARI_EVENT_RANGES_SHIFT) / layout->rows[s] + 1;
}

void wari_clear_events(struct wari_events *events, struct wari_workers *workers)
{
    atomic_store_explicit(&events->next_buffer, 0, memory_order_relaxed);
    for (int i = 0; i < workers->count; i++) {
        struct wari_worker *worker = &workers->worker[i];
        for (int list = 0; list < WARI_EVENT_LISTS; list++)
            worker->lists[list] = WARI_NO_EVENT_BUFFER;
        worker->free_page = WARI_NO_EVENT_BUFFER;
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

static uint32_t new_page(struct wari_events *events, struct wari_worker *worker)
{
    uint32_t page = worker->free_page;

    if (page != WARI_NO_EVENT_BUFFER) {
        worker->free_page = events->buffer[page].next;
        return page;
    }
    if (atomic_load_explicit(&events->next_buffer, memory_order_relaxed) >= events->buffer_count)
        return WARI_NO_EVENT_BUFFER;
    page = atomic_fetch_add_explicit(&events->next_buffer, 1, memory_order_relaxed);
    return page < events->buffer_count ? page : WARI_NO_EVENT_BUFFER;
}

uint32_t wari_take_event_buffer(struct wari_events *events, struct wari_worker *owner,
                                uint32_t list)
{
    const uint32_t page = owner->lists[list];

    if (page != WARI_NO_EVENT_BUFFER)
        owner->lists[list] = events->buffer[page].next;
    return page;
}

void wari_give_event_buffer(struct wari_events *events, struct wari_worker *worker, uint32_t page)
{
    events->buffer[page].next = worker->free_page;
    worker->free_page = page;
}

bool wari_push_event(struct wari_events *events, struct wari_worker *worker, uint32_t list,
                     wari_event event)
{
    uint32_t first = worker->lists[list];
    struct wari_event_buffer *page;

    if (first == WARI_NO_EVENT_BUFFER ||
        events->buffer[first].count == WARI_EVENT_BUFFER_CAPACITY) {
        const uint32_t next = first;
        first = new_page(events, worker);
        if (first == WARI_NO_EVENT_BUFFER) {
            worker->lost_events = true;
            return false;
        }
        events->buffer[first].next = next;
        events->buffer[first].count = 0;
        worker->lists[list] = first;
    }
    page = &events->buffer[first];
    page->event[page->count++] = event;
    return true;
}

/* Lists of events; see events.h. */
#include "solver/level/events.h"

/* So that the part of a row takes no division. Rounded up by one, a row's is off by less than
 * 2^22 / 2^56, and so stays below the next whole number if that is at least 1 / 2^22 away. */
void wari_events_set_parts(struct wari_events *events, const struct wari_layout *layout,
                           uint32_t parts)
{
    events->parts = parts;
    for (int s = 0; s <= layout->seeds; s++)
        events->parts_a_row[s] = ((uint64_t)parts << WARI_PARTS_SHIFT) / layout->rows[s] + 1;
}

void wari_forget_events(struct wari_events *events, struct wari_team *team)
{
    atomic_store_explicit(&events->next_page, 0, memory_order_relaxed);
    for (int i = 0; i < team->threads; i++) {
        struct wari_worker *worker = &team->worker[i];
        for (int list = 0; list < WARI_LISTS; list++)
            worker->lists[list] = WARI_NO_PAGE;
        worker->free_page = WARI_NO_PAGE;
        worker->lost_events = false;
    }
}

bool wari_events_lost(const struct wari_team *team)
{
    for (int i = 0; i < team->threads; i++)
        if (team->worker[i].lost_events)
            return true;
    return false;
}

static uint32_t new_page(struct wari_events *events, struct wari_worker *worker)
{
    uint32_t page = worker->free_page;

    if (page != WARI_NO_PAGE) {
        worker->free_page = events->page[page].next;
        return page;
    }
    if (atomic_load_explicit(&events->next_page, memory_order_relaxed) >= events->page_count)
        return WARI_NO_PAGE;
    page = atomic_fetch_add_explicit(&events->next_page, 1, memory_order_relaxed);
    return page < events->page_count ? page : WARI_NO_PAGE;
}

uint32_t wari_take_page(struct wari_events *events, struct wari_worker *owner, uint32_t list)
{
    const uint32_t page = owner->lists[list];

    if (page != WARI_NO_PAGE)
        owner->lists[list] = events->page[page].next;
    return page;
}

void wari_give_page(struct wari_events *events, struct wari_worker *worker, uint32_t page)
{
    events->page[page].next = worker->free_page;
    worker->free_page = page;
}

bool wari_put_event(struct wari_events *events, struct wari_worker *worker, uint32_t list,
                    wari_event event)
{
    uint32_t first = worker->lists[list];
    struct wari_page *page;

    if (first == WARI_NO_PAGE || events->page[first].count == WARI_PAGE_EVENTS) {
        const uint32_t next = first;
        first = new_page(events, worker);
        if (first == WARI_NO_PAGE) {
            worker->lost_events = true;
            return false;
        }
        events->page[first].next = next;
        events->page[first].count = 0;
        worker->lists[list] = first;
    }
    page = &events->page[first];
    page->event[page->count++] = event;
    return true;
}

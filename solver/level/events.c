/* Lists of events, and who is to get them; see events.h. */
#include "solver/level/events.h"

void wari_forget_events(struct wari_level *level)
{
    atomic_store_explicit(&level->next_page, 0, memory_order_relaxed);
    for (int i = 0; i < level->team->threads; i++) {
        struct wari_worker *worker = &level->team->worker[i];
        for (int list = 0; list < WARI_LISTS; list++)
            worker->lists[list] = WARI_NO_PAGE;
        worker->free_page = WARI_NO_PAGE;
        worker->free_pages = 0;
        worker->lost_events = false;
    }
}

bool wari_events_lost(const struct wari_level *level)
{
    for (int i = 0; i < level->team->threads; i++)
        if (level->team->worker[i].lost_events)
            return true;
    return false;
}

/* ---- Pages ---------------------------------------------------------------------------------- */

uint32_t wari_new_page(struct wari_level *level, struct wari_worker *worker)
{
    uint32_t page = worker->free_page;

    if (page != WARI_NO_PAGE) {
        worker->free_page = level->pages[page].next;
        worker->free_pages--;
        return page;
    }
    if (atomic_load_explicit(&level->next_page, memory_order_relaxed) >= level->page_count)
        return WARI_NO_PAGE;
    page = atomic_fetch_add_explicit(&level->next_page, 1, memory_order_relaxed);
    return page < level->page_count ? page : WARI_NO_PAGE;
}

uint32_t wari_take_page(struct wari_level *level, struct wari_worker *owner, uint32_t list)
{
    const uint32_t page = owner->lists[list];

    if (page != WARI_NO_PAGE)
        owner->lists[list] = level->pages[page].next;
    return page;
}

void wari_give_page(struct wari_level *level, struct wari_worker *worker, uint32_t page)
{
    level->pages[page].next = worker->free_page;
    worker->free_page = page;
    worker->free_pages++;
}

uint32_t wari_pages_left(const struct wari_level *level)
{
    const uint32_t used = atomic_load_explicit(&level->next_page, memory_order_relaxed);
    uint32_t least = UINT32_MAX;

    for (int i = 0; i < level->team->threads; i++)
        if (level->team->worker[i].free_pages < least)
            least = level->team->worker[i].free_pages;
    return least + (used < level->page_count ? level->page_count - used : 0);
}

bool wari_put_event(struct wari_level *level, struct wari_worker *worker, uint32_t list,
                    wari_event event)
{
    uint32_t first = worker->lists[list];
    struct wari_page *page;

    if (first == WARI_NO_PAGE || level->pages[first].count == WARI_PAGE_EVENTS) {
        const uint32_t next = first;
        first = wari_new_page(level, worker);
        if (first == WARI_NO_PAGE) {
            worker->lost_events = true;
            return false;
        }
        level->pages[first].next = next;
        level->pages[first].count = 0;
        worker->lists[list] = first;
    }
    page = &level->pages[first];
    page->event[page->count++] = event;
    return true;
}

/* ---- Parents -------------------------------------------------------------------------------- */

void wari_boards_of(const struct wari_tables *tables, int seeds, int block, const wari_event *cell,
                    uint32_t count, struct wari_board *boards)
{
    for (uint32_t i = 0; i < count; i++)
        boards[i] = wari_board_of(
            tables, seeds,
            (struct wari_place){block, wari_event_row(cell[i]), wari_event_column(cell[i])});
}

static void tell(struct wari_level *level, struct wari_worker *worker, int block, wari_event change,
                 const struct wari_board *board, bool passed)
{
    struct wari_place parents[WARI_PARENTS_MAX];
    const int count =
        wari_parents_of_board(level->tables, level->layout.seeds, block, board, parents, NULL);

    for (int i = 0; i < count; i++) {
        const struct wari_place *parent = &parents[i];
        if (passed && level->turn[parent->block] > level->turn[block])
            continue;
        wari_put_event(level, worker,
                       wari_list_of(parent->block, wari_part_of(level, parent->block, parent->row)),
                       wari_event_of(parent->row, parent->column, wari_event_code(change),
                                     wari_event_before(change)));
    }
}

void wari_tell_changes(struct wari_level *level, struct wari_worker *worker, int block,
                       const struct wari_changes *changes, bool passed)
{
    for (uint32_t i = 0; i < changes->count; i++)
        tell(level, worker, block, changes->change[i], &changes->board[i], passed);
}

void wari_tell_parents(struct wari_level *level, struct wari_worker *worker, int block,
                       wari_event change, bool passed)
{
    struct wari_board board;

    wari_boards_of(level->tables, level->layout.seeds, block, &change, 1, &board);
    tell(level, worker, block, change, &board, passed);
}

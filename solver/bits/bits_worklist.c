/* What follows from cells that were decided: their parents, the parents of these, and so on. Who
 * decides a cell puts it into a page of its own; full pages are for anybody to take. A batch of
 * cells at a time is worked on, so that many of their parents, and of the children of those, are
 * fetched from memory together. */
#include <omp.h>
#include <string.h>

#include "solver/bits/bits.h"
#include "system/huge_pages.h"
#include "system/spin.h"

/* A cell in a page:
 *
 *     63  62 61    56 55         28 27           0
 *     +-----+--------+-------------+-------------+
 *     |news | block  |     row     |   column    |
 *     +-----+--------+-------------+-------------+
 */
enum { PLACE_BITS = 28 };
#define PLACE_MASK ((UINT64_C(1) << PLACE_BITS) - 1)

/* ---- Pages ----------------------------------------------------------------------------------- */

uint64_t wari_bits_worker_bytes(int threads)
{
    return (uint64_t)threads * sizeof(struct wari_bits_worker);
}

enum wari_status wari_bits_make_workers(struct wari_bits *bits, uint32_t pages,
                                        struct wari_error *error)
{
    const struct wari_workers *workers = bits->level->workers;
    const size_t worker_bytes = (size_t)wari_bits_worker_bytes(workers->count);
    void *memory;
    enum wari_status status =
        wari_allocate(bits->level->host, worker_bytes + pages * sizeof(struct wari_worklist_buffer),
                      "the news of a level that is solved by bits", &memory, error);

    if (status != WARI_OK)
        return status;
    bits->worklist.buffer = memory;
    bits->worklist.worker = (void *)(bits->worklist.buffer + pages);
    for (uint32_t i = 0; i < pages; i++)
        bits->worklist.buffer[i].next = i + 1 < pages ? i + 1 : WARI_NO_EVENT_BUFFER;
    bits->worklist.free = pages > 0 ? 0 : WARI_NO_EVENT_BUFFER;
    bits->worklist.full = WARI_NO_EVENT_BUFFER;
    atomic_flag_clear(&bits->worklist.lock);
    atomic_init(&bits->worklist.overflow, false);
    for (int i = 0; i < workers->count; i++)
        bits->worklist.worker[i] =
            (struct wari_bits_worker){&workers->worker[i], WARI_NO_EVENT_BUFFER};
    return WARI_OK;
}

struct wari_bits_worker *wari_bits_worker(const struct wari_bits *bits)
{
    return &bits->worklist.worker[omp_get_thread_num()];
}

/* Takes the first page of a chain. */
static uint32_t unchain(struct wari_bits *bits, uint32_t *first)
{
    uint32_t page;

    wari_spin_lock(&bits->worklist.lock);
    page = *first;
    if (page != WARI_NO_EVENT_BUFFER)
        *first = bits->worklist.buffer[page].next;
    wari_spin_unlock(&bits->worklist.lock);
    return page;
}

static void chain(struct wari_bits *bits, uint32_t *first, uint32_t page)
{
    wari_spin_lock(&bits->worklist.lock);
    bits->worklist.buffer[page].next = *first;
    *first = page;
    wari_spin_unlock(&bits->worklist.lock);
}

void wari_bits_push(struct wari_bits *bits, struct wari_bits_worker *worker,
                    enum wari_bits_notification news, int block, uint32_t row, uint32_t column)
{
    struct wari_worklist_buffer *page;

    if (worker->buffer != WARI_NO_EVENT_BUFFER &&
        bits->worklist.buffer[worker->buffer].count == WARI_BITS_CELLS_A_BUFFER) {
        chain(bits, &bits->worklist.full, worker->buffer);
        worker->buffer = WARI_NO_EVENT_BUFFER;
    }
    if (worker->buffer == WARI_NO_EVENT_BUFFER) {
        worker->buffer = unchain(bits, &bits->worklist.free);
        if (worker->buffer == WARI_NO_EVENT_BUFFER) {
            atomic_store_explicit(&bits->worklist.overflow, true, memory_order_relaxed);
            return;
        }
        bits->worklist.buffer[worker->buffer].count = 0;
    }
    page = &bits->worklist.buffer[worker->buffer];
    page->cell[page->count++] = (uint64_t)news << 62 | (uint64_t)block << 2 * PLACE_BITS |
                                (uint64_t)row << PLACE_BITS | column;
}

uint32_t wari_bits_pending(const struct wari_bits *bits, const struct wari_bits_worker *worker)
{
    return worker->buffer == WARI_NO_EVENT_BUFFER ? 0 : bits->worklist.buffer[worker->buffer].count;
}

/* Takes up to a batch of cells; returns their number. */
static uint32_t take_batch(struct wari_bits *bits, struct wari_bits_worker *worker, uint64_t *cells)
{
    struct wari_worklist_buffer *page;
    uint32_t count;

    if (worker->buffer == WARI_NO_EVENT_BUFFER ||
        bits->worklist.buffer[worker->buffer].count == 0) {
        const uint32_t full = unchain(bits, &bits->worklist.full);
        if (full == WARI_NO_EVENT_BUFFER)
            return 0;
        if (worker->buffer != WARI_NO_EVENT_BUFFER)
            chain(bits, &bits->worklist.free, worker->buffer);
        worker->buffer = full;
    }
    page = &bits->worklist.buffer[worker->buffer];
    count = page->count < WARI_BITS_BATCH ? page->count : WARI_BITS_BATCH;
    page->count -= count;
    memcpy(cells, page->cell + page->count, count * sizeof *cells);
    return count;
}

/* ---- Parents --------------------------------------------------------------------------------- */

static struct wari_bits_parent *add_parent(const struct wari_bits *bits,
                                           struct wari_bits_parent *parent,
                                           struct wari_coordinates cell,
                                           const struct wari_board *board,
                                           enum wari_bits_notification news)
{
    *parent = (struct wari_bits_parent){
        .board = *board,
        .cell = cell,
        .cause = news,
        .offset = wari_bits_offset(bits, cell.block, cell.row, cell.column),
        .bit = wari_bits_bit(cell.column),
    };
    __builtin_prefetch(bits->planes.won + parent->offset);
    __builtin_prefetch(bits->planes.lost + parent->offset);
    return parent + 1;
}

static struct wari_coordinates place_of(uint64_t cell)
{
    return (struct wari_coordinates){.block = (int)(cell >> 2 * PLACE_BITS & 0x3f),
                                     .row = (uint32_t)(cell >> PLACE_BITS & PLACE_MASK),
                                     .column = (uint32_t)(cell & PLACE_MASK)};
}

/* The cells that news of a cell are for; returns their number. */
static uint32_t find_parents(const struct wari_bits *bits, uint64_t cell,
                             const struct wari_board *board, struct wari_bits_parent *parent)
{
    const struct wari_level *level = bits->level;
    const enum wari_bits_notification news = (enum wari_bits_notification)(cell >> 62);
    const struct wari_coordinates place = place_of(cell);
    struct wari_bits_parent *next = parent;
    struct wari_coordinates places[WARI_PARENTS_MAX];
    struct wari_board boards[WARI_PARENTS_MAX];
    int count;

    if (news == WARI_BITS_NOTIFY_OPEN)
        return (uint32_t)(add_parent(bits, parent, place, board, news) - parent);
    count = wari_parents_of_board(level->tables, level->layout.seeds, place.block, board, places,
                                  boards);
    for (int i = 0; i < count; i++)
        next = add_parent(bits, next, places[i], &boards[i], news);
    return (uint32_t)(next - parent);
}

/* Parents of a lost child are won. Of the others those that are open are left: their number.
 * Returns the number of cells that were won. */
static uint64_t win_parents(struct wari_bits *bits, struct wari_bits_worker *worker, uint32_t count,
                            uint32_t *open)
{
    struct wari_bits_tile *tile = wari_bits_tile(worker);
    uint64_t changed = 0;

    *open = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct wari_bits_parent *parent = &tile->parent[i];
        const enum wari_bits_state state = wari_bits_state(bits, parent->offset, parent->bit);

        if (state == WARI_BITS_WON || state == WARI_BITS_LOST)
            continue;
        if (parent->cause != WARI_BITS_NOTIFY_LOST) {
            if (state == WARI_BITS_OPEN)
                tile->examined[(*open)++] = (struct wari_bits_examined){.parent = i};
            continue;
        }
        if (!wari_bits_win(bits, parent->offset, parent->bit))
            continue;
        wari_bits_push(bits, worker, WARI_BITS_NOTIFY_WON, parent->cell.block, parent->cell.row,
                       parent->cell.column);
        changed++;
    }
    return changed;
}

/* Asks for the next child of each parent that is looked at. Those that have no other are lost.
 * Returns the number of cells that were. */
static uint64_t ask_children(struct wari_bits *bits, struct wari_bits_worker *worker,
                             uint32_t *count)
{
    const struct wari_level *level = bits->level;
    struct wari_bits_tile *tile = wari_bits_tile(worker);
    uint32_t asked = 0;
    uint64_t changed = 0;

    for (uint32_t i = 0; i < *count; i++) {
        const struct wari_bits_examined look = tile->examined[i];
        const struct wari_bits_parent *parent = &tile->parent[look.parent];
        struct wari_coordinates child;
        const int pit =
            wari_next_child_of_board(level->tables, level->layout.seeds, parent->cell.block,
                                     &parent->board, look.pit, &child);
        if (pit < WARI_HALF_PITS) {
            struct wari_bits_examined *next = &tile->examined[asked++];
            next->parent = look.parent;
            next->pit = (uint8_t)(pit + 1);
            next->bit = wari_bits_bit(child.column);
            next->child = wari_bits_offset(bits, child.block, child.row, child.column);
            __builtin_prefetch(bits->planes.won + next->child);
            __builtin_prefetch(bits->planes.lost + next->child);
        } else if (wari_bits_lose(bits, parent->offset, parent->bit)) {
            wari_bits_push(bits, worker, WARI_BITS_NOTIFY_LOST, parent->cell.block,
                           parent->cell.row, parent->cell.column);
            changed++;
        }
    }
    *count = asked;
    return changed;
}

/* Of the parents that were left, those are lost of which all children are won. Most have one among
 * the first that is not, so one after the other is asked for. */
static uint64_t lose_parents(struct wari_bits *bits, struct wari_bits_worker *worker,
                             uint32_t count)
{
    struct wari_bits_tile *tile = wari_bits_tile(worker);
    uint64_t changed = 0;

    while (count > 0) {
        uint32_t left = 0;
        changed += ask_children(bits, worker, &count);
        for (uint32_t i = 0; i < count; i++) {
            const struct wari_bits_examined look = tile->examined[i];
            if (wari_bits_state(bits, look.child, look.bit) == WARI_BITS_WON)
                tile->examined[left++] = look;
        }
        count = left;
    }
    return changed;
}

uint64_t wari_bits_decide_parents(struct wari_bits *bits, struct wari_bits_worker *worker,
                                  uint32_t parents)
{
    uint32_t open;
    const uint64_t won = win_parents(bits, worker, parents, &open);

    return won + lose_parents(bits, worker, open);
}

uint64_t wari_bits_drain(struct wari_bits *bits, struct wari_bits_worker *worker)
{
    const struct wari_level *level = bits->level;
    struct wari_bits_tile *tile = wari_bits_tile(worker);
    uint64_t cells[WARI_BITS_BATCH], changed = 0;
    struct wari_board board[WARI_BITS_BATCH];
    uint32_t count;

    while (!wari_level_stopped(level) && (count = take_batch(bits, worker, cells)) > 0) {
        uint32_t parents = 0;
        for (uint32_t i = 0; i < count; i++)
            board[i] = wari_board_of(level->tables, level->layout.seeds, place_of(cells[i]));
        for (uint32_t i = 0; i < count; i++) {
            if (parents + WARI_PARENTS_MAX > WARI_BITS_PARENTS) {
                changed += bits->ops->decide_parents(bits, worker, parents);
                parents = 0;
            }
            parents += find_parents(bits, cells[i], &board[i], tile->parent + parents);
        }
        changed += bits->ops->decide_parents(bits, worker, parents);
    }
    return changed;
}

/* The worklist: after a cell is decided, examines its parents; if a parent is decided, too,
 * examines the parents of that parent, and so on. A thread that decides a cell pushes it to its own
 * buffer. When the buffer is full, any thread may take it. Cells are processed in batches, so that
 * many parents, and many children of these parents, are prefetched together. */
#include <omp.h>
#include <string.h>

#include "solver/bits/bits.h"
#include "system/huge_pages.h"
#include "system/spin.h"

/* The layout of a cell in a buffer:
 *
 *     63  62 61    56 55         28 27           0
 *     +-----+--------+-------------+-------------+
 *     |cause| block  |     row     |   column    |
 *     +-----+--------+-------------+-------------+
 */
enum { COORDINATE_BITS = 28 };
#define COORDINATE_MASK ((UINT64_C(1) << COORDINATE_BITS) - 1)

/* ---- Buffers --------------------------------------------------------------------------------- */

uint64_t wari_bits_worker_bytes(int threads)
{
    return (uint64_t)threads * sizeof(struct wari_bits_worker);
}

enum wari_status wari_bits_make_workers(struct wari_bits *bits, uint32_t buffers,
                                        struct wari_error *error)
{
    const struct wari_workers *workers = bits->level->workers;
    const size_t worker_bytes = (size_t)wari_bits_worker_bytes(workers->count);
    void *memory;
    enum wari_status status = wari_allocate(
        bits->level->host, worker_bytes + buffers * sizeof(struct wari_worklist_buffer),
        "the worklist of the bit backend", &memory, error);

    if (status != WARI_OK)
        return status;
    bits->worklist.buffer = memory;
    bits->worklist.worker = (void *)(bits->worklist.buffer + buffers);
    for (uint32_t i = 0; i < buffers; i++)
        bits->worklist.buffer[i].next = i + 1 < buffers ? i + 1 : WARI_NO_EVENT_BUFFER;
    bits->worklist.free = buffers > 0 ? 0 : WARI_NO_EVENT_BUFFER;
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

/* Removes the first buffer from a list; returns WARI_NO_EVENT_BUFFER if the list is empty. */
static uint32_t take_buffer(struct wari_bits *bits, uint32_t *first)
{
    uint32_t buffer;

    wari_spin_lock(&bits->worklist.lock);
    buffer = *first;
    if (buffer != WARI_NO_EVENT_BUFFER)
        *first = bits->worklist.buffer[buffer].next;
    wari_spin_unlock(&bits->worklist.lock);
    return buffer;
}

static void return_buffer(struct wari_bits *bits, uint32_t *first, uint32_t buffer)
{
    wari_spin_lock(&bits->worklist.lock);
    bits->worklist.buffer[buffer].next = *first;
    *first = buffer;
    wari_spin_unlock(&bits->worklist.lock);
}

void wari_bits_push(struct wari_bits *bits, struct wari_bits_worker *worker,
                    enum wari_bits_notification notification, int block, uint32_t row,
                    uint32_t column)
{
    struct wari_worklist_buffer *buffer;

    if (worker->buffer != WARI_NO_EVENT_BUFFER &&
        bits->worklist.buffer[worker->buffer].count == WARI_BITS_CELLS_A_BUFFER) {
        return_buffer(bits, &bits->worklist.full, worker->buffer);
        worker->buffer = WARI_NO_EVENT_BUFFER;
    }
    if (worker->buffer == WARI_NO_EVENT_BUFFER) {
        worker->buffer = take_buffer(bits, &bits->worklist.free);
        if (worker->buffer == WARI_NO_EVENT_BUFFER) {
            atomic_store_explicit(&bits->worklist.overflow, true, memory_order_relaxed);
            return;
        }
        bits->worklist.buffer[worker->buffer].count = 0;
    }
    buffer = &bits->worklist.buffer[worker->buffer];
    buffer->cell[buffer->count++] = (uint64_t)notification << 62 |
                                    (uint64_t)block << 2 * COORDINATE_BITS |
                                    (uint64_t)row << COORDINATE_BITS | column;
}

uint32_t wari_bits_pending(const struct wari_bits *bits, const struct wari_bits_worker *worker)
{
    return worker->buffer == WARI_NO_EVENT_BUFFER ? 0 : bits->worklist.buffer[worker->buffer].count;
}

/* Takes up to WARI_BITS_BATCH cells from the worker's buffer, or if that is empty, from a full
 * buffer. Returns the number of cells. */
static uint32_t take_batch(struct wari_bits *bits, struct wari_bits_worker *worker, uint64_t *cells)
{
    struct wari_worklist_buffer *buffer;
    uint32_t count;

    if (worker->buffer == WARI_NO_EVENT_BUFFER ||
        bits->worklist.buffer[worker->buffer].count == 0) {
        const uint32_t full = take_buffer(bits, &bits->worklist.full);
        if (full == WARI_NO_EVENT_BUFFER)
            return 0;
        if (worker->buffer != WARI_NO_EVENT_BUFFER)
            return_buffer(bits, &bits->worklist.free, worker->buffer);
        worker->buffer = full;
    }
    buffer = &bits->worklist.buffer[worker->buffer];
    count = buffer->count < WARI_BITS_BATCH ? buffer->count : WARI_BITS_BATCH;
    buffer->count -= count;
    memcpy(cells, buffer->cell + buffer->count, count * sizeof *cells);
    return count;
}

/* ---- Parents --------------------------------------------------------------------------------- */

static struct wari_bits_parent *add_parent(const struct wari_bits *bits,
                                           struct wari_bits_parent *parent,
                                           struct wari_coordinates cell,
                                           const struct wari_board *board,
                                           enum wari_bits_notification notification)
{
    *parent = (struct wari_bits_parent){
        .board = *board,
        .cell = cell,
        .cause = notification,
        .offset = wari_bits_offset(bits, cell.block, cell.row, cell.column),
        .bit = wari_bits_bit(cell.column),
    };
    __builtin_prefetch(bits->planes.won + parent->offset);
    __builtin_prefetch(bits->planes.lost + parent->offset);
    return parent + 1;
}

static struct wari_coordinates coordinates_of(uint64_t cell)
{
    return (struct wari_coordinates){.block = (int)(cell >> 2 * COORDINATE_BITS & 0x3f),
                                     .row = (uint32_t)(cell >> COORDINATE_BITS & COORDINATE_MASK),
                                     .column = (uint32_t)(cell & COORDINATE_MASK)};
}

/* Finds the cells that have to be examined because of a cell in the worklist: its parents, or with
 * WARI_BITS_NOTIFY_OPEN the cell itself. Returns the number of cells found. */
static uint32_t find_parents(const struct wari_bits *bits, uint64_t cell,
                             const struct wari_board *board, struct wari_bits_parent *parent)
{
    const struct wari_level *level = bits->level;
    const enum wari_bits_notification notification = (enum wari_bits_notification)(cell >> 62);
    const struct wari_coordinates coordinates = coordinates_of(cell);
    struct wari_bits_parent *next = parent;
    struct wari_coordinates cells[WARI_PARENTS_MAX];
    struct wari_board boards[WARI_PARENTS_MAX];
    int count;

    if (notification == WARI_BITS_NOTIFY_OPEN)
        return (uint32_t)(add_parent(bits, parent, coordinates, board, notification) - parent);
    count = wari_parents_of_board(level->tables, level->layout.seeds, coordinates.block, board,
                                  cells, boards);
    for (int i = 0; i < count; i++)
        next = add_parent(bits, next, cells[i], &boards[i], notification);
    return (uint32_t)(next - parent);
}

/* Processes the first `count` parents in tile->parent, except those that are already won or lost.
 * Marks a parent as won if it was listed because a child became lost (parent->cause). From the
 * other parents, selects those whose state is "open": stores them in tile->examined, and their
 * number in *open. Returns the number of cells that became won. */
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

/* Finds the next child of each of the *count parents in tile->examined. A parent without another
 * child becomes lost and is removed, since all its children are won. Returns the number of cells
 * that became lost. */
static uint64_t examine_children(struct wari_bits *bits, struct wari_bits_worker *worker,
                                 uint32_t *count)
{
    const struct wari_level *level = bits->level;
    struct wari_bits_tile *tile = wari_bits_tile(worker);
    uint32_t left = 0;
    uint64_t changed = 0;

    for (uint32_t i = 0; i < *count; i++) {
        const struct wari_bits_examined examined = tile->examined[i];
        const struct wari_bits_parent *parent = &tile->parent[examined.parent];
        struct wari_coordinates child;
        const int pit =
            wari_next_child_of_board(level->tables, level->layout.seeds, parent->cell.block,
                                     &parent->board, examined.pit, &child);
        if (pit < WARI_HALF_PITS) {
            struct wari_bits_examined *next = &tile->examined[left++];
            next->parent = examined.parent;
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
    *count = left;
    return changed;
}

/* Examines the first `count` parents in tile->examined. A parent becomes lost if all its children
 * are won. For most parents one of the first children is not won, so the children are examined one
 * after the other. Returns the number of cells that became lost. */
static uint64_t lose_parents(struct wari_bits *bits, struct wari_bits_worker *worker,
                             uint32_t count)
{
    struct wari_bits_tile *tile = wari_bits_tile(worker);
    uint64_t changed = 0;

    while (count > 0) {
        uint32_t left = 0;
        changed += examine_children(bits, worker, &count);
        for (uint32_t i = 0; i < count; i++) {
            const struct wari_bits_examined examined = tile->examined[i];
            if (wari_bits_state(bits, examined.child, examined.bit) == WARI_BITS_WON)
                tile->examined[left++] = examined;
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
            board[i] = wari_board_of(level->tables, level->layout.seeds, coordinates_of(cells[i]));
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

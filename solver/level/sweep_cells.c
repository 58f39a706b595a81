/* Event-driven sweeps in memory. One cell in some hundred or thousand changes, scattered over the
 * level, so only the parents of changed cells are computed, by the events that were pushed for
 * them. The cells of one buffer of events are prefetched while the buffer before it is computed. */
#include "solver/level/recheck.h"
#include "solver/level/sweep.h"

/* The context of a thread that computes a range of rows of a block. */
struct range {
    struct wari_level *level;
    struct wari_worker *worker;
    struct wari_sweep_result *result;
    int block;
    bool deferred; /* changes are deferred: the block contains children of its own cells */
};

static uint64_t cell_at(const struct range *range, uint32_t row, uint32_t column)
{
    const struct wari_resident *resident = &range->level->resident;

    return resident->offset[range->block] + (uint64_t)row * resident->pitch[range->block] + column;
}

static void fetch_cells(const struct range *range, const struct wari_event_buffer *buffer)
{
    for (uint32_t i = 0; i < buffer->count; i++) {
        const wari_event cell = buffer->event[i];
        const uint64_t at = cell_at(range, wari_event_row(cell), wari_event_column(cell));
        __builtin_prefetch(range->level->resident.cells + at, 1, 3);
    }
}

/* ---- Rechecking ------------------------------------------------------------------------------ */

/* The children of a cell that is rechecked. */
struct children {
    int count;
    const int8_t *child[WARI_HALF_PITS];
};

/* Finds the children of a cell and prefetches them. */
static void fetch_children(const struct range *range, const struct wari_board *board,
                           struct children *children)
{
    const struct wari_level *level = range->level;
    struct wari_coordinates child[WARI_HALF_PITS];

    children->count =
        wari_children_of_board(level->tables, level->layout.seeds, range->block, board, child);
    for (int i = 0; i < children->count; i++) {
        children->child[i] = wari_level_row(level, child[i].block, child[i].row) + child[i].column;
        __builtin_prefetch(children->child[i]);
    }
}

/* Returns the smallest child. */
static int8_t worst_of(const struct children *children)
{
    int8_t worst = WARI_NO_QUIET;

    for (int i = 0; i < children->count; i++)
        if (*children->child[i] < worst)
            worst = *children->child[i];
    return worst;
}

/* Returns the new code of the cell that an event is for. */
static int8_t recheck_cell(const struct range *range, wari_event event,
                           const struct children *children, uint64_t at)
{
    const struct wari_level *level = range->level;
    const struct wari_coordinates cell = {range->block, wari_event_row(event),
                                          wari_event_column(event)};

    return wari_resolve(level, range->worker, cell, level->resident.cells[at], worst_of(children));
}

/* ---- Buffers of events ----------------------------------------------------------------------- */

/* Cells that changed, and their boards. Each cell is stored as an event with its own row and
 * column, its new code and its old code. */
struct changes {
    uint32_t count;
    wari_event change[2 * WARI_EVENT_BUFFER_CAPACITY];
    struct wari_board board[2 * WARI_EVENT_BUFFER_CAPACITY];
};

/* Records the new code of a cell, and stores it unless it is deferred. Returns true if the cell
 * changes. */
static bool change_cell(const struct range *range, wari_event event, uint64_t at, int8_t code,
                        struct changes *changes)
{
    const uint32_t row = wari_event_row(event);
    int8_t *cell = &range->level->resident.cells[at];

    if (code == *cell)
        return false;
    changes->change[changes->count++] = wari_event_of(row, wari_event_column(event), code, *cell);
    if (!range->deferred)
        *cell = code;
    return true;
}

static void notify_parents(const struct range *range, const struct changes *changes)
{
    const struct wari_changes all = {changes->change, changes->board, changes->count};

    wari_notify_parents(range->level, range->worker, range->block, &all, false);
}

/* Cells that have to be rechecked. */
struct rechecks {
    uint32_t count;
    wari_event cell[WARI_EVENT_BUFFER_CAPACITY];
};

static void apply_events(const struct range *range, const struct wari_event_buffer *buffer,
                         struct changes *changes, struct rechecks *rechecks)
{
    const struct wari_level *level = range->level;

    for (uint32_t i = 0; i < buffer->count; i++) {
        const wari_event event = buffer->event[i];
        const uint64_t at = cell_at(range, wari_event_row(event), wari_event_column(event));
        bool recheck;
        const int8_t code =
            wari_apply_event(&level->codes, event, level->resident.cells[at], &recheck);
        change_cell(range, event, at, code, changes);
        if (recheck)
            rechecks->cell[rechecks->count++] = event;
    }
}

static void recheck_cells(const struct range *range, const struct rechecks *rechecks,
                          struct changes *changes)
{
    struct wari_board boards[WARI_EVENT_BUFFER_CAPACITY];
    struct children children[WARI_EVENT_BUFFER_CAPACITY];

    wari_boards_of_cells(range->level, range->block, rechecks->cell, rechecks->count, boards);
    for (uint32_t i = 0; i < rechecks->count; i++)
        fetch_children(range, &boards[i], &children[i]);
    for (uint32_t i = 0; i < rechecks->count; i++) {
        const wari_event cell = rechecks->cell[i];
        const uint64_t at = cell_at(range, wari_event_row(cell), wari_event_column(cell));
        if (change_cell(range, cell, at, recheck_cell(range, cell, &children[i], at), changes))
            changes->board[changes->count - 1] = boards[i];
    }
}

static void compute_buffer(const struct range *range, const struct wari_event_buffer *buffer)
{
    struct rechecks rechecks;
    struct changes changes;

    rechecks.count = changes.count = 0;
    apply_events(range, buffer, &changes, &rechecks);
    const uint32_t raised = changes.count;
    recheck_cells(range, &rechecks, &changes);
    range->result->cells += buffer->count;
    range->result->changed += changes.count;
    if (range->deferred) {
        for (uint32_t i = 0; i < changes.count; i++)
            (void)wari_push_event(&range->level->events, range->worker, WARI_EVENT_LIST_DEFERRED,
                                  changes.change[i]);
        return;
    }
    /* Set the boards of the first `raised` changes; recheck_cells() has set the others. */
    wari_boards_of_cells(range->level, range->block, changes.change, raised, changes.board);
    notify_parents(range, &changes);
}

void wari_sweep_cells(struct wari_level *level, struct wari_worker *worker, int block,
                      uint32_t index, struct wari_sweep_result *result)
{
    const uint32_t list = wari_event_list_of(block, index);
    const struct range range = {level, worker, result, block,
                                wari_has_own_children(&level->layout, block)};

    for (int i = 0; i < level->workers->count; i++) {
        struct wari_worker *owner = &level->workers->worker[i];
        uint32_t buffer = wari_take_event_buffer(&level->events, owner, list);
        if (buffer != WARI_NO_EVENT_BUFFER)
            fetch_cells(&range, &level->events.buffer[buffer]);
        while (buffer != WARI_NO_EVENT_BUFFER) {
            const uint32_t next = wari_take_event_buffer(&level->events, owner, list);
            if (next != WARI_NO_EVENT_BUFFER)
                fetch_cells(&range, &level->events.buffer[next]);
            compute_buffer(&range, &level->events.buffer[buffer]);
            wari_give_event_buffer(&level->events, worker, buffer);
            buffer = next;
        }
    }
}

/* ---- Deferred changes ------------------------------------------------------------------------ */

/* Returns true if a deferred change has to replace the current code. The change may be out of date,
 * because two changes of the same cell may have been deferred. While values grow, a cell that rises
 * gets the highest of its deferred codes; if a cell falls, its deferred codes are equal.
 *
 * While upper bounds shrink, only bounds above 0 change here, and these only fall. The reason is
 * that changes are deferred only in a block that contains children of its own cells. In such a
 * block the surplus (mover's seeds - opponent's seeds) is the number of seeds that a move drops on
 * the opponent's side, so it is not negative. Upper bounds of 0 or less change only in blocks with
 * a negative surplus. */
static bool supersedes(const struct range *range, int8_t now, int8_t code)
{
    const struct wari_cells *codes = &range->level->codes;

    if (!codes->upper && code > codes->zero)
        return code > now;
    return code < now && (codes->upper || now <= codes->zero);
}

void wari_copy_cells(struct wari_level *level, struct wari_worker *worker, int block,
                     struct wari_sweep_result *result)
{
    const struct range range = {level, worker, result, block, false};
    uint32_t buffer;

    while ((buffer = wari_take_event_buffer(&level->events, worker, WARI_EVENT_LIST_DEFERRED)) !=
           WARI_NO_EVENT_BUFFER) {
        struct changes changes;
        changes.count = 0;
        for (uint32_t i = 0; i < level->events.buffer[buffer].count; i++) {
            const wari_event change = level->events.buffer[buffer].event[i];
            int8_t *cell = level->resident.cells +
                           cell_at(&range, wari_event_row(change), wari_event_column(change));
            if (!supersedes(&range, *cell, wari_event_code(change)))
                continue;
            *cell = wari_event_code(change);
            changes.change[changes.count++] = change;
        }
        wari_boards_of_cells(level, block, changes.change, changes.count, changes.board);
        notify_parents(&range, &changes);
        wari_give_event_buffer(&level->events, worker, buffer);
    }
}

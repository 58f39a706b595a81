/* Sweeping single cells: event-driven sweeps change one cell in some hundred or thousand, scattered
 * over the level, so only the parents of changed cells are looked at, by the events that these
 * left. All cells of a page of events are fetched while the page before it is worked on. */
#include "solver/level/recheck.h"
#include "solver/level/sweep.h"

/* What a thread is at. */
struct part {
    struct wari_level *level;
    struct wari_worker *worker;
    struct wari_sweep_result *tally;
    int block;
    bool aside; /* changes have to wait: the block has children of its own */
};

static uint64_t cell_at(const struct part *part, uint32_t row, uint32_t column)
{
    return part->level->resident.offset[part->block] +
           (uint64_t)row * part->level->resident.pitch[part->block] + column;
}

static void fetch_cells(const struct part *part, const struct wari_event_buffer *page)
{
    for (uint32_t i = 0; i < page->count; i++)
        __builtin_prefetch(part->level->resident.cells + cell_at(part,
                                                                 wari_event_row(page->event[i]),
                                                                 wari_event_column(page->event[i])),
                           1, 3);
}

/* ---- Cells whose children are all looked at -------------------------------------------------- */

/* Such a cell, and where its children are. */
struct look {
    int count;
    const int8_t *child[WARI_HALF_PITS];
};

/* Finds the children and fetches them. */
static void fetch_children(const struct part *part, const struct wari_board *board,
                           struct look *look)
{
    const struct wari_level *level = part->level;
    struct wari_coordinates child[WARI_HALF_PITS];

    look->count =
        wari_children_of_board(level->tables, level->layout.seeds, part->block, board, child);
    for (int i = 0; i < look->count; i++) {
        look->child[i] = wari_level_row(level, child[i].block, child[i].row) + child[i].column;
        __builtin_prefetch(look->child[i]);
    }
}

/* The smallest child. */
static int8_t worst_of(const struct look *look)
{
    int8_t worst = WARI_NO_QUIET;

    for (int i = 0; i < look->count; i++)
        if (*look->child[i] < worst)
            worst = *look->child[i];
    return worst;
}

/* What the cell becomes. */
static int8_t looked_at(const struct part *part, wari_event event, const struct look *look,
                        uint64_t at)
{
    const struct wari_level *level = part->level;
    const struct wari_coordinates place = {part->block, wari_event_row(event),
                                           wari_event_column(event)};

    return wari_resolve(level, part->worker, place, level->resident.cells[at], worst_of(look));
}

/* ---- Pages ---------------------------------------------------------------------------------- */

/* Cells of a page that have changed: as events, for themselves. */
struct changes {
    uint32_t count;
    wari_event change[2 * WARI_EVENT_BUFFER_CAPACITY];
    struct wari_board board[2 * WARI_EVENT_BUFFER_CAPACITY];
};

/* Whether it changes. */
static bool change_cell(const struct part *part, wari_event event, uint64_t at, int8_t code,
                        struct changes *changes)
{
    const uint32_t row = wari_event_row(event);
    int8_t *cell = &part->level->resident.cells[at];

    if (code == *cell)
        return false;
    changes->change[changes->count++] = wari_event_of(row, wari_event_column(event), code, *cell);
    if (!part->aside)
        *cell = code;
    return true;
}

static void tell(const struct part *part, const struct changes *changes)
{
    const struct wari_changes told = {changes->change, changes->board, changes->count};

    wari_notify_parents(part->level, part->worker, part->block, &told, false);
}

/* Cells of a page that have to be looked at. */
struct unsure {
    uint32_t count;
    wari_event cell[WARI_EVENT_BUFFER_CAPACITY];
};

static void apply_events(const struct part *part, const struct wari_event_buffer *page,
                         struct changes *changes, struct unsure *unsure)
{
    const struct wari_level *level = part->level;

    for (uint32_t i = 0; i < page->count; i++) {
        const wari_event event = page->event[i];
        const uint64_t at = cell_at(part, wari_event_row(event), wari_event_column(event));
        bool look;
        change_cell(part, event, at,
                    wari_apply_event(&level->codes, event, level->resident.cells[at], &look),
                    changes);
        if (look)
            unsure->cell[unsure->count++] = event;
    }
}

static void look_at_cells(const struct part *part, const struct unsure *unsure,
                          struct changes *changes)
{
    struct wari_board boards[WARI_EVENT_BUFFER_CAPACITY];
    struct look looks[WARI_EVENT_BUFFER_CAPACITY];

    wari_boards_of_cells(part->level, part->block, unsure->cell, unsure->count, boards);
    for (uint32_t i = 0; i < unsure->count; i++)
        fetch_children(part, &boards[i], &looks[i]);
    for (uint32_t i = 0; i < unsure->count; i++) {
        const wari_event cell = unsure->cell[i];
        const uint64_t at = cell_at(part, wari_event_row(cell), wari_event_column(cell));
        if (change_cell(part, cell, at, looked_at(part, cell, &looks[i], at), changes))
            changes->board[changes->count - 1] = boards[i];
    }
}

static void compute_page(const struct part *part, const struct wari_event_buffer *page)
{
    struct unsure unsure;
    struct changes changes;
    uint32_t raised;

    unsure.count = changes.count = 0;
    apply_events(part, page, &changes, &unsure);
    raised = changes.count;
    look_at_cells(part, &unsure, &changes);
    part->tally->cells += page->count;
    part->tally->changed += changes.count;
    if (part->aside) {
        for (uint32_t i = 0; i < changes.count; i++)
            (void)wari_push_event(&part->level->events, part->worker, WARI_EVENT_LIST_DEFERRED,
                                  changes.change[i]);
        return;
    }
    wari_boards_of_cells(part->level, part->block, changes.change, raised,
                         changes.board); /* the others have theirs */
    tell(part, &changes);
}

void wari_sweep_cells(struct wari_level *level, struct wari_worker *worker, int block,
                      uint32_t number, struct wari_sweep_result *tally)
{
    const uint32_t list = wari_event_list_of(block, number);
    const struct part part = {level, worker, tally, block,
                              wari_has_own_children(&level->layout, block)};

    for (int i = 0; i < level->workers->count; i++) {
        struct wari_worker *owner = &level->workers->worker[i];
        uint32_t page = wari_take_event_buffer(&level->events, owner, list);
        if (page != WARI_NO_EVENT_BUFFER)
            fetch_cells(&part, &level->events.buffer[page]);
        while (page != WARI_NO_EVENT_BUFFER) {
            const uint32_t next = wari_take_event_buffer(&level->events, owner, list);
            if (next != WARI_NO_EVENT_BUFFER)
                fetch_cells(&part, &level->events.buffer[next]);
            compute_page(&part, &level->events.buffer[page]);
            wari_give_event_buffer(&level->events, worker, page);
            page = next;
        }
    }
}

/* A cell may have changed twice. Growing, it rises as far as any child takes it; what it falls to
 * is the same each time. Hopes that change here are above 0 and only fall: where a block has
 * children of its own, the mover's surplus is the number of seeds that the move sows. */
static bool further(const struct part *part, int8_t now, int8_t code)
{
    const struct wari_cells *codes = &part->level->codes;

    if (!codes->upper && code > codes->zero)
        return code > now;
    return code < now && (codes->upper || now <= codes->zero);
}

void wari_copy_cells(struct wari_level *level, struct wari_worker *worker, int block,
                     struct wari_sweep_result *tally)
{
    const struct part part = {level, worker, tally, block, false};
    uint32_t page;

    while ((page = wari_take_event_buffer(&level->events, worker, WARI_EVENT_LIST_DEFERRED)) !=
           WARI_NO_EVENT_BUFFER) {
        struct changes changes;
        changes.count = 0;
        for (uint32_t i = 0; i < level->events.buffer[page].count; i++) {
            const wari_event change = level->events.buffer[page].event[i];
            int8_t *cell = level->resident.cells +
                           cell_at(&part, wari_event_row(change), wari_event_column(change));
            if (!further(&part, *cell, wari_event_code(change)))
                continue;
            *cell = wari_event_code(change);
            changes.change[changes.count++] = change;
        }
        wari_boards_of_cells(level, block, changes.change, changes.count, changes.board);
        tell(&part, &changes);
        wari_give_event_buffer(&level->events, worker, page);
    }
}

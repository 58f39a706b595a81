/* An event-driven sweep over a distributed level. It has the three steps of solver/level/recheck.h.
 * All ranks do the same step at the same time, each for the whole level, so that messages are few
 * and large.
 *
 *     1. events     are sent to the owners of the parents, which apply them; a parent that has to
 *                   be rechecked is put into the list of rechecks
 *     2. queries    are sent to the owners of the children, which reply with their codes
 *     3. resolving  is done by the owners of the parents
 *
 * Changes in steps 1 and 3 leave events for the next sweep. Each rank processes as many events (in
 * step 1) or rechecks (in steps 2 and 3) at a time as its buffers hold. This is repeated until no
 * rank has any events or rechecks left. The cells of a rank are divided among its threads, so that
 * no two threads write to the same cell.
 */
#include <omp.h>
#include <string.h>

#include "solver/cluster/distributed.h"
#include "solver/level/recheck.h"

/* Index of the list of rechecks; lists 0 and 1 have the events of this sweep and of the next. */
enum { RECHECKS = 2 };

/* An event, a query or a reply, as it is sent. */
struct record {
    wari_event event; /* row and column of the parent; in a query, of the child. In a reply, the
                       * event contains the child's code */
    uint32_t block;   /* block of that cell */
    uint32_t recheck; /* index of the recheck for which a query is sent */
};

struct sweep {
    struct wari_distributed *distributed;
    struct wari_level *level;
    struct wari_sweep_result *result;

    struct { /* records to be sent, in buffers of equal size, one for each rank */
        struct record *records;
        uint64_t capacity; /* capacity of each buffer, in records */
        uint64_t *count;   /* [rank] */
        bool full;
    } out;

    struct { /* the current position in the event lists of all threads and blocks */
        uint32_t part;
        int list;
        uint32_t page, next;
    } at;

    struct record *rechecks; /* the cells to be rechecked */
    int8_t *worst;           /* [recheck]: smallest code of the children received so far */
    uint32_t recheck_count, recheck_capacity;
};

/* ---- Lists ----------------------------------------------------------------------------------- */

static void begin_lists(struct sweep *sweep, uint32_t part)
{
    sweep->at.part = part;
    sweep->at.list = 0;
    sweep->at.page = WARI_NO_EVENT_BUFFER;
}

/* Removes the next event from the lists of all threads; returns false if there is none. */
static bool take_event(struct sweep *sweep, struct record *record)
{
    struct wari_events *events = &sweep->level->events;
    const int blocks = sweep->level->layout.seeds + 1;

    for (; sweep->at.list < blocks * sweep->level->workers->count; sweep->at.list++) {
        struct wari_worker *worker = &sweep->level->workers->worker[sweep->at.list / blocks];
        const int block = sweep->at.list % blocks;
        for (;;) {
            if (sweep->at.page == WARI_NO_EVENT_BUFFER) {
                sweep->at.next = 0;
                sweep->at.page = wari_take_event_buffer(events, worker,
                                                        wari_event_list_of(block, sweep->at.part));
            }
            if (sweep->at.page == WARI_NO_EVENT_BUFFER)
                break;
            if (sweep->at.next < events->buffer[sweep->at.page].count) {
                *record = (struct record){events->buffer[sweep->at.page].event[sweep->at.next++],
                                          (uint32_t)block, 0};
                return true;
            }
            wari_give_event_buffer(events, worker, sweep->at.page);
            sweep->at.page = WARI_NO_EVENT_BUFFER;
        }
    }
    return false;
}

/* ---- Records --------------------------------------------------------------------------------- */

/* Adds a record to the buffer for the rank that owns its cell. */
static void add(struct sweep *sweep, const struct record *record)
{
    const int rank = wari_ranks_owner(&sweep->distributed->ranks, (int)record->block,
                                      wari_event_row(record->event));
    uint64_t *count = &sweep->out.count[rank];

    sweep->out.records[(uint64_t)rank * sweep->out.capacity + (*count)++] = *record;
    /* Stop if the buffer may be too small for the records of one more cell. */
    if (*count + WARI_HALF_PITS > sweep->out.capacity)
        sweep->out.full = true;
}

static uint64_t received(const struct sweep *sweep)
{
    return sweep->distributed->rows[0].exchange->receive_at[sweep->distributed->net->ranks] /
           sizeof(struct record);
}

/* Removes events from the lists and calls `make` for each of them, which adds records to be sent.
 * Sends these records, and receives the records of other ranks in rows[0].in. Returns true if any
 * rank has more events. */
static bool send_record(struct sweep *sweep, enum wari_message_kind kind,
                        void (*make)(struct sweep *sweep, const struct record *record))
{
    struct wari_exchange *exchange = sweep->distributed->rows[0].exchange;
    struct wari_net *net = sweep->distributed->net;
    struct record record;
    bool more = true;
    uint64_t at = 0;

    memset(sweep->out.count, 0, (size_t)net->ranks * sizeof *sweep->out.count);
    sweep->out.full = false;
    sweep->recheck_count = 0;
    while (!sweep->out.full && sweep->recheck_count < sweep->recheck_capacity &&
           (more = take_event(sweep, &record)))
        make(sweep, &record);
    for (int rank = 0; rank < net->ranks; rank++) {
        memmove(sweep->out.records + at, sweep->out.records + (uint64_t)rank * sweep->out.capacity,
                (size_t)sweep->out.count[rank] * sizeof *sweep->out.records);
        exchange->send_at[rank] = at * sizeof *sweep->out.records;
        at += sweep->out.count[rank];
    }
    exchange->send_at[net->ranks] = at * sizeof *sweep->out.records;
    exchange->kind = kind;
    more = wari_exchange_sizes(exchange, net, more);
    wari_exchange_begin(exchange, net);
    wari_exchange_end(exchange);
    return more;
}

/* ---- 1. Events ------------------------------------------------------------------------------- */

/* Returns true if a cell belongs to this thread. */
static bool is_own(wari_event event)
{
    return (int)((wari_event_row(event) + wari_event_column(event) / 64) %
                 (uint32_t)omp_get_num_threads()) == omp_get_thread_num();
}

static int8_t *cell_of(const struct wari_level *level, const struct record *record)
{
    return wari_level_row(level, (int)record->block, wari_event_row(record->event)) +
           wari_event_column(record->event);
}

/* Stores the new code of a cell and leaves events for the next sweep. Returns true if the code
 * changed. */
static bool change(const struct sweep *sweep, struct wari_worker *worker,
                   const struct record *record, int8_t code)
{
    int8_t *cell = cell_of(sweep->level, record);
    const wari_event change =
        wari_event_of(wari_event_row(record->event), wari_event_column(record->event), code, *cell);
    struct wari_board board;

    if (code == *cell)
        return false;
    *cell = code;
    wari_boards_of_cells(sweep->level, (int)record->block, &change, 1, &board);
    wari_notify_parents(sweep->level, worker, (int)record->block,
                        &(struct wari_changes){&change, &board, 1}, false);
    return true;
}

static void apply_events(struct sweep *sweep)
{
    const struct record *records = (const void *)sweep->distributed->rows[0].in;
    const uint64_t count = received(sweep);
    uint64_t changed = 0;
    enum { AHEAD = 16 }; /* prefetch distance in records */

#pragma omp parallel num_threads(sweep->distributed->threads) reduction(+ : changed)
    {
        struct wari_worker *worker = &sweep->level->workers->worker[omp_get_thread_num()];
        for (uint64_t i = 0; i < count && !wari_level_stopped(sweep->level); i++) {
            const struct record *at = &records[i];
            bool recheck;
            if (i + AHEAD < count && is_own(at[AHEAD].event))
                __builtin_prefetch(cell_of(sweep->level, &at[AHEAD]), 1, 3);
            if (!is_own(at->event))
                continue;
            const int8_t code = wari_apply_event(&sweep->level->codes, at->event,
                                                 *cell_of(sweep->level, at), &recheck);
            if (recheck)
                wari_push_event(&sweep->level->events, worker,
                                wari_event_list_of((int)at->block, RECHECKS), at->event);
            else
                changed += change(sweep, worker, at, code);
        }
    }
    sweep->result->changed += changed;
    sweep->result->cells += count;
}

/* ---- 2. Queries ------------------------------------------------------------------------------ */

static void add_queries(struct sweep *sweep, const struct record *cell)
{
    const struct wari_level *level = sweep->level;
    const struct wari_coordinates parent = {(int)cell->block, wari_event_row(cell->event),
                                            wari_event_column(cell->event)};
    struct wari_coordinates children[WARI_HALF_PITS];
    const struct wari_board board = wari_board_of(level->tables, level->layout.seeds, parent);
    const int count =
        wari_children_of_board(level->tables, level->layout.seeds, parent.block, &board, children);

    for (int i = 0; i < count; i++)
        add(sweep, &(struct record){wari_event_of(children[i].row, children[i].column, 0, 0),
                                    (uint32_t)children[i].block, sweep->recheck_count});
    sweep->worst[sweep->recheck_count] = WARI_NO_QUIET;
    sweep->rechecks[sweep->recheck_count++] = *cell;
}

/* Replies to all received queries: sends each query back to its sender, with the child's code. */
static void answer_queries(struct sweep *sweep)
{
    struct wari_distributed *distributed = sweep->distributed;
    const struct wari_exchange *asked = distributed->rows[0].exchange;
    struct wari_exchange *back = distributed->rows[1].exchange;
    const struct record *queries = (const void *)distributed->rows[0].in;
    struct record *replies = (void *)distributed->rows[1].out;
    const size_t entries = ((size_t)distributed->net->ranks + 1) * sizeof *back->send_at;
    const uint64_t count = received(sweep);

#pragma omp parallel for num_threads(distributed->threads) schedule(static)
    for (uint64_t i = 0; i < count; i++) {
        replies[i] = queries[i];
        replies[i].event = wari_event_of(0, 0, *cell_of(sweep->level, &queries[i]), 0);
    }
    memcpy(back->send_at, asked->receive_at, entries);
    memcpy(back->receive_at, asked->send_at, entries);
    back->kind = WARI_MESSAGE_QUERIES;
    wari_exchange_begin(back, distributed->net);
    wari_exchange_end(back);
}

/* ---- 3. Resolving ---------------------------------------------------------------------------- */

static void take_replies(struct sweep *sweep)
{
    const struct wari_round *back = &sweep->distributed->rows[1];
    const struct record *replies = (const void *)back->in;
    const uint64_t count =
        back->exchange->receive_at[sweep->distributed->net->ranks] / sizeof *replies;

    for (uint64_t i = 0; i < count; i++) {
        int8_t *worst = &sweep->worst[replies[i].recheck];
        const int8_t code = wari_event_code(replies[i].event);
        *worst = code < *worst ? code : *worst;
    }
}

static void resolve(struct sweep *sweep)
{
    const struct wari_level *level = sweep->level;
    uint64_t changed = 0;

    take_replies(sweep);
#pragma omp parallel num_threads(sweep->distributed->threads) reduction(+ : changed)
    {
        struct wari_worker *worker = &level->workers->worker[omp_get_thread_num()];
        for (uint32_t i = 0; i < sweep->recheck_count && !wari_level_stopped(level); i++) {
            const struct record *cell = &sweep->rechecks[i];
            const struct wari_coordinates place = {(int)cell->block, wari_event_row(cell->event),
                                                   wari_event_column(cell->event)};
            if (is_own(cell->event))
                changed += change(
                    sweep, worker, cell,
                    wari_resolve(level, worker, place, *cell_of(level, cell), sweep->worst[i]));
        }
    }
    sweep->result->changed += changed;
}

/* ---- The sweep ------------------------------------------------------------------------------- */

void wari_distributed_event_sweep(struct wari_distributed *distributed,
                                  struct wari_sweep_result *result)
{
    struct wari_round *rows = distributed->rows, *tiles = distributed->tiles;
    struct wari_level *level = distributed->level;
    struct sweep sweep = {
        .distributed = distributed,
        .level = level,
        .result = result,
        .out.records = (void *)rows[0].out,
        .out.capacity =
            distributed->buffer / sizeof(struct record) / (uint64_t)distributed->net->ranks,
        .out.count = rows[0].own,
        .rechecks = (void *)tiles[0].out,
        .worst = tiles[0].in,
        .recheck_capacity = (uint32_t)(distributed->buffer / sizeof(struct record)),
    };
    const uint32_t events = level->events.first_range;
    bool more;

    level->events.first_range = 1 - events; /* the lists for the events of the next sweep */
    begin_lists(&sweep, events);
    do {
        more = send_record(&sweep, WARI_MESSAGE_EVENTS, add);
        apply_events(&sweep);
    } while (more);
    begin_lists(&sweep, RECHECKS);
    do {
        more = send_record(&sweep, WARI_MESSAGE_QUERIES, add_queries);
        answer_queries(&sweep);
        resolve(&sweep);
    } while (more);
}

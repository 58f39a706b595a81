/* An event-driven sweep over a distributed level: the three steps of solver/level/recheck.h, all
 * ranks in step, and each of them for the whole level at once, so that few and large messages do.
 *
 *     1. events     waiting in lists by parent block, go to the holders of the parents, who apply
 *                   them; parents that have to be rechecked wait in another list
 *     2. queries    go to the holders of the children, and come back with their codes
 *     3. resolving  by the parents' holders
 *
 * Changes in 1 and 3 leave events for the next sweep. Each of the ranks takes as many events, or
 * rechecks, as its buffers hold, and all go on until none has any left. Threads share out the cells
 * of a rank among them, so that none writes where another one does.
 */
#include <omp.h>
#include <string.h>

#include "solver/cluster/distributed.h"
#include "solver/level/recheck.h"

enum { RECHECKS = 2 }; /* the list behind the events of this sweep and the next one */

/* What travels. */
struct record {
    wari_event event; /* of a parent; or the child that is queried, its code in the reply */
    uint32_t block;   /* of that cell */
    uint32_t recheck; /* number of the one that a query is for */
};

struct sweep {
    struct wari_distributed *distributed;
    struct wari_level *level;
    struct wari_sweep_result *result;

    struct { /* records on their way out, in slots of equal size, one for each rank */
        struct record *slots;
        uint64_t room;   /* records that a slot holds */
        uint64_t *count; /* [rank] */
        bool full;
    } out;

    struct { /* where in the lists we are: those of all blocks, by threads */
        uint32_t part;
        int list;
        uint32_t page, next;
    } at;

    struct record *rechecks; /* the cells */
    int8_t *worst;           /* of each recheck */
    uint32_t recheck_count, recheck_room;
};

/* ---- Lists ----------------------------------------------------------------------------------- */

static void begin_lists(struct sweep *sweep, uint32_t part)
{
    sweep->at.part = part;
    sweep->at.list = 0;
    sweep->at.page = WARI_NO_EVENT_BUFFER;
}

/* Takes the next event out of all threads' lists of a part. */
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

/* Puts a record into the slot of the rank that holds its cell. */
static void add(struct sweep *sweep, const struct record *record)
{
    const int rank = wari_ranks_owner(&sweep->distributed->ranks, (int)record->block,
                                      wari_event_row(record->event));
    uint64_t *count = &sweep->out.count[rank];

    sweep->out.slots[(uint64_t)rank * sweep->out.room + (*count)++] = *record;
    if (*count + WARI_HALF_PITS > sweep->out.room) /* those of one more cell may not fit */
        sweep->out.full = true;
}

static uint64_t received(const struct sweep *sweep)
{
    return sweep->distributed->rows[0].exchange->receive_at[sweep->distributed->net->ranks] /
           sizeof(struct record);
}

/* Takes events out of the lists and sends the records that `make` adds for each; what comes is in
 * rows[0].in. True if any rank has more. */
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
    while (!sweep->out.full && sweep->recheck_count < sweep->recheck_room &&
           (more = take_event(sweep, &record)))
        make(sweep, &record);
    for (int rank = 0; rank < net->ranks; rank++) {
        memmove(sweep->out.slots + at, sweep->out.slots + (uint64_t)rank * sweep->out.room,
                (size_t)sweep->out.count[rank] * sizeof *sweep->out.slots);
        exchange->send_at[rank] = at * sizeof *sweep->out.slots;
        at += sweep->out.count[rank];
    }
    exchange->send_at[net->ranks] = at * sizeof *sweep->out.slots;
    exchange->kind = kind;
    more = wari_exchange_sizes(exchange, net, more);
    wari_exchange_begin(exchange, net);
    wari_exchange_end(exchange);
    return more;
}

/* ---- 1. Events ------------------------------------------------------------------------------- */

/* Whether a cell is this thread's to write. */
static bool mine(wari_event event)
{
    return (int)((wari_event_row(event) + wari_event_column(event) / 64) %
                 (uint32_t)omp_get_num_threads()) == omp_get_thread_num();
}

static int8_t *cell_of(const struct wari_level *level, const struct record *record)
{
    return wari_level_row(level, (int)record->block, wari_event_row(record->event)) +
           wari_event_column(record->event);
}

/* Gives a cell its new code and leaves events for the next sweep; returns whether it changed. */
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
    enum { AHEAD = 16 }; /* records: the time of a cache miss */

#pragma omp parallel num_threads(sweep->distributed->threads) reduction(+ : changed)
    {
        struct wari_worker *worker = &sweep->level->workers->worker[omp_get_thread_num()];
        for (uint64_t i = 0; i < count && !wari_level_stopped(sweep->level); i++) {
            const struct record *at = &records[i];
            bool recheck;
            if (i + AHEAD < count && mine(at[AHEAD].event))
                __builtin_prefetch(cell_of(sweep->level, &at[AHEAD]), 1, 3);
            if (!mine(at->event))
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

static void ask(struct sweep *sweep, const struct record *cell)
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

/* Queries go back the way they came, with the codes of the children. */
static void reply_queries(struct sweep *sweep)
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
            if (mine(cell->event))
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
        .out.slots = (void *)rows[0].out,
        .out.room = distributed->buffer / sizeof(struct record) / (uint64_t)distributed->net->ranks,
        .out.count = rows[0].mine,
        .rechecks = (void *)tiles[0].out,
        .worst = tiles[0].in,
        .recheck_room = (uint32_t)(distributed->buffer / sizeof(struct record)),
    };
    const uint32_t events = level->events.first_range;
    bool more;

    level->events.first_range = 1 - events; /* for those of the next sweep */
    begin_lists(&sweep, events);
    do {
        more = send_record(&sweep, WARI_MESSAGE_EVENTS, add);
        apply_events(&sweep);
    } while (more);
    begin_lists(&sweep, RECHECKS);
    do {
        more = send_record(&sweep, WARI_MESSAGE_QUERIES, ask);
        reply_queries(&sweep);
        resolve(&sweep);
    } while (more);
}

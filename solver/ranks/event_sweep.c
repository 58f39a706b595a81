/* An event-driven sweep over a distributed level: the three steps of solver/item/recheck.h, all
 * ranks in step, and each of them for the whole level at once, so that few and large messages do.
 *
 *     1. events     waiting in lists by parent block, go to the holders of the parents, who apply
 *                   them; parents that have to be rechecked wait in another list
 *     2. queries    go to the holders of the children, one byte for each comes back
 *     3. resolving  by the parents' holders
 *
 * Changes in 1 and 3 leave events for the next sweep. Each of the ranks takes as many events, or
 * rechecks, as its buffers hold, and all go on until none has any left. Threads share out the cells
 * of a rank among them, so that none writes where another one does.
 */
#include "solver/ranks/event_sweep.h"

#include <omp.h>
#include <string.h>

#include "solver/item/recheck.h"

enum {
    RECHECKS = 2,    /* the list behind the events of this sweep and the next one */
    ADDED = 8,       /* records that one event adds for a rank at most, and some */
    MARK = 0xffffff, /* as row of an event: the column says the block of those behind it */
};

/* A cell to be rechecked. */
struct recheck {
    wari_event event;
    int block;
};

struct sweep {
    struct wari_distributed *distributed;
    struct wari_level *level;
    struct wari_tally *tally;

    struct { /* records on their way out, in slots of equal size */
        uint64_t *slots;
        uint64_t room;     /* records that a slot holds */
        uint64_t *count;   /* [rank] */
        uint64_t *block;   /* [rank]: of the last event, plus 1 */
        uint32_t *querier; /* [rank * room + i]: the recheck that a query is for */
        bool full;
    } out;

    struct { /* where in the lists we are */
        uint32_t part;
        int worker, block;
        uint32_t page, next;
    } at;

    struct recheck *rechecks;
    int8_t *worst; /* of each recheck */
    uint32_t recheck_count, recheck_room;
};

/* ---- Lists ---------------------------------------------------------------------------------- */

static void begin_lists(struct sweep *sweep, uint32_t part)
{
    sweep->at.part = part;
    sweep->at.worker = sweep->at.block = 0;
    sweep->at.page = WARI_NO_PAGE;
    sweep->at.next = 0;
}

/* Takes the next event out of all threads' lists of a part. */
static bool take_event(struct sweep *sweep, int *block, wari_event *event)
{
    struct wari_level *level = sweep->level;

    for (;;) {
        struct wari_worker *worker = &level->team->worker[sweep->at.worker];
        if (sweep->at.page != WARI_NO_PAGE &&
            sweep->at.next < level->events.page[sweep->at.page].count) {
            *block = sweep->at.block;
            *event = level->events.page[sweep->at.page].event[sweep->at.next++];
            return true;
        }
        if (sweep->at.page != WARI_NO_PAGE)
            wari_give_page(&level->events, worker, sweep->at.page);
        sweep->at.next = 0;
        sweep->at.page =
            wari_take_page(&level->events, worker, wari_list_of(sweep->at.block, sweep->at.part));
        if (sweep->at.page != WARI_NO_PAGE)
            continue;
        if (sweep->at.block < level->layout.seeds) {
            sweep->at.block++;
        } else if (sweep->at.worker + 1 < level->team->threads) {
            sweep->at.block = 0;
            sweep->at.worker++;
        } else {
            return false;
        }
    }
}

/* ---- Slots ---------------------------------------------------------------------------------- */

static void empty_slots(struct sweep *sweep)
{
    memset(sweep->out.count, 0,
           2 * (size_t)sweep->distributed->net->ranks * sizeof *sweep->out.count);
    sweep->out.full = false;
}

static void add(struct sweep *sweep, int rank, uint64_t record)
{
    sweep->out.slots[(uint64_t)rank * sweep->out.room + sweep->out.count[rank]++] = record;
    if (sweep->out.count[rank] + ADDED > sweep->out.room)
        sweep->out.full = true;
}

/* Closes up the slots, for sending. */
static void close_up(struct sweep *sweep, struct wari_exchange *exchange)
{
    uint64_t at = 0;

    for (int rank = 0; rank < sweep->distributed->net->ranks; rank++) {
        memmove(sweep->out.slots + at, sweep->out.slots + (uint64_t)rank * sweep->out.room,
                (size_t)sweep->out.count[rank] * sizeof *sweep->out.slots);
        exchange->send_at[rank] = at * sizeof *sweep->out.slots;
        at += sweep->out.count[rank];
    }
    exchange->send_at[sweep->distributed->net->ranks] = at * sizeof *sweep->out.slots;
}

static void travel(struct wari_exchange *exchange, struct wari_net *net)
{
    wari_exchange_begin(exchange, net);
    wari_exchange_end(exchange);
}

/* ---- 1. Events ------------------------------------------------------------------------------ */

static bool send_events(struct sweep *sweep)
{
    struct wari_exchange *exchange = &sweep->distributed->rows[0].exchange;
    wari_event event;
    bool more = true;
    int block;

    empty_slots(sweep);
    while (!sweep->out.full && (more = take_event(sweep, &block, &event))) {
        const int rank = wari_ranks_owner(&sweep->distributed->ranks, block, wari_event_row(event));
        if (sweep->out.block[rank] != (uint64_t)block + 1)
            add(sweep, rank, wari_event_of(MARK, (uint32_t)block, 0, 0));
        sweep->out.block[rank] = (uint64_t)block + 1;
        add(sweep, rank, event);
    }
    close_up(sweep, exchange);
    exchange->cargo = WARI_CARGO_EVENTS;
    more = wari_exchange_sizes(exchange, sweep->distributed->net, more);
    travel(exchange, sweep->distributed->net);
    return more;
}

/* Whether a cell is this thread's to write. */
static bool mine(wari_event event)
{
    return (int)((wari_event_row(event) + wari_event_column(event) / 64) %
                 (uint32_t)omp_get_num_threads()) == omp_get_thread_num();
}

static int8_t *cell_of(struct wari_level *level, int block, wari_event event)
{
    return level->held.cells + wari_level_place(level, block, wari_event_row(event)) +
           wari_event_column(event);
}

static void change(struct sweep *sweep, struct wari_worker *worker, int block, wari_event event,
                   int8_t code, uint64_t *changed)
{
    int8_t *cell = cell_of(sweep->level, block, event);
    const int8_t before = *cell;

    if (code == before)
        return;
    *cell = code;
    ++*changed;
    wari_tell_parents(sweep->level, worker, block,
                      wari_event_of(wari_event_row(event), wari_event_column(event), code, before),
                      false);
}

static uint64_t apply(struct sweep *sweep, struct wari_worker *worker, const wari_event *event,
                      uint64_t count)
{
    enum { AHEAD = 16 };
    uint64_t changed = 0;
    int block = 0, block_ahead = 0;

    for (uint64_t i = 0; i < count + AHEAD; i++) {
        if (i < count && wari_event_row(event[i]) == MARK)
            block_ahead = (int)wari_event_column(event[i]);
        else if (i < count && mine(event[i]))
            __builtin_prefetch(cell_of(sweep->level, block_ahead, event[i]), 1, 3);
        if (i < AHEAD)
            continue;
        const wari_event now = event[i - AHEAD];
        bool recheck;
        if (wari_event_row(now) == MARK) {
            block = (int)wari_event_column(now);
            continue;
        }
        if (!mine(now))
            continue;
        const int8_t code = wari_apply_event(&sweep->level->codes, now,
                                             *cell_of(sweep->level, block, now), &recheck);
        if (recheck)
            wari_put_event(&sweep->level->events, worker, wari_list_of(block, RECHECKS), now);
        else
            change(sweep, worker, block, now, code, &changed);
    }
    return changed;
}

static void apply_events(struct sweep *sweep)
{
    const struct wari_exchange *exchange = &sweep->distributed->rows[0].exchange;
    const int me = sweep->distributed->net->rank, ranks = sweep->distributed->net->ranks;
    const wari_event *own = sweep->out.slots + exchange->send_at[me] / sizeof *own;
    const uint64_t own_count = (exchange->send_at[me + 1] - exchange->send_at[me]) / sizeof *own;
    uint64_t changed = 0;

    if (wari_level_stopped(sweep->level))
        return;
#pragma omp parallel num_threads(sweep->distributed->threads) reduction(+ : changed)
    {
        struct wari_worker *worker = &sweep->level->team->worker[omp_get_thread_num()];
        changed += apply(sweep, worker, own, own_count);
        for (int rank = 0; rank < ranks; rank++)
            changed += apply(sweep, worker,
                             (const wari_event *)(const void *)((const char *)exchange->receive +
                                                                exchange->receive_at[rank]),
                             (exchange->receive_at[rank + 1] - exchange->receive_at[rank]) /
                                 sizeof(wari_event));
    }
    sweep->tally->changed += changed;
    sweep->tally->cells += own_count + exchange->receive_at[ranks] / sizeof(wari_event);
}

/* ---- 2. Queries --------------------------------------------------------------------------- */

static uint64_t question_of(const struct wari_place *child)
{
    return (uint64_t)child->block << 48 | (uint64_t)child->row << 24 | child->column;
}

static int8_t reply_to(const struct wari_level *level, uint64_t query)
{
    const uint32_t row = (uint32_t)(query >> 24) & 0xffffff;
    const uint32_t column = (uint32_t)query & 0xffffff;

    return level->held.cells[wari_level_place(level, (int)(query >> 48), row) + column];
}

static void ask(struct sweep *sweep, int block, wari_event event)
{
    struct wari_level *level = sweep->level;
    const struct wari_place parent = {block, wari_event_row(event), wari_event_column(event)};
    const uint32_t recheck = sweep->recheck_count++;
    struct wari_place children[WARI_HALF_PITS];
    const int count = wari_children_of(level->tables, level->layout.seeds, parent, children);

    sweep->rechecks[recheck] = (struct recheck){event, block};
    sweep->worst[recheck] = WARI_NO_QUIET;
    for (int i = 0; i < count; i++) {
        const uint64_t query = question_of(&children[i]);
        const int rank =
            wari_ranks_owner(&sweep->distributed->ranks, children[i].block, children[i].row);
        if (rank == sweep->distributed->net->rank) {
            const int8_t reply = reply_to(level, query);
            sweep->worst[recheck] = reply < sweep->worst[recheck] ? reply : sweep->worst[recheck];
        } else {
            sweep->out.querier[(uint64_t)rank * sweep->out.room + sweep->out.count[rank]] = recheck;
            add(sweep, rank, query);
        }
    }
}

static bool send_queries(struct sweep *sweep)
{
    struct wari_exchange *exchange = &sweep->distributed->rows[0].exchange;
    wari_event event;
    bool more = true;
    int block;

    empty_slots(sweep);
    sweep->recheck_count = 0;
    while (!sweep->out.full && sweep->recheck_count < sweep->recheck_room &&
           (more = take_event(sweep, &block, &event)))
        ask(sweep, block, event);
    close_up(sweep, exchange);
    exchange->cargo = WARI_CARGO_QUERIES;
    more = wari_exchange_sizes(exchange, sweep->distributed->net, more);
    travel(exchange, sweep->distributed->net);
    return more;
}

static void reply_queries(struct sweep *sweep)
{
    const struct wari_exchange *asked = &sweep->distributed->rows[0].exchange;
    struct wari_round *back = &sweep->distributed->rows[1];
    const int ranks = sweep->distributed->net->ranks;
    const uint64_t *query = asked->receive;
    const uint64_t count = asked->receive_at[ranks] / sizeof *query;

#pragma omp parallel for num_threads(sweep->distributed->threads) schedule(static)
    for (uint64_t i = 0; i < count; i++)
        back->out[i] = reply_to(sweep->level, query[i]);
    for (int rank = 0; rank <= ranks; rank++) {
        back->exchange.send_at[rank] = asked->receive_at[rank] / sizeof *query;
        back->exchange.receive_at[rank] = asked->send_at[rank] / sizeof *query;
    }
    back->exchange.cargo = WARI_CARGO_QUERIES;
    travel(&back->exchange, sweep->distributed->net);
}

/* ---- 3. Resolving -------------------------------------------------------------------------- */

static void take_replies(struct sweep *sweep)
{
    const struct wari_round *back = &sweep->distributed->rows[1];

    for (int rank = 0; rank < sweep->distributed->net->ranks; rank++) {
        const int8_t *reply = back->in + back->exchange.receive_at[rank];
        const uint32_t *querier = sweep->out.querier + (uint64_t)rank * sweep->out.room;
        for (uint64_t i = 0; i < sweep->out.count[rank]; i++)
            if (reply[i] < sweep->worst[querier[i]])
                sweep->worst[querier[i]] = reply[i];
    }
}

static void resolve(struct sweep *sweep)
{
    struct wari_level *level = sweep->level;
    uint64_t changed = 0;

    take_replies(sweep);
#pragma omp parallel num_threads(sweep->distributed->threads) reduction(+ : changed)
    {
        struct wari_worker *worker = &level->team->worker[omp_get_thread_num()];
        for (uint32_t i = 0; i < sweep->recheck_count && !wari_level_stopped(level); i++) {
            const struct recheck *recheck = &sweep->rechecks[i];
            const struct wari_place place = {recheck->block, wari_event_row(recheck->event),
                                             wari_event_column(recheck->event)};
            if (!mine(recheck->event))
                continue;
            const uint64_t at = wari_level_place(level, place.block, place.row) + place.column;
            change(sweep, worker, place.block, recheck->event,
                   wari_resolve(level, worker, place, level->held.cells[at], sweep->worst[i]),
                   &changed);
        }
    }
    sweep->tally->changed += changed;
}

/* ---- The sweep ------------------------------------------------------------------------------ */

void wari_distributed_event_sweep(struct wari_distributed *distributed, struct wari_tally *tally)
{
    struct wari_round *rows = distributed->rows, *tiles = distributed->tiles;
    struct wari_level *level = distributed->level;
    struct sweep sweep = {
        .distributed = distributed,
        .level = level,
        .tally = tally,
        .out.slots = (uint64_t *)(void *)rows[0].out,
        .out.room = distributed->buffer / sizeof(uint64_t) / (uint64_t)distributed->net->ranks,
        .out.count = rows[0].to,
        .out.block = rows[0].to + distributed->net->ranks,
        .out.querier = (uint32_t *)(void *)tiles[1].out,
        .rechecks = (struct recheck *)(void *)tiles[0].out,
        .worst = tiles[0].in,
        .recheck_room = (uint32_t)(distributed->buffer / sizeof(struct recheck)),
    };
    const uint32_t events = level->events.first_part;
    bool more;

    level->events.first_part = 1 - events; /* for those of the next sweep */
    begin_lists(&sweep, events);
    do {
        more = send_events(&sweep);
        apply_events(&sweep);
    } while (more);
    begin_lists(&sweep, RECHECKS);
    do {
        more = send_queries(&sweep);
        reply_queries(&sweep);
        resolve(&sweep);
    } while (more);
}

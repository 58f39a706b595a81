/* A late sweep over a dealt level: the three steps of solver/late.h, all ranks in step, and each of
 * them for the whole level at once, so that few and large messages do.
 *
 *     1. events     waiting in lists by parent block, go to the holders of the parents, who apply
 *                   them; parents that have to be looked at wait in another list
 *     2. questions  go to the holders of the children, one byte for each comes back
 *     3. conclusion by the parents' holders
 *
 * Changes in 1 and 3 leave events for the next sweep. Each of the ranks takes as many events, or
 * looks, as its buffers hold, and all go on until none has any left. Threads share out the cells of
 * a rank among them, so that none writes where another one does.
 */
#include <omp.h>
#include <string.h>

#include "solver/late.h"
#include "solver/mpi/dealt.h"

enum {
    LOOKS = 2,       /* the list behind the events of this sweep and the next one */
    ADDED = 8,       /* records that one event adds for a rank at most, and some */
    MARK = 0xffffff, /* as row of an event: the column says the block of those behind it */
};

/* A cell to be looked at. */
struct look {
    wari_event event;
    int block;
};

struct late {
    struct wari_dealt *dealt;
    struct wari_level *level;
    struct wari_tally *tally;

    /* Records on their way out, in slots of equal size. */
    uint64_t *slots;
    uint64_t room;   /* records that a slot holds */
    uint64_t *count; /* [rank] */
    uint64_t *block; /* [rank]: of the last event, plus 1 */
    uint32_t *asker; /* [rank * room + i]: the look that a question is for */
    bool full;

    /* Where in the lists we are. */
    uint32_t part;
    int worker, at_block;
    uint32_t page, next;

    struct look *looks;
    int8_t *worst; /* of each look */
    uint32_t look_count, look_room;
};

/* ---- Lists ---------------------------------------------------------------------------------- */

static void begin_lists(struct late *late, uint32_t part)
{
    late->part = part;
    late->worker = late->at_block = 0;
    late->page = WARI_NO_PAGE;
    late->next = 0;
}

/* Takes the next event out of all threads' lists of a part. */
static bool take_event(struct late *late, int *block, wari_event *event)
{
    struct wari_level *level = late->level;

    for (;;) {
        struct wari_worker *worker = &level->team->worker[late->worker];
        if (late->page != WARI_NO_PAGE && late->next < level->pages[late->page].count) {
            *block = late->at_block;
            *event = level->pages[late->page].event[late->next++];
            return true;
        }
        if (late->page != WARI_NO_PAGE)
            wari_give_page(level, worker, late->page);
        late->next = 0;
        late->page = wari_take_page(level, worker, wari_list_of(late->at_block, late->part));
        if (late->page != WARI_NO_PAGE)
            continue;
        if (late->at_block < level->layout.seeds) {
            late->at_block++;
        } else if (late->worker + 1 < level->team->threads) {
            late->at_block = 0;
            late->worker++;
        } else {
            return false;
        }
    }
}

/* ---- Slots ---------------------------------------------------------------------------------- */

static void empty_slots(struct late *late)
{
    memset(late->count, 0, 2 * (size_t)late->dealt->net->ranks * sizeof *late->count);
    late->full = false;
}

static void add(struct late *late, int rank, uint64_t record)
{
    late->slots[(uint64_t)rank * late->room + late->count[rank]++] = record;
    if (late->count[rank] + ADDED > late->room)
        late->full = true;
}

/* Closes up the slots, for sending. */
static void close_up(struct late *late, struct wari_exchange *exchange)
{
    uint64_t at = 0;

    for (int rank = 0; rank < late->dealt->net->ranks; rank++) {
        memmove(late->slots + at, late->slots + (uint64_t)rank * late->room,
                (size_t)late->count[rank] * sizeof *late->slots);
        exchange->send_at[rank] = at * sizeof *late->slots;
        at += late->count[rank];
    }
    exchange->send_at[late->dealt->net->ranks] = at * sizeof *late->slots;
}

static void travel(struct wari_exchange *exchange, struct wari_net *net)
{
    wari_exchange_begin(exchange, net);
    wari_exchange_end(exchange);
}

/* ---- 1. Events ------------------------------------------------------------------------------ */

static bool send_events(struct late *late)
{
    struct wari_exchange *exchange = &late->dealt->rows[0].exchange;
    wari_event event;
    bool more = true;
    int block;

    empty_slots(late);
    while (!late->full && (more = take_event(late, &block, &event))) {
        const int rank = wari_ranks_owner(&late->dealt->ranks, block, wari_event_row(event));
        if (late->block[rank] != (uint64_t)block + 1)
            add(late, rank, wari_event_of(MARK, (uint32_t)block, 0, 0));
        late->block[rank] = (uint64_t)block + 1;
        add(late, rank, event);
    }
    close_up(late, exchange);
    exchange->cargo = WARI_CARGO_EVENTS;
    more = wari_exchange_sizes(exchange, late->dealt->net, more);
    travel(exchange, late->dealt->net);
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
    return level->cells + wari_level_place(level, block, wari_event_row(event)) +
           wari_event_column(event);
}

static void change(struct late *late, struct wari_worker *worker, int block, wari_event event,
                   int8_t code, uint64_t *changed)
{
    int8_t *cell = cell_of(late->level, block, event);
    const int8_t before = *cell;

    if (code == before)
        return;
    *cell = code;
    ++*changed;
    wari_tell_parents(late->level, worker, block, wari_event_row(event), wari_event_column(event),
                      code, before, false);
}

static uint64_t apply(struct late *late, struct wari_worker *worker, const wari_event *event,
                      uint64_t count)
{
    enum { AHEAD = 16 };
    uint64_t changed = 0;
    int block = 0, block_ahead = 0;

    for (uint64_t i = 0; i < count + AHEAD; i++) {
        if (i < count && wari_event_row(event[i]) == MARK)
            block_ahead = (int)wari_event_column(event[i]);
        else if (i < count && mine(event[i]))
            __builtin_prefetch(cell_of(late->level, block_ahead, event[i]), 1, 3);
        if (i < AHEAD)
            continue;
        const wari_event now = event[i - AHEAD];
        bool look;
        if (wari_event_row(now) == MARK) {
            block = (int)wari_event_column(now);
            continue;
        }
        if (!mine(now))
            continue;
        const int8_t code =
            wari_late_raise(&late->level->codes, now, *cell_of(late->level, block, now), &look);
        if (look)
            wari_put_event(late->level, worker, wari_list_of(block, LOOKS), now);
        else
            change(late, worker, block, now, code, &changed);
    }
    return changed;
}

static void apply_events(struct late *late)
{
    const struct wari_exchange *exchange = &late->dealt->rows[0].exchange;
    const int me = late->dealt->net->rank, ranks = late->dealt->net->ranks;
    const wari_event *own = late->slots + exchange->send_at[me] / sizeof *own;
    const uint64_t own_count = (exchange->send_at[me + 1] - exchange->send_at[me]) / sizeof *own;
    uint64_t changed = 0;

    if (wari_level_stopped(late->level))
        return;
#pragma omp parallel num_threads(late->dealt->threads) reduction(+ : changed)
    {
        struct wari_worker *worker = &late->level->team->worker[omp_get_thread_num()];
        changed += apply(late, worker, own, own_count);
        for (int rank = 0; rank < ranks; rank++)
            changed += apply(late, worker,
                             (const wari_event *)(const void *)((const char *)exchange->receive +
                                                                exchange->receive_at[rank]),
                             (exchange->receive_at[rank + 1] - exchange->receive_at[rank]) /
                                 sizeof(wari_event));
    }
    late->tally->changed += changed;
    late->tally->cells += own_count + exchange->receive_at[ranks] / sizeof(wari_event);
}

/* ---- 2. Questions --------------------------------------------------------------------------- */

static uint64_t question_of(const struct wari_place *child)
{
    return (uint64_t)child->block << 48 | (uint64_t)child->row << 24 | child->column;
}

static int8_t answer_to(const struct wari_level *level, uint64_t question)
{
    const uint32_t row = (uint32_t)(question >> 24) & 0xffffff;
    const uint32_t column = (uint32_t)question & 0xffffff;

    return level->cells[wari_level_place(level, (int)(question >> 48), row) + column];
}

static void ask(struct late *late, int block, wari_event event)
{
    struct wari_level *level = late->level;
    const struct wari_place parent = {block, wari_event_row(event), wari_event_column(event)};
    const uint32_t look = late->look_count++;
    struct wari_place children[WARI_HALF_PITS];
    const int count = wari_children_of(level->tables, level->layout.seeds, parent, children);

    late->looks[look] = (struct look){event, block};
    late->worst[look] = WARI_NO_QUIET;
    for (int i = 0; i < count; i++) {
        const uint64_t question = question_of(&children[i]);
        const int rank = wari_ranks_owner(&late->dealt->ranks, children[i].block, children[i].row);
        if (rank == late->dealt->net->rank) {
            const int8_t answer = answer_to(level, question);
            late->worst[look] = answer < late->worst[look] ? answer : late->worst[look];
        } else {
            late->asker[(uint64_t)rank * late->room + late->count[rank]] = look;
            add(late, rank, question);
        }
    }
}

static bool send_questions(struct late *late)
{
    struct wari_exchange *exchange = &late->dealt->rows[0].exchange;
    wari_event event;
    bool more = true;
    int block;

    empty_slots(late);
    late->look_count = 0;
    while (!late->full && late->look_count < late->look_room &&
           (more = take_event(late, &block, &event)))
        ask(late, block, event);
    close_up(late, exchange);
    exchange->cargo = WARI_CARGO_QUESTIONS;
    more = wari_exchange_sizes(exchange, late->dealt->net, more);
    travel(exchange, late->dealt->net);
    return more;
}

static void answer_questions(struct late *late)
{
    const struct wari_exchange *asked = &late->dealt->rows[0].exchange;
    struct wari_round *back = &late->dealt->rows[1];
    const int ranks = late->dealt->net->ranks;
    const uint64_t *question = asked->receive;
    const uint64_t count = asked->receive_at[ranks] / sizeof *question;

#pragma omp parallel for num_threads(late->dealt->threads) schedule(static)
    for (uint64_t i = 0; i < count; i++)
        back->out[i] = answer_to(late->level, question[i]);
    for (int rank = 0; rank <= ranks; rank++) {
        back->exchange.send_at[rank] = asked->receive_at[rank] / sizeof *question;
        back->exchange.receive_at[rank] = asked->send_at[rank] / sizeof *question;
    }
    back->exchange.cargo = WARI_CARGO_QUESTIONS;
    travel(&back->exchange, late->dealt->net);
}

/* ---- 3. Conclusions -------------------------------------------------------------------------- */

static void take_answers(struct late *late)
{
    const struct wari_round *back = &late->dealt->rows[1];

    for (int rank = 0; rank < late->dealt->net->ranks; rank++) {
        const int8_t *answer = back->in + back->exchange.receive_at[rank];
        const uint32_t *asker = late->asker + (uint64_t)rank * late->room;
        for (uint64_t i = 0; i < late->count[rank]; i++)
            if (answer[i] < late->worst[asker[i]])
                late->worst[asker[i]] = answer[i];
    }
}

static void conclude(struct late *late)
{
    struct wari_level *level = late->level;
    uint64_t changed = 0;

    take_answers(late);
#pragma omp parallel num_threads(late->dealt->threads) reduction(+ : changed)
    {
        struct wari_worker *worker = &level->team->worker[omp_get_thread_num()];
        for (uint32_t i = 0; i < late->look_count && !wari_level_stopped(level); i++) {
            const struct look *look = &late->looks[i];
            const struct wari_place place = {look->block, wari_event_row(look->event),
                                             wari_event_column(look->event)};
            if (!mine(look->event))
                continue;
            const uint64_t at = wari_level_place(level, place.block, place.row) + place.column;
            change(late, worker, place.block, look->event,
                   wari_late_concluded(level, worker, place, level->cells[at], late->worst[i]),
                   &changed);
        }
    }
    late->tally->changed += changed;
}

/* ---- The sweep ------------------------------------------------------------------------------ */

void wari_dealt_late(struct wari_dealt *dealt, struct wari_tally *tally)
{
    struct wari_round *rows = dealt->rows, *tiles = dealt->tiles;
    struct wari_level *level = dealt->level;
    struct late late = {
        .dealt = dealt,
        .level = level,
        .tally = tally,
        .slots = (uint64_t *)(void *)rows[0].out,
        .room = dealt->buffer / sizeof(uint64_t) / (uint64_t)dealt->net->ranks,
        .count = rows[0].to,
        .block = rows[0].to + dealt->net->ranks,
        .asker = (uint32_t *)(void *)tiles[1].out,
        .looks = (struct look *)(void *)tiles[0].out,
        .worst = tiles[0].in,
        .look_room = (uint32_t)(dealt->buffer / sizeof(struct look)),
    };
    const uint32_t events = level->first_part;
    bool more;

    level->first_part = 1 - events; /* for those of the next sweep */
    begin_lists(&late, events);
    do {
        more = send_events(&late);
        apply_events(&late);
    } while (more);
    begin_lists(&late, LOOKS);
    do {
        more = send_questions(&late);
        answer_questions(&late);
        conclude(&late);
    } while (more);
}

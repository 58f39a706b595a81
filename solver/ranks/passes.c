/* The passes over a distributed level, and the memory for what ranks exchange. */
#include "solver/ranks/passes.h"

#include <omp.h>
#include <string.h>

#include "solver/level/events.h"
#include "solver/own.h"
#include "solver/ranks/event_sweep.h"
#include "solver/ranks/rounds.h"
#include "solver/ranks/turn.h"

enum { LINE = 64 };

/* A rank with few cells does better without a team: its threads would wait for each other after
 * every round. */
static int threads_of(const struct wari_level *level, int ranks)
{
    enum { CELLS_A_THREAD = 1 << 17 };
    const uint64_t wanted =
        wari_level_positions(level->layout.seeds) / (uint64_t)ranks / CELLS_A_THREAD + 1;

    return wanted < (uint64_t)level->team->threads ? (int)wanted : level->team->threads;
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* Of `to` and `from`, of rows and tiles, two of each. */
static size_t list_entries(size_t ranks)
{
    return 4 * 2 * ranks * WARI_ROUND_ITEMS;
}

static enum wari_status allocate_lists(struct wari_distributed *distributed,
                                       struct wari_error *error)
{
    const size_t ranks = (size_t)distributed->net->ranks;
    const size_t threads = (size_t)distributed->level->team->threads;
    struct wari_round *const round[4] = {&distributed->rows[0], &distributed->rows[1],
                                         &distributed->tiles[0], &distributed->tiles[1]};
    uint64_t *next;
    void *memory;
    enum wari_status status = wari_allocate(
        distributed->level->host, (list_entries(ranks) + threads * ranks) * sizeof(uint64_t),
        "the lists of what ranks exchange", &memory, error);

    if (status != WARI_OK)
        return status;
    next = distributed->cursors = memory;
    next += threads * ranks;
    for (int i = 0; i < 4; i++) {
        round[i]->to = next;
        round[i]->from = next + ranks * WARI_ROUND_ITEMS;
        next += 2 * ranks * WARI_ROUND_ITEMS;
    }
    for (int i = 0; i < 4 && status == WARI_OK; i++)
        status = wari_exchange_create(&round[i]->exchange, distributed->net,
                                      i < 2 ? WARI_CARGO_ROWS : WARI_CARGO_TILES,
                                      distributed->level->host, error);
    return status;
}

static enum wari_status allocate_buffers(struct wari_distributed *distributed,
                                         struct wari_error *error)
{
    const size_t each = ((size_t)distributed->buffer + WARI_PATCH + LINE - 1) / LINE * LINE;
    struct wari_round *const round[4] = {&distributed->rows[0], &distributed->rows[1],
                                         &distributed->tiles[0], &distributed->tiles[1]};
    const enum wari_status status =
        wari_allocate(distributed->level->host, WARI_ROUND_BUFFERS * each + LINE,
                      "the buffers of what ranks exchange", &distributed->memory, error);
    int8_t *next;

    if (status != WARI_OK)
        return status;
    memset(distributed->memory, 0, WARI_ROUND_BUFFERS * each + LINE);
    next = (int8_t *)(((uintptr_t)distributed->memory + LINE - 1) / LINE * LINE);
    for (int i = 0; i < 4; i++, next += 2 * each) {
        round[i]->exchange.send = round[i]->out = next;
        round[i]->exchange.receive = round[i]->in = next + each;
    }
    return WARI_OK;
}

enum wari_status wari_distributed_create(struct wari_distributed *distributed, struct wari_net *net,
                                         struct wari_level *level, const struct wari_ranks *ranks,
                                         struct wari_error *error)
{
    enum { LARGE = 1 << 22 }; /* cells of a rank: a turn takes longer than agreeing */
    const int seeds = level->layout.seeds;
    enum wari_status status;

    *distributed = (struct wari_distributed){.net = net, .level = level, .ranks = *ranks};
    distributed->often = wari_level_positions(seeds) / (uint64_t)net->ranks > LARGE;
    distributed->buffer = wari_ranks_buffer(seeds, net->ranks);
    distributed->threads = threads_of(level, net->ranks);
    wari_level_set_parts(level,
                         1); /* lists of events are by turns the last sweep's and the next one's */
    status = wari_net_agree(net, allocate_lists(distributed, error), error);
    if (status == WARI_OK) {
        wari_plan_rounds(distributed);
        status = wari_net_agree(net, allocate_buffers(distributed, error), error);
    }
    if (status != WARI_OK)
        wari_distributed_destroy(distributed);
    return status;
}

void wari_distributed_destroy(struct wari_distributed *distributed)
{
    const struct wari_host *host = distributed->level->host;

    for (int i = 0; i < 2; i++) {
        wari_exchange_destroy(&distributed->rows[i].exchange, host);
        wari_exchange_destroy(&distributed->tiles[i].exchange, host);
    }
    wari_release(host, distributed->cursors);
    wari_release(host, distributed->memory);
    wari_ranks_free(&distributed->ranks);
    distributed->cursors = distributed->memory = NULL;
}

/* ---- Passes --------------------------------------------------------------------------------- */

static void release_readers(struct wari_distributed *distributed)
{
    for (int i = 0; i < distributed->level->team->threads; i++)
        wari_reader_release(distributed->level->team->worker[i].reader);
}

/* All blocks, in the order of sweeps. */
static void all_turns(struct wari_distributed *distributed, const struct wari_job *job,
                      struct wari_tally *tally)
{
    for (int turn = 0; turn <= distributed->level->layout.seeds; turn++) {
        wari_distributed_turn(distributed, distributed->level->order[turn], job, tally);
        if (distributed->often && wari_distributed_stopped(distributed))
            break;
    }
}

void wari_distributed_captures(struct wari_distributed *distributed)
{
    const struct wari_job job = {0};
    struct wari_tally tally = {0};

    all_turns(distributed, &job, &tally);
    release_readers(distributed);
}

static void to_fixed_point(struct wari_distributed *distributed, enum wari_sweep_kind kind,
                           wari_sweep_report *report, void *context)
{
    struct wari_level *level = distributed->level;
    const double positions = (double)wari_level_positions(level->layout.seeds);
    struct wari_sweep sweep = {0};
    uint64_t sum[5] = {0}; /* changed, computed, bytes, events lost, stopped */
    double share = 1;

    wari_forget_events(level);
    do {
        const struct wari_job job = {.sweep = &sweep};
        struct wari_tally tally = {0};
        sweep = wari_next_sweep(level, &sweep, share, sum[3] != 0);
        if (!sweep.cells_only)
            wari_forget_events(level);
        distributed->event_sweeps += sweep.cells_only;
        distributed->dense_sweeps += !sweep.cells_only;
        if (sweep.cells_only)
            wari_distributed_event_sweep(distributed, &tally);
        else
            all_turns(distributed, &job, &tally);
        sum[0] = tally.changed;
        sum[1] = tally.cells;
        sum[2] = tally.bytes;
        sum[3] = wari_events_lost(level);
        sum[4] = wari_level_stopped(level);
        wari_net_sum(distributed->net, sum, 5);
        share = (double)sum[0] / positions;
        level->measure->sweeps++;
        level->measure->work += (double)sum[1] / positions;
        level->measure->bytes_moved += sum[2];
        if (report)
            report(context, kind, level->measure->sweeps, share);
    } while (sum[4] == 0 && (sum[0] != 0 || sum[3] != 0));
    if (sum[4] != 0)
        atomic_store_explicit(&level->team->failed, true, memory_order_relaxed);
    release_readers(distributed);
}

void wari_distributed_grow(struct wari_distributed *distributed, wari_sweep_report *report,
                           void *context)
{
    to_fixed_point(distributed, WARI_GROW, report, context);
}

bool wari_distributed_shrink(struct wari_distributed *distributed, wari_sweep_report *report,
                             void *context)
{
    struct wari_level *level = distributed->level;
    uint64_t raised;

    wari_hopes_begin(level);
    to_fixed_point(distributed, WARI_SHRINK, report, context);
    if (wari_distributed_stopped(distributed))
        return false;
    raised = wari_hopes_end(level);
    wari_net_sum(distributed->net, &raised, 1);
    return !wari_distributed_stopped(distributed) && raised != 0;
}

enum wari_status wari_distributed_histogram(struct wari_distributed *distributed,
                                            uint64_t histogram[2 * WARI_SEEDS_MAX + 1],
                                            struct wari_error *error)
{
    struct wari_level *level = distributed->level;
    const size_t bytes = (size_t)level->team->threads * sizeof(struct wari_placements);
    struct wari_tally tally = {0};
    void *memory;
    enum wari_status status =
        wari_allocate(level->host, bytes, "the threads' counts", &memory, error);

    memset(histogram, 0, (2 * WARI_SEEDS_MAX + 1) * sizeof *histogram);
    status = wari_net_agree(distributed->net, status, error);
    if (status == WARI_OK) {
        const struct wari_job job = {.counts = memory};
        memset(memory, 0, bytes);
        all_turns(distributed, &job, &tally);
        for (int block = 0; block <= level->layout.seeds; block++) {
#pragma omp parallel for num_threads(distributed->threads) schedule(static)
            for (uint32_t i = 0; i < level->share.rows[block]; i++)
                wari_count_row(level, block, level->share.first_row[block] + i,
                               &job.counts[omp_get_thread_num()]);
        }
        for (int i = 0; i < level->team->threads; i++)
            wari_count_add(level, &job.counts[i], histogram);
        wari_net_sum(distributed->net, histogram, 2 * WARI_SEEDS_MAX + 1);
        release_readers(distributed);
    }
    wari_release(level->host, memory);
    return status;
}

/* The cluster backend: opens a distributed level, and runs passes over it. */
#include <string.h>

#include "solver/cluster/rounds.h"
#include "solver/level/histogram.h"
#include "solver/memory/memory.h"

/* Returns the number of threads to use for a level. A rank with few cells uses few threads, since
 * threads wait for each other after every round. */
static int threads_of(const struct wari_level *level, int ranks)
{
    enum { CELLS_A_THREAD = 1 << 17 };
    const uint64_t wanted =
        wari_level_positions(level->layout.seeds) / (uint64_t)ranks / CELLS_A_THREAD + 1;

    return wanted < (uint64_t)level->workers->count ? (int)wanted : level->workers->count;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Allocates the buffers, aligned to cache lines, followed by lists of offsets and the cursors. */
static enum wari_status allocate(struct wari_distributed *distributed, struct wari_error *error)
{
    const size_t ranks = (size_t)distributed->net->ranks;
    const size_t cursors = (size_t)distributed->level->workers->count * ranks;
    const size_t places = ranks * WARI_ROUND_ITEMS; /* capacity of each list of offsets */
    const size_t each = ((size_t)distributed->buffer + WARI_ITEM_STRIP_CELLS + WARI_LINE - 1) /
                        WARI_LINE * WARI_LINE;
    const size_t bytes = WARI_LINE + WARI_ROUND_BUFFERS * (each + places * sizeof(uint64_t)) +
                         cursors * sizeof(int8_t *);
    const enum wari_status status =
        wari_allocate(distributed->level->host, bytes, "the buffers for messages between ranks",
                      &distributed->memory, error);

    if (status != WARI_OK)
        return status;
    memset(distributed->memory, 0, bytes);
    int8_t *next =
        (int8_t *)(((uintptr_t)distributed->memory + WARI_LINE - 1) / WARI_LINE * WARI_LINE);
    uint64_t *list = (uint64_t *)(void *)(next + WARI_ROUND_BUFFERS * each);
    for (int i = 0; i < WARI_EXCHANGES; i++, next += 2 * each, list += 2 * places) {
        struct wari_exchange *exchange = &distributed->net->exchange[i];
        struct wari_round *round =
            i % 2 == 0 ? &distributed->rows[i / 2] : &distributed->tiles[i / 2];
        *round = (struct wari_round){exchange, next, next + each, list, list + places};
        exchange->send = round->out;
        exchange->receive = round->in;
    }
    distributed->cursors = (const int8_t **)(void *)list;
    return WARI_OK;
}

static struct wari_distributed *distributed_of(const struct wari_level *level)
{
    return level->backend_data;
}

static void close_level(struct wari_level *level)
{
    struct wari_distributed *distributed = distributed_of(level);

    wari_release(level->host, distributed->memory);
    wari_ranks_free(&distributed->ranks);
    wari_memory_free(level);
}

/* ---- Passes ---------------------------------------------------------------------------------- */

/* Processes all blocks, in the order of sweeps. */
static struct wari_sweep_result all_blocks(struct wari_distributed *distributed,
                                           const struct wari_job *job)
{
    struct wari_level *level = distributed->level;
    struct wari_sweep_result result = {0};

    for (int plan = 0; plan <= level->layout.seeds; plan++) {
        wari_distributed_block(distributed, level->block_order[plan], job, &result);
        if (distributed->agree_often && wari_level_all_stopped(level))
            break;
    }
    return result;
}

static void captures(struct wari_level *level)
{
    const struct wari_job job = {0};

    (void)all_blocks(distributed_of(level), &job);
    wari_level_release_readers(level);
}

/* Sweeps once. Returns the sum of the results of all ranks, so that all ranks know if events were
 * lost and if any rank has to stop. */
static struct wari_sweep_result sweep(struct wari_level *level, const struct wari_sweep *how)
{
    struct wari_distributed *distributed = distributed_of(level);
    const struct wari_job job = {.sweep = how};
    struct wari_sweep_result result = {0};
    uint64_t all[3];

    if (!how->cells_only)
        wari_clear_events(&level->events, level->workers);
    if (how->cells_only)
        wari_distributed_event_sweep(distributed, &result);
    else
        result = all_blocks(distributed, &job);
    all[0] = result.changed;
    all[1] = result.cells;
    all[2] = wari_events_lost(level->workers);
    wari_net_sum(distributed->net, all, 3);
    return (struct wari_sweep_result){.changed = all[0],
                                      .cells = all[1],
                                      .lost = all[2] != 0,
                                      .left = !wari_level_all_stopped(level) &&
                                              (all[0] != 0 || all[2] != 0)};
}

static void count(struct wari_level *level, uint64_t *histogram)
{
    const struct wari_job job = {.histogram = histogram};

    (void)all_blocks(distributed_of(level), &job);
    wari_memory_each_rows(level, WARI_READS, wari_count_rows, histogram);
    wari_net_sum(distributed_of(level)->net, histogram, WARI_HISTOGRAM);
    wari_level_release_readers(level);
}

static uint64_t sum(const struct wari_level *level, uint64_t number)
{
    wari_net_sum(distributed_of(level)->net, &number, 1);
    return number;
}

/* The cluster backend has no checkpoints, since a level takes less time if it is distributed. */
static const struct wari_backend backend = {
    .close = close_level,
    .captures = captures,
    .next_threshold = wari_memory_next_threshold,
    .begin = wari_memory_begin,
    .sweep = sweep,
    .begin_upper_bounds = wari_memory_begin_upper_bounds,
    .commit_upper_bounds = wari_memory_commit_upper_bounds,
    .each_rows = wari_memory_each_rows,
    .count = count,
    .values = wari_memory_values,
    .sum = sum,
};

/* ---- Opening --------------------------------------------------------------------------------- */

/* Distributes the rows of the level, and allocates memory for the rows that this rank owns. */
static enum wari_status open_partition(struct wari_distributed *distributed, int seeds,
                                       enum wari_cycle cycle, struct wari_error *error)
{
    struct wari_level *level = distributed->level;
    const struct wari_net *net = distributed->net;
    struct wari_partition partition;
    const enum wari_status status =
        wari_ranks_distribute(&distributed->ranks, level->host, seeds, net->ranks, error);

    if (status != WARI_OK)
        return status;
    wari_ranks_partition(&distributed->ranks, net->rank, &partition);
    return wari_memory_allocate(level, seeds, cycle, &partition, UINT64_MAX, error);
}

enum wari_status wari_distributed_open(struct wari_distributed *distributed, struct wari_net *net,
                                       struct wari_level *level, int seeds, enum wari_cycle cycle,
                                       struct wari_error *error)
{
    /* Number of cells of a rank above which processing a block takes much longer than agreeing. */
    enum { LARGE = 1 << 22 };
    enum wari_status status;

    *distributed = (struct wari_distributed){.net = net, .level = level};
    status = wari_net_agree(net, open_partition(distributed, seeds, cycle, error), error);
    level->backend_data = distributed;
    if (status == WARI_OK) {
        distributed->agree_often = wari_level_positions(seeds) / (uint64_t)net->ranks > LARGE;
        distributed->buffer = wari_ranks_buffer(seeds, net->ranks);
        distributed->threads = threads_of(level, net->ranks);
        /* one set of event lists has the events of the last sweep, the other set takes those for
         * the next sweep; after each sweep the two sets are exchanged */
        wari_events_set_ranges(&level->events, &level->layout, 1);
        wari_plan_rounds(distributed);
        status = wari_net_agree(net, allocate(distributed, error), error);
    }
    if (status == WARI_OK)
        level->backend = &backend;
    else
        close_level(level);
    return status;
}

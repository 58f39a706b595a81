/* The cost model, which NOTES.md describes. During each pass over a level the threads compute while
 * bytes are transferred from memory, from the disk and from other processes. The slowest of these
 * activities sets the time of the pass. The time of transfers that block the threads is added.
 *
 * Invariants: the total cost is the sum of the costs of all levels. With one process and enough
 * memory, the cost and the plan state the same amount of memory.
 */
#include "solver/plan/cost.h"

#include "solver/bits/bits_backend.h"
#include "solver/level/level.h"

/* Bytes loaded for each sowing of a cell; this is 6.9 bytes a cell at 20 seeds. */
static const double sowing_bytes = 1.77;
/* Additional bytes moved for each cell: read, written, and copied for other blocks. */
static const double merge_bytes = 2.7;
static const double event_bytes = 80; /* bytes for each examined parent: cache line and event */
/* The number of cells that a sweep changes, divided by the number of cells that the sweep before it
 * changed: patch_falls for dense sweeps in memory, block_falls for all other sweeps. */
static const double patch_falls = 0.47, block_falls = 0.77;

/* Time of a capture query (queries_for()) for which no chunk has to be decoded, in units of
 * speed->event. */
static const double events_a_query = 4;

/* Constants of the bit backend, fitted to levels 17 to 24. bits_sweep_share is the time of a sweep
 * over all cells divided by the time of one pass in the memory backend. bits_events is the number
 * of parents that are examined outside of these sweeps, for each position. bits_sowings is the time
 * to read capture lists, fill planes and fold snapshots, for each position and threshold, in units
 * of speed->sowing. */
static const double bits_sweep_share = 0.55, bits_events = 0.2, bits_sowings = 2;

/* Bytes in the scratch file for each position, on average: its code, which is packed into a half
 * byte if possible; its entries in capture lists; and its bit in one snapshot. */
static const double code_bytes = 0.66, list_bytes = 0.46, snapshot_bytes = 1 / 8.0;

struct wari_speed wari_speed_noted(void)
{
    return (struct wari_speed){
        .capture = 4.7,
        .sowing = 0.32,
        .column = 14,
        .event = 90,
        .count = 1.7,
        .encode = 11,
        .decode = 7,
        .level = 5,
        .memory = 15000,
    };
}

double wari_sowings_of(int seeds)
{
    return 6.0 * seeds / (seeds + 11);
}

double wari_sweep_of(const struct wari_speed *speed, int seeds)
{
    double columns = 0;

    for (int block = 0; block <= seeds; block++)
        columns += wari_half_count(block);
    return wari_sowings_of(seeds) *
           (speed->sowing * (double)wari_level_positions(seeds) + speed->column * columns);
}

/* Averages over the levels of builds in memory, from NOTES.md. The first index is 1 if several
 * processes build together, otherwise 0; the second index is the cycle rule. */
static const struct {
    int dense_sweeps;
    int single; /* dense sweeps that compute each cell once; the others compute each cell twice */
    int event_sweeps;
    /* Number of parents that all event-driven sweeps of a level examine together, divided by the
     * number of positions of the level. */
    double events;
} averages[2][WARI_CYCLE_COUNT] = {
    {[WARI_EVEN] = {9, 1, 25, 0.01}, [WARI_OWN] = {15, 2, 50, 0.025}},
    {[WARI_EVEN] = {17, 17, 36, 0.07}, [WARI_OWN] = {30, 30, 60, 0.14}},
};

double wari_late_events(enum wari_cycle cycle, bool sharing)
{
    return averages[sharing][cycle].events;
}

/* ---- Lower levels ---------------------------------------------------------------------------- */

static double sixth_power(double x)
{
    return x * x * x * x * x * x;
}

/* Returns the number of times that chunks are decoded again because the cache has dropped them,
 * divided by the number of chunks that are needed. `missing` is the fraction of the needed chunks
 * that do not fit into the cache. */
static double decoded_again(double missing)
{
    return 0.15 * missing * missing + 0.6 * sixth_power(missing * missing);
}

/* Returns the average number of capture queries for each position. A capture query computes the
 * best capture of a cell again, because the code of the cell does not contain it. With more seeds,
 * codes distinguish fewer captures (cell.h). Under cycle rule `own`, codes also store upper bounds
 * and distinguish still fewer captures. The formula was fitted to counts at 18 to 21 seeds, with
 * codes that were made to distinguish fewer captures and upper bounds. */
static double queries_for(int seeds, enum wari_cycle cycle)
{
    const int past = seeds - (cycle == WARI_OWN ? 16 : 33);

    return past > 0 ? (cycle == WARI_OWN ? 3.6e-4 : 1.5e-5) * past * past : 0;
}

/* ---- Passes ---------------------------------------------------------------------------------- */

/* One process's partition of a level, and the resources to solve it. */
struct workload {
    const struct wari_cost_request *request;
    int seeds, threads, processes;
    enum wari_cycle cycle;
    double positions;
    bool bits;
    double decoded[WARI_PASSES]; /* decoded lower-level positions, for each position */
    double file_bytes;           /* size of lower-level files, in bytes a position */
    double saved; /* size of the file of best captures that level/full_halves.h describes, in bytes.
                   * The capture pass writes it, and the count reads it. 0 if there is none */
    int dense_sweeps;
    int dense_work; /* cells computed by dense sweeps, divided by the cells of the level */
};

struct bytes {
    double read, written;
};

/* The cost of all passes of one kind. */
struct pass_cost {
    double ns;               /* nanoseconds of computing, if one thread did all the work */
    double moved;            /* number of bytes that are moved in memory */
    struct bytes overlapped; /* transfers of the scratch file while threads compute */
    struct bytes blocking;   /* disk transfers that threads wait for */
};

/* Estimates how many positions of lower levels a build decodes for each position of a level.
 *
 * The capture pass reads all lower levels once, except the level with one seed less, because a
 * capture takes at least 2 seeds. If several processes share the level, the count reads the same
 * lower levels again. The estimate depends on the fraction of the lower-level positions that does
 * not fit into the cache. It was fitted to counts at 18 seeds, with caches of 7 to 80 % of the
 * positions, and at 35 and 36 seeds. `lent` is the additional memory, in bytes, that the cache has
 * while captures are computed. `cold` is true if the cache is empty at first.
 */
static void estimate_lower_reads(struct workload *workload, uint64_t cache, uint64_t lent,
                                 bool cold)
{
    const double needed = (double)wari_lower_cache_bytes_to(workload->seeds - 2);
    const double available = (double)cache, during_captures = (double)(cache + lent);
    const double missing = needed > available ? 1 - available / needed : 0;
    const double first = needed > during_captures ? 1 - during_captures / needed : 0;
    const double once = cold || missing > 0.25 ? 1 : 4 * missing;
    const double times = needed / (double)wari_level_positions(workload->seeds);

    workload->decoded[WARI_PASS_CAPTURES] = times * (1.05 * once + decoded_again(first));
    if (!workload->bits)
        workload->decoded[WARI_PASS_DENSE] =
            3250 * queries_for(workload->seeds, workload->cycle) * sixth_power(missing * missing);
    if (workload->request->build->sharing) {
        workload->decoded[WARI_PASS_COUNT] = times * (missing + decoded_again(missing));
    } else if (workload->bits ||
               missing > 0) { /* full halves are saved, so the count decodes nothing */
        workload->saved = (double)(wari_level_placements(workload->seeds) -
                                   wari_level_positions(workload->seeds));
    }
}

/* Estimates the number of sweeps over the level. In memory, more sweeps are dense if the event
 * buffers are smaller. In the bit backend, the number of dense sweeps is the sum over all
 * thresholds; some thresholds need no dense sweep. */
static void count_sweeps(struct workload *workload, double events, struct wari_cost_level *level)
{
    const bool own = workload->cycle == WARI_OWN, sharing = workload->request->build->sharing;
    const double falls = sharing ? block_falls : patch_falls;
    const int by_bits = 46 + 17 * workload->seeds / 20;
    int dense = averages[sharing][workload->cycle].dense_sweeps;
    int single = averages[sharing][workload->cycle].single;
    int late = averages[sharing][workload->cycle].event_sweeps;

    for (double all = WARI_LEAVE_EVENTS_BELOW; all > events; all *= falls) {
        dense++;
        single += sharing;
    }
    if (workload->bits) {
        dense = single = own ? by_bits * 5 / 4 : by_bits;
        late = workload->seeds / 4 + 1;
    }
    workload->dense_sweeps = level->dense_sweeps = dense;
    workload->dense_work = 2 * dense - single;
    level->sweeps = dense + late;
    level->passes = level->sweeps + 3;
}

/* Returns the cost of all dense sweeps.
 *
 * In memory, a sweep that pushes no events computes each patch (memory/memory_dense.c) twice. The
 * second pass finds the cells of the patch in the processor's cache, so a sweep moves the bytes of
 * one pass only.
 *
 * The bit backend (bits/bits.h) writes a snapshot for each threshold that it solves, and folds
 * several snapshots at a time into the codes. About a tenth of the thresholds need not be solved,
 * because no position has a best capture of that value. */
static struct pass_cost cost_of_dense_sweeps(const struct workload *workload)
{
    const struct wari_speed *speed = &workload->request->speed;
    const double sowings = wari_sowings_of(workload->seeds), cells = workload->positions;
    const double share = workload->bits ? bits_sweep_share : 1;
    const double bounds = workload->bits ? 0.9 * workload->seeds * cells : 0;
    const double folded = bounds * code_bytes / WARI_BITS_SNAPSHOTS;

    return (struct pass_cost){
        .ns = share * workload->dense_work * wari_sweep_of(speed, workload->seeds) /
              workload->processes,
        .moved = share * workload->dense_sweeps * cells * (sowing_bytes * sowings + merge_bytes),
        .overlapped = {bounds * snapshot_bytes + folded, folded},
    };
}

/* Returns the cost of all event-driven sweeps; in the bit backend, the cost of capture lists, of
 * the worklist and of snapshots. Under cycle rule `own` planes are filled once more for each
 * threshold.
 */
static struct pass_cost cost_of_events(const struct workload *workload)
{
    const struct wari_speed *speed = &workload->request->speed;
    const double cells = workload->positions, seeds = workload->seeds;
    const double events = wari_late_events(workload->cycle, workload->request->build->sharing);
    const double fills = workload->cycle == WARI_OWN ? 1 + seeds : 1;

    if (workload->bits)
        return (struct pass_cost){
            .ns = cells * (bits_events * speed->event + bits_sowings * seeds * speed->sowing),
            .blocking = {cells * (code_bytes * fills + list_bytes),
                         cells * (list_bytes + 0.9 * seeds * snapshot_bytes)}};
    return (struct pass_cost){
        .ns = speed->event * cells *
              (events + events_a_query * queries_for(workload->seeds, workload->cycle)),
        .moved = events * event_bytes * cells,
    };
}

/* Returns the cost of a pass over all cells that takes `ns` nanoseconds for each cell. In the bit
 * backend, all cells are read from the scratch file `scratch.read` times and written to it
 * `scratch.written` times. Moving a cell between its positions in the file and in memory takes as
 * long as one sowing. `other` is the number of bytes that are read from and written to other files.
 */
static struct pass_cost cost_of_scan(const struct workload *workload, double ns,
                                     struct bytes scratch, struct bytes other)
{
    const double cells = workload->positions, stored = workload->bits ? code_bytes * cells : 0;
    const double moved = workload->bits ? scratch.read + scratch.written : 0;

    return (struct pass_cost){
        .ns = (ns + moved * workload->request->speed.sowing) * cells,
        .moved = cells,
        .blocking = {stored * scratch.read + other.read, stored * scratch.written + other.written}};
}

static struct pass_cost cost_of_pass(const struct workload *workload, enum wari_pass pass,
                                     double file)
{
    const struct wari_speed *speed = &workload->request->speed;
    const struct bytes saved = {.written = workload->saved}, restored = {.read = workload->saved};

    if (pass == WARI_PASS_DENSE)
        return cost_of_dense_sweeps(workload);
    if (pass == WARI_PASS_EVENTS)
        return cost_of_events(workload);
    if (pass == WARI_PASS_CAPTURES) /* written by columns, read again, and written by rows */
        return cost_of_scan(workload, speed->capture, (struct bytes){1, 2}, saved);
    if (pass == WARI_PASS_COUNT) /* cells are read once, and about once more for full halves */
        return cost_of_scan(workload, speed->count, (struct bytes){2, 0}, restored);
    return cost_of_scan(workload, speed->encode, (struct bytes){0.5, 0}, (struct bytes){0, file});
}

static double transfer(double bytes, double megabytes_a_second)
{
    return megabytes_a_second > 0 ? bytes / (megabytes_a_second * 1e6) : 0;
}

static double max_of(double a, double b)
{
    return a > b ? a : b;
}

/* Adds all passes of one kind to the cost of a level. Threads wait until a chunk of a lower level
 * has been read and decoded. */
static void add_pass(const struct workload *workload, enum wari_pass pass,
                     struct wari_cost_level *level)
{
    const struct wari_cost_request *request = workload->request;
    const struct wari_speed *speed = &request->speed;
    const struct pass_cost cost =
        cost_of_pass(workload, pass, (double)level->file_bytes / workload->processes);
    const double times = pass == WARI_PASS_DENSE ? workload->dense_sweeps : 1;
    const double sent = request->sent ? times * workload->positions *
                                            request->sent(pass, workload->seeds, workload->cycle,
                                                          workload->processes)
                                      : 0;
    const double lower = workload->decoded[pass] * workload->positions;
    const double read = cost.blocking.read + lower * workload->file_bytes;
    double seconds = cost.ns * 1e-9 / workload->threads;

    seconds = max_of(seconds, transfer(cost.moved, speed->memory));
    seconds = max_of(seconds, transfer(sent, speed->network));
    seconds =
        max_of(seconds, transfer(cost.overlapped.read + cost.overlapped.written, speed->disk));
    seconds += lower * speed->decode * 1e-9 / workload->threads;
    seconds += transfer(read + cost.blocking.written, speed->disk);
    level->memory_moved += cost.moved;
    level->disk_read += cost.overlapped.read + read;
    level->disk_written += cost.overlapped.written + cost.blocking.written;
    level->sent += sent;
    level->seconds[pass] = seconds;
}

/* ---- Levels ---------------------------------------------------------------------------------- */

static void cost_of_level(const struct wari_cost_request *request, int seeds,
                          struct wari_cost_level *level)
{
    const struct wari_build_plan *plan = request->plan;
    const struct wari_sharing *sharing = request->build->sharing;
    const uint64_t capacity = wari_plan_cache(request->build, plan, seeds);
    const uint64_t all = wari_lower_cache_bytes_to(seeds - 1),
                   cache = capacity < all ? capacity : all;
    const uint64_t level_memory = plan->cache_bytes + plan->level_bytes - capacity;
    struct workload workload = {.request = request,
                                .seeds = seeds,
                                .threads = wari_build_threads(request->build),
                                .processes = sharing ? sharing->processes : 1,
                                .cycle = request->build->variant.cycle};
    struct wari_bits_shape shape = {0};

    level->positions = wari_level_positions(seeds);
    level->file_bytes = wari_plan_file_bytes(seeds);
    level->memory_bytes = plan->memory_bytes - (capacity - cache);
    workload.positions = (double)level->positions / workload.processes;
    workload.file_bytes = (double)level->file_bytes / (double)level->positions;
    workload.bits = wari_plan_shape(request->build, plan, seeds, &shape);
    if (workload.bits)
        level->scratch_bytes = shape.scratch.file;
    estimate_lower_reads(&workload, cache,
                         workload.bits ? shape.scratch.reserved + shape.scratch.pool : 0,
                         seeds == plan->first && seeds > 0);
    count_sweeps(&workload,
                 sharing ? WARI_LEAVE_EVENTS_BELOW : wari_level_events_share(seeds, level_memory),
                 level);
    for (int pass = 0; pass < WARI_PASSES; pass++)
        add_pass(&workload, (enum wari_pass)pass, level);
    level->seconds[WARI_PASS_WRITE] += request->speed.level * 1e-3;
    for (int pass = 0; pass < WARI_PASSES; pass++)
        level->total_seconds += level->seconds[pass];
}

static void add_up(struct wari_cost_level *all, const struct wari_cost_level *level)
{
    all->positions += level->positions;
    all->file_bytes += level->file_bytes;
    all->memory_moved += level->memory_moved;
    all->disk_read += level->disk_read;
    all->disk_written += level->disk_written;
    all->sent += level->sent;
    all->total_seconds += level->total_seconds;
    for (int pass = 0; pass < WARI_PASSES; pass++)
        all->seconds[pass] += level->seconds[pass];
    if (level->memory_bytes > all->memory_bytes)
        all->memory_bytes = level->memory_bytes;
    if (level->scratch_bytes > all->scratch_bytes)
        all->scratch_bytes = level->scratch_bytes;
}

void wari_cost_of(const struct wari_cost_request *request, struct wari_cost *cost)
{
    *cost = (struct wari_cost){.cache_bytes = request->plan->cache_bytes};
    for (int seeds = request->plan->first; seeds <= request->build->seeds; seeds++) {
        if (wari_level_exists(seeds) && !request->plan->exists[seeds])
            cost_of_level(request, seeds, &cost->level[seeds]);
        add_up(&cost->all, &cost->level[seeds]);
    }
}

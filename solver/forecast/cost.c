/* The cost model (NOTES.md): for each pass over a level, threads compute while bytes come from
 * memory, from the disk and from other processes, and the slowest of these sets the time.
 *
 * What always holds: sums are those of the levels; with one process and enough memory, memory is
 * what the plan says.
 */
#include "solver/forecast/cost.h"

#include "solver/level/level.h"

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

static int processes_of(const struct wari_cost_request *request)
{
    return request->build->sharing ? request->build->sharing->processes : 1;
}

/* ---- Levels below ---------------------------------------------------------------------------- */

/* What level `seeds` reads while it is solved, as bytes of the cache: the level just below is not
 * among it, because a capture takes at least 2. */
static double needed_below(int seeds)
{
    double bytes = 0;

    for (int below = 0; below <= seeds - 2; below++) /* 47 is not among them */
        bytes += (double)wari_lower_level_bytes(below);
    return bytes;
}

/* What the cache would hold if there were room for all levels below `seeds`. */
static uint64_t bytes_below(int seeds)
{
    uint64_t bytes = 0;

    for (int below = 0; below < seeds; below++)
        if (wari_check_seeds(below, NULL) == WARI_OK) /* all but 47 */
            bytes += wari_lower_level_bytes(below);
    return bytes;
}

/* What an ask costs where chunks need not be decoded for it, in events. */
static const double events_an_ask = 4;

/* Positions of levels below that are decoded for each position, by the share of what is needed that
 * the cache has no room for: fitted to counts at 18 seeds with caches of 7 to 80 % of it, and at 35
 * and 36 seeds. Two passes need all of it once, and the larger the level the more that is. */
struct reads {
    double captures, sweeps, count;
};

/* exp(-x) for 0 <= x < 1 / 2, to half a per cent. */
static double shrink_by(double x)
{
    return 1 / (1 + x + x * x / 2);
}

/* Times that cells ask for their captures, for each position: the more captures codes tell apart
 * (cell.h), the fewer. With cycle rule `own`, hopes above `whole` ask, too; so do captures that are
 * odd. Both fitted to counts at 18 to 21 seeds, with fewer of either told apart. */
static double asking(int seeds, enum wari_cycle cycle)
{
    struct wari_cells cells;
    double values = cycle == WARI_OWN ? 0.088 : 0.0232, hopes = 0.33;

    wari_cells_init(&cells, seeds, cycle);
    for (int told = 0; told < cells.told; told++)
        values *= cycle == WARI_OWN ? 0.76 : 0.68;
    if (cycle != WARI_OWN)
        return cells.told == seeds ? 0 : values;
    for (int whole = 1; whole <= cells.whole; whole++) /* exp(-(whole / (0.4 * seeds))^2) */
        hopes *= shrink_by((2 * whole - 1) / (0.16 * seeds * seeds));
    return values + hopes;
}

static double missing_from(double cache, double needed)
{
    return needed <= cache ? 0 : 1 - cache / needed;
}

/* What is read again, because it was dropped in between. */
static double again(double missing)
{
    const double square = missing * missing, sixth = square * square * square;

    return 0.15 * square + 0.6 * sixth * sixth;
}

/* `lent`: what the cache has besides while captures are read. */
static struct reads reads_of(int seeds, enum wari_cycle cycle, uint64_t cache, uint64_t lent,
                             bool cold)
{
    const double needed = needed_below(seeds), missing = missing_from((double)cache, needed);
    const double first = missing_from((double)(cache + lent), needed);
    const double once = cold || missing > 0.25 ? 1 : 4 * missing;
    const double times = needed / (double)wari_level_positions(seeds);
    const double square = missing * missing, sixth = square * square * square;

    return (struct reads){.captures = times * (1.05 * once + again(first)),
                          .sweeps = 26 * asking(seeds, cycle) / 0.008 * sixth * sixth,
                          .count = times * (missing + again(missing))};
}

/* By bits, fitted to levels 17 to 24: what a sweep over all cells takes, of the time of one in
 * memory; parents that are looked at beside these sweeps, for each position; and what reading
 * lists, filling planes and settling take for each position and bound, in sowings. */
static const double bits_sweep_share = 0.55, bits_events = 0.2, bits_sowings = 2;

/* ---- Passes ---------------------------------------------------------------------------------- */

/* A process's part of a level, and what it has to solve it with. */
struct share {
    const struct wari_cost_request *request;
    int seeds;
    double positions;
    const struct wari_bits_shape *shape; /* NULL: in memory */
    struct reads reads;
    double file_bytes; /* a position of levels below, in their files */
    double kept;       /* bytes of full halves, from the captures to the count (full_halves.h) */
    double events;     /* wari_level.events_share */
};

static double slowest(double a, double b)
{
    return a > b ? a : b;
}

static double transfer(double bytes, double megabytes_a_second)
{
    return megabytes_a_second > 0 ? bytes / (megabytes_a_second * 1e6) : 0;
}

/* Nanoseconds that one thread would need for a pass, without what is read from files. */
static double computing(const struct share *share, enum wari_pass pass)
{
    const struct wari_speed *speed = &share->request->speed;
    const enum wari_cycle cycle = share->request->build->variant.cycle;
    double columns = 0;

    switch (pass) {
    case WARI_PASS_CAPTURES:
        return speed->capture * share->positions;
    case WARI_PASS_DENSE:
        for (int s = 0; s <= share->seeds; s++)
            columns += wari_half_count(s);
        return wari_sowings_of(share->seeds) *
               (speed->sowing * share->positions +
                speed->column * columns / processes_of(share->request));
    case WARI_PASS_EVENTS:
        return speed->event * share->positions *
               (wari_late_events(cycle) + events_an_ask * asking(share->seeds, cycle));
    case WARI_PASS_COUNT:
        return speed->count * share->positions;
    case WARI_PASS_WRITE:
        return speed->encode * share->positions;
    case WARI_PASSES:
        break;
    }
    return 0;
}

/* Adds `times` passes of a kind to a level's cost. `decoded`: positions of levels below, for each
 * position, in all of these passes. */
static void add_passes(const struct share *share, enum wari_pass pass, int times, double decoded,
                       struct wari_cost_level *level)
{
    const struct wari_speed *speed = &share->request->speed;
    const enum wari_cycle cycle = share->request->build->variant.cycle;
    const int threads = wari_build_threads(share->request->build);
    const double cells = share->positions * times;
    const double moved = cells * wari_memory_traffic(pass, share->seeds, cycle);
    const struct wari_scratch_bytes scratch =
        share->shape ? wari_scratch_pass_bytes(pass, share->seeds, share->shape)
                     : (struct wari_scratch_bytes){0};
    const double read = times * scratch.read, written = times * scratch.written;
    const double passed = (read + written) / WARI_HALVED; /* cells */
    const double sent =
        share->request->sent
            ? cells * share->request->sent(pass, share->seeds, cycle, processes_of(share->request))
            : 0;
    const double below = decoded * share->positions;
    double seconds = computing(share, pass) * 1e-9 * times / threads;

    seconds = slowest(seconds, transfer(moved, speed->memory));
    seconds = slowest(seconds, transfer(sent, speed->network));
    /* A step of a pass over a scratch file waits now for the disk, now for a processor: so both
     * count. To take a cell from the file and bring it where it is needed costs as much as to sow
     * it. */
    seconds += passed * speed->sowing * 1e-9 / threads + transfer(read + written, speed->disk);
    /* Chunks of levels below are waited for, decoded, and then used. */
    seconds +=
        below * speed->decode * 1e-9 / threads + transfer(below * share->file_bytes, speed->disk);
    level->memory_moved += moved;
    level->disk_read += read + below * share->file_bytes;
    level->disk_written += written;
    level->sent += sent;
    level->seconds[pass] += seconds;
}

/* The sweeps of a level whose values grow by bits: sweeps over all cells, and besides lists, single
 * cells and snapshots. */
static void add_bits(const struct share *share, struct wari_cost_level *level)
{
    const struct wari_speed *speed = &share->request->speed;
    const struct wari_scratch_bytes bytes =
        wari_bits_position_bytes(share->seeds, share->request->build->variant.cycle);
    const int threads = wari_build_threads(share->request->build);
    const double cells = share->positions, sweeps = level->dense_sweeps;
    const double moved =
        sweeps * cells * bits_sweep_share *
        wari_memory_traffic(WARI_PASS_DENSE, share->seeds, share->request->build->variant.cycle);
    const double swept = computing(share, WARI_PASS_DENSE) * bits_sweep_share * sweeps;
    const double beside =
        cells * (bits_events * speed->event + bits_sowings * share->seeds * speed->sowing);
    const double computed = slowest(swept * 1e-9 / threads, transfer(moved, speed->memory));
    const double awaited = transfer(cells * (bytes.read + bytes.written), speed->disk);
    const double hidden = transfer(cells * (bytes.read_beside + bytes.written_beside), speed->disk);

    level->memory_moved += moved;
    level->disk_read += cells * (bytes.read + bytes.read_beside);
    level->disk_written += cells * (bytes.written + bytes.written_beside);
    level->seconds[WARI_PASS_DENSE] += slowest(computed, hidden);
    level->seconds[WARI_PASS_EVENTS] += beside * 1e-9 / threads + awaited;
}

static void add_level(const struct share *share, struct wari_cost_level *level)
{
    const struct wari_speed *speed = &share->request->speed;
    const enum wari_cycle cycle = share->request->build->variant.cycle;
    const double file = (double)level->file_bytes / processes_of(share->request);

    const bool bits = share->shape != NULL;

    level->dense_sweeps =
        bits ? wari_bits_sweeps(share->seeds, cycle) : wari_dense_sweeps(cycle, share->events);
    level->sweeps =
        level->dense_sweeps + (bits ? wari_bits_told(share->seeds) : wari_event_sweeps(cycle));
    level->passes = level->sweeps + 3;
    add_passes(share, WARI_PASS_CAPTURES, 1, share->reads.captures, level);
    level->seconds[WARI_PASS_CAPTURES] += transfer(share->kept, speed->disk);
    if (bits) {
        add_bits(share, level);
    } else {
        add_passes(share, WARI_PASS_DENSE, level->dense_sweeps, share->reads.sweeps, level);
        add_passes(share, WARI_PASS_EVENTS, 1, 0, level);
    }
    add_passes(share, WARI_PASS_COUNT, 1, share->reads.count, level);
    level->seconds[WARI_PASS_COUNT] += transfer(share->kept, speed->disk);
    add_passes(share, WARI_PASS_WRITE, 1, 0, level);
    level->disk_read += share->kept;
    level->disk_written += file + share->kept;
    level->seconds[WARI_PASS_WRITE] += transfer(file, speed->disk) + speed->level * 1e-3;
    for (int pass = 0; pass < WARI_PASSES; pass++)
        level->total_seconds += level->seconds[pass];
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void cost_of_level(const struct wari_cost_request *request, int seeds,
                          struct wari_cost_level *level)
{
    const struct wari_build_plan *plan = request->plan;
    const enum wari_cycle cycle = request->build->variant.cycle;
    const int processes = processes_of(request);
    const struct wari_sharing *sharing = request->build->sharing;
    const uint64_t fixed = plan->memory_bytes - plan->cache_bytes - plan->level_bytes;
    const uint64_t bytes =
        sharing ? sharing->level_bytes(seeds, processes, wari_build_threads(request->build))
                : wari_level_bytes(seeds);
    const uint64_t mine = least_of(bytes, plan->level_bytes);
    /* what the last level takes more than this one is the cache's until then */
    const uint64_t cache =
        least_of(plan->cache_bytes + plan->level_bytes - mine, bytes_below(seeds));
    uint64_t lent = 0;
    struct wari_bits_shape shape;
    struct share share = {.request = request,
                          .seeds = seeds,
                          .events =
                              sharing ? WARI_EVENTS_SHARE : wari_level_events_share(seeds, mine)};

    level->positions = wari_level_positions(seeds);
    level->file_bytes = wari_plan_file_bytes(seeds);
    level->memory_bytes = fixed + mine + cache;
    share.positions = (double)level->positions / processes;
    share.file_bytes = (double)level->file_bytes / (double)level->positions;
    if (wari_plan_shape(request->build, plan, seeds, &shape)) {
        share.shape = &shape;
        lent = shape.scratch.pages + shape.scratch.window;
        level->scratch_bytes = shape.scratch.file;
    }
    share.reads = reads_of(seeds, cycle, cache, lent, seeds == plan->first && seeds > 0);
    if (!sharing && (share.shape || needed_below(seeds) > (double)cache)) {
        share.kept = (double)(wari_level_placements(seeds) - level->positions);
        share.reads.count = 0;
    }
    add_level(&share, level);
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

enum wari_status wari_cost_of(const struct wari_cost_request *request, struct wari_cost *cost,
                              struct wari_error *error)
{
    enum wari_status status;

    *cost = (struct wari_cost){0};
    if (request->plan->first > request->build->seeds)
        return WARI_OK;
    status = wari_plan_check(request->build, request->plan, error);
    if (status != WARI_OK)
        return status;
    cost->cache_bytes = request->plan->cache_bytes;
    for (int seeds = request->plan->first; seeds <= request->build->seeds; seeds++) {
        if (wari_check_seeds(seeds, NULL) != WARI_OK) /* 47 */
            continue;
        cost_of_level(request, seeds, &cost->level[seeds]);
        add_up(&cost->all, &cost->level[seeds]);
    }
    return WARI_OK;
}

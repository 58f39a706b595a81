/* The cost model (NOTES.md): in each pass over a level threads compute while bytes come from
 * memory, from the disk and from other processes, and the slowest of these sets the time; what they
 * have to wait for comes on top.
 *
 * What always holds: sums are those of the levels; with one process and enough memory, memory is
 * what the plan says.
 */
#include "solver/plan/cost.h"

#include "solver/bits/fits.h"
#include "solver/level/level.h"

static const double row_bytes = 1.77;   /* loaded for each sowing: 6.9 bytes at 20 seeds */
static const double merge_bytes = 2.7;  /* read, written, and copied for those below it */
static const double event_bytes = 80;   /* a cache line for each parent looked at, and its event */
static const double event_falls = 0.77; /* share of the cells that change, from sweep to sweep */

/* What an ask (asks_of()) costs where chunks need not be decoded for it, in events. */
static const double events_an_ask = 4;

/* By bits, fitted to levels 17 to 24: what a sweep over all cells takes, of the time of one in
 * memory; parents that are looked at beside these sweeps, for each position; and what reading
 * lists, filling planes and settling take for each position and bound, in sowings. */
static const double bits_sweep_share = 0.55, bits_events = 0.2, bits_sowings = 2;

/* Bytes a position in the scratch file: of codes, as half bytes; of lists; of a snapshot. */
static const double codes = 0.66, lists = 0.46, snapshot = 1 / 8.0;

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

double wari_late_events(enum wari_cycle cycle)
{
    return cycle == WARI_OWN ? 0.14 : 0.07;
}

/* ---- Levels below ---------------------------------------------------------------------------- */

static double sixth_power(double x)
{
    return x * x * x * x * x * x;
}

/* What is read again, because it was dropped in between. */
static double again(double missing)
{
    return 0.15 * missing * missing + 0.6 * sixth_power(missing * missing);
}

/* Times that cells ask for their captures, for each position: the more seeds, the fewer captures
 * codes tell apart (cell.h), and with cycle rule `own` the more hopes forget. Fitted to counts at
 * 18 to 21 seeds with fewer of either distinguished. */
static double asks_of(int seeds, enum wari_cycle cycle)
{
    const int past = seeds - (cycle == WARI_OWN ? 16 : 33);

    return past > 0 ? (cycle == WARI_OWN ? 3.6e-4 : 1.5e-5) * past * past : 0;
}

/* ---- Passes ---------------------------------------------------------------------------------- */

/* A process's part of a level, and what it has to solve it with. */
struct share {
    const struct wari_cost_request *request;
    int seeds, threads, processes;
    enum wari_cycle cycle;
    double positions;
    bool bits;
    double decoded[WARI_PASSES]; /* positions of levels below, for each position */
    double file_bytes;           /* a position of levels below, in their files */
    double saved; /* bytes of full halves, from the captures to the count (full_halves.h) */
    int dense_sweeps;
};

struct bytes {
    double read, written;
};

/* What all passes of a kind do. */
struct work {
    double ns;            /* of one thread */
    double moved;         /* bytes in memory */
    struct bytes beside;  /* of the scratch file, while threads compute; */
    struct bytes awaited; /* and of the disk, while they wait */
};

/* Positions of levels below that are decoded for each position, by the share of what is needed that
 * the cache has no room for: fitted to counts at 18 seeds with caches of 7 to 80 % of it, and at 35
 * and 36 seeds. Two passes need all of it once, and the larger the level the more that is. A
 * capture takes at least 2, so the level just below is not needed. `lent`: what the cache has
 * besides while captures are read; `cold`: it begins empty. */
static void read_below(struct share *share, uint64_t cache, uint64_t lent, bool cold)
{
    const double needed = (double)wari_lower_bytes_to(share->seeds - 2);
    const double there = (double)cache, at_first = (double)(cache + lent);
    const double missing = needed > there ? 1 - there / needed : 0;
    const double first = needed > at_first ? 1 - at_first / needed : 0;
    const double once = cold || missing > 0.25 ? 1 : 4 * missing;
    const double times = needed / (double)wari_level_positions(share->seeds);

    share->decoded[WARI_PASS_CAPTURES] = times * (1.05 * once + again(first));
    if (!share->bits)
        share->decoded[WARI_PASS_DENSE] =
            3250 * asks_of(share->seeds, share->cycle) * sixth_power(missing * missing);
    if (share->request->build->sharing) {
        share->decoded[WARI_PASS_COUNT] = times * (missing + again(missing));
    } else if (share->bits || missing > 0) { /* others save what the count would decode */
        share->saved =
            (double)(wari_level_placements(share->seeds) - wari_level_positions(share->seeds));
    }
}

/* How often sweeps go over the level: means of what was counted (NOTES.md). In memory dense sweeps
 * are more the fewer events there is room for; by bits they are those of all bounds together, and
 * some bounds need none. */
static void count_sweeps(struct share *share, double events, struct wari_cost_level *level)
{
    const bool own = share->cycle == WARI_OWN;
    const int by_bits = 46 + 17 * share->seeds / 20;
    int dense = own ? 30 : 17, late = own ? 60 : 36;

    for (double all = WARI_EVENTS_SHARE; all > events; all *= event_falls)
        dense++;
    if (share->bits) {
        dense = own ? by_bits * 5 / 4 : by_bits;
        late = share->seeds / 4 + 1;
    }
    share->dense_sweeps = level->dense_sweeps = dense;
    level->sweeps = dense + late;
    level->passes = level->sweeps + 3;
}

/* A tenth of the bounds are nobody's best capture. Others leave a snapshot, and some of these at a
 * time go through the codes. */
static struct work sweep_densely(const struct share *share)
{
    const struct wari_speed *speed = &share->request->speed;
    const double sowings = wari_sowings_of(share->seeds), cells = share->positions;
    const double sweeps = share->dense_sweeps * (share->bits ? bits_sweep_share : 1);
    const double bounds = share->bits ? 0.9 * share->seeds * cells : 0;
    const double settled = bounds * codes / WARI_BITS_SNAPSHOTS;

    return (struct work){
        .ns = sweeps * wari_sweep_of(speed, share->seeds) / share->processes,
        .moved = sweeps * cells * (row_bytes * sowings + merge_bytes),
        .beside = {bounds * snapshot + settled, settled},
    };
}

/* By bits: lists, single cells and snapshots. With cycle rule `own` planes are filled once more for
 * each bound. */
static struct work follow_events(const struct share *share)
{
    const struct wari_speed *speed = &share->request->speed;
    const double cells = share->positions, seeds = share->seeds;
    const double events = wari_late_events(share->cycle);
    const double filled = share->cycle == WARI_OWN ? 1 + seeds : 1;

    if (share->bits)
        return (struct work){
            .ns = cells * (bits_events * speed->event + bits_sowings * seeds * speed->sowing),
            .awaited = {cells * (codes * filled + lists),
                        cells * (lists + 0.9 * seeds * snapshot)}};
    return (struct work){
        .ns = speed->event * cells * (events + events_an_ask * asks_of(share->seeds, share->cycle)),
        .moved = events * event_bytes * cells,
    };
}

/* A pass over all cells, of so many nanoseconds each. By bits so many times all of them come from
 * the scratch file or go there; to bring one where it is needed costs as much as to sow it. */
static struct work pass_over(const struct share *share, double ns, struct bytes scratch,
                             struct bytes beside)
{
    const double cells = share->positions, stored = share->bits ? codes * cells : 0;
    const double brought = share->bits ? scratch.read + scratch.written : 0;

    return (struct work){.ns = (ns + brought * share->request->speed.sowing) * cells,
                         .moved = cells,
                         .awaited = {stored * scratch.read + beside.read,
                                     stored * scratch.written + beside.written}};
}

static struct work work_of(const struct share *share, enum wari_pass pass, double file)
{
    const struct wari_speed *speed = &share->request->speed;
    const struct bytes saved = {.written = share->saved}, wanted = {.read = share->saved};

    if (pass == WARI_PASS_DENSE)
        return sweep_densely(share);
    if (pass == WARI_PASS_EVENTS)
        return follow_events(share);
    if (pass == WARI_PASS_CAPTURES) /* stripes come and go whole; and the rows made of them */
        return pass_over(share, speed->capture, (struct bytes){1, 2}, saved);
    if (pass == WARI_PASS_COUNT) /* the level, and children of full halves, some of them twice */
        return pass_over(share, speed->count, (struct bytes){2, 0}, wanted);
    return pass_over(share, speed->encode, (struct bytes){0.5, 0}, (struct bytes){0, file});
}

static double transfer(double bytes, double megabytes_a_second)
{
    return megabytes_a_second > 0 ? bytes / (megabytes_a_second * 1e6) : 0;
}

static double slowest(double a, double b)
{
    return a > b ? a : b;
}

/* Adds all passes of a kind to a level's cost. Chunks of levels below are waited for, decoded, and
 * then used. */
static void add_pass(const struct share *share, enum wari_pass pass, struct wari_cost_level *level)
{
    const struct wari_cost_request *request = share->request;
    const struct wari_speed *speed = &request->speed;
    const struct work work = work_of(share, pass, (double)level->file_bytes / share->processes);
    const double times = pass == WARI_PASS_DENSE ? share->dense_sweeps : 1;
    const double sent = request->sent
                            ? times * share->positions *
                                  request->sent(pass, share->seeds, share->cycle, share->processes)
                            : 0;
    const double below = share->decoded[pass] * share->positions;
    const double read = work.awaited.read + below * share->file_bytes;
    double seconds = work.ns * 1e-9 / share->threads;

    seconds = slowest(seconds, transfer(work.moved, speed->memory));
    seconds = slowest(seconds, transfer(sent, speed->network));
    seconds = slowest(seconds, transfer(work.beside.read + work.beside.written, speed->disk));
    seconds += below * speed->decode * 1e-9 / share->threads;
    seconds += transfer(read + work.awaited.written, speed->disk);
    level->memory_moved += work.moved;
    level->disk_read += work.beside.read + read;
    level->disk_written += work.beside.written + work.awaited.written;
    level->sent += sent;
    level->seconds[pass] = seconds;
}

/* ---- Levels ---------------------------------------------------------------------------------- */

static void cost_of_level(const struct wari_cost_request *request, int seeds,
                          struct wari_cost_level *level)
{
    const struct wari_build_plan *plan = request->plan;
    const struct wari_sharing *sharing = request->build->sharing;
    const uint64_t room = wari_plan_cache(request->build, plan, seeds);
    const uint64_t most = wari_lower_bytes_to(seeds - 1), cache = room < most ? room : most;
    const uint64_t mine = plan->cache_bytes + plan->level_bytes - room;
    struct share share = {.request = request,
                          .seeds = seeds,
                          .threads = wari_build_threads(request->build),
                          .processes = sharing ? sharing->processes : 1,
                          .cycle = request->build->variant.cycle};
    struct wari_bits_shape shape = {0};

    level->positions = wari_level_positions(seeds);
    level->file_bytes = wari_plan_file_bytes(seeds);
    level->memory_bytes = plan->memory_bytes - (room - cache);
    share.positions = (double)level->positions / share.processes;
    share.file_bytes = (double)level->file_bytes / (double)level->positions;
    share.bits = wari_plan_shape(request->build, plan, seeds, &shape);
    if (share.bits)
        level->scratch_bytes = shape.scratch.file;
    read_below(&share, cache, share.bits ? shape.scratch.aside + shape.scratch.window : 0,
               seeds == plan->first && seeds > 0);
    count_sweeps(&share, sharing ? WARI_EVENTS_SHARE : wari_level_events_share(seeds, mine), level);
    for (int pass = 0; pass < WARI_PASSES; pass++)
        add_pass(&share, (enum wari_pass)pass, level);
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
        if (seeds != WARI_SEEDS_UNREACHABLE)
            cost_of_level(request, seeds, &cost->level[seeds]);
        add_up(&cost->all, &cost->level[seeds]);
    }
}

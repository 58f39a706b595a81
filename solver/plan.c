/* What a build will take, told before it starts: positions, memory, disk.
 *
 * Memory is what the highest level takes while it is solved, what does not grow with the level
 * (tables, threads, buffers), and a cache of the levels below, which gets what is left of the
 * bound: from the few chunks that it cannot do without to all that there are.
 */
#include "solver/plan.h"

#include <omp.h>

#include "solver/store.h"
#include "solver/stream.h"

enum {
    SEEDS_UNREACHABLE = 47, /* no capture leaves 47: it takes at least 2 of 48 */
    PROGRAM_BYTES = 5 << 20 /* code, libraries, stacks: measured 1.3 to 3.2 MB, by threads */
};

enum wari_status wari_check_seeds(int seeds, struct wari_error *error)
{
    if (seeds < 0 || seeds > WARI_SEEDS_MAX)
        return wari_fail(error, WARI_BAD_INPUT, "%d seeds: a board has 0 to %d", seeds,
                         WARI_SEEDS_MAX);
    if (seeds == SEEDS_UNREACHABLE)
        return wari_fail(error, WARI_BAD_INPUT,
                         "47 seeds cannot arise in a game (a capture takes at least 2 of 48); "
                         "ask for 46 or 48");
    return WARI_OK;
}

int wari_build_threads(const struct wari_build *build)
{
    return build->threads > 0 ? build->threads : omp_get_num_procs();
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Of a level's file: levels 12, 16 and 20 take 2.39, 2.66 and 2.81 bits a position, so 0.05 more
 * for each seed leaves some room; small levels have a header and a model of a few kilobytes. */
static uint64_t file_bytes(int seeds)
{
    const uint64_t hundredths = 300 + (seeds > 20 ? 5 * (uint64_t)(seeds - 20) : 0);

    return wari_level_positions(seeds) / 800 * hundredths + 4096;
}

/* Memory for a level: all of it, or what streaming cannot do without. */
static uint64_t least_for_level(int seeds, enum wari_cycle cycle)
{
    return least_of(wari_level_bytes(seeds, cycle), wari_stream_least(seeds, cycle));
}

/* Divides what the bound leaves between the levels themselves and the cache of those below. Where
 * the highest level has to be streamed, the cache gets a share, so that captures do not read the
 * same chunks over and over. */
static void divide(const struct wari_build *build, struct wari_build_plan *plan, uint64_t fixed,
                   uint64_t below, uint64_t least_cache)
{
    enum { CACHE_PART = 16 };
    const enum wari_cycle cycle = build->variant.cycle;
    const uint64_t whole = wari_level_bytes(build->seeds, cycle);
    const uint64_t least = plan->memory_least - fixed - least_cache;
    uint64_t room = fixed + whole + below, cache;

    if (build->memory > 0 && build->memory < room)
        room = build->memory > plan->memory_least ? build->memory : plan->memory_least;
    plan->memory_bytes = room;
    room -= fixed;
    cache = least_cache;
    if (room >= whole + least_cache)
        cache = room - whole;
    else if (room / CACHE_PART > least_cache)
        cache = least_of(least_of(room / CACHE_PART, room - least), below);
    plan->cache_bytes = cache;
    plan->level_bytes = room - cache;
    plan->streamed = build->seeds + 1;
    for (int seeds = build->seeds; seeds >= plan->first; seeds--) {
        struct wari_stream_shape shape;
        if (wari_level_bytes(seeds, cycle) <= plan->level_bytes)
            continue;
        plan->streamed = seeds;
        if (wari_stream_shape(seeds, cycle, plan->level_bytes, &shape) &&
            shape.scratch > plan->scratch_bytes)
            plan->scratch_bytes = shape.scratch;
    }
}

void wari_plan_fill(const struct wari_build *build, const struct wari_catalogue *catalogue,
                    struct wari_build_plan *plan)
{
    const int threads = wari_build_threads(build);
    uint64_t fixed = PROGRAM_BYTES, level = 0, below = 0, least_cache;

    *plan = (struct wari_build_plan){.first = catalogue->seeds_max + 1};
    if (plan->first == SEEDS_UNREACHABLE)
        plan->first++;
    plan->streamed = build->seeds + 1;
    if (plan->first > build->seeds)
        return;
    for (int seeds = 0; seeds <= build->seeds; seeds++) {
        const uint64_t positions = wari_level_positions(seeds);
        const uint64_t least = least_for_level(seeds, build->variant.cycle);
        if (seeds == SEEDS_UNREACHABLE)
            continue;
        if (seeds >= plan->first) {
            plan->positions += positions;
            plan->disk_bytes += file_bytes(seeds);
            level = least > level ? least : level;
        }
        if (seeds < build->seeds)
            below += wari_lower_level_bytes(seeds);
        fixed += wari_lower_list_bytes(seeds);
    }
    fixed += wari_tables_bytes(build->seeds) + wari_store_bytes(threads) + wari_team_bytes(threads);
    least_cache = least_of(below, wari_lower_least(threads));
    plan->memory_least = fixed + level + least_cache;
    divide(build, plan, fixed, below, least_cache);
}

enum wari_status wari_build_plan(const struct wari_build *build, struct wari_build_plan *plan,
                                 struct wari_error *error)
{
    const struct wari_host *host = build->host ? build->host : wari_host_system();
    struct wari_catalogue catalogue;
    enum wari_status status = wari_check_seeds(build->seeds, error);

    if (status == WARI_OK)
        status = wari_catalogue_read(&catalogue, host, build->folder, build->variant, error);
    if (status == WARI_OK)
        wari_plan_fill(build, &catalogue, plan);
    return status;
}

/* Computes what a build will need, before it starts: positions, memory, disk.
 *
 * The memory is divided into three parts. A fixed amount, for tables, threads and buffers, does not
 * depend on the level that is solved. This amount is larger if existing levels are packed, because
 * reading packed levels takes more memory. The highest level gets the memory that it needs while it
 * is solved. The lower-level cache gets the rest of the memory that the limit allows: at least
 * enough for the few chunks that it needs, and at most enough for all chunks that are read.
 */
#include "solver/plan/plan.h"

#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/level_open.h"
#include "solver/bits/bits_backend.h"
#include "solver/level/lower_levels.h"
#include "solver/write/batch_encoder.h"
#include "solver/write/checkpoint.h"
#include "system/processors.h"

enum {
    /* Upper bound on the memory of code, libraries and stacks. It was 1.3 to 3.2 MB in
     * measurements, depending on the number of threads. */
    PROGRAM_BYTES = 5 << 20
};

int wari_build_threads(const struct wari_build *build)
{
    const struct wari_processors processors = wari_processors();

    return build->threads > 0 ? build->threads : wari_processors_usable(&processors);
}

/* The files of levels 12, 16 and 20 take 2.39, 2.66 and 2.81 bits a position. So an estimate of 3
 * bits, plus 0.05 bits for each seed above 20, leaves a margin. In addition, header and model take
 * a few kilobytes in every file. */
uint64_t wari_plan_file_bytes(int seeds)
{
    const uint64_t hundredths = 300 + (seeds > 20 ? 5 * (uint64_t)(seeds - 20) : 0);

    return wari_level_positions(seeds) / 800 * hundredths + 4096;
}

/* Finds out if any level of the catalogue has a packed file. Fails like wari_level_file_open(). */
static enum wari_status find_packed(const struct wari_build *build,
                                    const struct wari_catalogue *catalogue, bool *packed,
                                    struct wari_error *error)
{
    const struct wari_host *host = build->host ? build->host : wari_host_system();
    enum wari_status status = WARI_OK;

    *packed = false;
    for (int seeds = 0; seeds <= catalogue->seeds_max && status == WARI_OK && !*packed; seeds++) {
        const struct wari_level_address address = {
            host, build->folder, {catalogue->variant, seeds}};
        struct wari_level_record record = catalogue->level[seeds];
        struct wari_level_file *file;
        if (!wari_catalogue_has(catalogue, seeds))
            continue;
        status = wari_catalogue_open_level(&file, &address, &record, error);
        if (status == WARI_OK) {
            *packed = wari_level_file_stored(file) < wari_level_positions(seeds);
            wari_level_file_close(file);
        }
    }
    return status;
}

/* Returns the number of bytes of memory for all cells of a level, or if processes share the level,
 * for the partition of this process. */
static uint64_t resident_level_bytes(const struct wari_build *build, int seeds)
{
    const struct wari_sharing *sharing = build->sharing;

    return sharing ? sharing->level_bytes(seeds, sharing->processes, wari_build_threads(build))
                   : wari_level_bytes(seeds);
}

/* Returns the least memory with which every level from `first` on can be solved, if the solver can
 * use `idle` bytes of other memory in addition. The memory that is enough for the highest level is
 * enough for nearly all other levels, so the highest level is tried first. */
static uint64_t least_for_levels(const struct wari_build *build, int first, uint64_t idle)
{
    const enum wari_cycle cycle = build->variant.cycle;
    const int threads = wari_build_threads(build);
    uint64_t least = build->sharing ? resident_level_bytes(build, build->seeds) : 0;

    for (int seeds = build->seeds; seeds >= first && !build->sharing; seeds--) {
        const uint64_t memory = wari_level_least(seeds);
        struct wari_bits_shape shape;
        if (wari_level_exists(seeds) && memory > least &&
            !(least > 0 && wari_bits_shape_for(seeds, cycle, least, idle, threads, &shape)))
            least = wari_least(memory, wari_bits_bytes_needed(seeds, cycle, memory, idle, threads));
    }
    return least;
}

enum wari_backend_kind wari_plan_backend(const struct wari_build *build,
                                         const struct wari_build_plan *plan, int seeds)
{
    if (build->sharing)
        return WARI_BACKEND_CLUSTER;
    return wari_level_least(seeds) > plan->level_bytes ? WARI_BACKEND_BITS : WARI_BACKEND_MEMORY;
}

bool wari_plan_shape(const struct wari_build *build, const struct wari_build_plan *plan, int seeds,
                     struct wari_bits_shape *shape)
{
    return wari_plan_backend(build, plan, seeds) == WARI_BACKEND_BITS &&
           wari_bits_shape_for(seeds, build->variant.cycle, plan->level_bytes, plan->idle_bytes,
                               wari_build_threads(build), shape);
}

uint64_t wari_plan_cache(const struct wari_build *build, const struct wari_build_plan *plan,
                         int seeds)
{
    return plan->cache_bytes + plan->level_bytes -
           wari_least(resident_level_bytes(build, seeds), plan->level_bytes);
}

/* Divides the memory into `fixed` bytes for everything else, the memory of the level that is
 * solved, and the lower-level cache.
 */
static void divide_memory(const struct wari_build *build, struct wari_build_plan *plan,
                          uint64_t fixed, uint64_t least_cache)
{
    const uint64_t whole = resident_level_bytes(build, build->seeds);
    uint64_t memory = fixed + whole + plan->lower_bytes;
    struct wari_bits_shape shape;

    if (build->memory > 0 && build->memory < memory)
        memory = build->memory > plan->memory_least ? build->memory : plan->memory_least;
    plan->memory_bytes = memory;
    memory -= fixed;
    plan->cache_bytes = memory >= whole + least_cache ? memory - whole : least_cache;
    plan->level_bytes = memory - plan->cache_bytes;
    plan->idle_bytes = plan->cache_bytes + wari_batch_encoder_bytes(wari_build_threads(build));
    plan->first_bit_level = build->seeds + 1;
    for (int seeds = build->seeds; seeds >= plan->first; seeds--) {
        if (!wari_plan_shape(build, plan, seeds, &shape))
            continue;
        plan->first_bit_level = seeds;
        if (shape.scratch.file > plan->scratch_bytes)
            plan->scratch_bytes = shape.scratch.file;
    }
}

static uint64_t bytes_existing(const struct wari_catalogue *catalogue)
{
    uint64_t bytes = 0;

    for (int seeds = 0; seeds <= catalogue->seeds_max; seeds++)
        if (wari_catalogue_has(catalogue, seeds))
            bytes += catalogue->level[seeds].file_bytes;
    return bytes;
}

/* Fills in the plan for the levels that a catalogue lacks. `packed` is true if the file of some
 * level in the catalogue is packed. */
static void make_plan(const struct wari_build *build, const struct wari_catalogue *catalogue,
                      bool packed, struct wari_build_plan *plan)
{
    const int threads = wari_build_threads(build);
    uint64_t fixed = PROGRAM_BYTES, least_cache;

    *plan = (struct wari_build_plan){.first = wari_catalogue_next_lacking(catalogue, -1),
                                     .existing_bytes = bytes_existing(catalogue),
                                     .first_bit_level = build->seeds + 1};
    if (plan->first > build->seeds)
        return;
    for (int seeds = 0; seeds <= build->seeds; seeds = wari_catalogue_next(seeds)) {
        plan->exists[seeds] = wari_catalogue_has(catalogue, seeds);
        if (!plan->exists[seeds]) {
            plan->positions += wari_level_positions(seeds);
            plan->disk_bytes += wari_plan_file_bytes(seeds);
        }
        fixed += wari_lower_cache_list_bytes(seeds);
    }
    if (packed)
        fixed += wari_lower_cache_packed_bytes(catalogue->seeds_max, threads);
    fixed += wari_tables_bytes(build->seeds) + wari_batch_encoder_bytes(threads) +
             wari_workers_bytes(threads);
    /* A capture takes at least 2 seeds, so level build->seeds - 1 is not read. */
    plan->lower_bytes = wari_lower_cache_bytes_to(build->seeds - 2);
    least_cache = wari_least(plan->lower_bytes, wari_lower_cache_bytes_min(threads));
    plan->memory_least =
        fixed + least_cache +
        least_for_levels(build, plan->first, least_cache + wari_batch_encoder_bytes(threads));
    divide_memory(build, plan, fixed, least_cache);
}

enum wari_status wari_plan_for(const struct wari_build *build,
                               const struct wari_catalogue *catalogue, struct wari_build_plan *plan,
                               struct wari_error *error)
{
    const int first = wari_catalogue_next_lacking(catalogue, -1);
    enum wari_status status = WARI_OK;
    bool packed = false;

    if (build->plan && build->plan->first == first &&
        build->plan->existing_bytes == bytes_existing(catalogue)) {
        *plan = *build->plan;
        return WARI_OK;
    }
    if (first <= build->seeds)
        status = find_packed(build, catalogue, &packed, error);
    make_plan(build, catalogue, packed, plan);
    return status;
}

enum wari_status wari_plan_check(const struct wari_build *build, const struct wari_build_plan *plan,
                                 struct wari_error *error)
{
    if (build->memory == 0 || build->memory >= plan->memory_least)
        return WARI_OK;
    return wari_fail(error, WARI_NO_MEMORY,
                     "levels up to %d seeds need at least %.1f MB of memory, but only %.1f MB is "
                     "allowed (--memory)",
                     build->seeds, (double)((plan->memory_least + 99999) / 100000) / 10,
                     (double)build->memory * 1e-6);
}

/* Reads the catalogue of the folder, and finds out which of its files are missing. */
static enum wari_status read_catalogue(const struct wari_build *build,
                                       struct wari_catalogue *catalogue, struct wari_error *error)
{
    const struct wari_host *host = build->host ? build->host : wari_host_system();
    const enum wari_status status =
        wari_catalogue_read(catalogue, host, build->folder, build->variant, error);
    return status == WARI_OK ? wari_catalogue_find_missing(catalogue, host, build->folder, error)
                             : status;
}

enum wari_status wari_plan_leave_out_existing(struct wari_build *build, struct wari_error *error)
{
    struct wari_catalogue catalogue;
    int last = -1;
    const enum wari_status status = read_catalogue(build, &catalogue, error);
    if (status != WARI_OK)
        return status;
    for (int n = wari_catalogue_next_lacking(&catalogue, -1); n <= build->seeds;
         n = wari_catalogue_next_lacking(&catalogue, n))
        last = n;
    if (last >= 0)
        build->seeds = last;
    return WARI_OK;
}

enum wari_status wari_build_plan(const struct wari_build *build, struct wari_build_plan *plan,
                                 struct wari_error *error)
{
    const struct wari_host *host = build->host ? build->host : wari_host_system();
    struct wari_catalogue catalogue = {.variant = build->variant, .seeds_max = -1};
    enum wari_status status = wari_check_seeds(build->seeds, error);

    if (status == WARI_OK && build->folder)
        status = read_catalogue(build, &catalogue, error);
    if (status != WARI_OK)
        return status;
    /* Files that cannot be read are ignored here, since the build opens all files and reports
     * errors. */
    struct wari_error reason;
    if (wari_plan_for(build, &catalogue, plan, &reason) == WARI_NO_MEMORY)
        return wari_fail(error, WARI_NO_MEMORY, "%s", reason.text);
    for (int seeds = plan->first; seeds <= build->seeds && build->folder; seeds++) {
        uint64_t finished, unfinished;
        wari_checkpoint_sizes(
            &(struct wari_level_address){host, build->folder, {build->variant, seeds}}, &finished,
            &unfinished);
        plan->checkpoint_bytes += finished;
        plan->leftover_bytes += unfinished;
    }
    return WARI_OK;
}

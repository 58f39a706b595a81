/* Builds a database: what is missing, level by level.
 *
 * A level is solved from the levels below it, which are read from their files as they are needed
 * (lower.h); it is published (file, then catalogue) before the next one begins. Stopping or dying
 * at any moment therefore loses at most the level at hand, and the next run goes on from the
 * catalogue.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "solver/checkpoint.h"
#include "solver/clock.h"
#include "solver/plan.h"
#include "solver/store.h"
#include "solver/stream.h"

struct run {
    const struct wari_build *build;
    const struct wari_host *host;
    int threads;
    struct wari_catalogue catalogue;
    struct wari_lower *lower;
    struct wari_tables *tables;
    struct wari_store *store;
    struct wari_team team;
    uint64_t level_bytes; /* memory for a level */
    struct wari_progress progress;
    double start;
};

static bool stopped(const struct run *run)
{
    return run->build->stop && atomic_load_explicit(run->build->stop, memory_order_relaxed);
}

static void report(struct run *run, enum wari_phase phase)
{
    run->progress.phase = phase;
    run->progress.seconds = wari_seconds_now() - run->start;
    if (run->build->progress)
        run->build->progress(run->build->context, &run->progress);
}

static void report_sweep(void *context, enum wari_sweep_kind kind, int sweep, double changed)
{
    struct run *run = context;

    run->progress.sweep = sweep;
    run->progress.changed = changed;
    report(run, kind == WARI_GROW ? WARI_PHASE_SWEEP : WARI_PHASE_SHRINK);
}

/* ---- One level ------------------------------------------------------------------------------ */

/* What a level took goes back to the system before the next one begins: the allocator would keep
 * blocks below 32 MiB for itself, in pieces too small for the next level's. */
static void give_back_memory(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0); /* false: there was nothing to give back */
#endif
}

/* Solves a level in memory and counts its values. */
static enum wari_status solve(struct run *run, struct wari_level *level,
                              struct wari_level_record *record, struct wari_error *error)
{
    struct wari_level_measure *measure = level->measure;
    const double start = wari_seconds_now();
    double swept, counted;
    bool found, shrinking;
    enum wari_sweep_kind kind;
    enum wari_status status;

    report(run, WARI_PHASE_CAPTURES);
    status = wari_checkpoint_find(level, &found, &kind, error);
    if (status != WARI_OK)
        return status;
    if (!found)
        wari_capture_pass(level);
    swept = wari_seconds_now();
    measure->capture_seconds = swept - start;
    do {
        shrinking = found && kind == WARI_SHRINK;
        if (!shrinking)
            wari_sweep_to_fixed_point(level, WARI_GROW, report_sweep, run);
        found = false;
    } while (run->build->variant.cycle == WARI_OWN && !wari_level_stopped(level) &&
             wari_shrink(level, shrinking, report_sweep, run) && !wari_level_stopped(level));
    counted = wari_seconds_now();
    measure->sweep_seconds = counted - swept;
    report(run, WARI_PHASE_COUNT);
    wari_level_histogram(level, record->histogram);
    measure->count_seconds = wari_seconds_now() - counted;
    status = wari_team_failure(&run->team, error);
    if (status == WARI_OK && stopped(run))
        status = wari_fail(error, WARI_INTERRUPTED, "stopped on request at level %d",
                           level->layout.seeds);
    return status;
}

static enum wari_status publish(struct run *run, const struct wari_level *level,
                                struct wari_level_record *record, struct wari_error *error)
{
    const int seeds = level->layout.seeds;
    enum wari_status status;

    report(run, WARI_PHASE_WRITE);
    status =
        wari_store_write(run->store, run->build->folder, run->build->variant, level, record, error);
    if (status != WARI_OK)
        return status;
    run->catalogue.level[seeds] = *record;
    run->catalogue.seeds_max = seeds;
    status = wari_catalogue_write(&run->catalogue, run->host, run->build->folder, error);
    if (status == WARI_OK)
        wari_checkpoint_remove(run->host, run->build->folder, run->build->variant, seeds);
    if (status == WARI_OK && seeds < run->build->seeds)
        status = wari_lower_add(run->lower, seeds, record, error);
    return status;
}

/* In memory if there is room. */
static enum wari_status make_level(const struct run *run, struct wari_level *level, int seeds,
                                   struct wari_error *error)
{
    const struct wari_build *build = run->build;
    const enum wari_cycle cycle = build->variant.cycle;
    char name[64];

    if (wari_level_bytes(seeds, cycle) <= run->level_bytes)
        return wari_level_init(level, seeds, cycle, error);
    snprintf(name, sizeof name, "%s-%s-%d.scratch", wari_rules_info(build->variant.rules)->name,
             wari_cycle_name(cycle), seeds);
    return wari_level_init_streamed(level, seeds, cycle, run->level_bytes,
                                    build->scratch ? build->scratch : build->folder, name, error);
}

static enum wari_status build_level(struct run *run, int seeds, struct wari_error *error)
{
    struct wari_level_record record;
    struct wari_level_measure measure = {.seeds = seeds, .positions = wari_level_positions(seeds)};
    struct wari_checkpoint checkpoint = {
        .host = run->host,
        .folder = run->build->folder,
        .variant = run->build->variant,
        .interval = run->build->checkpoint > 0 ? run->build->checkpoint : WARI_CHECKPOINT_SECONDS,
        .last = wari_seconds_now(),
    };
    struct wari_level level = {
        .tables = run->tables,
        .kernel = wari_kernel_ops(run->build->kernel),
        .host = run->host,
        .lower = run->lower,
        .team = &run->team,
        .stop = run->build->stop,
        .measure = &measure,
        .checkpoint = run->build->checkpoint < 0 ? NULL : &checkpoint,
    };
    const double start = wari_seconds_now();
    enum wari_status status = make_level(run, &level, seeds, error);

    if (status != WARI_OK)
        return status;
    run->progress.seeds = seeds;
    run->progress.sweep = 0;
    run->progress.changed = 1;
    status = solve(run, &level, &record, error);
    if (status == WARI_OK)
        status = publish(run, &level, &record, error);
    wari_stream_measure(&level);
    wari_level_destroy(&level);
    give_back_memory();
    if (status != WARI_OK)
        return status;
    measure.checkpoints = checkpoint.written;
    measure.checkpoints_failed = checkpoint.failed;
    run->progress.positions_done += measure.positions;
    run->progress.level_seconds = wari_seconds_now() - start;
    run->progress.level_bytes = record.file_bytes;
    run->progress.measure = &measure;
    report(run, WARI_PHASE_LEVEL_DONE);
    run->progress.measure = NULL;
    return WARI_OK;
}

/* ---- The run -------------------------------------------------------------------------------- */

/* Refuses what the bound on memory has no room for. */
static enum wari_status check_memory(const struct wari_build *build,
                                     const struct wari_build_plan *plan, struct wari_error *error)
{
    if (build->memory == 0 || plan->memory_least <= build->memory)
        return WARI_OK;
    return wari_fail(error, WARI_NO_MEMORY,
                     "levels up to %d seeds need %llu bytes of memory, more than the %llu allowed",
                     build->seeds, (unsigned long long)plan->memory_least,
                     (unsigned long long)build->memory);
}

/* Whether a level solved earlier is packed. */
static enum wari_status find_packed(struct run *run, bool *packed, struct wari_error *error)
{
    enum wari_status status = WARI_OK;

    *packed = false;
    for (int seeds = 0; seeds <= run->catalogue.seeds_max && status == WARI_OK && !*packed;
         seeds++) {
        const struct wari_level_key key = {run->build->variant, seeds};
        struct wari_level_file *file;
        if (!wari_catalogue_has(&run->catalogue, seeds))
            continue;
        status = wari_level_file_open(&file, run->host, run->build->folder, key,
                                      &run->catalogue.level[seeds], error);
        if (status != WARI_OK)
            break;
        *packed = wari_level_file_stored(file) < wari_level_positions(seeds);
        wari_level_file_close(file);
    }
    return status;
}

/* Reading packed levels takes memory that the plan, which knows the catalogue only, has given to
 * the cache. */
static enum wari_status make_room_for_packed(struct run *run, struct wari_build_plan *plan,
                                             struct wari_error *error)
{
    const uint64_t least = wari_lower_least(run->threads);
    const uint64_t bytes = wari_lower_packed_bytes(run->catalogue.seeds_max, run->threads);
    bool packed;
    const enum wari_status status = find_packed(run, &packed, error);

    if (status != WARI_OK || !packed || run->build->memory == 0)
        return status;
    if (run->build->memory - plan->memory_bytes + plan->cache_bytes < bytes + least)
        return wari_fail(
            error, WARI_NO_MEMORY,
            "levels up to %d seeds on top of packed ones need %llu bytes of memory, "
            "more than the %llu allowed",
            run->build->seeds,
            (unsigned long long)(plan->memory_bytes - plan->cache_bytes + bytes + least),
            (unsigned long long)run->build->memory);
    if (run->build->memory - plan->memory_bytes < bytes)
        plan->cache_bytes -= bytes - (run->build->memory - plan->memory_bytes);
    return WARI_OK;
}

/* All that the levels share. */
static enum wari_status prepare(struct run *run, const struct wari_build_plan *plan,
                                struct wari_error *error)
{
    const struct wari_build *build = run->build;
    enum wari_status status = wari_store_create(&run->store, run->host, run->threads, error);

    if (status == WARI_OK)
        status = wari_tables_create(&run->tables, run->host, build->variant.rules, build->seeds,
                                    run->threads, error);
    if (status == WARI_OK)
        status = wari_lower_create(&run->lower, run->host, build->folder, build->variant,
                                   build->seeds, plan->cache_bytes, error);
    if (status == WARI_OK)
        status = wari_team_create(&run->team, run->host, run->lower, run->threads, error);
    for (int seeds = 0; seeds <= run->catalogue.seeds_max && status == WARI_OK; seeds++)
        if (wari_catalogue_has(&run->catalogue, seeds))
            status = wari_lower_add(run->lower, seeds, &run->catalogue.level[seeds], error);
    return status;
}

/* The folder of scratch files; nothing in it has to outlive the build. */
static enum wari_status make_scratch(const struct run *run, const struct wari_build_plan *plan,
                                     struct wari_error *error)
{
    const char *scratch = run->build->scratch;

    if (!scratch || plan->streamed > run->build->seeds ||
        run->host->mkdir(run->host->context, scratch, 0777) == 0 || errno == EEXIST)
        return WARI_OK;
    return wari_fail_errno(error, scratch, "create the folder");
}

static enum wari_status build_missing(struct run *run, struct wari_error *error)
{
    const struct wari_build *build = run->build;
    struct wari_build_plan plan;
    enum wari_status status;

    wari_plan_fill(build, &run->catalogue, &plan);
    if (plan.first > build->seeds)
        return WARI_OK;
    status = check_memory(build, &plan, error);
    if (status != WARI_OK)
        return status;
    status = make_room_for_packed(run, &plan, error);
    if (status != WARI_OK)
        return status;
    status = make_scratch(run, &plan, error);
    if (status != WARI_OK)
        return status;
    run->progress.positions_all = plan.positions;
    run->level_bytes = plan.level_bytes;
    status = prepare(run, &plan, error);
    for (int seeds = plan.first; seeds <= build->seeds && status == WARI_OK; seeds++) {
        if (wari_check_seeds(seeds, NULL) == WARI_OK) /* all but 47 */
            status = build_level(run, seeds, error);
    }
    return status;
}

/* Starts the team while there is room: OpenMP has no other way to report a thread that cannot be
 * started than to end the process. */
static void start_threads(int threads)
{
#pragma omp parallel num_threads(threads)
    {
    }
}

enum wari_status wari_build(const struct wari_build *build, struct wari_error *error)
{
    struct run run = {.build = build, .start = wari_seconds_now()};
    enum wari_status status = wari_check_seeds(build->seeds, error);
    int lock;

    if (status != WARI_OK)
        return status;
    run.host = build->host ? build->host : wari_host_system();
    run.threads = wari_build_threads(build);
    start_threads(run.threads);
    status = wari_folder_lock(run.host, build->folder, &lock, error);
    if (status != WARI_OK)
        return status;
    status = wari_catalogue_read(&run.catalogue, run.host, build->folder, build->variant, error);
    if (status == WARI_OK)
        status = build_missing(&run, error);
    wari_team_destroy(&run.team);
    wari_lower_destroy(run.lower);
    wari_tables_destroy(run.tables);
    wari_store_destroy(run.store);
    wari_folder_unlock(run.host, lock);
    return status;
}

/* Builds a database: what is missing, level by level.
 *
 * A level is solved from the levels below it, which are read from their files as they are needed
 * (lower.h); its file is written before the next one begins, and soon after the catalogue says that
 * it is there (publish.c). Dying at any moment therefore loses at most the level at hand and a
 * fraction of a second, and the next run goes on from the catalogue.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/lock.h"
#include "solver/bits/bits.h"
#include "solver/item/capture_pass.h"
#include "solver/item/histogram.h"
#include "solver/own.h"
#include "solver/system/clock.h"
#include "solver/write/checkpoint.h"
#include "solver/write/run.h"

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool stopped(const struct wari_run *run)
{
    return run->build->stop && atomic_load_explicit(run->build->stop, memory_order_relaxed);
}

void wari_run_report(struct wari_run *run, enum wari_phase phase)
{
    run->progress.phase = phase;
    run->progress.seconds = wari_seconds_now() - run->start;
    if (run->build->progress)
        run->build->progress(run->build->context, &run->progress);
}

void wari_run_report_sweep(void *context, enum wari_sweep_kind kind, int sweep, double changed)
{
    struct wari_run *run = context;

    run->progress.sweep = sweep;
    run->progress.changed = changed;
    wari_run_report(run, kind == WARI_GROW ? WARI_PHASE_SWEEP : WARI_PHASE_SHRINK);
}

/* ---- One level ------------------------------------------------------------------------------ */

/* What a level took goes back to the system before the next one begins, and what its bits took
 * before its codes are counted: the allocator would keep blocks below 32 MiB for itself, in pieces
 * too small for the next level's. */
static void give_back_memory(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0); /* false: there was nothing to give back */
#endif
}

/* Whichever thread packs the model of a level takes some MB for it. Each thread's allocations would
 * have a stretch of memory of their own, which keeps what was given back. */
static void allocate_from_one_stretch(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_ARENA_MAX, 1); /* 0: then memory is a little less closely kept */
#endif
}

static void grow(struct wari_run *run, struct wari_level *level, bool found)
{
    const int bound = found ? level->checkpoint->bound : level->layout.seeds;

    if (level->stream) {
        wari_bits_grow(level, bound, wari_run_report_sweep, run);
        give_back_memory();
        return;
    }
    if (level->checkpoint)
        level->checkpoint->bound = 0; /* what bytes make of a bound's codes has none */
    wari_sweep_to_fixed_point(level, WARI_GROW, wari_run_report_sweep, run);
}

/* Cycle rule `own`: whether a shrink raises values, from which there is more to grow. By bits that
 * is done with. */
static bool raises(struct wari_run *run, struct wari_level *level, bool begun)
{
    return run->build->variant.cycle == WARI_OWN && !level->stream && !wari_level_stopped(level) &&
           wari_shrink(level, begun, wari_run_report_sweep, run) && !wari_level_stopped(level);
}

/* Bits, and the lists that they begin with, have the memory of the encoders. */
static void lend_store(struct wari_run *run)
{
    wari_store_destroy(run->store);
    run->store = NULL;
    give_back_memory();
}

/* Solves a level in memory and counts its values. */
static enum wari_status solve(struct wari_run *run, struct wari_level *level,
                              struct wari_level_record *record, struct wari_error *error)
{
    struct wari_level_measure *measure = level->measure;
    const double start = wari_seconds_now();
    double swept, counted;
    bool found, shrinking;
    enum wari_sweep_kind kind;
    enum wari_status status;

    wari_run_report(run, WARI_PHASE_CAPTURES);
    status = wari_checkpoint_find(level, &found, &kind, error);
    if (status != WARI_OK)
        return status;
    if (level->checkpoint && level->checkpoint->refused)
        wari_run_report(run, WARI_PHASE_REFUSED);
    if (level->stream)
        lend_store(run);
    if (!found)
        wari_capture_pass(level);
    swept = wari_seconds_now();
    measure->capture_seconds = swept - start;
    do {
        shrinking = found && kind == WARI_SHRINK;
        if (!shrinking)
            grow(run, level, found);
        found = false;
    } while (raises(run, level, shrinking));
    status = wari_team_failure(&run->team, error);
    if (status == WARI_OK && !run->store)
        status = wari_store_create(&run->store, run->host, run->threads, error);
    if (status != WARI_OK)
        return status;
    counted = wari_seconds_now();
    measure->sweep_seconds = counted - swept;
    wari_run_report(run, WARI_PHASE_COUNT);
    wari_level_histogram(level, record->histogram);
    measure->count_seconds = wari_seconds_now() - counted;
    status = wari_team_failure(&run->team, error);
    if (status == WARI_OK && stopped(run))
        status = wari_fail(error, WARI_INTERRUPTED, "stopped on request at level %d",
                           level->layout.seeds);
    return status;
}

/* Writes the level's file. It can be read, but does not count yet. */
static enum wari_status finish(struct wari_run *run, const struct wari_level *level,
                               struct wari_level_record *record, struct wari_error *error)
{
    const int seeds = level->layout.seeds;
    enum wari_status status;

    wari_run_report(run, WARI_PHASE_WRITE);
    status =
        wari_store_write(run->store, run->build->folder, run->build->variant, level, record, error);
    if (status != WARI_OK)
        return status;
    run->catalogue.level[seeds] = *record;
    run->catalogue.seeds_max = seeds;
    return WARI_OK;
}

/* In memory if there is room: if need be with less of it for events. */
static enum wari_status make_level(const struct wari_run *run, struct wari_level *level, int seeds,
                                   struct wari_error *error)
{
    const struct wari_build *build = run->build;
    const enum wari_cycle cycle = build->variant.cycle;
    enum wari_status status;
    char name[64];

    snprintf(name, sizeof name, "%s-%s-%d.scratch", wari_rules_info(build->variant.rules)->name,
             wari_cycle_name(cycle), seeds);
    if (wari_level_least(seeds) > run->level_bytes)
        return wari_level_init_streamed(level, seeds, cycle, run->level_bytes, run->idle_bytes,
                                        build->scratch ? build->scratch : build->folder, name,
                                        error);
    status = wari_level_init_within(level, seeds, cycle, run->level_bytes, error);
    if (status != WARI_OK || wari_lower_holds(run->lower, seeds - 2))
        return status;
    /* In the database's folder: that has to have room for the level's file, which comes later. */
    status = wari_full_halves_open(level, build->folder, name, error);
    if (status != WARI_OK)
        wari_level_destroy(level);
    return status;
}

/* For lower levels while this one is solved: what the last level takes more than this one is theirs
 * until then. */
static uint64_t cache_bytes(const struct wari_run *run, int seeds)
{
    const uint64_t last = wari_level_bytes(run->build->seeds);
    const uint64_t mine = wari_level_bytes(seeds);

    if (run->share < 1)
        return run->cache_bytes + (uint64_t)((double)(last - mine) * run->share);
    return run->cache_bytes + run->level_bytes - least_of(mine, run->level_bytes);
}

void wari_run_begin_level(struct wari_run *run, int seeds, struct wari_level *level)
{
    run->measure =
        (struct wari_level_measure){.seeds = seeds, .positions = wari_level_positions(seeds)};
    *level = (struct wari_level){
        .tables = run->tables,
        .kernel = wari_kernel_ops(run->build->kernel),
        .host = run->host,
        .lower = run->lower,
        .team = &run->team,
        .stop = run->build->stop,
        .measure = &run->measure,
    };
    run->level_start = wari_seconds_now();
    run->chunks_read = wari_lower_chunks_read(run->lower);
    wari_lower_limit(run->lower, cache_bytes(run, seeds));
    give_back_memory();
    run->progress.seeds = seeds;
    run->progress.sweep = 0;
    run->progress.changed = 1;
}

void wari_run_end_level(struct wari_run *run, struct wari_level *level, enum wari_status status,
                        uint64_t file_bytes)
{
    struct wari_finished *finished = &run->finished[run->finished_count];

    wari_level_destroy(level);
    give_back_memory();
    if (status != WARI_OK)
        return;
    run->measure.chunks_read = wari_lower_chunks_read(run->lower) - run->chunks_read;
    *finished =
        (struct wari_finished){run->measure, wari_seconds_now() - run->level_start, file_bytes};
    if (run->finished_count++ == 0)
        run->finished_since = run->level_start;
}

static enum wari_status build_level(struct wari_run *run, int seeds, struct wari_error *error)
{
    struct wari_level_record record = {0};
    struct wari_checkpoint checkpoint = {
        .host = run->host,
        .folder = run->build->folder,
        .variant = run->build->variant,
        .interval = run->build->checkpoint > 0 ? run->build->checkpoint : WARI_CHECKPOINT_SECONDS,
        .room = run->checkpoint_room,
        .last = wari_seconds_now(),
    };
    struct wari_level level;
    enum wari_status status;

    wari_run_begin_level(run, seeds, &level);
    level.checkpoint = run->build->checkpoint < 0 ? NULL : &checkpoint;
    status = make_level(run, &level, seeds, error);
    if (status != WARI_OK)
        return status;
    status = solve(run, &level, &record, error);
    if (status == WARI_OK)
        status = finish(run, &level, &record, error);
    wari_stream_measure(&level);
    run->measure.checkpoints = checkpoint.written;
    run->measure.checkpoints_failed = checkpoint.failed;
    wari_run_end_level(run, &level, status, record.file_bytes);
    if (status == WARI_OK)
        status = wari_run_publish_if_due(run, error);
    if (status == WARI_OK && seeds < run->build->seeds)
        status = wari_lower_add(run->lower, seeds, &record, error);
    return status;
}

/* ---- The run -------------------------------------------------------------------------------- */

/* All that the levels share. */
static enum wari_status prepare(struct wari_run *run, const struct wari_build_plan *plan,
                                struct wari_error *error)
{
    const struct wari_build *build = run->build;
    enum wari_status status = wari_store_create(&run->store, run->host, run->threads, error);

    if (status == WARI_OK)
        status = wari_tables_create(&run->tables, run->host, build->variant.rules, build->seeds,
                                    run->threads, error);
    run->cache_bytes = plan->cache_bytes;
    run->level_bytes = plan->level_bytes;
    run->idle_bytes = plan->idle_bytes;
    if (status == WARI_OK)
        status = wari_lower_create(
            &run->lower, run->host,
            &(struct wari_lower_files){build->folder, build->variant, build->seeds},
            least_of(plan->below_bytes, cache_bytes(run, plan->first)), error);
    if (status == WARI_OK)
        status = wari_team_create(&run->team, run->host, run->lower, run->threads, error);
    for (int seeds = 0; seeds <= run->catalogue.seeds_max && status == WARI_OK; seeds++)
        if (wari_catalogue_has(&run->catalogue, seeds))
            status = wari_lower_add(run->lower, seeds, &run->catalogue.level[seeds], error);
    return status;
}

/* The folder of scratch files; nothing in it has to outlive the build. */
static enum wari_status make_scratch(const struct wari_run *run, const struct wari_build_plan *plan,
                                     struct wari_error *error)
{
    const char *scratch = run->build->scratch;

    if (!scratch || plan->streamed > run->build->seeds ||
        run->host->mkdir(run->host->context, scratch, 0777) == 0 || errno == EEXIST)
        return WARI_OK;
    return wari_fail_errno(error, scratch, "create the folder");
}

/* What a build that was killed may have left of checkpoints: that of the last level, published just
 * before, and half of one that it was writing. */
static void remove_leftovers(const struct wari_run *run, int first)
{
    const struct wari_build *build = run->build;

    if (run->catalogue.seeds_max >= 0)
        wari_checkpoint_remove(run->host, build->folder, build->variant, run->catalogue.seeds_max);
    for (int seeds = first; seeds <= build->seeds; seeds++)
        wari_checkpoint_clear(run->host, build->folder, build->variant, seeds);
}

enum wari_status wari_run_prepare(struct wari_run *run, int *first, struct wari_error *error)
{
    struct wari_build_plan plan;
    enum wari_status status = wari_plan_for(run->build, &run->catalogue, &plan, error);

    *first = plan.first;
    remove_leftovers(run, plan.first);
    if (status != WARI_OK || plan.first > run->build->seeds)
        return status;
    run->checkpoint_room = plan.checkpoint_room;
    status = wari_plan_check(run->build, &plan, error);
    if (status != WARI_OK)
        return status;
    status = make_scratch(run, &plan, error);
    if (status != WARI_OK)
        return status;
    run->progress.positions_all = plan.positions;
    return prepare(run, &plan, error);
}

static enum wari_status build_missing(struct wari_run *run, struct wari_error *error)
{
    const struct wari_build *build = run->build;
    int first;
    enum wari_status status = wari_run_prepare(run, &first, error);

    for (int seeds = first; seeds <= build->seeds && status == WARI_OK; seeds++) {
        if (wari_check_seeds(seeds, NULL) == WARI_OK) /* all but 47 */
            status = build_level(run, seeds, error);
    }
    return wari_run_publish_rest(run, status, error);
}

/* Starts the team while there is room: OpenMP has no other way to report a thread that cannot be
 * started than to end the process. */
static void start_threads(int threads)
{
#pragma omp parallel num_threads(threads)
    {
    }
}

void wari_run_begin(struct wari_run *run, const struct wari_build *build)
{
    *run = (struct wari_run){.build = build, .share = 1, .start = wari_seconds_now()};
    run->host = build->host ? build->host : wari_host_system();
    run->threads = wari_build_threads(build);
    allocate_from_one_stretch();
    start_threads(run->threads);
}

void wari_run_end(struct wari_run *run)
{
    wari_team_destroy(&run->team);
    wari_lower_destroy(run->lower);
    wari_tables_destroy(run->tables);
    wari_store_destroy(run->store);
}

enum wari_status wari_build(const struct wari_build *build, struct wari_error *error)
{
    struct wari_run run;
    enum wari_status status = wari_check_seeds(build->seeds, error);
    int lock;

    if (status != WARI_OK)
        return status;
    wari_run_begin(&run, build);
    status = wari_folder_lock(run.host, build->folder, WARI_BUILDING, &lock, error);
    if (status != WARI_OK)
        return status;
    status = wari_catalogue_read(&run.catalogue, run.host, build->folder, build->variant, error);
    if (status == WARI_OK)
        status = build_missing(&run, error);
    wari_run_end(&run);
    wari_folder_unlock(run.host, lock);
    return status;
}

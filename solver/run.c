/* What the levels of a build share: made before the first one, and divided anew for each. */
#include "solver/run.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "db/catalogue/lock.h"
#include "system/clock.h"
#include "system/huge_pages.h"

void wari_run_report(struct wari_run *run, enum wari_phase phase)
{
    run->progress.phase = phase;
    run->progress.seconds = wari_seconds_now() - run->start;
    if (run->build->progress)
        run->build->progress(run->build->context, &run->progress);
}

/* Of the level at hand. */
static void report(void *context, enum wari_phase phase, int sweep, double changed)
{
    struct wari_run *run = context;

    if (phase == WARI_PHASE_SWEEP || phase == WARI_PHASE_SHRINK) {
        run->progress.sweep = sweep;
        run->progress.changed = changed;
    }
    wari_run_report(run, phase);
}

/* ---- One level ------------------------------------------------------------------------------ */

enum wari_status wari_run_outcome(struct wari_run *run, struct wari_error *error)
{
    enum wari_status status = wari_workers_failure(&run->workers, error);

    if (status == WARI_OK && run->build->stop &&
        atomic_load_explicit(run->build->stop, memory_order_relaxed))
        status = wari_fail(error, WARI_INTERRUPTED, "stopped on request at level %d",
                           run->task.statistics.seeds);
    return run->ways->agree(run, status, error);
}

void wari_run_begin_level(struct wari_run *run, int seeds)
{
    const struct wari_build *build = run->build;
    struct wari_task *task = &run->task;

    task->start = wari_seconds_now();
    task->record = (struct wari_level_record){0};
    task->statistics =
        (struct wari_level_statistics){.seeds = seeds, .positions = wari_level_positions(seeds)};
    task->checkpoint = (struct wari_checkpoint){
        .address = {run->host, build->folder, {build->variant, seeds}},
        .interval = build->checkpoint > 0 ? build->checkpoint : WARI_CHECKPOINT_SECONDS,
        .limit = run->plan.checkpoint_limit,
        .last = task->start,
    };
    task->level = (struct wari_level){
        .tables = run->tables,
        .kernel = wari_kernel_ops(build->kernel),
        .host = run->host,
        .lower_cache = run->lower_cache,
        .workers = &run->workers,
        .stop = build->stop,
        .progress = {.statistics = &task->statistics,
                     .checkpoint = build->checkpoint < 0 ? NULL : &task->checkpoint,
                     .report = report,
                     .context = run},
    };
    wari_lower_cache_limit(run->lower_cache, wari_plan_cache(build, &run->plan, seeds));
    wari_trim_heap();
    run->progress.seeds = seeds;
    run->progress.sweep = 0;
    run->progress.changed = 1;
}

/* What a level took goes back to the system before the next one begins. */
void wari_run_end_level(struct wari_run *run, enum wari_status status)
{
    struct wari_task *task = &run->task;
    struct wari_finished *finished = &run->finished;

    wari_level_close(&task->level);
    wari_trim_heap();
    if (status != WARI_OK)
        return;
    task->statistics.checkpoints = task->checkpoint.written;
    task->statistics.checkpoints_failed = task->checkpoint.failed;
    finished->level[finished->count].statistics = task->statistics;
    finished->level[finished->count].seconds = wari_seconds_now() - task->start;
    finished->level[finished->count].file_bytes = task->record.file_bytes;
    if (finished->count++ == 0)
        finished->since = task->start;
}

/* ---- The run -------------------------------------------------------------------------------- */

/* All that the levels partition. */
static enum wari_status prepare(struct wari_run *run, struct wari_error *error)
{
    const struct wari_build *build = run->build;
    const struct wari_build_plan *plan = &run->plan;
    const uint64_t cache = wari_plan_cache(build, plan, plan->first);
    enum wari_status status =
        wari_batch_encoder_create(&run->encoder, run->host, run->threads, error);

    if (status == WARI_OK)
        status = wari_tables_create(&run->tables, run->host, build->variant.rules, build->seeds,
                                    run->threads, error);
    if (status == WARI_OK)
        status = wari_lower_cache_create(
            &run->lower_cache, run->host,
            &(struct wari_lower_cache_files){build->folder, build->variant, build->seeds},
            cache < plan->lower_bytes ? cache : plan->lower_bytes, error);
    if (status == WARI_OK)
        status =
            wari_workers_create(&run->workers, run->host, run->lower_cache, run->threads, error);
    for (int seeds = 0; seeds <= run->catalogue.seeds_max && status == WARI_OK; seeds++)
        if (wari_catalogue_has(&run->catalogue, seeds))
            status =
                wari_lower_cache_add(run->lower_cache, seeds, &run->catalogue.level[seeds], error);
    return status;
}

/* What a build that was killed may have left of checkpoints: those of levels that it had just
 * published, and half of one that it was writing. */
static void remove_leftovers(const struct wari_run *run)
{
    struct wari_level_address address = {run->host, run->build->folder, {run->build->variant, 0}};

    for (; address.key.seeds <= WARI_SEEDS_MAX; address.key.seeds++)
        if (wari_catalogue_has(&run->catalogue, address.key.seeds))
            wari_checkpoint_remove(&address);
        else
            wari_checkpoint_remove_unfinished(&address);
}

enum wari_status wari_run_prepare(struct wari_run *run, struct wari_error *error)
{
    struct wari_build_plan *plan = &run->plan;
    enum wari_status status = wari_plan_for(run->build, &run->catalogue, plan, error);

    remove_leftovers(run);
    if (status != WARI_OK || plan->first > run->build->seeds)
        return status;
    status = wari_plan_check(run->build, plan, error);
    if (status == WARI_OK && run->build->scratch && plan->first_bit_level <= run->build->seeds)
        status = wari_make_folder(run->host, run->build->scratch, error);
    if (status != WARI_OK)
        return status;
    run->progress.positions_all = plan->positions;
    return prepare(run, error);
}

/* Whichever thread packs the model of a level takes some MB for it. Each thread's allocations would
 * have a stretch of memory of their own, which keeps what was given back. */
static void allocate_from_one_stretch(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_ARENA_MAX, 1); /* 0: then memory is a little larger */
#endif
}

void wari_run_begin(struct wari_run *run, const struct wari_build *build,
                    const struct wari_ways *ways)
{
    *run = (struct wari_run){.build = build, .ways = ways, .start = wari_seconds_now()};
    run->host = build->host ? build->host : wari_host_system();
    run->threads = wari_build_threads(build);
    allocate_from_one_stretch();
}

void wari_run_end(struct wari_run *run)
{
    wari_workers_destroy(&run->workers);
    wari_lower_cache_destroy(run->lower_cache);
    wari_tables_destroy(run->tables);
    wari_batch_encoder_destroy(run->encoder);
    wari_release(run->host, run->room.memory);
}

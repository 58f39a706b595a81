/* Builds a database: what is missing, level by level.
 *
 * A level is solved from the levels below it, which stay in memory; it is published (file, then
 * catalogue) before the next one begins. Stopping or dying at any moment therefore loses at most
 * the level at hand, and the next run goes on from the catalogue.
 */
#include <omp.h>
#include <string.h>

#include "solver/clock.h"
#include "solver/level.h"
#include "solver/store.h"

enum { SEEDS_UNREACHABLE = 47 }; /* no capture leaves 47: it takes at least 2 of 48 */

struct run {
    const struct wari_build *build;
    const struct wari_host *host;
    int threads;
    struct wari_catalogue catalogue;
    struct wari_solved solved[WARI_SEEDS_MAX + 1];
    struct wari_tables *tables;
    struct wari_store *store;
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

/* ---- Planning ------------------------------------------------------------------------------- */

static enum wari_status check_seeds(int seeds, struct wari_error *error)
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

static int threads_of(const struct wari_build *build)
{
    return build->threads > 0 ? build->threads : omp_get_num_procs();
}

static void fill_plan(const struct wari_build *build, const struct wari_catalogue *catalogue,
                      struct wari_build_plan *plan)
{
    uint64_t below = 0;

    *plan = (struct wari_build_plan){.first = catalogue->seeds_max + 1};
    if (plan->first == SEEDS_UNREACHABLE)
        plan->first++;
    if (plan->first > build->seeds)
        return;
    for (int seeds = 0; seeds <= build->seeds; seeds++) {
        const uint64_t level = wari_level_bytes(seeds, build->variant.cycle);
        if (seeds == SEEDS_UNREACHABLE)
            continue;
        if (seeds >= plan->first)
            plan->positions += wari_level_positions(seeds);
        if (seeds >= plan->first && below + level > plan->memory_bytes)
            plan->memory_bytes = below + level;
        below += wari_level_positions(seeds);
    }
    plan->memory_bytes += wari_tables_bytes(build->seeds) + wari_store_bytes(threads_of(build));
    /* order-0 entropy is 4.2 bits a position; levels 20 and 24 take 3.65 and 3.83 */
    plan->disk_bytes = plan->positions / 32 * 17 + (UINT64_C(1) << 16);
}

enum wari_status wari_build_plan(const struct wari_build *build, struct wari_build_plan *plan,
                                 struct wari_error *error)
{
    const struct wari_host *host = build->host ? build->host : wari_host_system();
    struct wari_catalogue catalogue;
    enum wari_status status = check_seeds(build->seeds, error);

    if (status == WARI_OK)
        status = wari_catalogue_read(&catalogue, host, build->folder, build->variant, error);
    if (status == WARI_OK)
        fill_plan(build, &catalogue, plan);
    return status;
}

/* ---- One level ------------------------------------------------------------------------------ */

/* Solves a level in memory. */
static void solve(struct run *run, struct wari_level *level)
{
    double start = wari_seconds_now(), swept;

    report(run, WARI_PHASE_CAPTURES);
    wari_capture_pass(level);
    level->measure->capture_seconds = wari_seconds_now() - start;
    swept = wari_seconds_now();
    do {
        wari_sweep_to_fixed_point(level, WARI_GROW, report_sweep, run);
    } while (run->build->variant.cycle == WARI_OWN && !stopped(run) &&
             wari_shrink(level, report_sweep, run) && !stopped(run));
    level->measure->sweep_seconds = wari_seconds_now() - swept;
}

static enum wari_status publish(struct run *run, int seeds, struct wari_level_record *record,
                                struct wari_level_measure *measure, struct wari_error *error)
{
    const struct wari_level_key key = {run->build->variant, seeds};
    enum wari_status status;

    report(run, WARI_PHASE_WRITE);
    status = wari_store_write(run->store, run->build->folder, key, run->solved[seeds].values,
                              measure->positions, record, measure, run->build->stop, error);
    if (status != WARI_OK)
        return status;
    run->catalogue.level[seeds] = *record;
    run->catalogue.seeds_max = seeds;
    return wari_catalogue_write(&run->catalogue, run->host, run->build->folder, error);
}

static enum wari_status build_level(struct run *run, int seeds, struct wari_error *error)
{
    struct wari_level_record record;
    struct wari_level_measure measure = {.seeds = seeds, .positions = wari_level_positions(seeds)};
    struct wari_level level = {
        .tables = run->tables,
        .kernel = wari_kernel_ops(run->build->kernel),
        .host = run->host,
        .solved = run->solved,
        .stop = run->build->stop,
        .threads = run->threads,
        .measure = &measure,
    };
    const double start = wari_seconds_now();
    double counted;
    enum wari_status status = wari_level_init(&level, seeds, run->build->variant.cycle, error);

    if (status != WARI_OK)
        return status;
    run->progress.seeds = seeds;
    run->progress.sweep = 0;
    run->progress.changed = 1;
    solve(run, &level);
    counted = wari_seconds_now();
    report(run, WARI_PHASE_COUNT);
    wari_level_histogram(&level, record.histogram);
    if (stopped(run)) {
        wari_level_destroy(&level);
        return wari_fail(error, WARI_INTERRUPTED, "stopped on request at level %d", seeds);
    }
    run->solved[seeds].values = wari_level_take_values(&level);
    wari_layout_init(&run->solved[seeds].layout, seeds);
    measure.count_seconds = wari_seconds_now() - counted;
    status = publish(run, seeds, &record, &measure, error);
    if (status != WARI_OK)
        return status;
    run->progress.positions_done += measure.positions;
    run->progress.level_seconds = wari_seconds_now() - start;
    run->progress.level_bytes = record.file_bytes;
    run->progress.measure = &measure;
    report(run, WARI_PHASE_LEVEL_DONE);
    run->progress.measure = NULL;
    return WARI_OK;
}

/* ---- The run -------------------------------------------------------------------------------- */

static enum wari_status load_solved(struct run *run, struct wari_error *error)
{
    enum wari_status status = WARI_OK;

    for (int seeds = 0; seeds <= run->catalogue.seeds_max && status == WARI_OK; seeds++) {
        const struct wari_level_key key = {run->build->variant, seeds};
        if (!wari_catalogue_has(&run->catalogue, seeds))
            continue;
        run->progress.seeds = seeds;
        report(run, WARI_PHASE_LOAD);
        status = wari_store_read(run->store, run->build->folder, key, &run->catalogue.level[seeds],
                                 &run->solved[seeds].values, run->build->stop, error);
        wari_layout_init(&run->solved[seeds].layout, seeds);
    }
    return status;
}

static enum wari_status build_missing(struct run *run, struct wari_error *error)
{
    const struct wari_build *build = run->build;
    struct wari_build_plan plan;
    enum wari_status status;

    fill_plan(build, &run->catalogue, &plan);
    if (plan.first > build->seeds)
        return WARI_OK;
    run->progress.positions_all = plan.positions;
    status = wari_store_create(&run->store, run->host, run->threads, error);
    if (status == WARI_OK)
        status = wari_tables_create(&run->tables, run->host, build->variant.rules, build->seeds,
                                    run->threads, error);
    if (status == WARI_OK)
        status = load_solved(run, error);
    for (int seeds = plan.first; seeds <= build->seeds && status == WARI_OK; seeds++) {
        if (seeds != SEEDS_UNREACHABLE)
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
    enum wari_status status = check_seeds(build->seeds, error);
    int lock;

    if (status != WARI_OK)
        return status;
    run.host = build->host ? build->host : wari_host_system();
    run.threads = threads_of(build);
    start_threads(run.threads);
    status = wari_folder_lock(run.host, build->folder, &lock, error);
    if (status != WARI_OK)
        return status;
    status = wari_catalogue_read(&run.catalogue, run.host, build->folder, build->variant, error);
    if (status == WARI_OK)
        status = build_missing(&run, error);
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
        wari_release(run.host, run.solved[seeds].values);
    wari_tables_destroy(run.tables);
    wari_store_destroy(run.store);
    wari_folder_unlock(run.host, lock);
    return status;
}

/* The steps of a build before and after its levels are solved; see builder.h.
 *
 * Publishing takes three waits for the disk, however many levels are published at once, and small
 * levels are solved in less time than these waits take. So finished levels, whose files have their
 * final names already, wait to be published together. They wait until a fraction of a second has
 * passed since work on the first of them began. Then the folder is synchronised, and after it the
 * catalogue, which lists all finished levels, is written and synchronised. A build that ends, for
 * whatever reason, publishes its finished levels first. So only a kill or a power cut can lose
 * finished levels, and no more than the work of this fraction of a second.
 */
#include "solver/builder.h"

#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/lock.h"
#include "system/clock.h"
#include "system/huge_pages.h"

/* The time that finished levels wait by default: a short time, so that little work can be lost, but
 * many times as long as one wait for a disk, which took 3 to 8 ms when it was measured. */
static const double publish_seconds = 0.25;

void wari_builder_report(struct wari_builder *builder, enum wari_phase phase)
{
    builder->progress.phase = phase;
    builder->progress.seconds = wari_seconds_now() - builder->start;
    if (builder->build->progress)
        builder->build->progress(builder->build->context, &builder->progress);
}

/* ---- Begin and end -------------------------------------------------------------------------- */

void wari_builder_begin(struct wari_builder *builder, const struct wari_build *build)
{
    *builder = (struct wari_builder){.build = build, .start = wari_seconds_now()};
    builder->host = build->host ? build->host : wari_host_system();
    builder->threads = wari_build_threads(build);
    /* Any of the threads may compress the model of a level file (the tables for its encoding), and
     * allocates some MB for that. If each thread had its own arena, every arena would keep that
     * memory after it is freed. */
    wari_use_one_arena();
}

void wari_builder_end(struct wari_builder *builder)
{
    wari_workers_destroy(&builder->workers);
    wari_lower_cache_destroy(builder->lower_cache);
    wari_tables_destroy(builder->tables);
    wari_batch_encoder_destroy(builder->encoder);
    wari_release(builder->host, builder->buffer.memory);
}

static enum wari_status allocate_shared(struct wari_builder *builder, struct wari_error *error)
{
    const struct wari_build *build = builder->build;
    const struct wari_build_plan *plan = &builder->plan;
    const uint64_t cache = wari_plan_cache(build, plan, plan->first);
    enum wari_status status =
        wari_batch_encoder_create(&builder->encoder, builder->host, builder->threads, error);

    if (status == WARI_OK)
        status = wari_tables_create(&builder->tables, builder->host, build->variant.rules,
                                    build->seeds, builder->threads, error);
    if (status == WARI_OK)
        status = wari_lower_cache_create(
            &builder->lower_cache, builder->host,
            &(struct wari_lower_cache_files){build->folder, build->variant, build->seeds},
            cache < plan->lower_bytes ? cache : plan->lower_bytes, error);
    if (status == WARI_OK)
        status = wari_workers_create(&builder->workers, builder->host, builder->lower_cache,
                                     builder->threads, error);
    for (int seeds = 0; seeds < plan->first && status == WARI_OK;
         seeds = wari_catalogue_next(seeds))
        status = wari_builder_add_lower(builder, seeds, error);
    return status;
}

bool wari_builder_has(const struct wari_builder *builder, int seeds)
{
    return wari_catalogue_has(&builder->catalogue, seeds);
}

enum wari_status wari_builder_add_lower(struct wari_builder *builder, int seeds,
                                        struct wari_error *error)
{
    if (seeds >= builder->build->seeds)
        return WARI_OK;
    return wari_lower_cache_add(builder->lower_cache, seeds, &builder->catalogue.level[seeds],
                                error);
}

/* Removes what a killed build may have left: scratch files; checkpoints of levels that it had just
 * published; and the unfinished checkpoint that it was writing. */
static void remove_leftovers(const struct wari_builder *builder)
{
    struct wari_level_address address = {
        builder->host, builder->build->folder, {builder->build->variant, 0}};

    for (; address.key.seeds <= WARI_SEEDS_MAX; address.key.seeds++)
        if (wari_catalogue_has(&builder->catalogue, address.key.seeds))
            wari_checkpoint_remove(&address);
        else
            wari_checkpoint_remove_unfinished(&address);
    wari_temporary_files_clean(builder->host, builder->build->folder);
    if (builder->build->scratch)
        wari_temporary_files_clean(builder->host, builder->build->scratch);
}

/* Creates and frees a scratch file, if the build will need one, so that a file system on which this
 * is impossible is reported now and not after hours of work. */
static enum wari_status try_scratch_file(const struct wari_builder *builder,
                                         struct wari_error *error)
{
    const struct wari_build *build = builder->build;
    struct wari_temporary_file file;
    const bool bits = builder->plan.first_bit_level <= build->seeds;

    if (!bits && builder->plan.cache_bytes >= builder->plan.lower_bytes)
        return WARI_OK;
    const enum wari_status status = wari_temporary_file_open(
        &file, builder->host, bits && build->scratch ? build->scratch : build->folder, "trial",
        error);
    wari_temporary_file_close(&file);
    return status;
}

enum wari_status wari_builder_prepare(struct wari_builder *builder, struct wari_error *error)
{
    const struct wari_build *build = builder->build;
    struct wari_build_plan *plan = &builder->plan;
    enum wari_status status = wari_plan_for(build, &builder->catalogue, plan, error);

    remove_leftovers(builder);
    if (status != WARI_OK || plan->first > build->seeds)
        return status;
    status = wari_plan_check(build, plan, error);
    if (status == WARI_OK && build->scratch && plan->first_bit_level <= build->seeds)
        status = wari_make_folder(builder->host, build->scratch, error);
    if (status == WARI_OK && !build->sharing)
        status = try_scratch_file(builder, error);
    if (status != WARI_OK)
        return status;
    builder->progress.positions_all = plan->positions;
    return allocate_shared(builder, error);
}

/* ---- One level ------------------------------------------------------------------------------ */

/* The progress callback of a level. */
static void report_level(void *context, enum wari_phase phase, int sweep, double changed)
{
    struct wari_builder *builder = context;

    if (phase == WARI_PHASE_SWEEP || phase == WARI_PHASE_SHRINK) {
        builder->progress.sweep = sweep;
        builder->progress.changed = changed;
    }
    wari_builder_report(builder, phase);
}

struct wari_level *wari_builder_begin_level(struct wari_builder *builder, int seeds)
{
    const struct wari_build *build = builder->build;
    struct wari_current_level *current = &builder->current;

    current->start = wari_seconds_now();
    current->record = (struct wari_level_record){0};
    current->statistics =
        (struct wari_level_statistics){.seeds = seeds, .positions = wari_level_positions(seeds)};
    current->checkpoint = (struct wari_checkpoint){
        .address = {builder->host, build->folder, {build->variant, seeds}},
        .interval = build->checkpoint > 0 ? build->checkpoint : WARI_CHECKPOINT_SECONDS,
        .limit = builder->plan.checkpoint_limit,
        .last = current->start,
    };
    current->level = (struct wari_level){
        .tables = builder->tables,
        .kernel = wari_kernel_ops(build->kernel),
        .host = builder->host,
        .lower_cache = builder->lower_cache,
        .workers = &builder->workers,
        .stop = build->stop,
        .progress = {.statistics = &current->statistics,
                     .checkpoint = build->checkpoint < 0 ? NULL : &current->checkpoint,
                     .report = report_level,
                     .context = builder},
    };
    if (builder->lower_cache)
        wari_lower_cache_limit(builder->lower_cache, wari_plan_cache(build, &builder->plan, seeds));
    wari_trim_heap();
    builder->progress.seeds = seeds;
    builder->progress.sweep = 0;
    builder->progress.changed = 1;
    return &current->level;
}

enum wari_status wari_builder_outcome(struct wari_builder *builder, struct wari_error *error)
{
    const struct wari_build *build = builder->build;
    const enum wari_status status = wari_workers_failure(&builder->workers, error);

    if (status == WARI_OK && build->stop && atomic_load_explicit(build->stop, memory_order_relaxed))
        return wari_fail(error, WARI_INTERRUPTED, "stopped on request at level %d",
                         builder->current.statistics.seeds);
    return status;
}

/* The memory of the level is given back to the system before the next level begins. */
void wari_builder_end_level(struct wari_builder *builder, enum wari_status status)
{
    struct wari_current_level *current = &builder->current;
    struct wari_finished *finished = &builder->finished;
    const int seeds = current->statistics.seeds;

    wari_level_close(&current->level);
    wari_trim_heap();
    if (status != WARI_OK)
        return;
    builder->catalogue.level[seeds] = current->record;
    builder->catalogue.missing[seeds] = false;
    if (seeds > builder->catalogue.seeds_max)
        builder->catalogue.seeds_max = seeds;
    current->statistics.checkpoints = current->checkpoint.written;
    current->statistics.checkpoints_failed = current->checkpoint.failed;
    finished->level[finished->count].statistics = current->statistics;
    finished->level[finished->count].seconds = wari_seconds_now() - current->start;
    finished->level[finished->count].file_bytes = current->record.file_bytes;
    if (finished->count++ == 0)
        finished->since = current->start;
}

/* ---- Levels whose files were lost ----------------------------------------------------------- */

enum wari_status wari_builder_admit(void *context, const struct wari_level_record *record,
                                    struct wari_error *error)
{
    struct wari_builder *builder = context;
    const int seeds = builder->current.statistics.seeds;
    struct wari_level_record *listed = &builder->catalogue.level[seeds];
    const char *folder = builder->build->folder;

    if (!wari_catalogue_lists(&builder->catalogue, seeds))
        return WARI_OK;
    if (record->payload_hash != listed->payload_hash)
        return wari_fail(
            error, WARI_CORRUPT,
            "%s: level %d was solved again, and its values are not those that the catalogue lists; "
            "prove the lower levels with 'wari verify', or build in another folder",
            folder, seeds);
    if (record->header_hash == listed->header_hash && record->file_bytes == listed->file_bytes)
        return WARI_OK;
    listed->other_hash = record->header_hash;
    listed->other_bytes = record->file_bytes;
    return wari_catalogue_write(&builder->catalogue, builder->host, folder, error);
}

/* ---- Publishing ------------------------------------------------------------------------------ */

enum wari_status wari_builder_publish(struct wari_builder *builder, struct wari_error *error)
{
    const char *folder = builder->build->folder;
    enum wari_status status = wari_sync_folder(builder->host, folder, error);

    if (status == WARI_OK)
        status = wari_catalogue_write(&builder->catalogue, builder->host, folder, error);
    for (int i = 0; i < builder->finished.count && status == WARI_OK; i++)
        wari_checkpoint_remove(&(struct wari_level_address){
            builder->host,
            folder,
            {builder->build->variant, builder->finished.level[i].statistics.seeds}});
    return status;
}

static void report_finished(struct wari_builder *builder)
{
    struct wari_progress *progress = &builder->progress;

    for (int i = 0; i < builder->finished.count; i++) {
        const struct wari_level_statistics *statistics = &builder->finished.level[i].statistics;
        progress->seeds = statistics->seeds;
        progress->sweep = statistics->sweeps;
        progress->positions_done += statistics->positions;
        progress->level_seconds = builder->finished.level[i].seconds;
        progress->level_bytes = builder->finished.level[i].file_bytes;
        progress->statistics = statistics;
        wari_builder_report(builder, WARI_PHASE_LEVEL_DONE);
    }
    progress->statistics = NULL;
}

/* Empties the list of finished levels after a failure, too, so that publishing them is not tried
 * again. A second attempt would not be safe: bytes that a sync failed to write may never get to
 * disk, even if the next sync succeeds. */
void wari_builder_end_publishing(struct wari_builder *builder, enum wari_status status)
{
    if (status == WARI_OK)
        report_finished(builder);
    builder->finished.count = 0;
}

static enum wari_status publish_finished(struct wari_builder *builder, struct wari_error *error)
{
    const enum wari_status status = wari_builder_publish(builder, error);

    wari_builder_end_publishing(builder, status);
    return status;
}

enum wari_status wari_builder_publish_if_due(struct wari_builder *builder, struct wari_error *error)
{
    const double publish = builder->build->publish;
    const double wait = publish == 0 ? publish_seconds : publish;

    return wari_seconds_now() - builder->finished.since >= wait ? publish_finished(builder, error)
                                                                : WARI_OK;
}

enum wari_status wari_builder_publish_rest(struct wari_builder *builder, enum wari_status status,
                                           struct wari_error *error)
{
    struct wari_error failure;

    if (builder->finished.count == 0)
        return status;
    const enum wari_status published = publish_finished(builder, &failure);
    /* If the build is complete or was stopped, nothing failed before the attempt to publish, so the
     * failure to publish is the one to report. */
    if (published == WARI_OK || (status != WARI_OK && status != WARI_INTERRUPTED))
        return status;
    if (error)
        *error = failure;
    return published;
}

/* Builds a database in one process: for each level that is missing, open, solve, write, publish.
 *
 * A level is solved (solve.c) from the levels below it, which are read from their files as they are
 * needed (level/lower_levels.h). Its file is written before the next level begins, and soon after
 * that the catalogue lists it (builder.c). A kill at any moment therefore loses at most the current
 * level and a fraction of a second of finished work, and the next build goes on from the catalogue.
 *
 * Several processes build together in cluster/build.c, which has the same loop.
 */
#include "solver/build.h"

#include <stdio.h>

#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/lock.h"
#include "solver/bits/bits_backend.h"
#include "solver/builder.h"
#include "solver/memory/memory.h"
#include "solver/solve.h"
#include "system/huge_pages.h"

/* ---- Open ------------------------------------------------------------------------------------ */

/* Allocates one buffer for all levels, unless memory is short: then each level gets only the memory
 * that it needs, and the rest is used by the lower-level cache. */
static enum wari_status allocate_buffer(struct wari_builder *builder, struct wari_error *error)
{
    const struct wari_build_plan *plan = &builder->plan;
    const int seeds = builder->build->seeds;

    if (builder->buffer.memory || plan->first_bit_level <= seeds ||
        plan->cache_bytes < plan->lower_bytes)
        return WARI_OK;
    return wari_level_buffer_create(&builder->buffer, builder->host, seeds, error);
}

/* The captures of full halves are saved in a file if the cache is too small for all lower levels,
 * because the lower levels would otherwise be decoded a second time. The file is in the folder of
 * the database. The disk of this folder needs space for the level file anyway, and the level file
 * is written after the file of captures is removed. */
static enum wari_status open_in_memory(struct wari_builder *builder, int seeds,
                                       const char *scratch_name, struct wari_error *error)
{
    const struct wari_build *build = builder->build;
    struct wari_level *level = &builder->current.level;
    enum wari_status status = allocate_buffer(builder, error);

    level->resident.buffer = &builder->buffer;
    if (status == WARI_OK)
        status =
            wari_memory_open(level, seeds, build->variant.cycle, builder->plan.level_bytes, error);
    if (status != WARI_OK || wari_lower_cache_holds_all(builder->lower_cache, seeds - 2))
        return status;
    return wari_full_halves_open(&level->full_halves, builder->host, &level->layout, build->folder,
                                 scratch_name, error);
}

/* Opens the level with the bit backend. Frees the encoder before that, so that the bit backend can
 * use its memory; write_level() creates the encoder again. */
static enum wari_status open_with_bits(struct wari_builder *builder, int seeds,
                                       const char *scratch_name, struct wari_error *error)
{
    const struct wari_build *build = builder->build;
    const struct wari_bits_limits limits = {
        .bytes = builder->plan.level_bytes,
        .idle = builder->plan.idle_bytes,
        .location = {build->scratch ? build->scratch : build->folder, scratch_name}};

    wari_batch_encoder_destroy(builder->encoder);
    builder->encoder = NULL;
    wari_trim_heap();
    return wari_bits_open(&builder->current.level, seeds, build->variant.cycle, &limits, error);
}

static enum wari_status open_level(struct wari_builder *builder, int seeds,
                                   struct wari_error *error)
{
    const struct wari_variant variant = builder->build->variant;
    char scratch_name[64];

    snprintf(scratch_name, sizeof scratch_name, "%s-%s-%d",
             wari_get_rules_info(variant.rules)->name, wari_cycle_name(variant.cycle), seeds);
    if (wari_plan_backend(builder->build, &builder->plan, seeds) == WARI_BACKEND_BITS)
        return open_with_bits(builder, seeds, scratch_name, error);
    return open_in_memory(builder, seeds, scratch_name, error);
}

/* ---- Write ----------------------------------------------------------------------------------- */

static enum wari_status write_level(struct wari_builder *builder, struct wari_error *error)
{
    const struct wari_level_ready ready = {wari_builder_admit, builder};
    enum wari_status status = WARI_OK;

    wari_builder_report(builder, WARI_PHASE_WRITE);
    if (!builder->encoder)
        status =
            wari_batch_encoder_create(&builder->encoder, builder->host, builder->threads, error);
    if (status != WARI_OK)
        return status;
    return wari_write_level_file(builder->encoder, builder->build->folder, builder->build->variant,
                                 &builder->current.level, &ready, &builder->current.record, error);
}

/* ---- All levels ------------------------------------------------------------------------------ */

static enum wari_status build_level(struct wari_builder *builder, int seeds,
                                    struct wari_error *error)
{
    struct wari_level *level = wari_builder_begin_level(builder, seeds);
    enum wari_status status = open_level(builder, seeds, error);

    if (status == WARI_OK) {
        wari_solve(level, builder->current.record.histogram);
        status = wari_builder_outcome(builder, error);
    }
    if (status == WARI_OK)
        status = write_level(builder, error);
    wari_builder_end_level(builder, status);
    if (status == WARI_OK)
        status = wari_builder_publish_if_due(builder, error);
    return status == WARI_OK ? wari_builder_add_lower(builder, seeds, error) : status;
}

static enum wari_status build_missing(struct wari_builder *builder, struct wari_error *error)
{
    const int last = builder->build->seeds;
    enum wari_status status = wari_builder_prepare(builder, error);

    for (int seeds = builder->plan.first; seeds <= last && status == WARI_OK;
         seeds = wari_catalogue_next(seeds))
        status = wari_builder_has(builder, seeds) ? wari_builder_add_lower(builder, seeds, error)
                                                  : build_level(builder, seeds, error);
    return wari_builder_publish_rest(builder, status, error);
}

enum wari_status wari_build(const struct wari_build *build, struct wari_error *error)
{
    struct wari_builder builder;
    enum wari_status status = wari_check_seeds(build->seeds, error);
    struct wari_lock lock = {0};

    if (status != WARI_OK)
        return status;
    wari_builder_begin(&builder, build);
    status = build->no_lock
                 ? wari_make_folder(builder.host, build->folder, error)
                 : wari_folder_lock(builder.host, build->folder, WARI_BUILDING, &lock, error);
    if (status != WARI_OK)
        return status;
    status =
        wari_catalogue_read(&builder.catalogue, builder.host, build->folder, build->variant, error);
    if (status == WARI_OK)
        status =
            wari_catalogue_find_missing(&builder.catalogue, builder.host, build->folder, error);
    if (status == WARI_OK)
        status = build_missing(&builder, error);
    wari_builder_end(&builder);
    wari_folder_unlock(&lock);
    return status;
}

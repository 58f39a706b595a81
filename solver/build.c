/* Builds a database: what is missing, level by level.
 *
 * A level is solved (solve.c) from the levels below it, which are read from their files as they are
 * needed (level/lower_levels.h); its file is written before the next one begins, and soon after the
 * catalogue says that it is there (run/run_publish.c). Dying at any moment therefore loses at most
 * the level at hand and a fraction of a second, and the next run goes on from the catalogue.
 */
#include "solver/build.h"

#include <stdio.h>

#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/lock.h"
#include "solver/bits/bits_backend.h"
#include "solver/memory/memory.h"
#include "solver/run.h"
#include "solver/solve.h"
#include "system/huge_pages.h"

/* ---- One process ---------------------------------------------------------------------------- */

/* Where nothing is short one room does for all levels: the cache does not need what the last one
 * takes more than those before. */
static enum wari_status make_room(struct wari_run *run, struct wari_error *error)
{
    const struct wari_build_plan *plan = &run->plan;
    const int seeds = run->build->seeds;

    if (run->room.memory || plan->first_bit_level <= seeds || plan->cache_bytes < plan->lower_bytes)
        return WARI_OK;
    return wari_level_buffer_create(&run->room, run->host, seeds, error);
}

/* Here the road is chosen: in memory if there is room, if need be with less of it for events; by
 * bits if there is not. */
static enum wari_status open_level(struct wari_run *run, int seeds, struct wari_error *error)
{
    const struct wari_build *build = run->build;
    const enum wari_cycle cycle = build->variant.cycle;
    struct wari_level *level = &run->task.level;
    enum wari_status status;
    char name[64];

    snprintf(name, sizeof name, "%s-%s-%d.scratch", wari_rules_info(build->variant.rules)->name,
             wari_cycle_name(cycle), seeds);
    if (wari_level_least(seeds) > run->plan.level_bytes) {
        const struct wari_bits_limits limits = {
            .bytes = run->plan.level_bytes,
            .idle = run->plan.idle_bytes,
            .location = {build->scratch ? build->scratch : build->folder, name}};
        wari_batch_encoder_destroy(run->encoder); /* bits have its memory */
        run->encoder = NULL;
        wari_trim_heap();
        return wari_bits_open(level, seeds, cycle, &limits, error);
    }
    status = make_room(run, error);
    level->resident.buffer = &run->room;
    if (status == WARI_OK)
        status = wari_memory_open(level, seeds, cycle, run->plan.level_bytes, error);
    if (status != WARI_OK || wari_lower_cache_holds_all(run->lower_cache, seeds - 2))
        return status;
    /* In the database's folder: that has to have room for the level's file, which comes later. */
    return wari_full_halves_open(&level->full_halves, run->host, &level->layout, build->folder,
                                 name, error);
}

static enum wari_status agree(struct wari_run *run, enum wari_status status,
                              struct wari_error *error)
{
    (void)run, (void)error;
    return status;
}

static enum wari_status write_level(struct wari_run *run, struct wari_error *error)
{
    const enum wari_status status =
        run->encoder ? WARI_OK
                     : wari_batch_encoder_create(&run->encoder, run->host, run->threads, error);

    return status == WARI_OK
               ? wari_write_level_file(run->encoder, run->build->folder, run->build->variant,
                                       &run->task.level, &run->task.record, error)
               : status;
}

static const struct wari_ways ways = {open_level, agree, write_level, wari_run_publish};

/* ---- All levels ----------------------------------------------------------------------------- */

static enum wari_status build_level(struct wari_run *run, int seeds, struct wari_error *error)
{
    enum wari_status status = wari_solve(run, seeds, error);

    if (status == WARI_OK)
        status = wari_run_publish_if_due(run, error);
    if (status != WARI_OK || seeds == run->build->seeds)
        return status;
    status = wari_lower_cache_add(run->lower_cache, seeds, &run->task.record, error);
    return run->ways->agree(run, status, error);
}

enum wari_status wari_build_missing(struct wari_run *run, struct wari_error *error)
{
    enum wari_status status = run->ways->agree(run, wari_run_prepare(run, error), error);

    for (int seeds = run->plan.first; seeds <= run->build->seeds && status == WARI_OK;
         seeds = wari_catalogue_next(seeds))
        status = build_level(run, seeds, error);
    return wari_run_publish_rest(run, status, error);
}

enum wari_status wari_build(const struct wari_build *build, struct wari_error *error)
{
    struct wari_run run;
    enum wari_status status = wari_check_seeds(build->seeds, error);
    int lock;

    if (status != WARI_OK)
        return status;
    wari_run_begin(&run, build, &ways);
    status = wari_folder_lock(run.host, build->folder, WARI_BUILDING, &lock, error);
    if (status != WARI_OK)
        return status;
    status = wari_catalogue_read(&run.catalogue, run.host, build->folder, build->variant, error);
    if (status == WARI_OK)
        status = wari_build_missing(&run, error);
    wari_run_end(&run);
    wari_folder_unlock(run.host, lock);
    return status;
}

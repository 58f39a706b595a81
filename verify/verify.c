/* Verification of a database: what wari_verify() does, in which order.
 *
 * Levels are taken from 0 seeds up, one at a time in memory, and each is proved by:
 *
 * - (a) local: every value is the best of its moves; histogram and hash are right. Captures are
 * held against the levels below as these are read (verify_captures.c), ends and slams follow
 *   (verify_ends.c), then quiet moves (verify_moves.c);
 * - (b) grounding, verify_grounding.c: every value other than 0 can be forced;
 * - (c) upper bounds, verify_upper.c: no surplus beyond a value is held for ever (`own` only).
 *
 * Together they leave one table. By (b) every value can be reached; by (a), and for endless play
 * (c), none can be exceeded: a side that plays the moves of (a) keeps the other one at the value or
 * in play that never ends.
 *
 * What always holds: no code of the solver takes part; all memory is there before the first level
 * is begun; a level with differences is the last one looked at, since everything above leans on it.
 */
#include "verify/verify.h"

#include <omp.h>
#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "db/probe/probe.h"
#include "system/threads.h"
#include "verify/verify_captures.h"
#include "verify/verify_ends.h"
#include "verify/verify_grounding.h"
#include "verify/verify_memory.h"
#include "verify/verify_moves.h"
#include "verify/verify_read.h"
#include "verify/verify_sample.h"
#include "verify/verify_upper.h"

enum {
    SAMPLE_CACHE = 256 << 20, /* all chunks of the levels up to 20 seeds */
    SMALL_CACHE = 1 << 20,    /* for the few positions whose right values are told */
};

/* ---- (a) ---- */

/* Enters captures and ends; a second time where there are wrong values, which are then remembered
 * in a set of their own. */
static enum wari_status enter_worths(struct wari_verify_level *level)
{
    const struct wari_host *host = level->run->host;
    const uint64_t bytes = (wari_level_positions(level->layout.seeds) + 7) / 8;
    void *wrong;
    enum wari_status status = wari_verify_captures(level);
    if (status == WARI_OK)
        status = wari_verify_ends(level);
    if (status != WARI_OK || !atomic_load(&level->exceeded))
        return status;

    status = wari_allocate(host, bytes, "the set of wrong values", &wrong, level->run->error);
    if (status != WARI_OK)
        return status;
    memset(wrong, 0, bytes);
    level->wrong = wrong;
    status = wari_verify_captures(level);
    if (status == WARI_OK)
        status = wari_verify_ends(level);
    return status;
}

/* What the values found wrong should be: only the best of all moves says that. */
static enum wari_status find_expected(const struct wari_verify_level *level, struct wari_db *db,
                                      struct wari_verify_found *found)
{
    enum wari_status status = WARI_OK;
    for (int i = 0; i < found->kept && status == WARI_OK; i++) {
        struct wari_position position;
        wari_layout_unrank(&level->layout, found->first[i].cell, &position);
        status = wari_value_by_moves(db, &position, &found->first[i].expected, level->run->error);
    }
    return status;
}

static enum wari_status verify_local(struct wari_verify_level *level, struct wari_db *db,
                                     struct wari_verify_found *found,
                                     struct wari_verify_report *report)
{
    enum wari_status status = wari_verify_read_level(level, report->text, sizeof report->text);
    if (status == WARI_OK)
        status = enter_worths(level);
    if (status == WARI_OK)
        status = wari_verify_moves(level, found, report->text, sizeof report->text);
    if (status == WARI_OK)
        status = find_expected(level, db, found);
    wari_release(level->run->host, (void *)level->wrong);
    level->wrong = NULL;
    return status;
}

/* ---- Levels ---- */

static enum wari_status verify_whole(struct wari_verify_level *level, struct wari_db *db,
                                     struct wari_verify_found *found,
                                     struct wari_verify_report *report)
{
    const struct wari_verify *verify = level->run->verify;
    enum wari_status status = verify_local(level, db, found, report);
    if (status == WARI_OK && verify->mode == WARI_VERIFY_FULL && found->count == 0)
        status = wari_verify_grounding(level, found);
    if (status == WARI_OK && verify->mode == WARI_VERIFY_FULL && found->count == 0 &&
        verify->variant.cycle == WARI_OWN)
        status = wari_verify_upper(level, found);
    return status;
}

static enum wari_status verify_level(struct wari_verify_level *level, struct wari_db *db,
                                     struct wari_verify_report *report)
{
    const struct wari_verify *verify = level->run->verify;
    struct wari_verify_found found = {0};
    enum wari_status status;
    if (verify->mode == WARI_VERIFY_FULL && level->layout.seeds < verify->known)
        status = wari_verify_read_level(level, report->text, sizeof report->text);
    else
        status = verify_whole(level, db, &found, report);
    if (status != WARI_OK)
        return status;

    report->positions += wari_level_positions(level->layout.seeds);
    status = wari_verify_conclude(report, &level->layout, &found, level->run->error);
    if (status != WARI_OK)
        return status;
    report->levels++;
    if (verify->proved == NULL || verify->mode != WARI_VERIFY_FULL)
        return WARI_OK;
    return verify->proved(verify->context, level->layout.seeds,
                          level->run->catalogue.level[level->layout.seeds].payload_hash,
                          level->run->error);
}

static enum wari_status verify_levels(struct wari_verify_run *run, struct wari_db *db,
                                      struct wari_verify_report *report)
{
    struct wari_verify_memory memory = {0};
    struct wari_verify_level level;
    struct wari_info info;
    enum wari_status status = wari_catalogue_read(&run->catalogue, run->host, run->verify->folder,
                                                  run->verify->variant, run->error);
    wari_info(db, &info);
    if (run->catalogue.seeds_max > info.seeds_max)
        run->catalogue.seeds_max = info.seeds_max; /* a build has just added one */
    if (status == WARI_OK)
        status = wari_verify_memory_take(&memory, run);
    if (status == WARI_OK)
        status = wari_start_threads(run->threads, run->error);
    for (int n = 0; status == WARI_OK && n <= run->catalogue.seeds_max; n++) {
        if (!wari_catalogue_has(&run->catalogue, n))
            continue;
        wari_verify_level_begin(&level, run, n, memory.level);
        status = verify_level(&level, db, report);
    }
    report->chunks_read = atomic_load(&run->chunks_read);
    wari_verify_memory_release(&memory, run);
    return status;
}

enum wari_status wari_verify(const struct wari_verify *verify, struct wari_verify_report *report,
                             struct wari_error *error)
{
    const struct wari_host *host = verify->host ? verify->host : wari_host_system();
    const bool samples = verify->mode == WARI_VERIFY_SAMPLE;
    const struct wari_options options = {.cache_bytes = samples ? SAMPLE_CACHE : SMALL_CACHE,
                                         .host = host};
    struct wari_verify_run run = {
        .verify = verify,
        .host = host,
        .error = error,
        .threads = verify->threads > 0 ? verify->threads : omp_get_num_procs(),
    };
    struct wari_db *db;

    *report = (struct wari_verify_report){0};
    /* Looks at every header before hours are spent on the levels below a damaged one. */
    enum wari_status status = wari_open(&db, verify->folder, &verify->variant, &options, error);
    if (status != WARI_OK)
        return status;
    run.slam = wari_rules_info(verify->variant.rules)->slam;
    if (samples)
        status = wari_start_threads(run.threads, error);
    if (status == WARI_OK)
        status = samples ? wari_verify_sample(verify, run.threads, db, report, error)
                         : verify_levels(&run, db, report);
    wari_close(db);
    return status;
}

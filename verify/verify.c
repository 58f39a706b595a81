/* Verifies a database: the steps of wari_verify() and their order.
 *
 * Loads the levels from 0 seeds up, one at a time, and proves each of them in three steps:
 *
 * - (a) local: every value is the best of its moves; the histogram and the hash are right.
 *   Captures are compared with the lower levels while those are read (verify_captures.c), then ends
 *   and grand slams are checked (verify_ends.c), then quiet moves (verify_moves.c);
 * - (b) grounding (verify_grounding.c): every value other than 0 can be forced;
 * - (c) upper bounds (verify_upper.c): no surplus beyond a value can be held for ever (`own`
 *   only).
 *
 * If a table is correct, shorter proofs of (b) and (c) are sufficient (verify_cycles.c). If these
 * proofs fail, the steps above find out which positions are wrong.
 *
 * Only one table passes all three steps. By (b) every value can be reached. By (a) no value can be
 * exceeded, and by (c) this holds for endless play, too: a side that plays the moves of (a) holds
 * the other side to the value or to play that never ends.
 *
 * Invariants: the verifier uses no code of the solver. The arrays of the levels are allocated
 * before the first level, except the set of wrong values, which only a faulty level needs. A level
 * with differences is the last one that is checked, since all higher levels depend on it. */
#include "verify/verify.h"

#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "db/probe/probe.h"
#include "system/processors.h"
#include "system/threads.h"
#include "verify/verify_memory.h"
#include "verify/verify_read.h"
#include "verify/verify_steps.h"

enum {
    SAMPLE_CACHE = 256 << 20, /* large enough for all chunks of the levels up to 20 seeds */
    SMALL_CACHE = 1 << 20,    /* size of the cache for the expected values of the few differences
                               * that are reported */
};

/* ---- (a) ---- */

/* Enters the values of captures and ends. If some values are too low, enters all captures and ends
 * a second time and records the positions with such values in level->wrong. */
static enum wari_status enter_worths(struct wari_verify_level *level)
{
    const struct wari_host *host = level->proof->host;
    const uint64_t bytes = (wari_level_positions(level->layout.seeds) + 7) / 8;
    void *wrong;
    enum wari_status status = wari_verify_captures(level);
    if (status == WARI_OK)
        status = wari_verify_ends(level);
    if (status != WARI_OK || !atomic_load(&level->exceeded))
        return status;

    status = wari_allocate(host, bytes, "the set of wrong values", &wrong, level->proof->error);
    if (status != WARI_OK)
        return status;
    memset(wrong, 0, bytes);
    level->wrong = wrong;
    status = wari_verify_captures(level);
    if (status == WARI_OK)
        status = wari_verify_ends(level);
    return status;
}

/* Computes the expected values of the differences that (a) found. The expected value of a position
 * is the best of all its moves, so all its moves are probed in the database. */
static enum wari_status find_expected(const struct wari_verify_level *level, struct wari_db *db,
                                      struct wari_verify_differences *found)
{
    enum wari_status status = WARI_OK;
    for (int i = 0; i < found->kept && status == WARI_OK; i++) {
        struct wari_position position;
        wari_layout_unrank(&level->layout, found->first[i].cell, &position);
        status = wari_value_by_moves(db, &position, &found->first[i].expected, level->proof->error);
    }
    return status;
}

static enum wari_status verify_local(struct wari_verify_level *level, struct wari_db *db,
                                     struct wari_verify_differences *found,
                                     struct wari_verify_report *report)
{
    enum wari_status status = wari_verify_read_level(level, report->text, sizeof report->text);
    /* Step (a) may be repeated after (b) and (c) have written to the memory of level->full. So each
     * run of (a) clears it. */
    memset((void *)level->full, 0, level->full_offset[level->layout.seeds + 1]);
    if (status == WARI_OK)
        status = enter_worths(level);
    if (status == WARI_OK)
        status = wari_verify_moves(level, found, report->text, sizeof report->text);
    if (status == WARI_OK)
        status = find_expected(level, db, found);
    wari_release(level->proof->host, (void *)level->wrong);
    level->wrong = NULL;
    return status;
}

/* ---- Levels ---- */

/* Tries the short proofs of (b) and (c) (verify_cycles.c). Sets *proved to false if one of them
 * fails. */
static enum wari_status prove_by_cycles(struct wari_verify_level *level, bool *proved)
{
    struct wari_verify_differences found = {0};
    uint64_t left = 0;
    enum wari_status status = wari_verify_cycles(level);
    if (status == WARI_OK)
        status = wari_verify_grounding(level, &found);
    if (status == WARI_OK && found.count == 0 && level->candidates)
        status = wari_verify_surplus_cycles(level, &left);
    *proved = found.count == 0 && left == 0;
    return status;
}

static enum wari_status prove_level(struct wari_verify_level *level, struct wari_db *db,
                                    struct wari_verify_differences *found,
                                    struct wari_verify_report *report)
{
    bool proved;
    enum wari_status status = verify_local(level, db, found, report);
    if (status != WARI_OK || level->proof->verify->mode != WARI_VERIFY_FULL || found->count > 0)
        return status;
    status = prove_by_cycles(level, &proved);
    if (status != WARI_OK || proved)
        return status;

    /* The steps that find out which positions are wrong start from the marks of (a), which the
     * short proofs have overwritten. So (a) is repeated. */
    if (level->candidates)
        wari_verify_bounds_begin(level);
    status = verify_local(level, db, found, report);
    if (status == WARI_OK)
        status = wari_verify_grounding(level, found);
    if (status == WARI_OK && found->count == 0 && level->bounds.bytes)
        status = wari_verify_upper(level, found);
    return status;
}

static enum wari_status verify_level(struct wari_verify_level *level, struct wari_db *db,
                                     struct wari_verify_report *report)
{
    const struct wari_verify *verify = level->proof->verify;
    struct wari_verify_differences found = {0};
    enum wari_status status;
    if (verify->mode == WARI_VERIFY_FULL && level->layout.seeds < verify->known)
        status = wari_verify_read_level(level, report->text, sizeof report->text);
    else
        status = prove_level(level, db, &found, report);
    if (status != WARI_OK)
        return status;

    report->positions += wari_level_positions(level->layout.seeds);
    status = wari_verify_report_differences(report, &level->layout, &found, level->proof->error);
    if (status != WARI_OK)
        return status;
    report->levels++;
    if (verify->proved == NULL || verify->mode != WARI_VERIFY_FULL)
        return WARI_OK;
    return verify->proved(verify->context, level->layout.seeds,
                          level->proof->catalogue.level[level->layout.seeds].payload_hash,
                          level->proof->error);
}

static enum wari_status verify_levels(struct wari_verify_proof *proof, struct wari_db *db,
                                      struct wari_verify_report *report)
{
    struct wari_verify_memory memory = {0};
    struct wari_verify_level level;
    struct wari_info info;
    enum wari_status status =
        wari_catalogue_read(&proof->catalogue, proof->host, proof->verify->folder,
                            proof->verify->variant, proof->error);
    wari_get_info(db, &info);
    if (proof->catalogue.seeds_max > info.seeds_max)
        proof->catalogue.seeds_max = info.seeds_max; /* a level was added after wari_open() */
    if (status == WARI_OK)
        status = wari_verify_memory_allocate(&memory, proof);
    if (status == WARI_OK)
        status = wari_thread_pool_create(&proof->pool, proof->host, proof->threads, proof->error);
    for (int n = 0; status == WARI_OK && n <= proof->catalogue.seeds_max; n++) {
        if (!wari_catalogue_has(&proof->catalogue, n))
            continue;
        wari_verify_level_begin(&level, proof, n, memory.level);
        status = verify_level(&level, db, report);
    }
    report->chunks_read = atomic_load(&proof->chunks_read);
    wari_thread_pool_destroy(proof->pool);
    wari_verify_memory_release(&memory, proof);
    return status;
}

enum wari_status wari_verify(const struct wari_verify *verify, struct wari_verify_report *report,
                             struct wari_error *error)
{
    const struct wari_host *host = verify->host ? verify->host : wari_host_system();
    const bool samples = verify->mode == WARI_VERIFY_SAMPLE;
    const struct wari_options options = {.cache_bytes = samples ? SAMPLE_CACHE : SMALL_CACHE,
                                         .host = host};
    const struct wari_processors processors = wari_processors();
    struct wari_verify_proof proof = {
        .verify = verify,
        .host = host,
        .error = error,
        .threads = verify->threads > 0 ? verify->threads : wari_processors_usable(&processors),
    };
    struct wari_db *db;

    *report = (struct wari_verify_report){0};
    /* Checks every header, so that a damaged file is found before hours are spent on lower
     * levels. */
    enum wari_status status = wari_open(&db, verify->folder, &verify->variant, &options, error);
    if (status != WARI_OK)
        return status;
    proof.slam = wari_get_rules_info(verify->variant.rules)->slam;
    if (samples)
        status = wari_start_threads(proof.threads, error);
    if (status == WARI_OK)
        status = samples ? wari_verify_sample(verify, proof.threads, db, report, error)
                         : verify_levels(&proof, db, report);
    wari_close(db);
    return status;
}

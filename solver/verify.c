/* Verification of a database: what wari_verify() does, in which order.
 *
 * Levels are taken from 0 seeds up, each in memory with all those below it, and each proved by:
 *
 * - (a) local, verify_local.c: every value is the best of its moves; histogram and hash are right;
 * - (b) grounding, verify_grounding.c: every value other than 0 can be forced;
 * - (c) upper bounds, verify_upper.c: no surplus beyond a value is held for ever (`own` only).
 *
 * Together they leave one table. By (b) every value can be reached; by (a), and for endless play
 * (c), none can be exceeded: whoever plays the moves that (a) names keeps his opponent at the value
 * or in play that never ends.
 *
 * What always holds: no code of the solver takes part; all memory is there before the first level
 * is begun; a level with differences is the last one looked at, since everything above leans on it.
 */
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>

#include "index/half.h"
#include "solver/verify.h"

enum { CACHE_BYTES = 256 << 20 }; /* for samples: all chunks of the levels up to 20 seeds */

/* ---- Report ---- */

enum wari_status wari_verify_conclude(struct wari_verify_report *report,
                                      const struct wari_layout *layout,
                                      const struct wari_verify_found *found,
                                      struct wari_error *error)
{
    char position[WARI_POSITION_TEXT];

    report->differences = found->count;
    report->kept = found->kept;
    for (int i = 0; i < found->kept; i++) {
        struct wari_difference *out = &report->difference[i];
        wari_layout_unrank(layout, found->first[i].cell, &out->position);
        out->value = found->first[i].value;
        out->expected = found->first[i].expected;
        out->ungrounded = found->first[i].ungrounded;
    }
    if (found->count == 0)
        return report->text[0] ? wari_fail(error, WARI_DIFFERENT, "%s", report->text) : WARI_OK;

    const struct wari_difference *first = &report->difference[0];
    wari_position_text(&first->position, position);
    if (first->ungrounded)
        return wari_fail(error, WARI_DIFFERENT,
                         "level %d: %" PRIu64
                         " values are wrong; the first: %s is %d in the table, "
                         "and nothing forces it",
                         layout->seeds, found->count, position, first->value);
    return wari_fail(error, WARI_DIFFERENT,
                     "level %d: %" PRIu64 " values are wrong; the first: %s is %d in the table and "
                     "should be %d",
                     layout->seeds, found->count, position, first->value, first->expected);
}

/* ---- Memory ---- */

/* All halves with 0..seeds_max seeds, one list after the other. */
static enum wari_status list_halves(struct wari_verifier *verifier)
{
    int seeds_max = verifier->catalogue.seeds_max;
    size_t count = 0;
    for (int s = 0; s <= seeds_max; s++)
        count += wari_half_count(s);
    enum wari_status status =
        wari_allocate(verifier->host, count * sizeof(struct wari_verify_half),
                      "the list of all halves", &verifier->half_memory, verifier->error);
    if (status != WARI_OK)
        return status;

    struct wari_verify_half *list = verifier->half_memory;
    for (int s = 0; s <= seeds_max; s++) {
        struct wari_verify_half half;
        verifier->halves[s] = list;
        wari_half_unrank(s, 0, half.pits);
        do
            *list++ = half;
        while (wari_half_next(half.pits));
    }
    return WARI_OK;
}

/* Everything in one piece, so that a machine that cannot hold it says so at once. */
static enum wari_status allocate_values(struct wari_verifier *verifier)
{
    int seeds_max = verifier->catalogue.seeds_max;
    bool full = verifier->verify->mode == WARI_VERIFY_FULL;
    bool own = verifier->verify->variant.cycle == WARI_OWN;
    uint64_t largest = (wari_level_positions(seeds_max) + 63) / 64 * 64;
    uint64_t open = full ? largest / 8 : 0;
    uint64_t hopes = full && own ? largest : 0;
    uint64_t bytes = open + hopes;
    char what[120];

    for (int n = 0; n <= seeds_max; n++)
        bytes += wari_catalogue_has(&verifier->catalogue, n) ? wari_level_positions(n) : 0;
    snprintf(what, sizeof what, "verifying levels 0..%d (%" PRIu64 " MB; --sample needs little)",
             seeds_max, bytes / 1000000 + 1);
    enum wari_status status =
        wari_allocate(verifier->host, bytes, what, &verifier->value_memory, verifier->error);
    if (status != WARI_OK)
        return status;

    char *next = verifier->value_memory;
    verifier->open = full ? (wari_verify_word *)(void *)next : NULL;
    next += open;
    verifier->surplus = (wari_verify_word *)(void *)next;
    verifier->hopes = (wari_verify_hope *)(void *)next;
    next += hopes;
    for (int n = 0; n <= seeds_max; n++) {
        verifier->values[n] = (int8_t *)next;
        next += wari_catalogue_has(&verifier->catalogue, n) ? wari_level_positions(n) : 0;
    }
    return WARI_OK;
}

/* ---- Levels ---- */

static enum wari_status verify_level(const struct wari_verifier *verifier,
                                     struct wari_verify_report *report)
{
    const struct wari_verify *verify = verifier->verify;
    struct wari_verify_found found = {0};
    uint64_t payload_hash;
    enum wari_status status = wari_verify_load(verifier, &payload_hash);
    if (status == WARI_OK)
        status =
            wari_verify_local(verifier, payload_hash, &found, report->text, sizeof report->text);
    if (status == WARI_OK && verify->mode == WARI_VERIFY_FULL && found.count == 0)
        status = wari_verify_grounding(verifier, &found);
    if (status == WARI_OK && verify->mode == WARI_VERIFY_FULL && found.count == 0 &&
        verify->variant.cycle == WARI_OWN)
        status = wari_verify_upper(verifier, &found);
    if (status != WARI_OK)
        return status;

    report->positions += wari_level_positions(verifier->seeds);
    status =
        wari_verify_conclude(report, &verifier->layout[verifier->seeds], &found, verifier->error);
    if (status == WARI_OK)
        report->levels++;
    return status;
}

static enum wari_status verify_levels(struct wari_verifier *verifier,
                                      struct wari_verify_report *report)
{
    enum wari_status status =
        wari_catalogue_read(&verifier->catalogue, verifier->host, verifier->verify->folder,
                            verifier->verify->variant, verifier->error);
    if (status == WARI_OK)
        status = list_halves(verifier);
    if (status == WARI_OK)
        status = allocate_values(verifier);
    for (int n = 0; status == WARI_OK && n <= verifier->catalogue.seeds_max; n++) {
        if (!wari_catalogue_has(&verifier->catalogue, n))
            continue;
        wari_layout_init(&verifier->layout[n], n);
        verifier->seeds = n;
        status = verify_level(verifier, report);
    }
    wari_release(verifier->host, verifier->value_memory);
    wari_release(verifier->host, verifier->half_memory);
    return status;
}

enum wari_status wari_verify(const struct wari_verify *verify, struct wari_verify_report *report,
                             struct wari_error *error)
{
    const struct wari_host *host = verify->host ? verify->host : wari_host_system();
    const struct wari_options options = {.cache_bytes = CACHE_BYTES, .host = host};
    int threads = verify->threads > 0 ? verify->threads : omp_get_num_procs();
    struct wari_db *db;
    void *memory;

    *report = (struct wari_verify_report){0};
    /* Looks at every header before hours are spent on the levels below a damaged one. */
    enum wari_status status = wari_open(&db, verify->folder, &verify->variant, &options, error);
    if (status != WARI_OK)
        return status;
    if (verify->mode == WARI_VERIFY_SAMPLE) {
        status = wari_verify_sample(verify, threads, db, report, error);
        wari_close(db);
        return status;
    }
    wari_close(db);

    status = wari_allocate(host, sizeof(struct wari_verifier), "the verifier", &memory, error);
    if (status != WARI_OK)
        return status;
    struct wari_verifier *verifier = memory;
    *verifier =
        (struct wari_verifier){.verify = verify, .host = host, .threads = threads, .error = error};
    status = verify_levels(verifier, report);
    wari_release(host, verifier);
    return status;
}

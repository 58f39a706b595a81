/* Opening a database folder, and what can be said about it without a probe.
 *
 * wari_open() reads and checks everything but the chunks: catalogue, headers, offset tables. All
 * files stay open, so a handle goes on with what it saw even if a builder replaces files meanwhile.
 * On a failure half-way the handle is closed like any other: each part is NULL until it is there.
 */
#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/level_open.h"
#include "db/catalogue/variants.h"
#include "db/probe/handle.h"
#include "db/proof/proof.h"

/* Enough for a probe's neighbourhood of millions of positions, little beside any program. */
static const size_t default_cache_bytes = (size_t)64 << 20;

/* The part of it that remembers the moves of lines: enough for some thousand lines. */
enum { CHOICES_SHARE = 16 };

static const struct wari_host *host_of(const struct wari_options *options)
{
    return options != NULL && options->host != NULL ? options->host : wari_host_system();
}

enum wari_status wari_list(const char *folder, const struct wari_options *options,
                           struct wari_variant variants[WARI_VARIANTS], int *count,
                           struct wari_error *error)
{
    return wari_variants(host_of(options), folder, variants, count, error);
}

/* ---- Opening and closing -------------------------------------------------------------------- */

static enum wari_status open_levels(struct wari_db *db, const char *folder, uint64_t *chunks,
                                    struct wari_error *error)
{
    *chunks = 0;
    for (int n = 0; n <= db->catalogue.seeds_max; n++) {
        if (!wari_catalogue_has(&db->catalogue, n))
            continue;
        const struct wari_level_address address = {db->host, folder, {db->catalogue.variant, n}};
        enum wari_status status =
            wari_catalogue_open_level(&db->file[n], &address, &db->catalogue.level[n], error);
        if (status != WARI_OK)
            return status;
        wari_layout_init(&db->layout[n], n);
        db->first_chunk[n] = *chunks;
        *chunks += wari_chunk_count(wari_level_positions(n));
        db->positions += wari_level_positions(n);
        db->file_bytes += db->catalogue.level[n].file_bytes;
    }
    return WARI_OK;
}

static enum wari_status fill_handle(struct wari_db *db, const char *folder,
                                    struct wari_variant variant, const struct wari_options *options,
                                    struct wari_error *error)
{
    size_t cache_bytes = default_cache_bytes;
    uint64_t chunks;
    if (options != NULL && options->cache_bytes > 0)
        cache_bytes = options->cache_bytes;

    enum wari_status status = wari_catalogue_read(&db->catalogue, db->host, folder, variant, error);
    if (status != WARI_OK)
        return status;
    if (db->catalogue.seeds_max < 0)
        return wari_variant_missing(db->host, folder, variant, error);
    status = open_levels(db, folder, &chunks, error);
    if (status == WARI_OK)
        status = wari_choices_create(&db->choices, db->host, cache_bytes / CHOICES_SHARE, error);
    if (status == WARI_OK)
        status = wari_cache_create(&db->cache, db->host, cache_bytes - cache_bytes / CHOICES_SHARE,
                                   chunks, error);
    if (status == WARI_OK)
        status = wari_pool_create(&db->pool, db->host, error);
    return status;
}

enum wari_status wari_open(struct wari_db **db, const char *folder,
                           const struct wari_variant *variant, const struct wari_options *options,
                           struct wari_error *error)
{
    const struct wari_host *host = host_of(options);
    const struct wari_wanted anything = {0};
    struct wari_variant chosen;
    enum wari_status status = WARI_OK;
    void *memory = NULL;

    *db = NULL;
    if (variant != NULL)
        chosen = *variant;
    else
        status =
            wari_variant_choose(host, folder, &anything, "say which one is meant", &chosen, error);
    if (status == WARI_OK)
        status = wari_allocate(host, sizeof **db, "a database handle", &memory, error);
    if (status != WARI_OK)
        return status;

    struct wari_db *new = memory;
    memset(new, 0, sizeof *new);
    new->host = host;
    status = fill_handle(new, folder, chosen, options, error);
    if (status == WARI_OK)
        *db = new;
    else
        wari_close(new);
    return status;
}

void wari_close(struct wari_db *db)
{
    if (db == NULL)
        return;
    wari_pool_destroy(db->pool);
    wari_cache_destroy(db->cache);
    wari_choices_destroy(db->choices);
    for (int n = 0; n <= WARI_SEEDS_MAX; n++)
        wari_level_file_close(db->file[n]);
    wari_release(db->host, db);
}

/* ---- What a handle holds -------------------------------------------------------------------- */

void wari_info(const struct wari_db *db, struct wari_info *info)
{
    info->variant = db->catalogue.variant;
    info->seeds_max = db->catalogue.seeds_max;
    info->positions = db->positions;
    info->file_bytes = db->file_bytes;
}

enum wari_status wari_proved(const struct wari_db *db, const char *folder, int *seeds_max,
                             struct wari_error *error)
{
    struct wari_proof_record proof;
    enum wari_status status =
        wari_proof_read(&proof, db->host, folder, db->catalogue.variant, error);
    *seeds_max = wari_proof_fits(&proof, &db->catalogue);
    return status;
}

enum wari_status wari_level_info(const struct wari_db *db, int seeds, struct wari_level_info *info,
                                 struct wari_error *error)
{
    if (!wari_catalogue_has(&db->catalogue, seeds))
        return wari_fail(error, WARI_NOT_COVERED, "there is no level %d in this database", seeds);

    const struct wari_level_record *level = &db->catalogue.level[seeds];
    info->seeds = seeds;
    info->positions = wari_level_positions(seeds);
    info->placements = wari_level_placements(seeds);
    info->payload_hash = level->payload_hash;
    info->file_bytes = level->file_bytes;
    memcpy(info->histogram, level->histogram, sizeof info->histogram);
    return WARI_OK;
}

const char *wari_version(void)
{
    return WARI_VERSION;
}

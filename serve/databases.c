/* Opening and choosing databases.
 *
 * Open handles keep their files: whatever happens in the folder later, the responses and their tags
 * remain those of the databases that were opened. */
#include "serve/databases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "index/half.h"

enum { VARIANTS_TEXT = 512 }; /* longer than the names of all variants */

void etag_write(uint64_t hash, char etag[ETAG_TEXT])
{
    snprintf(etag, ETAG_TEXT, "\"%016" PRIx64 "\"", hash);
}

/* The payload hash of a level stands for all its values. The file sizes are hashed because
 * statistics report them, and the program's version because another version may choose a different
 * line among equally good moves. */
static enum wari_status compute_etag(struct database *database, struct wari_error *error)
{
    struct {
        char version[16];
        uint64_t rules, cycle, proved, record, hash[WARI_SEEDS_MAX + 1], bytes[WARI_SEEDS_MAX + 1],
            all_bytes;
        bool missing[WARI_SEEDS_MAX + 1];
    } facts;
    memset(&facts, 0, sizeof facts); /* the padding is hashed, too */
    snprintf(facts.version, sizeof facts.version, "%s", wari_version());
    facts.rules = database->info.variant.rules;
    facts.cycle = database->info.variant.cycle;
    facts.proved = (uint64_t)(database->proof.seeds_max + 1);
    facts.record = database->proof.status;
    facts.all_bytes = database->info.file_bytes;
    if (database->db)
        (void)wari_missing(database->db, facts.missing);
    for (int seeds = 0; seeds <= database->info.seeds_max; seeds++) {
        struct wari_level_info level;
        if (!wari_level_exists(seeds))
            continue;
        enum wari_status status = wari_get_level_info(database->db, seeds, &level, error);
        if (status != WARI_OK)
            return status;
        facts.hash[seeds] = level.payload_hash;
        facts.bytes[seeds] = level.file_bytes;
    }
    etag_write(XXH3_64bits(&facts, sizeof facts), database->etag);
    return WARI_OK;
}

/* Orders databases by the enumerators of their variants. */
static int compare_variants(const void *one, const void *other)
{
    const struct wari_variant *a = &((const struct database *)one)->info.variant;
    const struct wari_variant *b = &((const struct database *)other)->info.variant;
    return a->rules != b->rules ? (int)a->rules - (int)b->rules : (int)a->cycle - (int)b->cycle;
}

static enum wari_status open_one(struct databases *databases, const char *folder,
                                 struct wari_variant variant, const struct wari_options *options,
                                 struct wari_error *error)
{
    const struct database *other = databases_find(databases, variant);
    if (other)
        return wari_fail(error, WARI_BAD_INPUT,
                         "%.300s and %.300s both contain %s %s; serve one of them, or choose other "
                         "rules with --rules and --cycle",
                         other->folder, folder, wari_get_rules_info(variant.rules)->name,
                         wari_cycle_name(variant.cycle));
    struct database *database = &databases->list[databases->count];
    enum wari_status status = wari_open(&database->db, folder, &variant, options, error);
    if (status != WARI_OK)
        return status;
    databases->count++;
    database->folder = folder;
    wari_get_info(database->db, &database->info);
    answer_proof_find(database->db, folder, &database->proof);
    return compute_etag(database, error);
}

enum wari_status databases_open(struct databases *databases, const char *folder,
                                const struct wari_variant *variants, int count, size_t cache_bytes,
                                struct wari_error *error)
{
    struct wari_options options = {.cache_bytes = cache_bytes / (size_t)count};
    enum wari_status status = WARI_OK;
    for (int i = 0; i < count && status == WARI_OK; i++)
        status = open_one(databases, folder, variants[i], &options, error);
    if (status != WARI_OK)
        databases_close(databases);
    else
        qsort(databases->list, (size_t)databases->count, sizeof databases->list[0],
              compare_variants);
    return status;
}

enum wari_status databases_without_tables(struct databases *databases,
                                          const struct wari_variant *variants, int count,
                                          struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    databases->count = count;
    for (int i = 0; i < count && status == WARI_OK; i++) {
        struct database *database = &databases->list[i];
        *database = (struct database){.db = NULL};
        database->info.variant = variants[i];
        database->info.seeds_max = database->proof.seeds_max = -1;
        status = compute_etag(database, error);
    }
    return status;
}

enum wari_status databases_from_handle(struct databases *databases, struct wari_db *db,
                                       struct wari_error *error)
{
    databases->count = 1;
    databases->list[0].db = db;
    databases->list[0].folder = NULL;
    databases->list[0].proof.seeds_max = -1; /* a book has no proof record */
    wari_get_info(db, &databases->list[0].info);
    enum wari_status status = compute_etag(&databases->list[0], error);
    if (status != WARI_OK)
        databases_close(databases);
    return status;
}

void databases_close(struct databases *databases)
{
    for (int i = 0; i < databases->count; i++)
        wari_close(databases->list[i].db);
    databases->count = 0;
}

/* ---- Choosing ---- */

/* Lists the variants of the databases that match; all of them if `wanted` is zero. */
static int find_matches(const struct databases *databases,
                        const struct wari_variant_request *wanted,
                        struct wari_variant variants[WARI_VARIANT_COUNT])
{
    int count = 0;
    for (int i = 0; i < databases->count; i++) {
        struct wari_variant variant = databases->list[i].info.variant;
        if ((!wanted->rules || variant.rules == wanted->variant.rules) &&
            (!wanted->cycle || variant.cycle == wanted->variant.cycle))
            variants[count++] = variant;
    }
    return count;
}

/* Formats a list such as "abapa even, abapa own". Returns `text`. */
static const char *list_variants(const struct wari_variant *variants, int count, char *text,
                                 size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s %s", length ? ", " : "",
                 wari_get_rules_info(variants[i].rules)->name, wari_cycle_name(variants[i].cycle));
    }
    return text;
}

enum wari_status databases_match(const struct databases *databases, const char *rules,
                                 const char *cycle,
                                 struct wari_variant variants[WARI_VARIANT_COUNT], int *count,
                                 struct wari_error *error)
{
    struct wari_variant_request wanted;
    char list[VARIANTS_TEXT];
    enum wari_status status = wari_variant_request_parse(rules, cycle, &wanted, error);
    if (status != WARI_OK)
        return status;
    *count = find_matches(databases, &wanted, variants);
    if (*count > 0)
        return WARI_OK;
    int all = find_matches(databases, &(struct wari_variant_request){.rules = false}, variants);
    return wari_fail(error, WARI_NOT_COVERED, "there is no such database; available are: %s",
                     list_variants(variants, all, list, sizeof list));
}

const struct database *databases_find(const struct databases *databases,
                                      struct wari_variant variant)
{
    for (int i = 0; i < databases->count; i++) {
        if (is_same_variant(databases->list[i].info.variant, variant))
            return &databases->list[i];
    }
    return NULL;
}

bool database_covers(const struct database *database, const struct wari_setup *setup)
{
    int seeds = wari_seeds(&setup->position);
    return database && seeds <= database->info.seeds_max && wari_level_exists(seeds);
}

enum wari_status databases_choose_variant(const struct databases *databases, const char *rules,
                                          const char *cycle, struct wari_variant *variant,
                                          const struct database **database,
                                          struct wari_error *error)
{
    struct wari_variant_request wanted;
    struct wari_variant variants[WARI_VARIANT_COUNT];
    enum wari_status status = wari_variant_request_parse(rules, cycle, &wanted, error);
    if (status != WARI_OK)
        return status;
    *variant = wanted.variant;
    *database = NULL;
    if (wanted.rules && wanted.cycle && find_matches(databases, &wanted, variants) == 0)
        return WARI_OK;
    status = databases_choose(databases, rules, cycle, database, error);
    if (status == WARI_OK)
        *variant = (*database)->info.variant;
    return status;
}

enum wari_status databases_choose(const struct databases *databases, const char *rules,
                                  const char *cycle, const struct database **database,
                                  struct wari_error *error)
{
    struct wari_variant variants[WARI_VARIANT_COUNT];
    char list[VARIANTS_TEXT];
    int count;
    enum wari_status status = databases_match(databases, rules, cycle, variants, &count, error);
    if (status != WARI_OK)
        return status;
    if (count > 1)
        return wari_fail(error, WARI_BAD_INPUT,
                         "several databases here; name one, such as rules=%s&cycle=%s (there are: "
                         "%s)",
                         wari_get_rules_info(variants[0].rules)->name,
                         wari_cycle_name(variants[0].cycle),
                         list_variants(variants, count, list, sizeof list));
    *database = databases_find(databases, variants[0]);
    return WARI_OK;
}

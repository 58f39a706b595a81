/* The databases of a server, and which one a request means.
 *
 * Handles keep their files open: whatever happens in the folder later, answers stay those of the
 * databases that were opened, and so do their tags.
 */
#include "serve/databases.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

void etag_write(uint64_t hash, char etag[ETAG_TEXT])
{
    snprintf(etag, ETAG_TEXT, "\"%016" PRIx64 "\"", hash);
}

/* A level's payload hash stands for all its values. The version is in the tag, too, because another
 * program may choose another line among best moves. */
static enum wari_status find_etag(struct database *database, struct wari_error *error)
{
    struct {
        char version[16];
        uint64_t rules, cycle, hash[WARI_SEEDS_MAX + 1];
    } facts;
    memset(&facts, 0, sizeof facts); /* all of it is hashed */
    snprintf(facts.version, sizeof facts.version, "%s", wari_version());
    facts.rules = database->info.variant.rules;
    facts.cycle = database->info.variant.cycle;
    for (int seeds = 0; seeds <= database->info.seeds_max; seeds++) {
        struct wari_level_info level;
        if (seeds == WARI_SEEDS_MAX - 1)
            continue; /* in no database */
        enum wari_status status = wari_level_info(database->db, seeds, &level, error);
        if (status != WARI_OK)
            return status;
        facts.hash[seeds] = level.payload_hash;
    }
    etag_write(XXH3_64bits(&facts, sizeof facts), database->etag);
    return WARI_OK;
}

enum wari_status databases_open(struct databases *databases, const char *folder,
                                const struct wari_variant *variants, int count, size_t cache_bytes,
                                struct wari_error *error)
{
    struct wari_options options = {.cache_bytes = cache_bytes / (size_t)count};
    enum wari_status status = WARI_OK;
    databases->count = 0;
    for (int i = 0; i < count && status == WARI_OK; i++) {
        struct database *database = &databases->list[i];
        status = wari_open(&database->db, folder, &variants[i], &options, error);
        if (status != WARI_OK)
            break;
        databases->count++;
        wari_info(database->db, &database->info);
        status = find_etag(database, error);
    }
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

/* "abapa even, abapa own": those that fit, all if `wanted` is zeros. */
static void list_variants(const struct databases *databases, const struct wari_wanted *wanted,
                          char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < databases->count; i++) {
        struct wari_variant variant = databases->list[i].info.variant;
        if ((wanted->rules && variant.rules != wanted->variant.rules) ||
            (wanted->cycle && variant.cycle != wanted->variant.cycle))
            continue;
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s %s", length ? ", " : "",
                 wari_rules_info(variant.rules)->name, wari_cycle_name(variant.cycle));
    }
}

static enum wari_status read_names(const char *rules, const char *cycle, struct wari_wanted *wanted,
                                   struct wari_error *error)
{
    bool fixed = false;
    enum wari_cycle named = WARI_EVEN;
    enum wari_status status = WARI_OK;
    *wanted = (struct wari_wanted){.rules = rules != NULL};
    if (rules)
        status = wari_rules_parse(rules, &wanted->variant, &fixed, error);
    if (status == WARI_OK && cycle)
        status = wari_cycle_parse(cycle, &named, error);
    if (status != WARI_OK)
        return status;
    if (fixed && cycle && named != wanted->variant.cycle)
        return wari_fail(error, WARI_BAD_INPUT, "%s means cycle rule %s, which contradicts %s",
                         rules, wari_cycle_name(wanted->variant.cycle), cycle);
    if (cycle)
        wanted->variant.cycle = named;
    wanted->cycle = fixed || cycle;
    return WARI_OK;
}

enum wari_status databases_choose(const struct databases *databases, const char *rules,
                                  const char *cycle, const struct database **database,
                                  struct wari_error *error)
{
    struct wari_wanted wanted;
    char list[512];
    int found = 0;
    enum wari_status status = read_names(rules, cycle, &wanted, error);
    if (status != WARI_OK)
        return status;
    for (int i = 0; i < databases->count; i++) {
        struct wari_variant variant = databases->list[i].info.variant;
        if ((wanted.rules && variant.rules != wanted.variant.rules) ||
            (wanted.cycle && variant.cycle != wanted.variant.cycle))
            continue;
        *database = &databases->list[i];
        found++;
    }
    if (found == 1)
        return WARI_OK;
    if (found > 1) {
        list_variants(databases, &wanted, list, sizeof list);
        return wari_fail(error, WARI_BAD_INPUT,
                         "there are several such databases; choose with rules and cycle: %s", list);
    }
    list_variants(databases, &(struct wari_wanted){.rules = false}, list, sizeof list);
    return wari_fail(error, WARI_NOT_COVERED, "there is no such database; there are: %s", list);
}

/* The database that the fuzz targets damage, and the checks after each damage. */
#include "tests/fuzz/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "db/maintain/check.h"
#include "db/wari.h"
#include "solver/build.h"
#include "tests/fuzz/edits.h"

static int value_of(struct wari_db *db, const struct base *base, int seeds, uint64_t cell)
{
    struct wari_position position;
    int value = 0;
    wari_layout_unrank(&base->layout[seeds], cell, &position);
    fuzz_must(wari_probe(db, &position, &value, NULL) == WARI_OK, "an intact database answers");
    return value;
}

static struct base *make(void)
{
    struct base *base = calloc(1, sizeof *base);
    fuzz_must(base != NULL, "there is memory");
    base->variant = (struct wari_variant){WARI_ABAPA, WARI_OWN};
    base->intact = memory_host_create();
    base->damaged = memory_host_create();
    const struct wari_build build = {.folder = "folder",
                                     .variant = base->variant,
                                     .seeds = BASE_SEEDS,
                                     .threads = 1,
                                     .host = &base->intact->host};
    const struct wari_options options = {.host = &base->intact->host};
    struct wari_db *db;
    fuzz_must(wari_build(&build, NULL) == WARI_OK, "the database can be built");
    fuzz_must(wari_catalogue_read(&base->catalogue, options.host, "folder", base->variant, NULL) ==
                  WARI_OK,
              "its catalogue can be read");
    fuzz_must(wari_open(&db, "folder", &base->variant, &options, NULL) == WARI_OK,
              "it can be opened");
    for (int n = 0; n <= BASE_SEEDS; n++) {
        const uint64_t positions = wari_level_positions(n);
        wari_layout_init(&base->layout[n], n);
        base->truth[n] = malloc(positions);
        fuzz_must(base->truth[n] != NULL, "there is memory");
        for (uint64_t cell = 0; cell < positions; cell++)
            base->truth[n][cell] = (int8_t)value_of(db, base, n, cell);
    }
    wari_close(db);
    return base;
}

struct base *base_get(void)
{
    static struct base *base;
    if (base == NULL)
        base = make();
    memory_host_copy(base->damaged, base->intact, false, false);
    return base;
}

void base_level_name(const struct base *base, int seeds, char name[MEMORY_NAME])
{
    snprintf(name, MEMORY_NAME, "%s-%s-%d.wari", wari_get_rules_info(base->variant.rules)->name,
             wari_cycle_name(base->variant.cycle), seeds);
}

void base_catalogue_name(const struct base *base, char name[MEMORY_NAME])
{
    snprintf(name, MEMORY_NAME, "%s-%s.catalogue", wari_get_rules_info(base->variant.rules)->name,
             wari_cycle_name(base->variant.cycle));
}

/* ---- Questions ------------------------------------------------------------------------------ */

static void count(void *context, const struct wari_damage *damage)
{
    fuzz_must(damage->text[0] != '\0' && damage->part != NULL, "damage has a name");
    ++*(long *)context;
}

/* Returns true if a check finds no damage. */
static bool looks_intact(const struct base *base)
{
    long found = 0;
    const struct wari_check check = {.folder = "folder",
                                     .variant = base->variant,
                                     .threads = 1,
                                     .host = &base->damaged->host,
                                     .found = count,
                                     .context = &found};
    struct wari_check_report report;
    fuzz_must(wari_check(&check, &report, NULL) == WARI_OK, "a check comes to an end");
    return found == 0;
}

static void probe_level(const struct base *base, struct wari_db *db, int seeds, bool honest,
                        bool intact)
{
    /* Probes sixteen cells, including the first and the last cell of the level, so that every
     * chunk is read. */
    const uint64_t last = wari_level_positions(seeds) - 1;
    for (uint64_t i = 0; i < 16; i++) {
        const uint64_t cell = last * i / 15;
        struct wari_position position;
        struct wari_error error;
        int value = 99;
        wari_layout_unrank(&base->layout[seeds], cell, &position);
        const enum wari_status status = wari_probe(db, &position, &value, &error);
        fuzz_must(status == WARI_OK || (status == WARI_CORRUPT && value == 99),
                  "a probe gives a value or finds damage");
        fuzz_must(status == WARI_OK || !honest || !intact, "a check finds what a probe finds");
        fuzz_must(status != WARI_OK || (value >= -seeds && value <= seeds),
                  "a value is one the level allows");
        fuzz_must(status != WARI_OK || !honest || value == base->truth[seeds][cell],
                  "a value is the true one");
    }
}

void base_probe(const struct base *base, int seeds, bool honest)
{
    const struct wari_options options = {.cache_bytes = 1, .host = &base->damaged->host};
    const bool intact = looks_intact(base);
    struct wari_db *db;
    struct wari_error error;
    const enum wari_status status = wari_open(&db, "folder", &base->variant, &options, &error);
    fuzz_must(status == WARI_OK || status == WARI_CORRUPT || status == WARI_MISMATCH,
              "a database opens or is damaged");
    fuzz_must((status == WARI_OK) || (!intact && error.text[0] != '\0'),
              "a check finds what opening finds");
    if (status != WARI_OK)
        return;
    struct wari_info info;
    wari_get_info(db, &info);
    if (seeds <= info.seeds_max)
        probe_level(base, db, seeds, honest, intact);
    wari_close(db);
}

/* The intact database that the fuzz targets damage. It is in memory and built when it is first
 * needed, so it always has the current format. */
#ifndef TESTS_FUZZ_BASE_H
#define TESTS_FUZZ_BASE_H

#include "db/catalogue/catalogue.h"
#include "index/level.h"
#include "tests/support/memory_host.h"

enum { BASE_SEEDS = 8 }; /* level 8 has ten chunks, level 5 and below have one */

struct base {
    struct wari_variant variant;
    struct memory_host *intact, *damaged;
    struct wari_catalogue catalogue;
    int8_t *truth[BASE_SEEDS + 1]; /* in index order */
    struct wari_layout layout[BASE_SEEDS + 1];
};

/* Returns the database, of which there is one for the whole program. After each call `damaged` has
 * the same files as `intact`. */
struct base *base_get(void);

/* Builds the name of a level's file, and of the catalogue. */
void base_level_name(const struct base *base, int seeds, char name[MEMORY_NAME]);
void base_catalogue_name(const struct base *base, char name[MEMORY_NAME]);

/* Opens the damaged database, probes it in level `seeds` and checks it. If `honest` is true, no
 * hash of wrong data was corrected: then every value must be the true one, and if a check finds
 * nothing, no probe may fail. Otherwise every value must be one that the level can have. */
void base_probe(const struct base *base, int seeds, bool honest);

#endif

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
    int8_t *truth[BASE_SEEDS + 1]; /* [level]: the true values of its positions, in index order */
    struct wari_layout layout[BASE_SEEDS + 1];
};

/* Returns the database; the whole program has only one. After each call, `damaged` has the same
 * files as `intact`. */
struct base *base_get(void);

/* Builds the name of a level's file, and of the catalogue. */
void base_level_name(const struct base *base, int seeds, char name[MEMORY_NAME]);
void base_catalogue_name(const struct base *base, char name[MEMORY_NAME]);

/* Opens the damaged database, probes it in level `seeds` and checks it. `honest` means that no
 * hash of wrong data was corrected. Then every value must be the true one, and if a check finds
 * no damage, no probe may fail. If `honest` is false, every value must be possible in the level. */
void base_probe(const struct base *base, int seeds, bool honest);

#endif

/* The intact database that fuzz targets do damage to: in memory, built when it is first asked for,
 * so that it always has today's format. */
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

/* One for the whole program; `damaged` holds the same files as `intact` after each call. */
struct base *base_get(void);

/* The name of a level's file, and of the catalogue. */
void base_level_name(const struct base *base, int seeds, char name[MEMORY_NAME]);
void base_catalogue_name(const struct base *base, char name[MEMORY_NAME]);

/* Opens the damaged database, probes it in level `seeds`, checks it, and says what must hold:
 * whatever gives a value gives the true one if `honest` (nobody made a wrong hash right), or one
 * that the level allows; and a check that finds nothing leaves no probe without an answer, if
 * `honest`. */
void base_probe(const struct base *base, int seeds, bool honest);

#endif

/* The catalogue of a variant in a folder: "<rules>-<cycle>.catalogue", a short text file that lists
 * the solved levels, with hashes and histograms. A level counts as solved only if the catalogue
 * lists it. FORMAT.md describes the file. */
#ifndef DB_CATALOGUE_CATALOGUE_H
#define DB_CATALOGUE_CATALOGUE_H

#include "db/format/level_record.h"

/* Levels 0..seeds_max are present, except for level 47, which does not exist (wari_level_exists()).
 * So seeds_max is -1 (no level), 0..46 or 48. */
struct wari_catalogue {
    struct wari_variant variant;
    int seeds_max;
    struct wari_level_record level[WARI_SEEDS_MAX + 1];
};

/* Returns the next existing level after `seeds`: the lowest level for -1, 48 for 46, and 49
 * after the last level. */
int wari_catalogue_next(int seeds);

/* Returns true if the catalogue lists the level; false for 47 and for any number outside 0..48. */
bool wari_catalogue_has(const struct wari_catalogue *catalogue, int seeds);

/* Checks that a catalogue can be written and read again. Returns WARI_BAD_INPUT if it lists no
 * level, if a histogram counts a value outside -n..n for level n, or if its counts do not add up
 * to C(n+11, 11). */
WARI_MUST_CHECK enum wari_status wari_catalogue_check(const struct wari_catalogue *catalogue,
                                                      struct wari_error *error);

#endif

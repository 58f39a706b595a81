/* The catalogue of a variant in a folder: "<rules>-<cycle>.catalogue", a short text file that lists
 * the solved levels, with hashes and histograms. A level counts as solved only if the catalogue
 * lists it. FORMAT.md describes the file. */
#ifndef DB_CATALOGUE_CATALOGUE_H
#define DB_CATALOGUE_CATALOGUE_H

#include "db/format/level_record.h"

/* The catalogue lists levels 0..seeds_max, except for level 47, which does not exist
 * (wari_level_exists()). So seeds_max is -1 (no level), 0..46 or 48.
 *
 * A listed level is **missing** if its file does not exist. Reading a catalogue does not examine
 * the level files, so no level counts as missing until wari_catalogue_find_missing() is called. */
struct wari_catalogue {
    struct wari_variant variant;
    int seeds_max;
    bool missing[WARI_SEEDS_MAX + 1];
    struct wari_level_record level[WARI_SEEDS_MAX + 1];
};

/* Returns the lowest existing level above `seeds`. For example, the result is 0 for -1, and 48 for
 * 46. Returns 49 if there is no higher level. */
int wari_catalogue_next(int seeds);

/* Returns true if the catalogue lists the level; false for 47 and for any number outside 0..48. */
bool wari_catalogue_lists(const struct wari_catalogue *catalogue, int seeds);

/* Returns true if the catalogue lists the level and the level is not missing. */
bool wari_catalogue_has(const struct wari_catalogue *catalogue, int seeds);

/* Returns the highest level n such that none of the levels 0..n is missing or unlisted; -1 if there
 * is none. Only these levels can be used, because the captures of a level lead to all levels below
 * it. */
int wari_catalogue_usable(const struct wari_catalogue *catalogue);

/* Returns the lowest existing level above `seeds` that is missing or not listed; 49 if there is
 * none. */
int wari_catalogue_next_lacking(const struct wari_catalogue *catalogue, int seeds);

enum { WARI_MISSING_TEXT = 256 };

/* Writes a sentence such as "levels 6 to 22 are listed but missing" about the levels n with
 * missing[n], of which there must be at least one. Returns `text`. */
const char *wari_missing_text(const bool missing[WARI_SEEDS_MAX + 1], char text[WARI_MISSING_TEXT]);

/* Checks that a catalogue can be written and read again. Returns WARI_BAD_INPUT if it lists no
 * level, if a histogram counts a value outside -n..n for level n, or if its counts do not add up
 * to C(n+11, 11). */
WARI_MUST_CHECK enum wari_status wari_catalogue_check(const struct wari_catalogue *catalogue,
                                                      struct wari_error *error);

#endif

/* The catalogue of a variant in a folder: "<rules>-<cycle>.catalogue", a short text file that says
 * which levels are solved, with hashes and histograms. A level counts as solved only if the
 * catalogue says so. Described in FORMAT.md. */
#ifndef DB_CATALOGUE_CATALOGUE_H
#define DB_CATALOGUE_CATALOGUE_H

#include "db/format/level_record.h"

/* Levels 0..seeds_max are present, except that level 47 never is: no position of a game has 47
 * seeds, since a capture takes at least 2. So seeds_max is -1 (no level), 0..46 or 48, and a caller
 * that runs through the levels asks wari_catalogue_has(). */
struct wari_catalogue {
    struct wari_variant variant;
    int seeds_max;
    struct wari_level_record level[WARI_SEEDS_MAX + 1];
};

/* The level after this one, or before the first for -1; 49 after the last. There is no 47. */
int wari_catalogue_next(int seeds);

/* Whether the level is present; false for any number outside 0..48, and for 47. */
bool wari_catalogue_has(const struct wari_catalogue *catalogue, int seeds);

/* WARI_BAD_INPUT and what is wrong, if no catalogue that can be read says this: no
 * level at all, or a histogram that counts values beyond the level's seeds or does not add up to
 * C(n+11, 11). */
WARI_MUST_CHECK enum wari_status wari_catalogue_check(const struct wari_catalogue *catalogue,
                                                      struct wari_error *error);

#endif

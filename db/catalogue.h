/* The catalogue of a variant in a folder: "<rules>-<cycle>.catalogue", a short text file that says
 * which levels are solved, with hashes and histograms. A level counts as solved only if the
 * catalogue says so. Described in FORMAT.md. */
#ifndef DB_CATALOGUE_H
#define DB_CATALOGUE_H

#include "db/level_file.h"

/* Levels 0..seeds_max are present, except that level 47 never is: no position of a game has 47
 * seeds, since a capture takes at least 2. So seeds_max is -1 (no level), 0..46 or 48, and whoever
 * runs through the levels asks wari_catalogue_has(). */
struct wari_catalogue {
    struct wari_variant variant;
    int seeds_max;
    struct wari_level_record level[WARI_SEEDS_MAX + 1];
};

/* Whether the level is present; false for any number outside 0..48, and for 47. */
bool wari_catalogue_has(const struct wari_catalogue *catalogue, int seeds);

/* "<folder>/<rules>-<cycle>.catalogue". WARI_BAD_INPUT if there is no such variant. */
WARI_MUST_CHECK enum wari_status wari_catalogue_path(char path[WARI_PATH_MAX], const char *folder,
                                                     struct wari_variant variant,
                                                     struct wari_error *error);

/* Reads the variant's catalogue. A folder or catalogue that does not exist gives WARI_OK and an
 * empty catalogue (seeds_max -1). WARI_CORRUPT names the line; WARI_MISMATCH: another variant or
 * format version. */
WARI_MUST_CHECK enum wari_status
wari_catalogue_read(struct wari_catalogue *catalogue, const struct wari_host *host,
                    const char *folder, struct wari_variant variant, struct wari_error *error);

/* Replaces the catalogue on disk, all or nothing, and durably. WARI_BAD_INPUT, and nothing is
 * written, if wari_catalogue_read() would refuse it: no level at all, or a histogram that counts
 * values beyond the level's seeds or does not add up to C(n+11, 11). */
WARI_MUST_CHECK enum wari_status wari_catalogue_write(const struct wari_catalogue *catalogue,
                                                      const struct wari_host *host,
                                                      const char *folder, struct wari_error *error);

/* Creates `folder` (not its parents) if it is missing and takes its build lock, the file
 * "build.lock" in it. WARI_BUSY names the process that holds it. The kernel drops the lock of a
 * process that dies, so none is ever stale. On failure *lock is -1. */
WARI_MUST_CHECK enum wari_status wari_folder_lock(const struct wari_host *host, const char *folder,
                                                  int *lock, struct wari_error *error);
void wari_folder_unlock(const struct wari_host *host, int lock); /* -1 is allowed */

#endif

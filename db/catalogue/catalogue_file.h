/* Reads and writes the file of a catalogue. */
#ifndef DB_CATALOGUE_CATALOGUE_FILE_H
#define DB_CATALOGUE_CATALOGUE_FILE_H

#include "db/catalogue/catalogue.h"

/* Builds "<folder>/<rules>-<cycle>.<suffix>", the path of a file that exists once for each
 * variant. Returns WARI_BAD_INPUT if there is no such variant. */
WARI_MUST_CHECK enum wari_status wari_variant_path(char path[WARI_PATH_MAX], const char *folder,
                                                   struct wari_variant variant, const char *suffix,
                                                   struct wari_error *error);

/* Builds the path of the variant's catalogue. */
WARI_MUST_CHECK enum wari_status wari_catalogue_path(char path[WARI_PATH_MAX], const char *folder,
                                                     struct wari_variant variant,
                                                     struct wari_error *error);

/* Reads the variant's catalogue. If the folder or the catalogue does not exist, returns WARI_OK
 * and an empty catalogue (seeds_max is -1). WARI_CORRUPT means that a line is damaged; the text
 * names the line. WARI_MISMATCH means that the file is for another variant or has another format
 * version. */
WARI_MUST_CHECK enum wari_status
wari_catalogue_read(struct wari_catalogue *catalogue, const struct wari_host *host,
                    const char *folder, struct wari_variant variant, struct wari_error *error);

/* Examines the files of all listed levels and sets catalogue->missing. A file that exists but
 * cannot be opened does not count as missing. If there is such a file, the result is WARI_IO after
 * all files were examined, and the text describes the first one. */
WARI_MUST_CHECK enum wari_status wari_catalogue_find_missing(struct wari_catalogue *catalogue,
                                                             const struct wari_host *host,
                                                             const char *folder,
                                                             struct wari_error *error);

/* Sets catalogue->missing like wari_catalogue_find_missing(). Then removes from the catalogue all
 * levels that cannot be used (wari_catalogue_usable()); the removal does not change
 * catalogue->missing. Fails with WARI_IO if no level is left, and otherwise like
 * wari_catalogue_find_missing(). */
WARI_MUST_CHECK enum wari_status wari_catalogue_drop_unusable(struct wari_catalogue *catalogue,
                                                              const struct wari_host *host,
                                                              const char *folder,
                                                              struct wari_error *error);

/* Replaces the catalogue on disk, atomically and durably. Returns WARI_BAD_INPUT and writes
 * nothing if wari_catalogue_check() refuses the catalogue. */
WARI_MUST_CHECK enum wari_status wari_catalogue_write(const struct wari_catalogue *catalogue,
                                                      const struct wari_host *host,
                                                      const char *folder, struct wari_error *error);

#endif

/* The file of a catalogue. */
#ifndef DB_CATALOGUE_CATALOGUE_FILE_H
#define DB_CATALOGUE_CATALOGUE_FILE_H

#include "db/catalogue/catalogue.h"

/* "<folder>/<rules>-<cycle>.<suffix>", for a file that a variant has once. WARI_BAD_INPUT if there
 * is no such variant. */
WARI_MUST_CHECK enum wari_status wari_variant_path(char path[WARI_PATH_MAX], const char *folder,
                                                   struct wari_variant variant, const char *suffix,
                                                   struct wari_error *error);

/* The same with the suffix of catalogues. */
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
 * written, if wari_catalogue_check() refuses it. */
WARI_MUST_CHECK enum wari_status wari_catalogue_write(const struct wari_catalogue *catalogue,
                                                      const struct wari_host *host,
                                                      const char *folder, struct wari_error *error);

#endif

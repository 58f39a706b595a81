/* Compares the values of a database, and how often each occurs, with those that were proved and
 * published: `wari check --published`. */
#ifndef DB_MAINTAIN_PUBLISHED_H
#define DB_MAINTAIN_PUBLISHED_H

#include <stdatomic.h>

#include "db/catalogue/catalogue.h"

struct wari_published {
    int same;     /* number of levels that are as published, up to the first level that differs */
    int differs;  /* the first level that differs; -1 if none does. Higher levels are not checked */
    bool counts;  /* true if the values of level `differs` are as published and only the
                   * catalogue's counts differ */
    int unlisted; /* number of levels without a published hash */
};

/* Reads every value of the levels with published hashes and compares the hashes of the values and
 * of the catalogue's histograms. Does not rely on the hashes in the files and the catalogue. The
 * caller sets *stop to true to stop the check; `stop` NULL means never. Fails if a file cannot be
 * read or is damaged, and with WARI_INTERRUPTED. */
WARI_MUST_CHECK enum wari_status
wari_check_published(const char *folder, struct wari_variant variant, const atomic_bool *stop,
                     struct wari_published *published, struct wari_error *error);

#endif

/* Compares the values of a database, and how often each occurs, with those that were proved and
 * published: `wari check --published`. */
#ifndef DB_MAINTAIN_PUBLISHED_H
#define DB_MAINTAIN_PUBLISHED_H

#include <stdatomic.h>

#include "db/catalogue/catalogue.h"

struct wari_published {
    int same;    /* number of levels that are as published, from 0 seeds up; 47 does not count */
    int differs; /* the first level that differs, or -1; higher levels are not checked */
    bool counts; /* the values of this level are as published; only the catalogue's counts differ */
    int unlisted; /* number of levels that nothing was published about */
};

/* Reads every value of the levels with published hashes and compares the hashes, also those of the
 * catalogue's histograms. Hashes in the files and the catalogue are not relied upon. `stop` is set
 * to true to stop; NULL means never. Fails if a file cannot be read or is damaged, and with
 * WARI_INTERRUPTED. */
WARI_MUST_CHECK enum wari_status
wari_check_published(const char *folder, struct wari_variant variant, const atomic_bool *stop,
                     struct wari_published *published, struct wari_error *error);

#endif

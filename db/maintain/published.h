/* Whether values, and how often each occurs, are what was proved and published: `wari check
 * --published`. */
#ifndef DB_CHECK_PUBLISHED_H
#define DB_CHECK_PUBLISHED_H

#include <stdatomic.h>

#include "db/catalogue/catalogue.h"

struct wari_published {
    int same;     /* levels that are as published, from 0 seeds up; without 47 */
    int differs;  /* the first level that is not; -1: none. What is above was not looked at */
    bool counts;  /* of that one, it is only the catalogue's counts of the values that differ */
    int unlisted; /* levels above `same` of which nothing was published */
};

/* Reads every value of the levels that something was published of, and compares hashes, also of the
 * catalogue's histograms; what hashes files and catalogue state does not count. `stop` NULL: never.
 * Fails where a file cannot be read or is damaged, and with WARI_INTERRUPTED. */
WARI_MUST_CHECK enum wari_status
wari_check_published(const char *folder, struct wari_variant variant, const atomic_bool *stop,
                     struct wari_published *published, struct wari_error *error);

#endif

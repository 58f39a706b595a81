/* Whether values are those that were proved and published: `wari check --published`. */
#ifndef DB_CHECK_PUBLISHED_H
#define DB_CHECK_PUBLISHED_H

#include <stdatomic.h>

#include "db/catalogue/catalogue.h"

struct wari_published {
    int same;     /* levels that have the published values, from 0 seeds up; without 47 */
    int differs;  /* the first level that has others; -1: none. What is above was not looked at */
    int unlisted; /* levels above `same` of which nothing was published */
};

/* Reads every value of the levels that something was published of, and compares hashes; what files
 * and catalogue say of themselves does not count. `stop` NULL: never. Fails where a file cannot be
 * read or is damaged, and with WARI_INTERRUPTED. */
WARI_MUST_CHECK enum wari_status
wari_check_published(const char *folder, struct wari_variant variant, const atomic_bool *stop,
                     struct wari_published *published, struct wari_error *error);

#endif

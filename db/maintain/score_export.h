/* Writes score files (FORMAT.md, "Score files") from a database. */
#ifndef DB_MAINTAIN_SCORE_EXPORT_H
#define DB_MAINTAIN_SCORE_EXPORT_H

#include <stdatomic.h>

#include "db/wari.h"

struct wari_score_export {
    struct wari_db *db;
    const char *folder; /* folder in which the score files are written; the caller creates it */
    /* Called from time to time with the number of values written. NULL means no calls. */
    void (*progress)(void *context, int seeds, uint64_t done, uint64_t all);
    void *context;
    const atomic_bool *stop; /* set to true to stop; NULL means never */
};

/* Writes "<folder>/scores.<seeds>". The file appears when it is complete and on disk, and replaces
 * a file of that name. In addition to the memory of the handle, the export takes 1 MB of memory for
 * few seeds and 17 MB for 48 seeds. Fails like wari_values(), and with WARI_IO, WARI_NO_MEMORY and
 * WARI_INTERRUPTED. */
WARI_MUST_CHECK enum wari_status wari_score_export(const struct wari_score_export *export,
                                                   int seeds, struct wari_error *error);

#endif

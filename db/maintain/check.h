/* Whether the files of a database are those that were written: by their hashes, without decoding a
 * value. Fast, as no more is done than reading every byte once; what is proved is that the bytes
 * are the writer's, not that the writer was right. */
#ifndef DB_CHECK_CHECK_H
#define DB_CHECK_CHECK_H

#include <stdatomic.h>

#include "db/catalogue/catalogue.h"

/* A part of a file that is not as it was written. */
struct wari_damage {
    enum wari_status status; /* WARI_CORRUPT; WARI_MISMATCH: intact, but something else;
                              * WARI_IO: cannot be read */
    const char *file;        /* its name in the folder */
    const char *part; /* "catalogue", "file" (missing, say), "header", "end" (too short or too
                       * long), "offset table", "model" or "chunks" */
    uint64_t offset;  /* where the part starts, or where the file ends; 0 for a catalogue */
    const char *text; /* one line that names path, offset and what to do */
};

struct wari_check {
    const char *folder;
    struct wari_variant variant;
    int threads;                  /* at least 1; fewer run where no more can be started */
    const struct wari_host *host; /* NULL: the system */

    /* Called for each damage, files in order, offsets ascending. Neighbouring chunks come as one.
     * Strings live until it returns. */
    void (*found)(void *context, const struct wari_damage *damage);
    /* Called now and then while chunks are read; NULL: not at all. Both by the calling thread. */
    void (*progress)(void *context, uint64_t chunks_done, uint64_t chunks_all);
    void *context;
    const atomic_bool *stop; /* NULL: never */
};

/* What was looked at, and how often found() was called. */
struct wari_check_report {
    int levels;      /* that the catalogue lists */
    uint64_t chunks; /* read, in all files that could be opened */
    uint64_t bytes;  /* of the level files that could be opened */
    uint64_t damaged;
    enum wari_status worst; /* WARI_OK; else that of a damage: WARI_CORRUPT if there is one of it,
                             * then WARI_MISMATCH, then WARI_IO */
};

/* WARI_OK: everything was looked at, *report says what came of it. Otherwise:
 *   WARI_MISMATCH     the folder has no catalogue of this variant
 *   WARI_IO           the folder cannot be read
 *   WARI_NO_MEMORY, WARI_INTERRUPTED
 * A damaged catalogue is a damage; nothing says then which levels there are, and no more is looked
 * at. The same holds for a level file with a damaged header, size or offset table. */
WARI_MUST_CHECK enum wari_status wari_check(const struct wari_check *check,
                                            struct wari_check_report *report,
                                            struct wari_error *error);

#endif

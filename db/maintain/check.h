/* Checks by their hashes, without decoding values, that the files of a database are those that were
 * written. This takes no longer than reading every byte once. It shows that the bytes are those
 * that the writer wrote, not that the writer was right. */
#ifndef DB_MAINTAIN_CHECK_H
#define DB_MAINTAIN_CHECK_H

#include <stdatomic.h>

#include "db/catalogue/catalogue.h"

/* A damaged part of a file. */
struct wari_damage {
    enum wari_status status; /* WARI_CORRUPT: damaged; WARI_MISMATCH: intact, but not the right
                                file; WARI_IO: cannot be read */
    const char *file;        /* its name in the folder */
    const char *part; /* "catalogue", "file" (for example, missing), "header", "end" (too short or
                         too long), "offset table", "model" or "chunks" */
    uint64_t
        offset; /* the start of the part, or the end of the file for "end"; 0 for a catalogue */
    const char *text; /* one line with path, offset and advice */
};

struct wari_check {
    const char *folder;
    struct wari_variant variant;
    int threads;                  /* at least 1; fewer run if the system starts no more */
    const struct wari_host *host; /* NULL means the system */

    /* Called for each damaged part by the calling thread: files in order, offsets ascending,
     * adjacent chunks as one part. The strings are valid until it returns. */
    void (*found)(void *context, const struct wari_damage *damage);
    /* Called from time to time by the calling thread while chunks are read. NULL means no calls. */
    void (*progress)(void *context, uint64_t chunks_done, uint64_t chunks_all);
    void *context;
    const atomic_bool *stop; /* set to true to stop; NULL means never */
};

/* The amount of checked data, and the number of calls of found(). */
struct wari_check_report {
    int levels;      /* in the catalogue */
    uint64_t chunks; /* checked, in all files that could be opened */
    uint64_t bytes;  /* size of all level files that could be opened */
    uint64_t damaged;
    enum wari_status worst; /* WARI_OK if nothing is damaged; otherwise the worst status of a
                               damaged part, in the order WARI_CORRUPT, WARI_MISMATCH, WARI_IO */
};

/* Checks a variant of a folder. WARI_OK means that everything was checked, and *report has the
 * result. Otherwise:
 *   WARI_MISMATCH     the folder has no catalogue of this variant
 *   WARI_IO           the folder cannot be read
 *   WARI_NO_MEMORY, WARI_INTERRUPTED
 * A damaged catalogue is reported with found(); the levels are then unknown, and nothing else is
 * checked. Similarly, the chunks of a level file with a damaged header, size or offset table are
 * not checked. */
WARI_MUST_CHECK enum wari_status wari_check(const struct wari_check *check,
                                            struct wari_check_report *report,
                                            struct wari_error *error);

#endif

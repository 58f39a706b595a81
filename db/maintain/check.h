/* Checks the files of a database by their hashes, without decoding values. This takes no longer
 * than reading every byte once. It shows that the files have the bytes that the program wrote;
 * it does not show that the values are correct. */
#ifndef DB_MAINTAIN_CHECK_H
#define DB_MAINTAIN_CHECK_H

#include <stdatomic.h>

#include "db/catalogue/catalogue.h"

/* A damaged part of a file. */
struct wari_damage {
    enum wari_status status; /* WARI_CORRUPT: the part is damaged; WARI_MISMATCH: it is intact,
                              * but belongs to another file; WARI_IO: it cannot be read */
    const char *file;        /* name of the file in the folder */
    int seeds;               /* the level of the file; -1 for any other file */
    const char *part; /* "catalogue", "file" (the file is missing, for example), "header", "end"
                       * (the file is too short or too long), "offset table", "model" or "chunks" */
    uint64_t offset; /* file offset where the part starts. For "end" it is the size of the file, for
                      * a catalogue 0 */
    const char *text; /* message that describes the damage */
};

struct wari_check {
    const char *folder;
    struct wari_variant variant;
    int threads;                  /* at least 1; fewer run if the system cannot start that many */
    const struct wari_host *host; /* NULL means the system */

    /* Called by the calling thread for each damaged part, in the order of the files and with
     * ascending offsets. Adjacent damaged chunks are reported as one part (but at most 2^20
     * chunks), and all missing files as one part, before any other. The strings are valid until the
     * function returns. */
    void (*found)(void *context, const struct wari_damage *damage);
    /* Called from time to time by the calling thread while chunks are read. NULL means no calls. */
    void (*progress)(void *context, uint64_t chunks_done, uint64_t chunks_all);
    void *context;
    const atomic_bool *stop; /* set to true to stop; NULL means never */
};

/* The amount of data that was checked, and the worst finding. */
struct wari_check_report {
    int levels;      /* number of levels whose files exist */
    uint64_t chunks; /* number of chunks checked, in all files that could be opened */
    uint64_t bytes;  /* total size of all level files that could be opened */
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
 * checked. If the header, the size or the offset table of a level file is damaged, its chunks
 * are not checked either. */
WARI_MUST_CHECK enum wari_status wari_check(const struct wari_check *check,
                                            struct wari_check_report *report,
                                            struct wari_error *error);

/* Returns how bad a finding with this status is: the worst one has the greatest number. 0 means
 * that the status does not describe a file. */
int wari_check_severity(enum wari_status status);

#endif

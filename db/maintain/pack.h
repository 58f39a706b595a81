/* Rewrites the levels of a database without the values that follow from others (FORMAT.md, "Packed
 * files"). */
#ifndef DB_MAINTAIN_PACK_H
#define DB_MAINTAIN_PACK_H

#include <stdatomic.h>

#include "db/catalogue/catalogue.h"

struct wari_pack {
    const char *folder;
    struct wari_variant variant;
    int threads;   /* at least 1; fewer run if the system cannot start that many */
    size_t memory; /* bytes for decoded values; 0 means 256 MiB. wari_pack()
                    * describes the minimum */
    bool no_lock;  /* the folder is not locked; the caller must ensure that no other process builds
                      or packs there */
    const struct wari_host *host; /* NULL means the system */
    /* Called from time to time by the calling thread, with the amount of work done for the
     * current level. NULL means no calls. */
    void (*progress)(void *context, int seeds, uint64_t done, uint64_t all);
    void *context;
    const atomic_bool *stop; /* set to true to stop; NULL means never */
};

struct wari_pack_report {
    int levels;            /* number of levels in the database */
    int packed;            /* levels packed by this call; the others were packed before */
    uint64_t positions;    /* number of positions of all levels */
    uint64_t bytes_before; /* total size of all level files before the call */
    uint64_t bytes;
};

/* Packs the levels one after the other. For each level, proves that every value to be left out is
 * the value of its position's best move, and that the values have the payload hash. Only then
 * replaces the old file by the new one, so the folder is valid at every moment. Levels that are
 * packed already are skipped, so packing can be stopped and continued later. *report is always
 * filled in. The resulting files do not depend on the number of threads or the memory. If the file
 * of a level is missing, only the levels below it are packed.
 *
 * `memory` is an upper bound. The minimum is whichever is larger: the size of two columns of a
 * block (2.7 MB for 48 seeds), or one chunk of every level (116 KB for 13 seeds). In addition,
 * packing takes the memory of a handle without its cache (wari.h), including one decoder for each
 * thread; 40 KB for each thread; and an encoder: 1 MB for 24 seeds, 5 MB for 48. If there is little
 * memory, chunks of large levels are decoded again and again.
 *     WARI_BAD_INPUT    fewer than one thread, or too little memory: the text gives the minimum
 *     WARI_MISMATCH     the folder has no such database
 *     WARI_BUSY         another process builds or packs there
 *     WARI_CORRUPT      a file is damaged, or its values are not those of best play
 *     WARI_IO, WARI_NO_MEMORY, WARI_INTERRUPTED */
WARI_MUST_CHECK enum wari_status
wari_pack(const struct wari_pack *pack, struct wari_pack_report *report, struct wari_error *error);

#endif

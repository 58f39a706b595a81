/* Rewrites the levels of a database without what other values decide (FORMAT.md, "Packed files").
 */
#ifndef DB_PACK_PACK_H
#define DB_PACK_PACK_H

#include <stdatomic.h>

#include "db/catalogue/catalogue.h"

struct wari_pack {
    const char *folder;
    struct wari_variant variant;
    int threads;                  /* at least 1; fewer run where no more can be started */
    size_t memory;                /* bytes for decoded values; 0: 256 MiB. See below */
    const struct wari_host *host; /* NULL: the system */
    /* Called now and then by the calling thread, with how much of a level's work is done; NULL: not
     * at all. */
    void (*progress)(void *context, int seeds, uint64_t done, uint64_t all);
    void *context;
    const atomic_bool *stop; /* NULL: never */
};

struct wari_pack_report {
    int levels;            /* that the database has */
    int packed;            /* by this run; the others were already */
    uint64_t positions;    /* of all levels */
    uint64_t bytes_before; /* of all level files */
    uint64_t bytes;
};

/* Level after level: proves that every value left out is the best of its moves and that the values
 * have the payload hash, and only then puts the new file in the place of the old one, so that the
 * folder is valid at every moment. Levels that are packed already are skipped, so a run that was
 * stopped goes on. *report holds what was done in any case. The same files come out whatever
 * threads and memory are.
 *
 * `memory` is kept to. At least it takes two columns of a block (for 48 seeds 5.6 MB) or a chunk of
 * every level (for 13 seeds 116 KB), whichever is more. Beside it packing takes what a handle takes
 * beside its cache (wari.h), with as many decoders as threads, 40 KB a thread, and an encoder: 1 MB
 * for 24 seeds, 5 MB for 48. Larger levels want more, or chunks are decoded again and again.
 *   WARI_BAD_INPUT    fewer than one thread, or too little memory: the text says how much it takes
 *   WARI_MISMATCH     the folder has no such database
 *   WARI_BUSY         somebody builds or packs there
 *   WARI_CORRUPT      a file is damaged, or its values are not those of best play
 *   WARI_IO, WARI_NO_MEMORY, WARI_INTERRUPTED */
WARI_MUST_CHECK enum wari_status
wari_pack(const struct wari_pack *pack, struct wari_pack_report *report, struct wari_error *error);

#endif

/* A file of what full opponent halves are worth by their captures: saved from the capture pass to
 * the count.
 *
 * Positions whose opponent half is full are not stored, but counted (level/histogram.h), by a look
 * through their moves. Their quiet moves lead to cells of the level, which are known in the end
 * only; their captures lead to the levels below, which the capture pass has at hand, for the same
 * mover halves, and which would have to be decoded once more for the count. So that pass writes a
 * byte for each full half (level/full_captures.h), and the count reads it:
 *
 *     file    block 6 | block 7 | ...
 *     block   group | group | ...            of WARI_ITEM_COLUMNS columns each, the last one of
 * fewer group   [segment][column][place]       segments of WARI_RANGE_ROWS full halves, likewise
 *
 * Of a level with n seeds that are C(n+5,11) bytes: 7 % of the positions at 22 seeds, 37 % at 48.
 */
#ifndef SOLVER_FULL_HALVES_H
#define SOLVER_FULL_HALVES_H

#include <stdatomic.h>

#include "db/host/host.h"
#include "index/level.h"

struct wari_full_halves {
    const struct wari_host *host; /* NULL: none are saved */
    char path[WARI_PATH_MAX];     /* for messages */
    int fd;
    bool whole; /* they can be read: no checkpoint took the place of the capture pass */
    uint64_t offset[WARI_SEEDS_MAX + 1]; /* of a block, in the file */
    atomic_uint_fast64_t bytes_read, bytes_written;
    atomic_uint_fast64_t sum; /* of all columns of segments that were written, less those read */
};

/* Bytes of a level's. */
uint64_t wari_full_halves_bytes(const struct wari_layout *layout);

/* Saves those of a level in a file in `folder`, of which this process is the only user. It has no
 * name while it is in use: whatever ends the process frees it. */
WARI_MUST_CHECK enum wari_status wari_full_halves_open(struct wari_full_halves *full,
                                                       const struct wari_host *host,
                                                       const struct wari_layout *layout,
                                                       const char *folder, const char *name,
                                                       struct wari_error *error);

/* Forgets them, and frees the file. Allowed where none are saved. */
void wari_full_halves_close(struct wari_full_halves *full);

#endif

/* What full opponent halves are worth by their captures: kept on disk from the capture pass to the
 * count.
 *
 * Positions whose opponent half is full are not stored, but counted (histogram.h), by a look
 * through their moves. Their quiet moves lead to cells of the level, which are known in the end
 * only; their captures lead to the levels below, which the capture pass has at hand, for the same
 * mover halves, and which would have to be decoded once more for the count. So that pass writes a
 * byte for each full half, and the count reads it:
 *
 *     file    block 6 | block 7 | ...
 *     block   group | group | ...            of WARI_GROUP columns each, the last one of fewer
 *     group   [segment][column][place]       segments of WARI_SEGMENT full halves, likewise
 *
 * Of a level with n seeds that are C(n+5,11) bytes: 7 % of the positions at 22 seeds, 37 % at 48.
 */
#ifndef SOLVER_FULL_HALVES_H
#define SOLVER_FULL_HALVES_H

#include <stdatomic.h>

#include "db/host/host.h"
#include "index/level.h"

struct wari_level;
struct wari_worker;
struct wari_item;

struct wari_full_halves {
    const struct wari_host *host; /* NULL: nothing is kept */
    char path[WARI_PATH_MAX];     /* for messages */
    int fd;
    bool own;                            /* the file */
    bool whole;                          /* the capture pass was here */
    uint64_t offset[WARI_SEEDS_MAX + 1]; /* of a block, in the file */
    atomic_uint_fast64_t bytes_read, bytes_written;
    atomic_uint_fast64_t sum; /* of all columns of segments that were written, less those read */
};

/* Bytes of a level's. */
uint64_t wari_full_halves_bytes(const struct wari_layout *layout);

/* Lets a level keep its full halves in the file `fd`, from byte `base` on. The file is the
 * caller's, and stays open until they are closed. */
void wari_full_halves_share(struct wari_level *level, int fd, const char *path, uint64_t base);

/* Likewise in a file of their own in `folder`, of which this process is the only user. It has no
 * name while it is in use: whatever ends the process frees it. */
WARI_MUST_CHECK enum wari_status wari_full_halves_open(struct wari_level *level, const char *folder,
                                                       const char *name, struct wari_error *error);

/* Forgets them, and frees the file. Allowed where none are kept. */
void wari_full_halves_close(struct wari_level *level);

/* The full halves of some columns of a block, of one group, as an item. */
struct wari_item wari_full_item(const struct wari_level *level, int block, uint32_t first_column,
                                uint32_t columns);

/* Where a segment of such an item begins in the file. */
uint64_t wari_full_halves_place(const struct wari_level *level, const struct wari_item *item,
                                uint32_t segment);

/* Where a capture pass begins, which may be a level's second one: what was kept before is not. */
void wari_full_halves_begin(struct wari_level *level);

/* For the capture pass, with an item of rows: finds and keeps the captures of the full halves of
 * its columns; of these, where the block's rows are cut into several items, the same share. For any
 * number of threads at once; failures are the team's. Overwrites the worker's tile. */
void wari_full_halves_write(struct wari_level *level, struct wari_worker *worker,
                            const struct wari_item *item);

/* At its end. */
void wari_full_halves_written(struct wari_level *level);

/* All were read, each once: whether as they were written. Failures are the team's. */
void wari_full_halves_check(struct wari_level *level);

/* Whether they can be read: not where a checkpoint took the place of the capture pass. */
bool wari_full_halves_kept(const struct wari_level *level);

/* The captures of an item of full halves that has one segment: captures[column][place], room for
 * WARI_SEGMENT * WARI_GROUP bytes, as wari_best_captures() found them. For any number of threads at
 * once; false: the team has failed. */
bool wari_full_halves_read(struct wari_level *level, const struct wari_item *item,
                           int8_t *captures);

#endif

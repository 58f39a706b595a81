/* Checkpoints inside a level: what a level that takes long is at, so that a build that is killed
 * goes on from there.
 *
 * While values grow every state of the cells is a valid one to go on from (solve.c), and so
 * is every state of the hopes while these are swept down. So a checkpoint is a copy of the codes
 * (of values, or of hopes) in index order. Memory goes on with those of memory, bits with those of
 * bits (codes are those of cycle rule `even` then); with cycle rule `even` memory goes on with
 * both:
 *
 *     0   "WARICKPT"                      24  in a shrink: level->course.won; 8 bytes of zeros
 *     8   format, 4 bytes                 40  sum of the hashes of all rows
 *     12  rules, cycle, seeds,                and of the 40 bytes before
 *         1 if shrinking                  48  hash of the 48 bytes before
 *     16  sweeps so far, 4 bytes          56  codes: a byte for each stored position
 *     20  bound, 4 bytes: if not 0, every value is a final one, or that of a first code, and all
 *         those beyond the bound are there (bits/bits.h)
 *
 * All hashes are XXH3 with a seed made from format, rule set, cycle rule and level; that of a row
 * has the row's place as well. The file is "<rules>-<cycle>-<seeds>.checkpoint" in the database's
 * folder; it is complete and durable before it takes that name, and goes when the level is
 * published. One that does not fit in every respect (hashes, counters, codes that no cell of the
 * level has) is never used: it gets the name "....checkpoint.bad", which goes when the level is
 * published, and the level begins anew. Failing to write one does not
 * stop the build: the level just goes on without. None may take the disk that the level's file
 * needs, which is written while it is there: see `room`.
 */
#ifndef SOLVER_CHECKPOINT_H
#define SOLVER_CHECKPOINT_H

#include "db/format/level_record.h"
#include "solver/level/level.h"

enum { WARI_CHECKPOINT_SECONDS = 240 }; /* of work between two, unless the build says otherwise */

struct wari_checkpoint {
    struct wari_level_address address; /* of the level, whose folder the checkpoint is in */
    double interval;                   /* seconds */
    uint64_t room; /* bytes: a larger one is not written, which counts as failed; 0: no limit */
    double last;   /* when the last one was written, or the level begun */
    double cost;   /* seconds that the last one took */
    int written, failed;
    bool refused; /* one was found that does not fit, and put aside */
};

/* Writes a checkpoint if there is one for this level (level->course.checkpoint) and it is time.
 * Between sweeps; not while other threads are at work on it. */
void wari_checkpoint_if_due(struct wari_level *level);

/* Looks for a checkpoint of the level, and fills in its cells if there is one that fits: then
 * level->course says that it is found, and of what; one that does not fit is put aside. Nothing is
 * found without level->course.checkpoint. The cells may have been written to even if nothing is.
 * WARI_IO if a file cannot be opened, read or put aside. */
WARI_MUST_CHECK enum wari_status wari_checkpoint_find(struct wari_level *level,
                                                      struct wari_error *error);

/* What the files of a level's checkpoint take: the finished one, and one that was being written; 0
 * where there is none. */
void wari_checkpoint_sizes(const struct wari_level_address *address, uint64_t *finished,
                           uint64_t *unfinished);

/* Removes what is left of a checkpoint of a level that was being written, if anything is; or all
 * that there is of the level's checkpoints. */
void wari_checkpoint_clear(const struct wari_level_address *address);
void wari_checkpoint_remove(const struct wari_level_address *address);

#endif

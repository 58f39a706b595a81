/* Checkpoints of a level that is being solved: after a build has been killed, the next build
 * resumes from the last checkpoint.
 *
 * While values grow, solving can resume from every state of the cells (solve.c). While sweeps
 * shrink upper bounds, solving can resume from every state of the upper bounds. A checkpoint is
 * therefore a copy of the codes, in index order, which stand either for values or for upper bounds.
 * Each backend resumes from its own checkpoints. Under cycle rule `even` the memory backend also
 * resumes from checkpoints of the bit backend, whose codes are always those of cycle rule `even`.
 *
 *     0   "WARICKPT"                      24  if shrinking: level->progress.won, otherwise 0
 *     8   format, 4 bytes                 32  zeros
 *     12  rules, cycle, seeds,            40  sum of the hashes of all rows and of the hash of the
 *         1 if shrinking                      40 bytes before
 *     16  number of sweeps, 4 bytes       48  hash of the 48 bytes before
 *     20  threshold, 4 bytes (below)      56  codes: a byte for each stored position
 *
 * A threshold that is not 0 comes from the bit backend (bits/bits.h). Then every value is either
 * final or still the value that the capture pass gave it, and all values beyond the threshold are
 * final.
 *
 * All hashes are XXH3 with a seed made from format, rule set, cycle rule and level; the seed of a
 * row's hash also depends on the offset of the row. The file is
 * "<rules>-<cycle>-<seeds>.checkpoint" in the database's folder. It gets this name when it is
 * complete and durable, and is removed when the level is published. A checkpoint that is not valid
 * in every respect (hashes, counters, codes that no cell of the level can have) is never used: it
 * is renamed to "....checkpoint.bad", which is removed when the level is published, and the level
 * begins anew. A checkpoint of another backend, from which the backend cannot resume, is renamed in
 * the same way. A failure to write a checkpoint does not stop the build, which goes on without one.
 * The level's file is written while the checkpoint still exists. `limit` of struct wari_checkpoint
 * makes sure that the checkpoint leaves enough disk space for the file.
 */
#ifndef SOLVER_WRITE_CHECKPOINT_H
#define SOLVER_WRITE_CHECKPOINT_H

#include "db/format/level_record.h"
#include "solver/level/level.h"

enum { WARI_CHECKPOINT_SECONDS = 240 }; /* default interval */

struct wari_checkpoint {
    struct wari_level_address address; /* address of the level's file; the checkpoint is in the
                                        * same folder */
    double interval;                   /* seconds between two checkpoints */
    uint64_t limit; /* A checkpoint of more bytes is not written, but counted as failed. 0 means no
                     * limit */
    double last;    /* time at which the last checkpoint was written, or the level was begun */
    double cost;    /* seconds that writing the last checkpoint took */
    int written, failed; /* numbers of checkpoints that were written, and that failed */
    bool refused;        /* a checkpoint that cannot be used was found and renamed */
    bool unsuitable;     /* the backend cannot resume from the checkpoint, whose header is valid */
};

/* Writes a checkpoint if checkpoints are enabled for the level (level->progress.checkpoint is not
 * NULL) and the interval since the last checkpoint is over. If writing the last checkpoint took
 * more than a second, waits at least four times as long as that took. To be called between sweeps,
 * while no other thread works on the level. */
void wari_checkpoint_if_due(struct wari_level *level);

/* Looks for a checkpoint of the level. If there is a valid one, fills in the level's cells from it,
 * sets level->progress.found, and stores in level->progress what the checkpoint holds. A checkpoint
 * that is not valid, or from which the backend cannot resume, is renamed. Finds nothing if
 * level->progress.checkpoint is NULL. The cells may have been written to even if no valid
 * checkpoint is found. Returns WARI_IO if a file cannot be opened, read or renamed. */
WARI_MUST_CHECK enum wari_status wari_checkpoint_find(struct wari_level *level,
                                                      struct wari_error *error);

/* Returns the sizes of a level's finished and unfinished checkpoints, in bytes; 0 if there is none.
 */
void wari_checkpoint_sizes(const struct wari_level_address *address, uint64_t *finished,
                           uint64_t *unfinished);

/* Removes the unfinished checkpoint of a level, if there is one. */
void wari_checkpoint_remove_unfinished(const struct wari_level_address *address);

/* Removes all checkpoints of a level: finished, unfinished, and refused checkpoints. */
void wari_checkpoint_remove(const struct wari_level_address *address);

#endif

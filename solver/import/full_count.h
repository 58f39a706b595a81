/* Counts the positions of a level whose opponent half is full, by value.
 *
 * These positions have no value in any file, but the histogram of a level includes them. Their
 * values are those of their best moves. A move without a capture leads to a row of this level,
 * which is read from the score file; a capture leads to a lower level of the database. */
#ifndef SOLVER_IMPORT_FULL_COUNT_H
#define SOLVER_IMPORT_FULL_COUNT_H

#include <stdatomic.h>

#include "db/scores/score_file.h"
#include "db/wari.h"

enum { WARI_COUNT_FIRST_BLOCK = WARI_HALF_PITS }; /* a full half has at least six seeds */

struct wari_full_count {
    const struct wari_score_file *file; /* the score file of the level */
    struct wari_db *db;                 /* has all lower levels */
    enum wari_rules rules;
    int threads;
    const atomic_bool *stop; /* NULL means never */

    /* Called by the calling thread with the number of positions of the block that are done. */
    void (*advance)(void *context, uint64_t done);
    void *context;
};

/* Returns the memory that counting takes, in bytes. */
uint64_t wari_full_count_bytes(int seeds, int threads);

/* Returns the number of positions that a block has. */
uint64_t wari_full_count_positions(int seeds, int block);

/* Counts the positions with `block` seeds on the opponent's side, and adds them to the histogram:
 * histogram[v + WARI_SEEDS_MAX]. Returns WARI_INTERRUPTED if *stop is true; otherwise fails like
 * wari_score_file_row() and wari_values(). */
WARI_MUST_CHECK enum wari_status wari_full_count_block(const struct wari_full_count *count,
                                                       int block, uint64_t *histogram,
                                                       struct wari_error *error);

#endif

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

/* What to count. */
struct wari_full_count {
    const struct wari_score_file *file; /* the score file of the level */
    struct wari_db *db;                 /* has all lower levels */
    enum wari_rules rules;
    int threads;
    const atomic_bool *stop; /* NULL means never */
};

/* Returns the number of items into which the work is divided. An item has up to 64 mover halves of
 * a block, each combined with all full opponent halves. The order of the items depends on the level
 * alone. */
uint64_t wari_full_count_items(int seeds);

/* Returns the memory that counting takes, in bytes: 0.9 GB for 48 seeds, 32 MB for 30. */
uint64_t wari_full_count_bytes(int seeds, int threads);

struct wari_full_counter;

/* Prepares the counting of a level. The first `skip` items are left out, because they were counted
 * before. `count` must exist as long as the counter. */
WARI_MUST_CHECK enum wari_status wari_full_counter_create(struct wari_full_counter **counter,
                                                          const struct wari_full_count *count,
                                                          uint64_t skip, struct wari_error *error);
void wari_full_counter_destroy(struct wari_full_counter *counter); /* NULL is allowed */

/* Counts some more items: adds their positions to the histogram, histogram[v + WARI_SEEDS_MAX], and
 * the number of items to *items. Returns WARI_INTERRUPTED if *stop is true; otherwise fails like
 * wari_score_file_row() and wari_values(). After a failure nothing was added. */
WARI_MUST_CHECK enum wari_status wari_full_counter_next(struct wari_full_counter *counter,
                                                        uint64_t *items, uint64_t *histogram,
                                                        struct wari_error *error);

#endif

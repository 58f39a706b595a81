/* Counting placements by value, piece by piece. */
#ifndef SOLVER_HISTOGRAM_H
#define SOLVER_HISTOGRAM_H

#include "solver/item/sweep.h"

enum { WARI_COUNT_LANES = 4 }; /* counted into in turn, so that equal neighbours do not wait */

/* One thread's counts, begun with zeros. */
struct wari_placements {
    uint64_t code[WARI_COUNT_LANES][256];  /* stored cells, by their code */
    uint64_t value[WARI_COUNT_LANES][256]; /* others, by value; both as unsigned bytes */
};

/* Counts the cells of a row that is held. */
void wari_count_row(const struct wari_level *level, int block, uint32_t row,
                    struct wari_placements *counts);

/* The same for a piece of a streamed level that is in memory, into a histogram that other threads
 * may add to at the same time; a job of wari_stream_each(). */
void wari_count_piece(struct wari_level *level, struct wari_worker *worker, void *histogram,
                      uint32_t piece);

/* Counts the full opponent halves of an item of WARI_PARENTS_FULL that has at most one segment, by
 * a look through their moves. `find`: as for wari_compute_item(). `captures`: [column][place], or
 * NULL: they are found in the levels below; nothing is counted once one of these could not be read.
 */
void wari_count_full(const struct wari_level *level, struct wari_worker *worker,
                     const struct wari_item *item, wari_find_sources *find, void *context,
                     const int8_t *captures, struct wari_placements *counts);

/* Counts all placements of the level by value (the stored cells, and the full opponent halves
 * through their moves): histogram[v + 48]. */
void wari_level_histogram(struct wari_level *level, uint64_t histogram[2 * WARI_SEEDS_MAX + 1]);

/* Adds a thread's counts: histogram[v + 48]. */
void wari_count_add(const struct wari_level *level, const struct wari_placements *counts,
                    uint64_t histogram[2 * WARI_SEEDS_MAX + 1]);

#endif

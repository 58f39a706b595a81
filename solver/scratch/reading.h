/* Codes that are whole: they are only read, in whatever order. */
#ifndef SOLVER_SCRATCH_READING_H
#define SOLVER_SCRATCH_READING_H

#include "solver/scratch/scratch.h"

/* Begins to keep pieces in so many bytes of the window, and in what is set aside; nothing of them
 * is there yet. Until wari_scratch_stop_reading() no piece is written. */
void wari_scratch_start_reading(struct wari_level *level, uint64_t window);
void wari_scratch_stop_reading(struct wari_level *level);

/* Holds a piece in memory, by a thread with a `room` of its own, until it is let go; each thread
 * at most wari_reading_share() of them at a time. False: it cannot be read, and the team has
 * failed.
 */
WARI_MUST_CHECK bool wari_scratch_hold(struct wari_level *level, uint32_t piece, uint8_t *room);
void wari_scratch_let_go(struct wari_level *level, uint32_t piece);
uint32_t wari_reading_share(const struct wari_scratch *scratch);

/* A row of a piece that is held. */
const int8_t *wari_scratch_row(const struct wari_level *level, int block, uint32_t row);

/* As wari_road.values says, while codes are read. */
void wari_scratch_values(const struct wari_level *level, uint64_t first, size_t count,
                         int8_t *values);

/* Adds full opponent halves, by value: histogram[v + WARI_SEEDS_MAX]. The last time that the levels
 * below may be read. */
void wari_scratch_count_full(struct wari_level *level, uint64_t *histogram);

#endif

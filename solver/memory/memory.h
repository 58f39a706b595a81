/* The memory backend: levels in memory, one byte a cell. */
#ifndef SOLVER_MEMORY_MEMORY_H
#define SOLVER_MEMORY_MEMORY_H

#include "solver/level/level.h"

/* Opens level `seeds` in at most `bytes` of memory, which have to be wari_level_least() or more.
 * The caller sets the fields that wari_level_begin() names. On failure nothing stays allocated. */
WARI_MUST_CHECK enum wari_status wari_memory_open(struct wari_level *level, int seeds,
                                                  enum wari_cycle cycle, uint64_t bytes,
                                                  struct wari_error *error);

/* Allocates memory that all levels up to `seeds` can use, one after the other: a level whose
 * resident.buffer is set uses this memory, if it is large enough, instead of memory of its own.
 * This saves the system from clearing pages for each level. The caller releases buffer->memory. */
WARI_MUST_CHECK enum wari_status wari_level_buffer_create(struct wari_level_buffer *buffer,
                                                          const struct wari_host *host, int seeds,
                                                          struct wari_error *error);

/* ---- For other backends that store a partition of the level in memory ------------------------ */

/* Allocates the arrays of a partition, but does not set the backend. */
WARI_MUST_CHECK enum wari_status wari_memory_allocate(struct wari_level *level, int seeds,
                                                      enum wari_cycle cycle,
                                                      const struct wari_partition *partition,
                                                      uint64_t bytes, struct wari_error *error);
void wari_memory_free(struct wari_level *level);

/* Functions of struct wari_backend. They access resident rows only, and all processes that store a
 * partition agree on their results. */
bool wari_memory_next_threshold(struct wari_level *level);
bool wari_memory_begin_upper_bounds(struct wari_level *level);
bool wari_memory_commit_upper_bounds(struct wari_level *level);

/* Functions of struct wari_backend for the resident rows (memory_rows.c, memory_sweep.c). */
void wari_memory_captures(struct wari_level *level);
void wari_memory_each_rows(struct wari_level *level, enum wari_access access, wari_rows_job *job,
                           void *context);
void wari_memory_count(struct wari_level *level, uint64_t *histogram);
void wari_memory_values(const struct wari_level *level, uint64_t first, size_t count,
                        int8_t *values);
struct wari_sweep_result wari_memory_begin(struct wari_level *level, enum wari_sweep_kind kind,
                                           bool *swept);
struct wari_sweep_result wari_memory_sweep(struct wari_level *level,
                                           const struct wari_sweep *sweep);

/* Copies the resident rows of a block to resident.copy. Cells of the block that are children of
 * other cells of the block are read from this copy. Each of `threads` threads calls the function
 * with a rank of its own, and makes its part of the copy. */
void wari_memory_copy_block(struct wari_level *level, int block, uint32_t rank, uint32_t threads);

/* ---- Cycle rule `own` (memory_upper_bounds.c) ------------------------------------------------ */

/* Replaces values by upper bounds, and sets progress.won to the sum of all values above 0. */
void wari_upper_bounds_begin(struct wari_level *level);

/* Replaces upper bounds, which have shrunk, by values. Returns the amount by which the sum of all
 * values above 0 increased. */
uint64_t wari_upper_bounds_commit(struct wari_level *level);

#endif

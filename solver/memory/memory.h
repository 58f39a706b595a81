/* Levels in memory: a byte a cell. */
#ifndef SOLVER_MEMORY_H
#define SOLVER_MEMORY_H

#include "solver/level/level.h"

/* Opens level `seeds` within `bytes`, wari_level_least() or more. The fields tables, kernel, host,
 * lower, team, stop, course and resident.buffer are the caller's to set before. On failure nothing
 * stays allocated. */
WARI_MUST_CHECK enum wari_status wari_memory_open(struct wari_level *level, int seeds,
                                                  enum wari_cycle cycle, uint64_t bytes,
                                                  struct wari_error *error);

/* Memory for levels up to `seeds`, one after the other: where resident.buffer of a level is set,
 * and large enough, opening takes it. What one level has touched the next one gets without the
 * system having to clear it. The caller releases room->memory. */
WARI_MUST_CHECK enum wari_status wari_level_buffer_create(struct wari_level_buffer *buffer,
                                                          const struct wari_host *host, int seeds,
                                                          struct wari_error *error);

/* For roads on which a process holds a share of the level so: its arrays, but no road. And frees
 * them. */
WARI_MUST_CHECK enum wari_status wari_memory_allocate(struct wari_level *level, int seeds,
                                                      enum wari_cycle cycle,
                                                      const struct wari_partition *partition,
                                                      uint64_t bytes, struct wari_error *error);
void wari_memory_free(struct wari_level *level);

/* Functions of this road, see struct wari_backend, which are for those roads, too: they know of no
 * rows but the ones held, and agree with all who hold some. */
bool wari_memory_next_threshold(struct wari_level *level);
bool wari_memory_begin_upper_bounds(struct wari_level *level);
bool wari_memory_commit_upper_bounds(struct wari_level *level);

/* Likewise, for the rows held and one sweep over them (memory_rows.c, memory_sweep.c). */
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

/* Copies the rows held of a block, for those of its cells that are children of others:
 * for each thread of a team, which may go on before the others are done. */
void wari_memory_copy_block(struct wari_level *level, int block);

/* Cycle rule `own` (memory_upper_bounds.c): values become hopes, where progress.won is what values
 * above 0 come to. */
void wari_upper_bounds_begin(struct wari_level *level);

/* Hopes, which have been swept down, become values; returns by how much those above 0 were raised,
 * all together. */
uint64_t wari_upper_bounds_commit(struct wari_level *level);

#endif

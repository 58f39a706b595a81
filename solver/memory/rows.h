/* What goes over the rows or the items of a level in memory one by one: see struct wari_road. */
#ifndef SOLVER_MEMORY_ROWS_H
#define SOLVER_MEMORY_ROWS_H

#include "solver/level/level.h"

void wari_memory_captures(struct wari_level *level);
void wari_memory_each_rows(struct wari_level *level, enum wari_access access, wari_rows_job *job,
                           void *context);
void wari_memory_count(struct wari_level *level, uint64_t *histogram);
void wari_memory_values(const struct wari_level *level, uint64_t first, size_t count,
                        int8_t *values);

#endif

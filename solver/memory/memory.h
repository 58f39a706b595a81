/* Levels in memory: a byte a cell. */
#ifndef SOLVER_MEMORY_H
#define SOLVER_MEMORY_H

#include "solver/level/level.h"

/* Opens level `seeds` within `bytes`, wari_level_least() or more. The fields tables, kernel, host,
 * lower, team, stop, course and held.room are the caller's to set before. On failure nothing stays
 * allocated. */
WARI_MUST_CHECK enum wari_status wari_memory_open(struct wari_level *level, int seeds,
                                                  enum wari_cycle cycle, uint64_t bytes,
                                                  struct wari_error *error);

/* Memory for levels up to `seeds`, one after the other: where held.room of a level is set, and
 * large enough, opening takes it. What one level has touched the next one gets without the system
 * having to clear it. The caller releases room->memory. */
WARI_MUST_CHECK enum wari_status wari_room_make(struct wari_room *room,
                                                const struct wari_host *host, int seeds,
                                                struct wari_error *error);

/* For roads on which a process holds a share of the level so: its arrays, but no road. And frees
 * them. */
WARI_MUST_CHECK enum wari_status wari_memory_hold(struct wari_level *level, int seeds,
                                                  enum wari_cycle cycle,
                                                  const struct wari_share *share, uint64_t bytes,
                                                  struct wari_error *error);
void wari_memory_free(struct wari_level *level);

/* Functions of this road, see struct wari_road, which are for those roads, too: they know of no
 * rows but the ones held, and agree with all who hold some. */
bool wari_memory_next_bound(struct wari_level *level);
bool wari_memory_hope(struct wari_level *level);
bool wari_memory_believe(struct wari_level *level);

#endif

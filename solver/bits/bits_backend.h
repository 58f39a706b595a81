/* The road by bits, for levels that do not fit into memory with a byte a cell. */
#ifndef SOLVER_BITS_ROAD_H
#define SOLVER_BITS_ROAD_H

#include "solver/bits/scratch.h"

/* What a level may have: bytes of memory, and `idle` ones more, that others do not need while
 * values grow; and where its scratch file goes. */
struct wari_bits_room {
    uint64_t bytes, idle;
    struct wari_scratch_place place;
};

/* Opens level `seeds` within that room. The fields tables, kernel, host, lower, team, stop and
 * course are the caller's to set before. On failure nothing stays. WARI_NO_MEMORY where
 * wari_bits_fits() does not hold. */
WARI_MUST_CHECK enum wari_status wari_bits_open(struct wari_level *level, int seeds,
                                                enum wari_cycle cycle,
                                                const struct wari_bits_room *room,
                                                struct wari_error *error);

#endif

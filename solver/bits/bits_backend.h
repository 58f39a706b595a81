/* Opens levels with the bit backend (bits.h). It solves levels that are so large that one byte for
 * each cell would not fit into memory. */
#ifndef SOLVER_BITS_BITS_BACKEND_H
#define SOLVER_BITS_BITS_BACKEND_H

#include "solver/bits/bits.h"

/* The resources that a level may use. */
struct wari_bits_limits {
    uint64_t bytes; /* bytes of memory */
    uint64_t idle;  /* bytes of additional memory, for use only while the thresholds are solved;
                     * other parts of the build use it before and after that */
    struct wari_scratch_location location;
};

/* Opens level `seeds` within `limits`. The caller has set the fields that wari_level_begin()
 * names. On failure nothing has to be closed. Returns WARI_NO_MEMORY if wari_bits_shape_for()
 * returns false. */
WARI_MUST_CHECK enum wari_status wari_bits_open(struct wari_level *level, int seeds,
                                                enum wari_cycle cycle,
                                                const struct wari_bits_limits *limits,
                                                struct wari_error *error);

/* Divides the memory of a level. `bytes` and `idle` have the same meaning as in struct
 * wari_bits_limits. Returns false if this memory is not enough. */
bool wari_bits_shape_for(int seeds, enum wari_cycle cycle, uint64_t bytes, uint64_t idle,
                         int threads, struct wari_bits_shape *shape);

/* Returns the least number of bytes with which wari_bits_shape_for() returns true, or UINT64_MAX if
 * `upper` bytes are not enough. */
uint64_t wari_bits_bytes_needed(int seeds, enum wari_cycle cycle, uint64_t upper, uint64_t idle,
                                int threads);

#endif

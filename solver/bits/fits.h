/* How much memory and disk a level by bits takes. */
#ifndef SOLVER_BITS_FITS_H
#define SOLVER_BITS_FITS_H

#include "solver/bits/bits.h"

/* The shape in which a level is solved with `bytes` of memory, and `idle` bytes more which nobody
 * else has a use for while values grow; false if it cannot be. And the fewest bytes that it can be
 * solved in, if `most` do; UINT64_MAX if they do not. */
bool wari_bits_fits(int seeds, enum wari_cycle cycle, uint64_t bytes, uint64_t idle, int threads,
                    struct wari_bits_shape *shape);
uint64_t wari_bits_needs(int seeds, enum wari_cycle cycle, uint64_t most, uint64_t idle,
                         int threads);

#endif

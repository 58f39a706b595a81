/* The memory of a proof. The arrays are allocated before the first level and serve all levels; only
 * the set of wrong values (level->wrong) is allocated later. */
#ifndef VERIFY_VERIFY_MEMORY_H
#define VERIFY_VERIFY_MEMORY_H

#include "verify/verify_level.h"

/* The memory in bytes that a proof of levels 0..seeds_max needs, including the program and its
 * libraries. With `least` bytes the proof reads the lower levels in many small ranges; memory
 * beyond `most` does not make it faster. */
struct wari_verify_need {
    uint64_t least, most;
};
struct wari_verify_need wari_verify_need(struct wari_variant variant, int seeds_max,
                                         enum wari_verify_mode mode, int threads);

struct wari_verify_memory {
    void *block;  /* everything except the decoders */
    void *level;  /* memory for wari_verify_level_begin(); large enough for any level of the
                   * catalogue */
    int decoders; /* number of decoders created so far */
};

/* Allocates the memory for a proof of the levels in proof->catalogue and sets the pointers in
 * *proof. If it returns WARI_NO_MEMORY, the error text says how much memory is needed. */
WARI_MUST_CHECK enum wari_status wari_verify_memory_allocate(struct wari_verify_memory *memory,
                                                             struct wari_verify_proof *proof);
void wari_verify_memory_release(struct wari_verify_memory *memory,
                                const struct wari_verify_proof *proof);

#endif

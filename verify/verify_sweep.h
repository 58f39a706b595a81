/* Fixed points over the positions of a level: sweeps until one changes nothing. */
#ifndef VERIFY_FIXED_VERIFY_SWEEP_H
#define VERIFY_FIXED_VERIFY_SWEEP_H

#include "verify/verify_level.h"
#include "verify/verify_strip.h"

/* What is to come to rest. Both functions look at positions, write down what follows for those that
 * are not done with, and say which have changed, so that positions with a move to these have to be
 * looked at again. They must be monotone: what is found may depend on the state of the positions
 * reached, but never be undone by their further changes. */
struct wari_verify_task {
    const char *phase;
    /* All rows of a strip. Returns those that have changed, a bit each. */
    uint64_t (*strip)(struct wari_verify_level *level, const struct wari_verify_strip *strip,
                      uint32_t column);
    /* The same for one position, from which a quiet move leads to a position that has changed and
     * has the byte `reached`. */
    bool (*one)(struct wari_verify_level *level, uint64_t cell,
                const struct wari_position *position, uint8_t reached);
};

WARI_MUST_CHECK enum wari_status wari_verify_sweep(struct wari_verify_level *level,
                                                   const struct wari_verify_task *task);

#endif

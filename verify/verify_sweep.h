/* Computes fixed points over the positions of a level: repeats sweeps until one of them changes
 * nothing. */
#ifndef VERIFY_VERIFY_SWEEP_H
#define VERIFY_VERIFY_SWEEP_H

#include "verify/verify_level.h"
#include "verify/verify_strip.h"

/* The fixed point to compute. Both functions check positions that are not finished, record the
 * results in these positions, and return the positions that changed, because positions with a move
 * to a changed position must be checked again. Both must be monotone: a result may depend on the
 * state of the positions reached, but later changes of the positions reached must never invalidate
 * it. */
struct wari_verify_task {
    const char *phase;
    /* Processes one column of all rows of a strip. Returns a bit for each row that changed. */
    uint64_t (*strip)(struct wari_verify_level *level, const struct wari_verify_strip *strip,
                      uint32_t column);
    /* Processes one position, from which a quiet move leads to a position that has changed and
     * now has the code `reached`. Returns true if it changed. */
    bool (*one)(struct wari_verify_level *level, uint64_t cell,
                const struct wari_position *position, uint8_t reached);
};

WARI_MUST_CHECK enum wari_status wari_verify_sweep(struct wari_verify_level *level,
                                                   const struct wari_verify_task *task);

#endif

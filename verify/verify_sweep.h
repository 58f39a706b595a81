/* Computes fixed points over the positions of a level: repeats sweeps until one of them changes
 * nothing. */
#ifndef VERIFY_VERIFY_SWEEP_H
#define VERIFY_VERIFY_SWEEP_H

#include "verify/verify_level.h"
#include "verify/verify_neighbours.h"
#include "verify/verify_strip.h"

/* The fixed point to compute. Both strip() and one() check pending positions (level->pending),
 * record the results in these positions, remove positions that cannot change any more from
 * level->pending, and return the positions that changed, because positions with a move to a changed
 * position must be checked again. Both functions must be monotone: a result may depend on the state
 * of the positions reached, but later changes of the positions reached must never invalidate it. */
struct wari_verify_task {
    const char *phase;
    /* true if `one` finds in level->pending all that it has to know of the children of a position;
     * false if it reads their cells. level->pending is eight times as small, so more of it stays in
     * the caches of the processor. */
    bool reads_pending;
    /* Processes the rows `pending` of one column of a strip, at least one row. Returns a bit for
     * each row that changed. */
    uint64_t (*strip)(struct wari_verify_level *level, const struct wari_verify_strip *strip,
                      uint32_t column, uint64_t pending);
    /* Called for a pending position from which a quiet move leads to a position that has changed
     * and now has the code `reached`. Returns false if this change cannot affect the pending
     * position. NULL if every change matters. */
    bool (*is_affected)(const struct wari_verify_level *level,
                        const struct wari_verify_place *place, uint8_t reached);
    /* Processes one position. It was pending when the caller checked it, but an earlier call or
     * another thread may have removed it from level->pending since. Returns true if this call
     * changed it. */
    bool (*one)(struct wari_verify_level *level, const struct wari_verify_place *place,
                const struct wari_verify_children *children);
};

/* Makes the marked positions pending, and no others. */
WARI_MUST_CHECK enum wari_status wari_verify_set_pending(struct wari_verify_level *level);

/* Counts the pending positions. */
WARI_MUST_CHECK enum wari_status wari_verify_count_pending(struct wari_verify_level *level,
                                                           uint64_t *count);

WARI_MUST_CHECK enum wari_status wari_verify_sweep(struct wari_verify_level *level,
                                                   const struct wari_verify_task *task);

#endif

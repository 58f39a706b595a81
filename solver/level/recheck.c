/* Applies events and resolves rechecks; see recheck.h. */
#include "solver/level/recheck.h"

#include "solver/level/captures.h"

/* A child that got worse for its mover raises the parent, whatever the other children are. A child
 * that got better can let the parent fall, but only if the parent has its value from this child. In
 * this case all children have to be read.
 *
 * The same rules hold for upper bounds: upper bounds below 0 only rise, upper bounds above 0 only
 * fall. An upper bound above 0 is limited by the mover's surplus D, so it may be less than the
 * upper bound of a child allows. But if a child allows more than D, the upper bound of that child
 * is below -D and cannot change any more: the surplus of the child is -D + 2 * the seeds sown, and
 * an upper bound that can still change lies between 0 and the surplus of its own position. */
int8_t wari_apply_event(const struct wari_cells *codes, wari_event event, int8_t old, bool *recheck)
{
    const int8_t child = wari_event_code(event), before = wari_event_before(event);
    bool needs_capture = false;

    *recheck = false;
    if (codes->upper && child < codes->upper_codes.least[(uint8_t)old])
        return wari_upper_shrunk(codes, old, child, &needs_capture);
    if (!codes->upper && codes->rise[(uint8_t)child] > old)
        return codes->rise[(uint8_t)child];
    *recheck = child > codes->hold[(uint8_t)old] &&
               (before == WARI_CODE_UNKNOWN ||
                wari_cell_value(codes, old) == -wari_cell_value(codes, before));
    return old;
}

int8_t wari_resolve(const struct wari_level *level, struct wari_worker *worker,
                    struct wari_coordinates place, int8_t old, int8_t worst)
{
    bool needs_capture = false;
    const int8_t code = level->codes.upper
                            ? wari_upper_shrunk(&level->codes, old, worst, &needs_capture)
                            : wari_cell_grown(&level->codes, old, worst, &needs_capture);

    return needs_capture ? wari_resolve_query(level, worker, place, worst, old) : code;
}

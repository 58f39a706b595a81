/* What becomes of a cell by an event, and behind a recheck: see recheck.h. */
#include "solver/level/recheck.h"

#include "solver/level/captures.h"

/* A child that got worse for its mover raises the parent, whatever the other children are. One that
 * got better can let the parent fall, but only from the value that this child gave it: then all
 * children have to be read. The same for hopes: those below 0 only rise, those above 0 only
 * fall. One above 0 may be less than a move promises, since it ends at the mover's surplus D; but
 * no move promises more than D and can still change: its child's surplus is -D and twice the seeds
 * sown, and hopes that change do not lie beyond their surplus. */
int8_t wari_apply_event(const struct wari_cells *codes, wari_event event, int8_t old, bool *recheck)
{
    const int8_t child = wari_event_code(event), before = wari_event_before(event);
    bool ask = false;

    *recheck = false;
    if (codes->upper && child < codes->upper_codes.least[(uint8_t)old])
        return wari_upper_shrunk(codes, old, child, &ask);
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
    bool ask = false;
    const int8_t code = level->codes.upper ? wari_upper_shrunk(&level->codes, old, worst, &ask)
                                           : wari_cell_grown(&level->codes, old, worst, &ask);

    return ask ? wari_resolve_query(level, worker, place, worst, old) : code;
}

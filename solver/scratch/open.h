/* Opening a level whose cells are in a scratch file, and its values. */
#ifndef SOLVER_SCRATCH_OPEN_H
#define SOLVER_SCRATCH_OPEN_H

#include "solver/scratch/scratch.h"

/* Where the file goes: `name`, in `folder`. */
struct wari_scratch_place {
    const char *folder, *name;
};

/* Makes the level's scratch, of this shape: wari_level_begin() has been called, with the pitches of
 * its rows. */
WARI_MUST_CHECK enum wari_status wari_scratch_open(struct wari_level *level,
                                                   const struct wari_scratch_shape *shape,
                                                   const struct wari_scratch_place *place,
                                                   struct wari_error *error);
void wari_scratch_close(struct wari_level *level);

void wari_scratch_measure(struct wari_level *level); /* tells the measure what was transferred */

/* Lends the window, and the pages, to the cache of lower levels: for passes that use neither. They
 * end with wari_lower_return(). */
void wari_scratch_lend(struct wari_level *level);

/* Lends them to the pieces (pieces.h), until wari_scratch_lend(): for all that comes after the last
 * pass that uses them. */
void wari_scratch_keep(struct wari_level *level);

/* As wari_level_values() says. */
void wari_scratch_values(const struct wari_level *level, uint64_t first, size_t count,
                         int8_t *values);

#endif

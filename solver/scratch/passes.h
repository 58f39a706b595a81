/* Passes: what goes over a level in a scratch file, piece by piece. */
#ifndef SOLVER_SCRATCH_PASSES_H
#define SOLVER_SCRATCH_PASSES_H

#include "solver/scratch/scratch.h"

/* What is done to a piece, in lane->cells; false: it need not be written. */
typedef bool wari_piece_job(struct wari_level *level, const struct wari_lane *lane, void *context,
                            uint32_t piece);

struct wari_scratch_pass {
    const struct wari_pieces *from, *to; /* NULL: they are not read, or not written */
    uint32_t first, end;                 /* pieces `first` to `end` - 1, or */
    /* those that this returns: the i-th, one call after the other; WARI_NO_PIECE: that was all */
    uint32_t (*next)(struct wari_level *level, void *context, uint32_t i);
    wari_piece_job *job;
    void *context;
    bool makes; /* pieces, which are not read: by the team's threads, while others write */
};

/* Takes all pieces through the lanes, or until the level is stopped, or something fails
 * (wari_team_failure()). One pass at a time. */
void wari_scratch_run(struct wari_level *level, const struct wari_scratch_pass *pass);

/* For jobs: a worker of the team, when one is idle. */
struct wari_worker *wari_scratch_take_worker(struct wari_level *level);
void wari_scratch_give_worker(struct wari_level *level, const struct wari_worker *worker);

/* The rows of a piece of the level, in a lane. */
struct wari_row_run wari_scratch_rows_of(const struct wari_level *level, uint32_t piece,
                                         int8_t *cells);

/* As wari_road.each_rows says. */
void wari_scratch_each_rows(struct wari_level *level, enum wari_access access, wari_rows_job *job,
                            void *context);

#endif

/* Passes: what goes over a level in a scratch file, step by step. */
#ifndef SOLVER_SCRATCH_PASSES_H
#define SOLVER_SCRATCH_PASSES_H

#include "solver/scratch/scratch.h"

/* Steps, each of which wants pieces (by wari_scratch_want(), while steps before it run) and then
 * has jobs for the workers: how many is asked when it has said what it wants. Jobs of one step and
 * of those next to it run at the same time: what one of them writes no other one may read. */
struct wari_scratch_pass {
    uint32_t steps;
    bool (*want)(struct wari_level *level, void *context, uint32_t step); /* NULL: nothing */
    uint32_t (*jobs)(const struct wari_level *level, void *context, uint32_t step);
    void (*job)(struct wari_level *level, struct wari_worker *worker, void *context, uint32_t step,
                uint32_t i);
    void *context;
};

/* Runs all steps, or until the level is stopped, or something fails (wari_team_failure()). */
void wari_scratch_run(struct wari_level *level, const struct wari_scratch_pass *pass);

/* Fails the team: a step needs more pieces than there are frames, which no shape lets happen. */
void wari_scratch_lacks_frames(const struct wari_level *level);

/* For `want`: pieces of the step to come. */
bool wari_scratch_want(struct wari_scratch *scratch, const uint32_t *piece, uint32_t count,
                       bool read);

/* When a piece is needed again that no plan knows of; how far away each block's next use is, seen
 * from a turn. */
uint64_t wari_scratch_far_away(const struct wari_scratch *scratch, uint32_t piece);
void wari_scratch_look_far(struct wari_level *level, int turn);

/* Calls job for each piece in scratch->list (of `count`), when it is in memory. */
struct wari_scratch_each {
    uint32_t count;
    bool (*read)(const struct wari_level *level, uint32_t piece); /* whether to read it */
    void (*job)(struct wari_level *level, struct wari_worker *worker, void *context,
                uint32_t piece);
    void *context;
};
void wari_scratch_each(struct wari_level *level, struct wari_scratch_each *each);

/* The rows of a piece that is in memory. */
struct wari_row_run wari_scratch_rows_of(const struct wari_level *level, uint32_t piece);

/* Lists all pieces; returns their number. */
uint32_t wari_scratch_list_all(struct wari_level *level);

/* Makes the i-th of the transfers that are listed, in one of WARI_ROOMS rooms: what is read is then
 * amended. For any number of threads at once, a room each. */
WARI_MUST_CHECK enum wari_status wari_scratch_transfer(const struct wari_level *level, uint32_t i,
                                                       int room, struct wari_error *error);

/* Writes all frames that were written to, and empties them. */
void wari_scratch_flush(struct wari_level *level);

#endif

/* Steps: what of a level a pass needs in memory at a time, planned ahead. */
#ifndef SOLVER_SCRATCH_STEPS_H
#define SOLVER_SCRATCH_STEPS_H

#include "solver/scratch/scratch.h"

/* Begins to plan the turn of some blocks. */
void wari_scratch_begin_plan(struct wari_level *level, struct wari_turn turn);

/* Plans on from there as far as there is room, by what children the columns have; false if no
 * column is left. */
bool wari_scratch_plan(struct wari_level *level);

/* For other plans. Begins: no step is planned yet. The block whose columns go by next, -1 if there
 * are none left; so many columns of it were planned. The step is whole (if there is anything in
 * it). All is planned: fills in when each piece is needed next. */
void wari_scratch_begin_steps(struct wari_scratch_plan *plan);
int wari_scratch_next_block(const struct wari_scratch_plan *plan);
void wari_scratch_go_by(struct wari_level *level, int block, uint32_t columns);
void wari_scratch_end_step(struct wari_scratch_plan *plan);
void wari_scratch_look_ahead(struct wari_scratch *scratch);

/* For passes over a plan: wants what a step of it needs; its slices, one a job. */
bool wari_scratch_want_planned(struct wari_level *level, void *context, uint32_t step);
uint32_t wari_scratch_slices(const struct wari_level *level, void *context, uint32_t step);

#endif

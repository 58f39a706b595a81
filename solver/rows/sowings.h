/* The sowings of mover halves, one after the other, much faster than one by one. */
#ifndef SOLVER_SOWINGS_H
#define SOLVER_SOWINGS_H

#include "solver/rows/halves.h"
#include "solver/rows/sow.h"

/* The sowings of all pits of `count` mover halves with `seeds` seeds, from number `first` on:
 * sowings[half - first][pit], each as wari_sow_half() gives it. */
void wari_sow_halves(const struct wari_halves *halves, int seeds, uint32_t first, uint32_t count,
                     wari_sowing (*sowings)[WARI_HALF_PITS]);

#endif

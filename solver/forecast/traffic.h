/* Bytes that the passes over one level move through memory. Part of the cost model (cost.h);
 * stream_model.h has those of a scratch file. */
#ifndef SOLVER_TRAFFIC_H
#define SOLVER_TRAFFIC_H

#include "game/wari_game.h"

/* Passes of one kind over a level. */
enum wari_pass {
    WARI_PASS_CAPTURES, /* the first: writes every cell */
    WARI_PASS_DENSE,    /* one sweep over all cells */
    WARI_PASS_LATE,     /* all sweeps of single cells together */
    WARI_PASS_COUNT,
    WARI_PASS_WRITE, /* encoding: the survey reads a thousandth, not counted */
    WARI_PASSES,
};

/* Sowings of a position, on average over all placements of `seeds`: pits with seeds in them. */
double wari_sowings_of(int seeds);

/* Bytes a position that a pass loads and stores. */
double wari_memory_traffic(enum wari_pass pass, int seeds, enum wari_cycle cycle);

/* Sweeps of a level: those over all cells, more of them the later events are left (`events`:
 * wari_level.events_share), those of single cells, and the parents that the latter look at, for
 * each position. Means of what was counted (NOTES.md). */
int wari_dense_sweeps(enum wari_cycle cycle, double events);
int wari_late_sweeps(enum wari_cycle cycle);
double wari_late_events(enum wari_cycle cycle);

#endif

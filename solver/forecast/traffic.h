/* What the passes over a level do and move: sweeps, events, bytes of memory and of the scratch
 * file. The counts of the cost model (cost.h); nothing here is measured in seconds. */
#ifndef SOLVER_TRAFFIC_H
#define SOLVER_TRAFFIC_H

#include "solver/bits/fits.h"

/* Passes of one kind over a level. */
enum wari_pass {
    WARI_PASS_CAPTURES, /* the first: writes every cell */
    WARI_PASS_DENSE,    /* one sweep over all cells */
    WARI_PASS_EVENTS,   /* all event-driven sweeps together */
    WARI_PASS_COUNT,
    WARI_PASS_WRITE, /* encoding: the survey reads a thousandth, not counted */
    WARI_PASSES,
};

/* Sowings of a position, on average over all placements of `seeds`: pits with seeds in them. */
double wari_sowings_of(int seeds);

/* Bytes a position that a pass loads and stores. */
double wari_memory_traffic(enum wari_pass pass, int seeds, enum wari_cycle cycle);

/* Sweeps of a level in memory: dense ones, more of them the fewer `events` there is room for
 * (wari_level.events_share), event-driven ones, and the parents that these look at, for each
 * position. Means of what was counted (NOTES.md). */
int wari_dense_sweeps(enum wari_cycle cycle, double events);
int wari_event_sweeps(enum wari_cycle cycle);
double wari_late_events(enum wari_cycle cycle);

/* The same by bits: sweeps over all cells, of all bounds together, and bounds that need none. */
int wari_bits_sweeps(int seeds, enum wari_cycle cycle);
int wari_bits_told(int seeds);

/* Bytes of the scratch file. */
struct wari_scratch_bytes {
    double read, written;
    double read_beside, written_beside; /* while sweeps go on */
};

/* For each position, while values grow by bits; and in all, by captures, counting or writing. */
struct wari_scratch_bytes wari_bits_position_bytes(int seeds, enum wari_cycle cycle);
struct wari_scratch_bytes wari_scratch_pass_bytes(enum wari_pass pass, int seeds,
                                                  const struct wari_bits_shape *shape);

/* Cells that come from the scratch file or go there have so many bytes, as half bytes: counted for
 * levels 22 to 24. */
#define WARI_HALVED 0.66

#endif

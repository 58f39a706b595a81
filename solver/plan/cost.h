/* What a build will take: time, passes, and bytes moved, level by level. The model is described in
 * NOTES.md; its speeds come from a calibration (calibrate.h) or are given. Nothing here looks at
 * the machine: the same input gives the same cost. */
#ifndef SOLVER_COST_H
#define SOLVER_COST_H

#include "solver/plan/plan.h"

/* How fast a machine is. */
struct wari_speed {
    /* Nanoseconds of one thread. */
    double capture; /* a position: its captures, where levels below are in memory */
    double sowing;  /* a cell of a dense sweep, for each of its sowings */
    double column;  /* a column of a block, likewise: loops that begin and end */
    double event;   /* a parent that an event-driven sweep looks at */
    double count;   /* a position: the histogram */
    double encode;  /* a position: its share of the file */
    double decode;  /* a position of a level below that is read from its file */
    double level;   /* milliseconds that a level takes whatever its size: files made durable */

    /* Million bytes a second, of a whole machine; 0: no limit. */
    double memory, disk, network;
};

/* The speeds of the machine that NOTES.md speaks of, in a quiet hour. No limit to disk and network.
 */
struct wari_speed wari_speed_noted(void);

/* Passes of one kind over a level. */
enum wari_pass {
    WARI_PASS_CAPTURES, /* the first: writes every cell */
    WARI_PASS_DENSE,    /* sweeps over all cells */
    WARI_PASS_EVENTS,   /* event-driven sweeps; by bits, lists and single cells */
    WARI_PASS_COUNT,
    WARI_PASS_WRITE, /* encoding: the survey reads a thousandth, not counted */
    WARI_PASSES,
};

/* Sowings of a position, on average over all placements of `seeds`: pits with seeds in them. */
double wari_sowings_of(int seeds);

/* Nanoseconds that one thread takes for a dense sweep over a whole level in memory. */
double wari_sweep_of(const struct wari_speed *speed, int seeds);

/* Parents that event-driven sweeps look at, for each position. */
double wari_late_events(enum wari_cycle cycle);

struct wari_cost_request {
    const struct wari_build *build; /* variant, seeds, threads, memory and sharing; a machine for
                                     * each of the processes */
    const struct wari_build_plan *plan; /* made for it, and one that wari_plan_check() allows */
    struct wari_speed speed;

    /* Where levels are shared: bytes a position that a pass, or one dense sweep, sends. */
    double (*sent)(enum wari_pass pass, int seeds, enum wari_cycle cycle, int processes);
};

/* One level, or all of them. Bytes and seconds of one process, but for positions and files. */
struct wari_cost_level {
    uint64_t positions;
    uint64_t file_bytes;
    uint64_t memory_bytes;  /* while it is solved, the cache of levels below included */
    uint64_t scratch_bytes; /* 0: the level is in memory */
    int sweeps, dense_sweeps;
    int passes; /* the sweeps, captures, count, and writing */
    double memory_moved, disk_read, disk_written, sent; /* bytes */
    double seconds[WARI_PASSES];
    double total_seconds;
};

struct wari_cost {
    struct wari_cost_level level[WARI_SEEDS_MAX + 1]; /* zeros for those not to be solved */
    struct wari_cost_level all; /* sums; the largest of memory and scratch; no sweeps and passes */
    uint64_t cache_bytes;       /* of memory: for levels below */
};

void wari_cost_of(const struct wari_cost_request *request, struct wari_cost *cost);

#endif

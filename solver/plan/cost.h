/* Estimates what a build costs, level by level: time, passes, and bytes moved. NOTES.md describes
 * the model. The speeds of the model are measured (calibrate.h) or given by the user. The functions
 * here do not depend on the machine that they run on: equal requests have equal costs. */
#ifndef SOLVER_PLAN_COST_H
#define SOLVER_PLAN_COST_H

#include "solver/plan/plan.h"

/* The speed of a machine. */
struct wari_speed {
    /* Times in nanoseconds. Each field is the time that one thread takes for the work that its
     * comment names. */
    double capture; /* computing the captures of a position, if the lower levels are in memory */
    double sowing;  /* one sowing of one cell in one pass of a dense sweep */
    double column;  /* one sowing of one column in one pass, without the time for its cells:
                     * the overhead of the loop over the cells */
    double event;   /* examining a parent in an event-driven sweep */
    double count;   /* counting a position in the histogram */
    double encode;  /* encoding a position and writing it to the file */
    double decode;  /* decoding a position of a lower level, which is read from the level's file */

    /* The time, in milliseconds, to make the files of a level durable. It does not depend on the
     * size of the level. */
    double level;

    /* Transfer rates of the whole machine, in million bytes a second. 0 means no limit. */
    double memory, disk, network;
};

/* Returns the speeds of the machine that NOTES.md describes, without other load. Disk and network
 * have no limit. */
struct wari_speed wari_speed_noted(void);

/* Kinds of passes over a level. */
enum wari_pass {
    WARI_PASS_CAPTURES, /* the first pass, which writes every cell */
    WARI_PASS_DENSE,    /* sweeps over all cells */
    WARI_PASS_EVENTS, /* event-driven sweeps; in the bit backend, capture lists and the worklist */
    WARI_PASS_COUNT,  /* the histogram of values */
    WARI_PASS_WRITE,  /* encoding. The survey before it reads one position in a thousand and is
                       * left out of the model */
    WARI_PASSES,
};

/* Returns the average number of sowings of a position. It is the average number of the mover's pits
 * that are not empty, over all placements of `seeds` seeds. */
double wari_sowings_of(int seeds);

/* Returns the nanoseconds that one thread takes to compute all cells of a level in memory once. */
double wari_sweep_of(const struct wari_speed *speed, int seeds);

/* Returns the number of parents that all event-driven sweeps of a level in memory examine together,
 * divided by the number of positions of the level. `sharing` is true if several
 * processes build the level. */
double wari_late_events(enum wari_cycle cycle, bool sharing);

struct wari_cost_request {
    const struct wari_build *build;     /* the build whose variant, seeds, threads, memory and
                                         * sharing are used; each process is assumed to have its
                                         * own machine */
    const struct wari_build_plan *plan; /* made for `build`, and accepted by wari_plan_check() */
    struct wari_speed speed;

    /* Returns the bytes that a pass, or one dense sweep, sends to other processes for each position
     * of the level. NULL if levels are not shared. */
    double (*sent)(enum wari_pass pass, int seeds, enum wari_cycle cycle, int processes);
};

/* The cost of one level, or of all levels. `positions` and `file_bytes` count the whole level; all
 * other bytes and seconds are those of one process. */
struct wari_cost_level {
    uint64_t positions;
    uint64_t file_bytes;
    uint64_t memory_bytes;  /* memory while the level is solved, with the cache */
    uint64_t scratch_bytes; /* size of the scratch file; 0 if the level is solved in memory */
    int sweeps, dense_sweeps;
    int passes; /* the sweeps, and one pass each for captures, count and writing */
    double memory_moved, disk_read, disk_written, sent; /* numbers of bytes */
    double seconds[WARI_PASSES];
    double total_seconds;
};

struct wari_cost {
    struct wari_cost_level level[WARI_SEEDS_MAX + 1]; /* zeros for levels that are not solved */

    /* Sums over all levels, with three exceptions: memory_bytes and scratch_bytes are maxima, and
     * the numbers of sweeps and passes are 0. */
    struct wari_cost_level all;

    uint64_t cache_bytes; /* memory for the lower-level cache while the last level is solved */
};

/* Computes the cost of a build. */
void wari_cost_of(const struct wari_cost_request *request, struct wari_cost *cost);

#endif

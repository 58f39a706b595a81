/* Progress and statistics of solving. */
#ifndef SOLVER_LEVEL_STATISTICS_H
#define SOLVER_LEVEL_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

enum wari_phase {
    WARI_PHASE_CAPTURES, /* looking up best captures and ends */
    WARI_PHASE_SWEEP,    /* growing values */
    WARI_PHASE_SHRINK,   /* shrinking upper bounds, cycle rule `own` */
    WARI_PHASE_COUNT,    /* counting values for the histogram */
    WARI_PHASE_WRITE,
    WARI_PHASE_LEVEL_DONE, /* the level is published */
    WARI_PHASE_REFUSED,    /* the checkpoint of the level is invalid and was renamed */
    WARI_PHASE_UNSUITABLE, /* the checkpoint of the level was renamed, because it was written by a
                            * storage backend from which this build's backend cannot resume */
};

/* Statistics of solving one level. Times are wall-clock seconds. */
struct wari_level_statistics {
    int seeds;
    uint64_t positions;
    int sweeps;
    int dense_sweeps;  /* included in `sweeps` */
    double work;       /* cells computed by all sweeps, divided by the cells of the level */
    double dense_work; /* cells computed by dense sweeps, included in `work` */
    uint64_t bytes_read, bytes_written;  /* bytes transferred from and to the scratch file; 0 if
                                          * there was none */
    bool resumed;                        /* the level was resumed from a checkpoint */
    int checkpoints, checkpoints_failed; /* number of checkpoints written, and number of failed
                                          * attempts to write one */
    struct wari_level_seconds {
        double captures, sweeps, count, encode, write;
        double dense; /* dense sweeps, included in `sweeps` */
    } seconds;
};

/* The progress of a build, for its progress callback. */
struct wari_progress {
    enum wari_phase phase;
    int seeds;      /* the current level; for WARI_PHASE_LEVEL_DONE the level that was published,
                     * perhaps after later levels were begun */
    int sweep;      /* number of complete sweeps of this level */
    double changed; /* changes in the last complete sweep, divided by the cells of the level */
    uint64_t positions_done; /* stored positions of the levels that this build has published */
    uint64_t positions_all;  /* stored positions of all levels that this build is to solve */
    double seconds;          /* since the build began */

    /* For WARI_PHASE_LEVEL_DONE only: */
    double level_seconds; /* time that the level took */
    uint64_t level_bytes; /* size of its file */
    const struct wari_level_statistics *statistics;
};

#endif

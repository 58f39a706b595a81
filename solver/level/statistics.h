/* What solving takes: filled in by those who solve, for those who watch. */
#ifndef SOLVER_MEASURE_H
#define SOLVER_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

enum wari_phase {
    WARI_PHASE_CAPTURES, /* best captures and ends */
    WARI_PHASE_SWEEP,
    WARI_PHASE_SHRINK, /* sweeping hopes down, cycle rule `own` */
    WARI_PHASE_COUNT,  /* histogram and payload hash */
    WARI_PHASE_WRITE,
    WARI_PHASE_LEVEL_DONE, /* published */
    WARI_PHASE_REFUSED,    /* the level's checkpoint does not fit and was put aside */
};

/* What solving one level took. Seconds of wall-clock time. */
struct wari_level_statistics {
    int seeds;
    uint64_t positions;
    int sweeps;
    int dense_sweeps; /* of these, those over all cells */
    double work;      /* cells computed by all sweeps, in units of one dense sweep */
    uint64_t bytes_read, bytes_written;  /* from and to the scratch file; 0: there was none */
    bool resumed;                        /* from a checkpoint */
    int checkpoints, checkpoints_failed; /* written, or not */
    struct wari_level_seconds {
        double captures, sweeps, count, encode, write;
        double dense; /* of `sweeps`: those over all cells */
    } seconds;
};

/* What a build tells those who watch. */
struct wari_progress {
    enum wari_phase phase;
    int seeds;               /* the level being worked on; or published, after later ones perhaps */
    int sweep;               /* sweeps begun in this level, from 1 */
    double changed;          /* share of the level's cells that the last whole sweep changed */
    uint64_t positions_done; /* stored positions of the levels published in this run */
    uint64_t positions_all;  /* of all levels this run is to solve */
    double seconds;          /* since the run began */
    double level_seconds;    /* for WARI_PHASE_LEVEL_DONE: that this level took */
    uint64_t level_bytes;    /* for WARI_PHASE_LEVEL_DONE: size of its file */
    const struct wari_level_statistics *statistics; /* for WARI_PHASE_LEVEL_DONE: what it took */
};

#endif

/* What solving one level took: filled in by whoever solves it, for those who watch. */
#ifndef SOLVER_MEASURE_H
#define SOLVER_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

/* Seconds of wall-clock time. */
struct wari_level_measure {
    int seeds;
    uint64_t positions;
    int sweeps;
    int dense_sweeps;     /* of these, those over all cells */
    double work;          /* cells computed by all sweeps, in units of one dense sweep */
    uint64_t bytes_moved; /* read and written by sweeps, by count of loads and stores */
    uint64_t bytes_read, bytes_written;  /* from and to the scratch file; 0: not streamed */
    bool resumed;                        /* from a checkpoint */
    int checkpoints, checkpoints_failed; /* written, or not */
    double capture_seconds, sweep_seconds, count_seconds, encode_seconds, write_seconds;
    double dense_seconds; /* of sweep_seconds: sweeps over all cells */
    uint64_t chunks_read; /* of levels below, from their files, and decoded */
};

#endif

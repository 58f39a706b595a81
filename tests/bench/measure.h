/* What the benchmark measures. Every measurement runs in a child process of its own, so that peak
 * memory is its own and no thread pool outlives a fork. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "solver/build.h"
#include "solver/plan/cost.h"

/* What one build took. */
struct bench_build {
    struct wari_variant variant;
    int seeds, threads;
    enum wari_kernel kernel;
    uint64_t memory; /* its bound; 0: none */
    double seconds;
    uint64_t peak_bytes; /* resident, of the whole process */
    uint64_t file_bytes;
    struct wari_level_measure level[WARI_SEEDS_MAX + 1];
    uint64_t level_bytes[WARI_SEEDS_MAX + 1];
};

/* Builds levels 0..seeds of a variant in a folder of its own below `scratch` and removes it. Exits
 * with a message if that fails. The fields variant, seeds, threads, kernel and memory are
 * given. */
void bench_build(const char *scratch, struct bench_build *build);

/* Seconds that `count` builds of one thread each take side by side, in processes that share
 * nothing: what the machine's processors do together. */
double bench_side_by_side(const char *scratch, int seeds, int count);

/* Positions (all placements of levels 0..seeds) a second of the reference solver on one core:
 * `plain` sweeps single positions and sows anew each time, else over a graph of all moves that it
 * writes out first. */
double bench_reference(int seeds, bool plain, double *seconds);

/* Bytes a second at which `threads` threads read `bytes` of memory, best of three. */
double bench_bandwidth(uint64_t bytes, int threads);

/* Stored positions of levels 0..seeds. */
uint64_t bench_positions(int seeds);

/* Measures the speeds that a plan for such a build rests on. */
void bench_calibrate(const char *scratch, const struct bench_build *like, struct wari_speed *speed);

#endif

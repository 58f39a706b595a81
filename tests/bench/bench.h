/* Parts of the benchmark. Every measurement runs in a child process of its own, so that peak memory
 * is its own and no thread pool outlives a fork. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "solver/cost.h"

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

/* Prints how often a search with the database in the first folder finds a move without loss, by the
 * larger one in the second, and what a move of perfect play costs inside that. */
void bench_search(const char *small_folder, const char *large_folder);

/* ---- The plan ---- */

/* Measures the speeds that a plan for such a build rests on. */
void bench_calibrate(const char *scratch, const struct bench_build *like, struct wari_speed *speed);

/* Prints what a plan with these speeds says of a build that was measured, and what it took. */
void bench_print_plan(const struct bench_build *build, const struct wari_speed *speed);

/* A bound on memory with which such a build reads levels below more than once. */
uint64_t bench_tight_memory(const struct bench_build *like);

/* ---- Reports ---- */

void bench_print_levels(const struct bench_build *one, const struct bench_build *all,
                        double bandwidth);
void bench_print_json(const struct bench_build *build, double bandwidth);

#endif

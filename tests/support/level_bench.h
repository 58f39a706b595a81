/* The highest level of a small database, solved on its own: the levels below are in `folder` (of
 * own_folder.h), and the reference knows what comes out. Functions fail the running test if
 * anything goes wrong. */
#ifndef TESTS_SUPPORT_LEVEL_BENCH_H
#define TESTS_SUPPORT_LEVEL_BENCH_H

#include "solver/level/level.h"
#include "tests/support/table_files.h"

/* What the levels of one variant are solved with. */
struct bench {
    struct wari_variant variant;
    int seeds;
    const struct ref_table *reference; /* may be NULL */
    struct wari_tables *tables;
};

/* Builds the levels below. bench_open() leaves the reference out, for tests that compare nothing
 * with it. */
struct bench bench_open(struct wari_variant variant, int seeds);
struct bench bench_create(struct wari_variant variant, int seeds);
void bench_free(struct bench *bench);

/* One way of solving the level; not to be copied once it has begun. */
struct bench_run {
    const struct bench *bench;
    struct wari_level_statistics statistics;
    struct wari_lower_cache *lower_cache;
    struct wari_workers workers;
    struct wari_level level;
};

/* Fills in all of run->level that wari_level_begin() does not, which is left to be called;
 * the cache of lower levels has the least that it works with. */
void bench_begin(struct bench_run *run, const struct bench *bench, int threads);

/* The same and the level itself, by bits with a scratch file in `folder`, with so many bytes
 * more than it takes at least; nothing of it is solved. */
void bench_begin_by_bits(struct bench_run *run, const struct bench *bench, int threads,
                         uint64_t more);

/* From the capture pass to the last value; then compares all values. Best captures
 * below -`told` are not told apart, so that some cells have to ask. */
void bench_solve(struct bench_run *run, int told, double events_share, double cells_share);

/* Compares all values with those of the reference. */
void bench_compare(const struct bench_run *run);

/* Fails the test with the message of whichever thread failed. */
void bench_check(const struct bench_run *run);

/* Takes down the level, too. */
void bench_end(struct bench_run *run);

#endif

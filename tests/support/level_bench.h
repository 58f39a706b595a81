/* Solves the highest level of a small database by itself: the lower levels are in `folder`
 * (own_folder.h), and the reference has the expected values. The functions fail the running test
 * if an error occurs. */
#ifndef TESTS_SUPPORT_LEVEL_BENCH_H
#define TESTS_SUPPORT_LEVEL_BENCH_H

#include "solver/level/level.h"
#include "tests/support/table_files.h"

/* The data that all runs of one level use. */
struct bench {
    struct wari_variant variant;
    int seeds;
    const struct ref_table *reference; /* may be NULL */
    struct wari_tables *tables;
};

/* Builds the lower levels. bench_open() does not compute the reference values, because some tests
 * do not compare values. */
struct bench bench_open(struct wari_variant variant, int seeds);
struct bench bench_create(struct wari_variant variant, int seeds);
void bench_free(struct bench *bench);

/* One run that solves the level; must not be copied after it has begun. */
struct bench_run {
    const struct bench *bench;
    struct wari_level_statistics statistics;
    struct wari_lower_cache *lower_cache;
    struct wari_workers workers;
    struct wari_level level;
};

/* Fills in all fields of run->level that wari_level_begin() does not; the caller still has to
 * call that function. The cache of lower levels has the smallest size with which it works. */
void bench_begin(struct bench_run *run, const struct bench *bench, int threads);

/* Like bench_begin(), but also creates the level with the bit backend and a scratch file in
 * `folder`. The backend gets the given number of bytes beyond its minimum. Does not solve the
 * level. */
void bench_begin_by_bits(struct bench_run *run, const struct bench *bench, int threads,
                         uint64_t more);

/* Solves the level from the capture pass to the last value, and compares all values. Codes do
 * not distinguish best captures below -deepest, so some cells have to query them. */
void bench_solve(struct bench_run *run, int deepest, double events_share, double cells_share);

/* Compares all values with those of the reference. */
void bench_compare(const struct bench_run *run);

/* Fails the test with the message of the thread that failed, if any. */
void bench_check(const struct bench_run *run);

/* Frees everything, including the level. */
void bench_end(struct bench_run *run);

#endif

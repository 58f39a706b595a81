/* A plan, beside what a build took. */
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "tests/bench/measure.h"

/* Prints what a plan with these speeds says of a build that was measured, and what it took. */
void bench_print_plan(const struct bench_build *build, const struct wari_speed *speed);

/* A bound on memory with which such a build reads levels below more than once. */
uint64_t bench_tight_memory(const struct bench_build *like);

#endif

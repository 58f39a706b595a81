/* The inner loops of dense sweeps, each by itself. */
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

#include "solver/build.h"

/* Nanoseconds a cell, best of several runs on one processor. */
struct bench_loops {
    double worst;          /* smallest children, along many strips */
    double worst_of_strip; /* the same where there are few */
    double transpose, merge;
};

/* False where there is no memory. */
bool bench_loops(enum wari_kernel kernel, struct bench_loops *loops);

#endif

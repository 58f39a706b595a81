/* What builds took, as people and programs read it. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "tests/bench/measure.h"

void bench_print_levels(const struct bench_build *one, const struct bench_build *all,
                        double bandwidth);
void bench_print_json(const struct bench_build *build, double bandwidth);

#endif

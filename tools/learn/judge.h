/* How well an evaluation does, by seeds.
 */
#ifndef TOOLS_LEARN_JUDGE_H
#define TOOLS_LEARN_JUDGE_H

#include <stdio.h>

#include "tools/learn/network.h"

/* Sums over the samples of two neighbouring levels. */
struct fit {
    double count;
    double value, value_2;       /* sums of values and their squares */
    double estimate, estimate_2; /* of estimates */
    double product;
    double wrong, wrong_2; /* of errors without their sign, and their squares */
};

struct fits {
    struct fit levels[WARI_UNIT_LEVELS];
    struct fit all;
};

void fit_add(struct fits *fits, const struct wari_evaluation *evaluation,
             const struct sample *sample);

/* The standard deviation of the error, in seeds. */
double fit_error(const struct fit *fit);

/* The share of the variance that is explained (R2). */
double fit_explained(const struct fit *fit);

/* A line for each pair of levels: how many, the share of the variance that is explained (R2), the
 * mean absolute error, its standard deviation, and by how many seeds the value grows with each seed
 * of the estimate (1: calibrated). `mark` begins each line. */
void fits_print(FILE *to, const char *mark, const struct fits *fits);

#endif

/* Measures how well an evaluation fits the values, for each pair of neighbouring levels. */
#ifndef TOOLS_LEARN_FIT_H
#define TOOLS_LEARN_FIT_H

#include <stdio.h>

#include "tools/learn/network.h"

/* Sums over the samples of two neighbouring levels. */
struct fit {
    double count;
    double value, value_2;       /* sums of the values and of their squares */
    double estimate, estimate_2; /* sums of the estimates and of their squares */
    double product;
    double absolute_error, absolute_error_2; /* sums of the absolute errors and of their squares */
};

struct fits {
    struct fit levels[WARI_UNIT_LEVELS];
    struct fit all;
};

void fit_add(struct fits *fits, const struct wari_evaluation *evaluation,
             const struct sample *sample);

/* Returns the standard deviation of the error, in seeds. */
double fit_error(const struct fit *fit);

/* Returns the share of the variance that is explained (R2). */
double fit_explained(const struct fit *fit);

/* Prints a line for each pair of levels: the number of samples, the share of the variance that
 * is explained (R2), the mean absolute error, its standard deviation, and the slope: by how many
 * seeds the value grows with each seed of the estimate (1 means calibrated). `mark` starts each
 * line. */
void fits_print(FILE *to, const char *mark, const struct fits *fits);

#endif

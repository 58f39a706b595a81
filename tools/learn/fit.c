/* Accumulates sums of values and squares; single samples are not kept. */
#include "tools/learn/fit.h"

#include <math.h>

static void add(struct fit *fit, double value, double estimate)
{
    double absolute_error = fabs(value - estimate);
    fit->count++;
    fit->value += value;
    fit->value_2 += value * value;
    fit->estimate += estimate;
    fit->estimate_2 += estimate * estimate;
    fit->product += value * estimate;
    fit->absolute_error += absolute_error;
    fit->absolute_error_2 += absolute_error * absolute_error;
}

void fit_add(struct fits *fits, const struct wari_evaluation *evaluation,
             const struct sample *sample)
{
    struct wari_search_board board = wari_search_board_of(&sample->position);
    double estimate = wari_evaluate(evaluation, &board) / 100.0;
    add(&fits->levels[wari_search_board_seeds(&board) / 2], (double)sample->value, estimate);
    add(&fits->all, (double)sample->value, estimate);
}

double fit_error(const struct fit *fit)
{
    return fit->count > 0 ? sqrt(fit->absolute_error_2 / fit->count) : 0;
}

double fit_explained(const struct fit *fit)
{
    double variance = fit->value_2 - fit->value * fit->value / fit->count;
    return variance > 0 ? 1 - fit->absolute_error_2 / variance : 0;
}

static void print(FILE *to, const struct fit *fit)
{
    double n = fit->count;
    double spread = fit->estimate_2 - fit->estimate * fit->estimate / n;
    double common = fit->product - fit->value * fit->estimate / n;
    fprintf(to, "%8.0f   %5.2f   %5.2f   %5.2f   %5.2f\n", n, fit_explained(fit),
            fit->absolute_error / n, fit_error(fit), spread > 0 ? common / spread : 0);
}

void fits_print(FILE *to, const char *mark, const struct fits *fits)
{
    fprintf(to, "%sseeds    samples      R2    mean   error   slope\n", mark);
    for (int level = 0; level < WARI_UNIT_LEVELS; level++) {
        if (fits->levels[level].count == 0)
            continue;
        fprintf(to, "%s%2d-%2d  ", mark, 2 * level, 2 * level + 1);
        print(to, &fits->levels[level]);
    }
    if (fits->all.count > 0) {
        fprintf(to, "%s  all  ", mark);
        print(to, &fits->all);
    }
}

/* Computes Elo differences, confidence intervals and a sequential test from the results of pairs
 * of games. */
#include "play/engine/elo.h"

#include <math.h>

/* Computes the mean score of a pair and the variance of the scores. Returns the number of pairs.
 * A result that did not occur counts `at_least` times. */
static double add_up(const int pairs[WARI_ELO_PAIR_RESULTS], double at_least, double *mean,
                     double *variance)
{
    double count = 0;
    double times[WARI_ELO_PAIR_RESULTS];
    *mean = *variance = 0;
    for (int i = 0; i < WARI_ELO_PAIR_RESULTS; i++) {
        times[i] = pairs[i] > 0 ? pairs[i] : at_least;
        count += times[i];
        *mean += times[i] * i / 4.0;
    }
    if (count <= 0)
        return 0;
    *mean /= count;
    for (int i = 0; i < WARI_ELO_PAIR_RESULTS; i++)
        *variance += times[i] * (i / 4.0 - *mean) * (i / 4.0 - *mean) / count;
    return count;
}

static double difference(double score)
{
    if (score <= 0 || score >= 1)
        return score <= 0 ? -INFINITY : INFINITY;
    return 400 * log10(score / (1 - score)); /* gives 0, not -0, for a score of one half */
}

static double score(double elo)
{
    return 1 / (1 + pow(10, -elo / 400));
}

void wari_elo_from_pairs(const int pairs[WARI_ELO_PAIR_RESULTS], struct wari_elo *elo)
{
    /* This many standard deviations contain 95 % of a normal distribution. */
    const double normal_95 = 1.959964;
    double mean, variance;
    *elo = (struct wari_elo){.superior = 0.5, .error = INFINITY};
    elo->pairs = (int)add_up(pairs, 0, &mean, &variance);
    if (elo->pairs == 0)
        return;
    double deviation = sqrt(variance / elo->pairs);
    double low = difference(mean - normal_95 * deviation);
    double high = difference(mean + normal_95 * deviation);
    elo->meaningful = elo->pairs >= WARI_ELO_PAIRS_MIN && variance > 0;
    elo->difference = difference(mean);
    elo->error = isinf(low) || isinf(high) ? INFINITY : (high - low) / 2;
    if (deviation > 0)
        elo->superior = erfc((0.5 - mean) / deviation / sqrt(2)) / 2;
    else
        elo->superior = mean > 0.5 ? 1 : mean < 0.5 ? 0 : 0.5;
}

static int count_pairs(const int pairs[WARI_ELO_PAIR_RESULTS])
{
    int count = 0;
    for (int i = 0; i < WARI_ELO_PAIR_RESULTS; i++)
        count += pairs[i];
    return count;
}

enum wari_elo_answer wari_elo_test_pairs(const struct wari_elo_test *test,
                                         const int pairs[WARI_ELO_PAIR_RESULTS], double *ratio,
                                         double *low, double *high)
{
    double mean, variance;
    double score0 = score(test->elo0), score1 = score(test->elo1);
    /* A few equal pairs do not show that all pairs are equal. If results that did not occur
     * counted much less than half a pair, the variance would be nearly 0 and twice as many
     * decisions would be wrong. */
    const double at_least = 0.5;
    double count = add_up(pairs, at_least, &mean, &variance);
    *ratio = 0;
    *low = log(test->beta / (1 - test->alpha));
    *high = log((1 - test->beta) / test->alpha);
    if (count_pairs(pairs) < 2)
        return WARI_ELO_OPEN;
    *ratio = count * (score1 - score0) * (2 * mean - score0 - score1) / (2 * variance);
    return *ratio <= *low ? WARI_ELO_IS_0 : *ratio >= *high ? WARI_ELO_IS_1 : WARI_ELO_OPEN;
}

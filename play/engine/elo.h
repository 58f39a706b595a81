/* Computes differences in strength from the results of a match, in the form that match tools for
 * chess engines print.
 *
 * Games come in pairs: one opening, played from both sides. The two results of a pair are not
 * independent, so pairs are counted by the points of the first engine in both games (pentanomial
 * model). A score is the fraction of the points won, 0 to 1. Elo differences are logistic: an
 * engine that is stronger by Elo points has the expected score 1 / (1 + 10^(-Elo / 400)). */
#ifndef PLAY_ENGINE_ELO_H
#define PLAY_ENGINE_ELO_H

#include <stdbool.h>

enum {
    WARI_ELO_PAIR_RESULTS = 5, /* the first engine gets 0, 0.5, 1, 1.5 or 2 points */
    WARI_ELO_PAIRS_MIN = 10,   /* fewer pairs say too little about the variance of their results */
};

struct wari_elo {
    int pairs;
    bool meaningful;   /* there are WARI_ELO_PAIRS_MIN pairs or more, and not all of them have the
                          same result. Otherwise the fields below should not be shown to anybody */
    double difference; /* Elo of the first engine minus that of the second; infinite if one side got
                          all points */
    double error;      /* half the width of the 95 % confidence interval; may be infinite */
    double superior;   /* likelihood that the first engine is stronger, 0 to 1 */
};

/* A sequential test of the hypothesis that the difference is elo1 against the hypothesis that it
 * is elo0. */
struct wari_elo_test {
    double elo0, elo1;
    double alpha, beta; /* probabilities of a wrong decision if elo0 is true, and if elo1 is true */
};

enum wari_elo_answer { WARI_ELO_OPEN, WARI_ELO_IS_0, WARI_ELO_IS_1 };

void wari_elo_from_pairs(const int pairs[WARI_ELO_PAIR_RESULTS], struct wari_elo *elo);

/* Computes *ratio, the logarithm of the likelihood ratio of elo1 against elo0, assuming that the
 * scores of pairs have a normal distribution with the observed variance. The test ends when
 * *ratio leaves the range *low to *high. Results that did not occur count as half a pair. With
 * fewer than two pairs, *ratio is 0 and the test stays open. */
enum wari_elo_answer wari_elo_test_pairs(const struct wari_elo_test *test,
                                         const int pairs[WARI_ELO_PAIR_RESULTS], double *ratio,
                                         double *low, double *high);

#endif

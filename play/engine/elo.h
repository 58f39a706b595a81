/* What the results of a match say of strength, as match tools of chess programs print it.
 *
 * Games come in pairs from one opening, with sides changed, and the two results of a pair are not
 * independent: so pairs are counted, by the points of the first engine in both games (pentanomial).
 * Scores are shares of the points, 0 to 1; Elo differences are logistic: a score of 1 / (1 +
 * 10^(-Elo / 400)).
 */
#ifndef PLAY_ENGINE_ELO_H
#define PLAY_ENGINE_ELO_H

enum { WARI_ELO_PAIR_RESULTS = 5 }; /* 0, half, 1, one and a half, 2 points */

struct wari_elo {
    int pairs;
    double
        difference;  /* Elo of the first engine less the second's; infinite if one got all points */
    double error;    /* half the width of its 95 % interval; infinite likewise */
    double superior; /* the likelihood that the first one is stronger, 0 to 1 */
};

/* A test whether the difference is elo1 rather than elo0, going on until it is sure enough. */
struct wari_elo_test {
    double elo0, elo1;
    double alpha, beta; /* probabilities of a wrong answer where elo0, elo1 is true */
};

enum wari_elo_answer { WARI_ELO_OPEN, WARI_ELO_IS_0, WARI_ELO_IS_1 };

void wari_elo_from_pairs(const int pairs[WARI_ELO_PAIR_RESULTS], struct wari_elo *elo);

/* *ratio: the logarithm of the likelihood ratio of elo1 against elo0, for scores of pairs that are
 * normally distributed with the variance seen; *low and *high: where the test ends. Results that
 * did not come up count as half a pair. 0, and open, for fewer than two pairs. */
enum wari_elo_answer wari_elo_test_pairs(const struct wari_elo_test *test,
                                         const int pairs[WARI_ELO_PAIR_RESULTS], double *ratio,
                                         double *low, double *high);

#endif

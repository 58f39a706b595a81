/* Tests the statistics that are computed from the results of pairs of games. The expected values
 * were computed separately, with Python, from the definitions: mean and variance of the scores, the
 * logistic curve, the normal distribution, and the log likelihood ratio of two means with one
 * variance,
 *
 *     count (score1 - score0) (2 mean - score0 - score1) / (2 variance),
 *
 * where each result that did not occur counts as half a pair. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "play/engine/elo.h"
#include "tests/unit/groups.h"

static void close_to(double number, double expected, double most)
{
    if (!(fabs(number - expected) <= most))
        fail_msg("expected %f, found %f", expected, number);
}

static void expect(const int pairs[WARI_ELO_PAIR_RESULTS], double difference, double error,
                   double superior)
{
    struct wari_elo elo;
    wari_elo_from_pairs(pairs, &elo);
    close_to(elo.difference, difference, 0.001);
    close_to(elo.error, error, 0.001);
    close_to(elo.superior, superior, 0.00001);
    assert_true(difference != 0 || !signbit(elo.difference)); /* the result must be 0 and not -0,
                                                               * which would be printed as -0.0 */
}

static void differences_come_with_their_errors(void **state)
{
    (void)state;
    expect((const int[]){1, 4, 10, 6, 2}, 30.288286, 69.793781, 0.806923);
    expect((const int[]){2, 6, 10, 4, 1}, -30.288286, 69.793781, 1 - 0.806923);
    expect((const int[]){3, 20, 60, 45, 12}, 53.781671, 26.389419, 0.999976);
    expect((const int[]){0, 0, 5, 0, 0}, 0, 0, 0.5);
}

static void without_results_or_with_all_points_nothing_is_bounded(void **state)
{
    struct wari_elo elo;
    (void)state;
    wari_elo_from_pairs((const int[]){0, 0, 0, 0, 0}, &elo);
    assert_int_equal(elo.pairs, 0);
    assert_true(elo.difference == 0 && isinf(elo.error) && elo.superior == 0.5);
    wari_elo_from_pairs((const int[]){0, 0, 0, 0, 6}, &elo);
    assert_int_equal(elo.pairs, 6);
    assert_true(isinf(elo.difference) && elo.difference > 0 && elo.superior == 1);
    wari_elo_from_pairs((const int[]){6, 0, 0, 0, 0}, &elo);
    assert_true(isinf(elo.difference) && elo.difference < 0 && elo.superior == 0);
}

/* A score of 1 has no logistic inverse, equal results have no variance, and with fewer than ten
 * pairs the variance is little more than chance. */
static void few_or_equal_pairs_mean_nothing(void **state)
{
    static const struct {
        int pairs[WARI_ELO_PAIR_RESULTS];
        bool meaningful;
    } cases[] = {
        {{0, 0, 0, 0, 0}, false},  {{0, 0, 1, 0, 0}, false},  {{0, 1, 4, 3, 1}, false},
        {{0, 1, 4, 4, 1}, true},   {{0, 0, 9, 1, 0}, true},   {{0, 0, 10, 0, 0}, false},
        {{0, 0, 0, 0, 12}, false}, {{12, 0, 0, 0, 0}, false}, {{0, 333, 0, 0, 0}, false},
        {{0, 0, 0, 1, 332}, true},
    };
    struct wari_elo elo;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wari_elo_from_pairs(cases[i].pairs, &elo);
        assert_int_equal(elo.meaningful, cases[i].meaningful);
    }
}

static void a_test_ends_at_its_bounds(void **state)
{
    static const struct wari_elo_test test = {0, 10, 0.05, 0.05};
    static const struct {
        int pairs[WARI_ELO_PAIR_RESULTS];
        double ratio;
        enum wari_elo_answer answer;
    } cases[] = {
        {{1, 4, 10, 6, 2}, 0.207399, WARI_ELO_OPEN},
        {{3, 20, 60, 45, 12}, 2.808652, WARI_ELO_OPEN},
        {{12, 45, 60, 20, 3}, -3.389301, WARI_ELO_IS_0},
        {{0, 0, 0, 0, 18}, 2.881581, WARI_ELO_OPEN},
        {{0, 0, 0, 0, 19}, 3.185128, WARI_ELO_IS_1},
        {{0, 0, 0, 0, 6}, 0.417542, WARI_ELO_OPEN},
        {{0, 0, 0, 0, 2}, 0.075896, WARI_ELO_OPEN}, /* fixed bug: two pairs decided the test */
        {{0, 0, 0, 0, 1}, 0, WARI_ELO_OPEN},
        {{0, 0, 0, 0, 0}, 0, WARI_ELO_OPEN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double ratio, low, high;
        assert_int_equal(wari_elo_test_pairs(&test, cases[i].pairs, &ratio, &low, &high),
                         cases[i].answer);
        close_to(ratio, cases[i].ratio, 0.0001);
        close_to(low, -2.944439, 0.00001); /* ln(1/19) */
        close_to(high, 2.944439, 0.00001);
    }
}

/* Wald's bounds: ln(beta / (1 - alpha)) and ln((1 - beta) / alpha). */
static void each_kind_of_error_has_its_bound(void **state)
{
    static const struct wari_elo_test test = {.elo0 = 0, .elo1 = 10, .alpha = 0.05, .beta = 0.1};
    double ratio, low, high;
    (void)state;
    assert_int_equal(wari_elo_test_pairs(&test, (const int[]){1, 4, 10, 6, 2}, &ratio, &low, &high),
                     WARI_ELO_OPEN);
    close_to(low, -2.251292, 0.00001); /* ln(2/19) */
    close_to(high, 2.890372, 0.00001); /* ln(18) */
}

/* Returns a random number in [0, 1), by Marsaglia's xorshift generator. */
static double chance(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) / 9007199254740992.0; /* 2^53 */
}

/* Plays a random game and returns the half points of an engine that is `elo` points stronger
 * than its opponent. One fifth of the games are draws. */
static int play(double elo, uint64_t *state)
{
    double draws = 0.2, won = 1 / (1 + pow(10, -elo / 400)) - draws / 2, number = chance(state);
    return number < won ? 2 : number < won + draws ? 1 : 0;
}

/* By the definition of alpha and beta, 5 % of the decisions are wrong. With this number of
 * matches, 7 % would be four standard deviations too many. Fixed bug: about 10 % were wrong. */
static void few_answers_are_wrong(void **state)
{
    enum { MATCHES = 2000 };
    static const struct wari_elo_test test = {0, 20, 0.05, 0.05};
    static const double truths[] = {0, 20};
    uint64_t random = 1;
    (void)state;
    for (int i = 0; i < 2; i++) {
        int wrong = 0;
        for (int match = 0; match < MATCHES; match++) {
            int pairs[WARI_ELO_PAIR_RESULTS] = {0};
            double ratio, low, high;
            enum wari_elo_answer answer = WARI_ELO_OPEN;
            while (answer == WARI_ELO_OPEN) {
                pairs[play(truths[i], &random) + play(truths[i], &random)]++;
                answer = wari_elo_test_pairs(&test, pairs, &ratio, &low, &high);
            }
            wrong += answer != (i == 0 ? WARI_ELO_IS_0 : WARI_ELO_IS_1);
        }
        assert_true(100 * wrong < 7 * MATCHES);
    }
}

TEST_GROUP(test_elo)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_come_with_their_errors),
        cmocka_unit_test(without_results_or_with_all_points_nothing_is_bounded),
        cmocka_unit_test(few_or_equal_pairs_mean_nothing),
        cmocka_unit_test(a_test_ends_at_its_bounds),
        cmocka_unit_test(each_kind_of_error_has_its_bound),
        cmocka_unit_test(few_answers_are_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

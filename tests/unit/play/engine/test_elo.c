/* What results of pairs say of strength. Expected values were computed apart from this code, with
 * Python, from the definitions: mean and variance of the scores, the logistic curve, the normal
 * distribution, and the log likelihood ratio of two means of one variance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "play/engine/elo.h"

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
    assert_true(difference != 0 || !signbit(elo.difference)); /* nobody reads -0.0 */
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
        {{0, 0, 0, 0, 6}, 136.271903, WARI_ELO_IS_1},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_come_with_their_errors),
        cmocka_unit_test(without_results_or_with_all_points_nothing_is_bounded),
        cmocka_unit_test(a_test_ends_at_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests the utility of a search that plays for the result of the game.
 *
 * Expected values: from the definition in utility.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "play/search/evaluation.h"
#include "play/search/search.h"
#include "play/search/utility.h"
#include "tests/unit/groups.h"

static const struct wari_variant tournament = {WARI_ABAPA, WARI_OWN};

static void without_the_result_only_seeds_count(void **state)
{
    static const struct wari_variant slam_wins = {WARI_SLAM_WINS, WARI_EVEN};
    struct wari_utility utilities[2];

    (void)state;
    wari_utility_init(&utilities[0], tournament, false);
    wari_utility_init(&utilities[1], slam_wins, true);
    for (int i = 0; i < 2; i++)
        for (int lead = -20; lead <= 20; lead += 5)
            for (int value = -20; value <= 20; value++) {
                const int score = WARI_SEED_SCORE * value;
                assert_int_equal(wari_utility_of_value(&utilities[i], lead, value), score);
                assert_int_equal(wari_utility_of_estimate(&utilities[i], lead, 20, score), score);
                assert_int_equal(wari_utility_to_estimate(&utilities[i], lead, 20, score), score);
            }
}

static void a_certain_win_is_worth_more_than_an_uncertain_one_with_more_seeds(void **state)
{
    enum { SEEDS = 30, LEAD = 4 };
    struct wari_utility utility;

    (void)state;
    wari_utility_init(&utility, tournament, true);
    const int won = wari_utility_of_value(&utility, LEAD, 1 - LEAD);
    const int drawn = wari_utility_of_value(&utility, LEAD, -LEAD);
    const int lost = wari_utility_of_value(&utility, LEAD, -1 - LEAD);
    /* A draw has no bonus, but its seeds count. */
    assert_int_equal(drawn, -LEAD * WARI_SEED_SCORE);
    assert_int_equal(won - drawn, drawn - lost);
    assert_true(won - drawn > WARI_SEED_SCORE);
    /* The estimate is two seeds above a draw, less than its standard deviation. */
    assert_true(wari_evaluation_error(tournament, SEEDS) > 2 * WARI_SEED_SCORE);
    const int estimated =
        wari_utility_of_estimate(&utility, LEAD, SEEDS, (2 - LEAD) * WARI_SEED_SCORE);
    assert_true(estimated > drawn && estimated < won);
}

static void both_sides_see_the_same_with_opposite_signs(void **state)
{
    struct wari_utility utility;

    (void)state;
    wari_utility_init(&utility, tournament, true);
    for (int lead = -20; lead <= 20; lead++)
        for (int value = -28; value <= 28; value++) {
            const int score = 100 * value + 37;
            assert_int_equal(wari_utility_of_value(&utility, lead, value),
                             -wari_utility_of_value(&utility, -lead, -value));
            assert_int_equal(wari_utility_of_estimate(&utility, lead, 28, score),
                             -wari_utility_of_estimate(&utility, -lead, 28, -score));
        }
}

static void the_estimate_can_be_computed_from_its_utility(void **state)
{
    struct wari_utility utility;

    (void)state;
    wari_utility_init(&utility, tournament, true);
    for (int seeds = 2; seeds <= WARI_SEEDS_MAX; seeds++)
        for (int lead = -10; lead <= 10; lead += 2) {
            int before = -32000;
            for (int estimate = -4800; estimate <= 4800; estimate += 7) {
                const int score = wari_utility_of_estimate(&utility, lead, seeds, estimate);
                assert_true(score > before);
                before = score;
                assert_in_range(wari_utility_to_estimate(&utility, lead, seeds, score) + 10000,
                                estimate + 10000 - 1, estimate + 10000 + 1);
            }
        }
}

TEST_GROUP(test_play_utility)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_result_only_seeds_count),
        cmocka_unit_test(a_certain_win_is_worth_more_than_an_uncertain_one_with_more_seeds),
        cmocka_unit_test(both_sides_see_the_same_with_opposite_signs),
        cmocka_unit_test(the_estimate_can_be_computed_from_its_utility),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

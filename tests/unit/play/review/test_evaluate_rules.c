/* Searches without a database under each rule set: a position of few seeds gets its exact value,
 * however long the search takes. The expected values are published or were computed by hand
 * (data/README.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "play/review/evaluate.h"
#include "tests/unit/groups.h"

static const struct {
    enum wari_rules rules;
    uint8_t pits[WARI_PITS];
    int value;
} known[] = {
    {WARI_ABAPA, {0, 0, 0, 3, 2, 0, 1}, -2},     {WARI_WARRI, {0, 0, 0, 3, 2, 0, 1}, 2},
    {WARI_SLAM_ENDS, {0, 0, 0, 3, 2, 0, 1}, 0},  {WARI_SLAM_GIVES, {0, 0, 0, 3, 2, 0, 1}, -2},
    {WARI_SLAM_WINS, {0, 0, 0, 3, 2, 0, 1}, 6},  {WARI_WARE, {0, 0, 0, 3, 2, 0, 1}, -6},
    {WARI_SLAM_GIVES, {1, 0, 0, 0, 0, 1, 2}, 2},
};

static void values_are_proven_without_tables_under_each_rule_set(void **state)
{
    /* The search makes proofs only if several lines and a time limit are requested. This time
     * limit is never reached. */
    static const struct wari_search_limits limits = {
        .depth = WARI_SEARCH_DEPTH_MAX, .milliseconds = 1000000000, .lines = WARI_HALF_PITS};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct wari_variant variant = {known[i].rules, WARI_EVEN};
        const struct wari_search_settings settings = {.hash_mb = 1, .variant = variant};
        struct wari_setup setup = {0};
        struct wari_game game;
        struct wari_search *search;
        struct wari_position_result result;
        for (int pit = 0; pit < WARI_PITS; pit++)
            setup.position.pits[pit] = known[i].pits[pit];
        wari_game_begin(&game, wari_host_system(), variant, &setup);
        assert_int_equal(wari_search_new(&search, NULL, wari_host_system(), &settings, NULL),
                         WARI_OK);
        assert_int_equal(wari_evaluate_position(NULL, search, &game, &limits, &result, NULL),
                         WARI_OK);
        assert_int_equal(result.value.kind, WARI_KIND_EXACT);
        assert_int_equal(result.value.least, known[i].value);
        assert_int_equal(result.value.most, known[i].value);
        assert_int_equal(result.moves[0].value.least, known[i].value);
        wari_search_free(search);
    }
}

TEST_GROUP(test_evaluate_rules)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_proven_without_tables_under_each_rule_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

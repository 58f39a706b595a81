/* Compares the move generator with numbers of move sequences that other programs computed.
 * (test_reference_moves.c compares it move by move with the reference.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "game/wari_game.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

static void expect_perft(enum wari_rules rules, const struct wari_position *position, int depths,
                         const uint64_t *expected)
{
    for (int depth = 1; depth <= depths; depth++) {
        uint64_t counted = wari_perft(rules, position, depth);
        if (counted != expected[depth - 1])
            fail_msg("%s, depth %d: %llu sequences, published are %llu",
                     wari_get_rules_info(rules)->name, depth, (unsigned long long)counted,
                     (unsigned long long)expected[depth - 1]);
    }
}

/* The numbers were published for `abapa`. In the first ten moves no slam occurs, so the numbers are
 * the same in every rule set. */
static void the_start_position_has_the_published_number_of_sequences(void **state)
{
    static const uint64_t published[] = {6,     36,     190,    1014,    5219,
                                         27332, 139157, 711414, 3592872, 18137964};
    const struct wari_position start = wari_start_position();

    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++)
        expect_perft((enum wari_rules)rules, &start, test_scale(10, 7), published);
}

/* These numbers were computed by several independent programs. */
static void rule_sets_part_where_slams_begin(void **state)
{
    static const struct wari_position position = {{0, 0, 2, 1, 0, 6, 1, 1, 1, 2, 1, 2}};
    static const uint64_t illegal[] = {2, 12, 40, 190, 585, 2715, 8661};
    static const uint64_t ends[] = {3, 12, 40, 190, 585, 2716, 8661};

    (void)state;
    expect_perft(WARI_AWARI, &position, 7, illegal);
    expect_perft(WARI_WARI, &position, 7, illegal);
    expect_perft(WARI_ABAPA, &position, 7, (const uint64_t[]){3, 18, 55, 265, 806, 3661, 11790});
    expect_perft(WARI_WARRI, &position, 7, (const uint64_t[]){3, 12, 40, 190, 585, 2716, 8662});
    for (int rules = WARI_WARE; rules < WARI_RULES_COUNT; rules++)
        expect_perft((enum wari_rules)rules, &position, 7, ends);
}

static void rule_sets_part_where_an_empty_row_is_slammed(void **state)
{
    static const struct wari_position position = {{0, 0, 0, 0, 1, 17}};
    static const uint64_t none[6] = {0};
    static const uint64_t one[6] = {1};

    (void)state;
    expect_perft(WARI_AWARI, &position, 6, none);
    expect_perft(WARI_WARI, &position, 6, none);
    expect_perft(WARI_ABAPA, &position, 6, (const uint64_t[]){1, 6, 27, 131, 464, 1936});
    expect_perft(WARI_WARRI, &position, 6, (const uint64_t[]){1, 1, 1, 5, 6, 25});
    for (int rules = WARI_WARE; rules < WARI_RULES_COUNT; rules++)
        expect_perft((enum wari_rules)rules, &position, 6, one);
}

static void there_is_one_sequence_of_no_moves(void **state)
{
    const struct wari_position start = wari_start_position();
    const struct wari_position over = {{0}};

    (void)state;
    assert_int_equal(wari_perft(WARI_WARI, &start, 0), 1);
    assert_int_equal(wari_perft(WARI_WARI, &over, 0), 1);
    assert_int_equal(wari_perft(WARI_WARI, &over, 1), 0);
}

TEST_GROUP(test_game_perft)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_start_position_has_the_published_number_of_sequences),
        cmocka_unit_test(rule_sets_part_where_slams_begin),
        cmocka_unit_test(rule_sets_part_where_an_empty_row_is_slammed),
        cmocka_unit_test(there_is_one_sequence_of_no_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

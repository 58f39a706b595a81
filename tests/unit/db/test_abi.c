/* The binary interface of the library: numbers that compiled programs contain. Scripts that lay
 * out structs themselves contain them, too.
 *
 * Expected values are computed by hand from the header, for machines with an int of 4 bytes and
 * pointers of 8 bytes. A change here is not allowed within one WARI_ABI (db/wari.h): once the
 * library has been released, increment WARI_ABI as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "db/wari.h"
#include "tests/unit/groups.h"

static void structs_have_the_sizes_that_compiled_programs_know(void **state)
{
    (void)state;
    assert_int_equal(sizeof(struct wari_error), 4 + 1536);
    assert_int_equal(sizeof(struct wari_position), 12);
    assert_int_equal(sizeof(struct wari_variant), 8);
    assert_int_equal(sizeof(struct wari_rules_info), 8 + 2 * 4 + 2 * 8);
    assert_int_equal(sizeof(struct wari_preset), 3 * 8);
    assert_int_equal(sizeof(struct wari_move), 5 + 12);
    assert_int_equal(sizeof(struct wari_moves), 8 + 6 * 17 + 2);
    assert_int_equal(sizeof(struct wari_setup), 12 + 4);
    assert_int_equal(sizeof(struct wari_options), 2 * 8);
    assert_int_equal(sizeof(struct wari_info), 8 + 4 + 4 + 2 * 8);
    assert_int_equal(sizeof(struct wari_level_info), 8 + 4 * 8 + 97 * 8);
    assert_int_equal(sizeof(struct wari_analysis), 8 + 6 * 24);
    assert_int_equal(sizeof(struct wari_line), 4 * 4 + 400 * 3);
    assert_int_equal(sizeof(struct wari_host), 16 * 8);
}

static void fields_lie_where_compiled_programs_look(void **state)
{
    (void)state;
    assert_int_equal(offsetof(struct wari_error, text), 4);
    assert_int_equal(offsetof(struct wari_variant, cycle), 4);
    assert_int_equal(offsetof(struct wari_rules_info, summary), 16);
    assert_int_equal(offsetof(struct wari_rules_info, players), 24);
    assert_int_equal(offsetof(struct wari_preset, summary), 16);
    assert_int_equal(offsetof(struct wari_move, captured), 1);
    assert_int_equal(offsetof(struct wari_move, ends), 2);
    assert_int_equal(offsetof(struct wari_move, again), 3);
    assert_int_equal(offsetof(struct wari_move, end_value), 4);
    assert_int_equal(offsetof(struct wari_move, next), 5);
    assert_int_equal(offsetof(struct wari_moves, end_value), 4);
    assert_int_equal(offsetof(struct wari_moves, list), 8);
    assert_int_equal(offsetof(struct wari_setup, diagram), 12);
    assert_int_equal(offsetof(struct wari_setup, north_to_move), 13);
    assert_int_equal(offsetof(struct wari_setup, stores), 14);
    assert_int_equal(offsetof(struct wari_options, host), 8);
    assert_int_equal(offsetof(struct wari_info, seeds_max), 8);
    assert_int_equal(offsetof(struct wari_info, positions), 16);
    assert_int_equal(offsetof(struct wari_level_info, positions), 8);
    assert_int_equal(offsetof(struct wari_level_info, histogram), 40);
    assert_int_equal(offsetof(struct wari_analysis, count), 4);
    assert_int_equal(offsetof(struct wari_analysis, moves), 8);
    assert_int_equal(offsetof(struct wari_analysis, moves[0].value), 8 + 20);
    assert_int_equal(offsetof(struct wari_line, end), 4);
    assert_int_equal(offsetof(struct wari_line, moves), 16);
    assert_int_equal(offsetof(struct wari_host, pread), 5 * 8);
    assert_int_equal(offsetof(struct wari_host, run), 15 * 8);
}

static void constants_have_the_values_that_compiled_programs_know(void **state)
{
    (void)state;
    assert_int_equal(WARI_ABI, 0);
    assert_int_equal(WARI_SEEDS_MAX, 48);
    assert_int_equal(WARI_POSITION_TEXT, 48);
    assert_int_equal(WARI_DIAGRAM_TEXT, 64);
    assert_int_equal(WARI_LINE_MAX, 400);

    assert_int_equal(WARI_OK, 0);
    assert_int_equal(WARI_DIFFERENT, 1);
    assert_int_equal(WARI_NOT_COVERED, 2);
    assert_int_equal(WARI_BAD_INPUT, 3);
    assert_int_equal(WARI_CORRUPT, 4);
    assert_int_equal(WARI_IO, 5);
    assert_int_equal(WARI_NO_MEMORY, 6);
    assert_int_equal(WARI_MISMATCH, 7);
    assert_int_equal(WARI_BUSY, 8);
    assert_int_equal(WARI_INTERRUPTED, 9);

    assert_int_equal(WARI_AWARI, 0);
    assert_int_equal(WARI_WARI, 1);
    assert_int_equal(WARI_ABAPA, 2);
    assert_int_equal(WARI_WARRI, 3);
    assert_int_equal(WARI_WARE, 4);
    assert_int_equal(WARI_SLAM_ENDS, 5);
    assert_int_equal(WARI_SLAM_GIVES, 6);
    assert_int_equal(WARI_SLAM_WINS, 7);
    assert_int_equal(WARI_RULES_COUNT, 8);
    assert_int_equal(WARI_EVEN, 0);
    assert_int_equal(WARI_OWN, 1);
    assert_int_equal(WARI_CYCLE_COUNT, 2);
    assert_int_equal(WARI_VARIANT_COUNT, 16);

    assert_int_equal(WARI_SLAM_ILLEGAL, 0);
    assert_int_equal(WARI_SLAM_WINS_ALL, 6);
    assert_int_equal(WARI_STUCK_OWN_ROWS, 1);
    assert_int_equal(WARI_LINE_OVER, 0);
    assert_int_equal(WARI_LINE_SLAM, 1);
    assert_int_equal(WARI_LINE_REPEATS, 2);
    assert_int_equal(WARI_LINE_CUT, 3);
}

TEST_GROUP(test_abi)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structs_have_the_sizes_that_compiled_programs_know),
        cmocka_unit_test(fields_lie_where_compiled_programs_look),
        cmocka_unit_test(constants_have_the_values_that_compiled_programs_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Estimates of the remaining time, at invented times. The expected values were worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/groups.h"
#include "tools/common/text.h"
#include "tools/common/time_left.h"

struct moment {
    int level;
    double share, now, left;
};

static void assert_moments(struct time_left *left, const struct moment *moments, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_float_equal(time_left_at(left, moments[i].level, moments[i].share, moments[i].now),
                           moments[i].left, 1e-9);
}

#define ASSERT_MOMENTS(left, moments)                                                              \
    assert_moments(left, moments, sizeof(moments) / sizeof(moments)[0])

/* The work of a level is planned as a number of positions instead of seconds. Levels 0 and 1 have
 * no planned work, because they are only read. */
static void the_measured_speed_counts_where_the_plan_has_no_seconds(void **state)
{
    static const struct moment moments[] = {
        {0, 0, 0, -1},                 /* only read */
        {1, 0, 5, -1},                 /* only read */
        {2, 0, 100, -1},               /* the first level that is proved */
        {2, 0, 101, -1},               /* no speed is known before the end of this level */
        {3, 0, 110, 60},               /* 100 units took 10 s, and 600 are left */
        {3, 0, 125, 45},               /* 15 s later */
        {3, 0, 155, 400 * 55 / 300.0}, /* overdue: 300 units have taken 55 s; 400 are left */
        {4, 0, 160, 80},               /* 300 units took 60 s, and 400 are left */
        {4, 0, 240, 0},                /* overdue, and the last level of the plan */
        {4, 0, 900, 0},
    };
    struct time_left left;

    (void)state;
    time_left_begin(&left, 0);
    left.planned[2] = 100;
    left.planned[3] = 200;
    left.planned[4] = 400;
    ASSERT_MOMENTS(&left, moments);
}

/* The levels are planned to take 2, 4 and 8 seconds. The plan is trusted for 2 seconds: the
 * estimate is computed as if 2 more planned seconds of work had already been done, and had taken 2
 * seconds.
 */
static void the_plan_counts_until_something_is_measured(void **state)
{
    static const struct moment moments[] = {
        {0, 0, 0, 14},
        {0, 0, 1, 13},
        {1, 0, 6, 24},               /* 4 planned s (2 of them for trust) took 8 s; 12 are left */
        {1, 0, 9, 21},               /* 3 s later */
        {1, 0.5, 12, 10 * 14 / 6.0}, /* 6 planned s took 14 s; 10 are left */
        {1, 0.5, 13, 10 * 14 / 6.0 - 1},
    };
    struct time_left left;

    (void)state;
    time_left_begin(&left, 2);
    left.planned[0] = 2;
    left.planned[1] = 4;
    left.planned[2] = 8;
    ASSERT_MOMENTS(&left, moments);
}

/* The earlier command had done three quarters of 400 s; the rest takes twice as long as planned. */
static void work_of_an_earlier_command_is_not_taken_for_fast(void **state)
{
    struct time_left left;

    (void)state;
    time_left_begin(&left, 0);
    left.planned[5] = 400;
    left.planned[6] = 100;
    assert_float_equal(time_left_at(&left, 5, 0, 10), -1, 0);
    time_left_skip(&left, 0.75, 20);
    assert_float_equal(time_left_at(&left, 5, 0.75, 20), -1, 0);
    assert_float_equal(time_left_at(&left, 5, 0.875, 120), 2 * (50 + 100), 1e-9);
    assert_float_equal(time_left_at(&left, 6, 0, 220), 2 * 100, 1e-9);
}

/* Whole seconds, rounded up: "0 s left" is never shown before the end. */
static void the_time_left_is_told_in_whole_seconds(void **state)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {
        {-1, ""},
        {0, "longer than planned"},
        {0.01, "about 1 s left in all"},
        {1, "about 1 s left in all"},
        {13.2, "about 14 s left in all"},
        {59.5, "about 1 min 00 s left in all"},
        {3661, "about 1 h 01 min left in all"},
        {1e7, "about 2777 h 46 min left in all"},
    };
    char text[TIME_LEFT_TEXT], time[TEXT_NUMBER];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(time_left_text(cases[i].seconds, text), cases[i].text);
    assert_string_equal(text_seconds(9.99, time), "9.99 s");
    assert_string_equal(text_seconds(9.996, time), "10 s");
}

TEST_GROUP(test_time_left)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_measured_speed_counts_where_the_plan_has_no_seconds),
        cmocka_unit_test(the_plan_counts_until_something_is_measured),
        cmocka_unit_test(work_of_an_earlier_command_is_not_taken_for_fast),
        cmocka_unit_test(the_time_left_is_told_in_whole_seconds),
    };
    return cmocka_run_group_tests_name("time left", tests, NULL, NULL);
}

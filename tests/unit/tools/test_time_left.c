/* Estimates of the remaining time of a proof, at invented times. Levels 2 to 5 have 78, 364, 1,365
 * and 4,368 placements, C(n+11,11). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/groups.h"
#include "tools/verify/time_left.h"

static void assert_left(struct time_left *left, int seeds, double now, double expected)
{
    assert_true(fabs(time_left_at(left, seeds, now) - expected) < 1e-6);
}

static void the_speed_of_the_last_level_counts(void **state)
{
    static const struct {
        int seeds;
        double now, left;
    } moments[] = {
        {0, 0, -1},         /* only read */
        {1, 5, -1},         /* only read */
        {2, 100, -1},       /* the first level that is proved */
        {2, 101, -1},       /* no speed is known before its end */
        {3, 107.8, 609.7},  /* a tenth of a second per position; 364 + 1,365 + 4,368 positions */
        {3, 117.8, 599.7},  /* ten seconds later */
        {3, 1107.8, 0},     /* long overdue */
        {4, 1199.8, 17199}, /* now three seconds per position; 1,365 + 4,368 */
        {5, 2564.8, 4368},  /* now one second; 4,368 */
    };
    struct time_left left;

    (void)state;
    time_left_begin(&left, 2, 5);
    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++)
        assert_float_equal(time_left_at(&left, moments[i].seeds, moments[i].now), moments[i].left,
                           1e-6);
}

static void there_is_no_level_with_47_seeds(void **state)
{
    struct time_left left;

    (void)state;
    time_left_begin(&left, 45, 48);
    assert_true(time_left_at(&left, 45, 0) < 0);
    /* Level 45 took a second for C(56,11) - C(50,11) positions. Left are levels 46 and 48, with
     * C(57,11) - C(51,11) and C(59,11) - C(53,11) positions. */
    assert_left(&left, 46, 1, (136883249790. + 203648015935.) / 111548476480.);
}

TEST_GROUP(test_time_left)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_speed_of_the_last_level_counts),
        cmocka_unit_test(there_is_no_level_with_47_seeds),
    };
    return cmocka_run_group_tests_name("verify left", tests, NULL, NULL);
}

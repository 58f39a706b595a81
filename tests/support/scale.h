/* Selects how much work a test does.
 *
 * `make test` sets WARI_TEST_SCALE=small, and so do the targets with sanitizers, which make tests 3
 * to 20 times slower. At that scale a test may repeat less, but must not check less of each case;
 * `make test-rest` runs the complete test (UNITS_rest in tests/tests.mk). The full size of some
 * groups only has larger levels, or more games or positions, and hardly finds other errors than the
 * small size. Only `make test-long` runs the full size of these groups (UNITS_long), with
 * WARI_TEST_SCALE=long. */
#ifndef TESTS_SUPPORT_SCALE_H
#define TESTS_SUPPORT_SCALE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool test_scale_is(const char *name)
{
    const char *scale = getenv("WARI_TEST_SCALE");
    return scale != NULL && strcmp(scale, name) == 0;
}

/* Returns `small` if the environment has WARI_TEST_SCALE=small, otherwise `full`. */
static inline int test_scale(int full, int small)
{
    return test_scale_is("small") ? small : full;
}

/* Like test_scale(), but returns `large` if the environment has WARI_TEST_SCALE=long. UNITS_long in
 * tests/tests.mk must contain each group that calls this function. */
static inline int test_scale_long(int large, int full, int small)
{
    return test_scale_is("long") ? large : test_scale(full, small);
}

/* Returns true under the thread sanitizer. Work by a single thread cannot show races, and repeating
 * the work of several threads under other rules cannot show further races. So tests skip both under
 * this sanitizer. */
static inline bool test_for_races(void)
{
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    return true;
#endif
#endif
    return false;
}

#endif

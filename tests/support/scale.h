/* Selects how much work a test does.
 *
 * `make test` sets WARI_TEST_SCALE=small, and so do sanitizers, which are 3 to 20 times slower.
 * At that scale a test may repeat less, but must not check less of each case; `make test-full`
 * runs the complete test. For tests that find in large levels only what they find in small ones,
 * `make test-long` sets WARI_TEST_SCALE=long. */
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

/* Does the same, and returns `large` for WARI_TEST_SCALE=long. Programs that call this function
 * are listed in LONG_PROGRAMS in tests/tests.mk. */
static inline int test_scale_long(int large, int full, int small)
{
    return test_scale_is("long") ? large : test_scale(full, small);
}

/* Returns true under the thread sanitizer. Work that a single thread does, or that threads
 * repeat under other rules, cannot show further races, so it is left to the other builds. */
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

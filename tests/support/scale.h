/* How much work a test does.
 *
 * `make test` sets WARI_TEST_SCALE=small, and so do sanitizers, which are 3 to 20 times slower. A
 * test may then repeat less, but never check less of each case; `make test-full` runs it whole. For
 * those that show in large what they show in small, `make test-long` sets WARI_TEST_SCALE=long. */
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

/* `small` if the environment says WARI_TEST_SCALE=small, else `full`. */
static inline int test_scale(int full, int small)
{
    return test_scale_is("small") ? small : full;
}

/* The same with `large` for WARI_TEST_SCALE=long. Programs that ask for it are LONG_PROGRAMS in
 * tests/tests.mk. */
static inline int test_scale_long(int large, int full, int small)
{
    return test_scale_is("long") ? large : test_scale(full, small);
}

/* Whether the thread sanitizer looks on: work that one thread does alone, or that threads do again
 * under other rules, has nothing to show it, and is for the other builds. */
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

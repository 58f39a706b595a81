/* How much work a test does.
 *
 * `make test` runs the unit tests three times: plain, under address and undefined, and (those with
 * threads) under the thread sanitizer, which are 3 to 20 times slower. There it sets
 * WARI_TEST_SCALE=small. A test may then repeat less, but never check less of each case. */
#ifndef TESTS_SUPPORT_SCALE_H
#define TESTS_SUPPORT_SCALE_H

#include <stdlib.h>
#include <string.h>

/* `small` if the environment says WARI_TEST_SCALE=small, else `full`. */
static inline int test_scale(int full, int small)
{
    const char *scale = getenv("WARI_TEST_SCALE");
    return scale != NULL && strcmp(scale, "small") == 0 ? small : full;
}

#endif

/* A group of unit tests: what one source file of tests/unit/ holds. All groups are linked into one
 * program, which runs those that its arguments name (tests/unit/groups.c). `make test` starts it
 * once for each group, so that a group that crashes or hangs does not take others with it.
 *
 *     TEST_GROUP(test_notation)
 *     {
 *         const struct CMUnitTest tests[] = {cmocka_unit_test(spaces_are_skipped)};
 *
 *         return cmocka_run_group_tests(tests, NULL, NULL);
 *     }
 */
#ifndef TESTS_UNIT_GROUPS_H
#define TESTS_UNIT_GROUPS_H

#include <stdint.h>

struct test_group {
    const char *name;
    int (*run)(void); /* returns 0 if all tests passed */
    struct test_group *next;
};

/* Adds a group, which stays the caller's, to those that the program knows. Called before main(). */
void test_group_add(struct test_group *group);

/* Replaces CLOCK_MONOTONIC for all that is linked into the program: from now on it is what `now`
 * returns, in milliseconds, for every thread that calls it. NULL brings the system's clock back. */
void test_clock_replace(int64_t (*now)(void));

#define TEST_GROUP(group)                                                                          \
    static int group(void);                                                                        \
    static struct test_group group##_entry = {#group, group, NULL};                                \
    __attribute__((constructor)) static void group##_add(void)                                     \
    {                                                                                              \
        test_group_add(&group##_entry);                                                            \
    }                                                                                              \
    static int group(void)

#endif

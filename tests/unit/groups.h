/* A group of unit tests consists of the tests in one source file of tests/unit/. All groups are
 * linked into one program, which runs the groups that its arguments name (tests/unit/groups.c).
 * `make test` starts this program once for each group, so that a group that crashes or hangs does
 * not prevent other groups from running.
 *
 *     TEST_GROUP(test_notation)
 *     {
 *         const struct CMUnitTest tests[] = {cmocka_unit_test(spaces_are_skipped)};
 *
 *         return cmocka_run_group_tests(tests, NULL, NULL);
 *     } */
#ifndef TESTS_UNIT_GROUPS_H
#define TESTS_UNIT_GROUPS_H

#include <stdint.h>

struct test_group {
    const char *name;
    int (*run)(void); /* returns 0 if all tests passed */
    struct test_group *next;
};

/* Adds a group to the list of groups in the program. Called before main(). The caller keeps the
 * ownership of `group`, which must exist as long as the program runs. */
void test_group_add(struct test_group *group);

/* Replaces the clock CLOCK_MONOTONIC for all code in the program and for all its threads. From now
 * on, reading this clock calls `now`, which returns the time in milliseconds. NULL restores the
 * clock of the system. */
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

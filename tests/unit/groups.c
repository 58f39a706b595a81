/* The program of all unit tests.
 *
 *     unit-all NAME...    runs these groups of tests, one after the other (tests/unit/groups.h)
 *     unit-all --list     prints the names of all groups
 *
 * Exit status: 0 if all tests passed, 1 if not, 2 if there is no such group. */
#include "tests/unit/groups.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct test_group *groups;

void test_group_add(struct test_group *group)
{
    group->next = groups;
    groups = group;
}

static int64_t (*_Atomic replaced_clock)(void);

void test_clock_replace(int64_t (*now)(void))
{
    atomic_store(&replaced_clock, now);
}

/* Replaces the function of the C library. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    int64_t (*const now)(void) = atomic_load(&replaced_clock);

    if (now == NULL || clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, time);
    const int64_t milliseconds = now();
    *time = (struct timespec){.tv_sec = (time_t)(milliseconds / 1000),
                              .tv_nsec = (long)(milliseconds % 1000) * 1000000};
    return 0;
}

static const struct test_group *find_group(const char *name)
{
    const struct test_group *group = groups;

    while (group != NULL && strcmp(group->name, name) != 0)
        group = group->next;
    return group;
}

int main(int count, char **arguments)
{
    int status = 0;

    if (count == 2 && strcmp(arguments[1], "--list") == 0) {
        for (const struct test_group *group = groups; group != NULL; group = group->next)
            (void)puts(group->name);
        return 0;
    }
    for (int i = 1; i < count; i++)
        if (find_group(arguments[i]) == NULL) {
            (void)fprintf(stderr, "%s: there is no group of tests %s\n", arguments[0],
                          arguments[i]);
            return 2;
        }
    for (int i = 1; i < count; i++)
        if (find_group(arguments[i])->run() != 0)
            status = 1;
    return status;
}

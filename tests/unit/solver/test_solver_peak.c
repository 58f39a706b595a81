/* A build keeps its limit on memory: the peak resident memory of the process, as the operating
 * system measures it, is neither above the plan nor above the limit. Each build runs in a child
 * process. The test itself starts no threads, so that its children may start some.
 *
 * The test does not run with sanitizers, because they allocate memory of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/builds.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

/* Returns the peak resident memory, in bytes, of a process that executes only this build. */
static uint64_t peak_of(const struct wari_build *build)
{
    struct rusage usage;
    int state;
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0)
        _exit(wari_build(build, NULL) == WARI_OK ? 0 : 1);
    assert_int_equal(wait4(child, &state, 0, &usage), child);
    assert_true(WIFEXITED(state));
    assert_int_equal(WEXITSTATUS(state), 0);
    return (uint64_t)usage.ru_maxrss * 1024;
}

/* Builds without a limit, where the plan says how much memory is needed; with the least memory for
 * the memory backend; and with less memory, so that the bit backend solves the last level. */
static void check_peak(struct wari_variant variant, int seeds, int threads)
{
    struct wari_build build = build_of(folder, variant, seeds);
    struct wari_build_plan plan;

    build.threads = threads;
    assert_int_equal(wari_build_plan(&build, &plan, NULL), WARI_OK);
    for (int tight = 0; tight < (seeds >= 11 ? 3 : 2); tight++) { /* 2: with the bit backend */
        build.memory = tight == 0   ? 0
                       : tight == 1 ? memory_for_all(&build)
                                    : memory_for_bits(&build);
        const uint64_t bound = tight ? build.memory : plan.memory_bytes;
        const uint64_t peak = peak_of(&build);
        if (peak > bound)
            fail_msg("%d seeds, %d threads: %llu bytes resident, %llu stated", seeds, threads,
                     (unsigned long long)peak, (unsigned long long)bound);
        assert_true(table_folder_remove(folder));
        assert_int_equal(make_folder(NULL), 0);
    }
}

static void resident_memory_stays_within_the_plan(void **state)
{
    const int seeds = test_scale(13, 11);

    (void)state;
    for (int threads = 1; threads <= 8; threads += 7) {
        check_peak((struct wari_variant){WARI_AWARI, WARI_EVEN}, seeds, threads);
        check_peak((struct wari_variant){WARI_ABAPA, WARI_OWN}, seeds - 1, threads);
        check_peak((struct wari_variant){WARI_WARRI, WARI_EVEN}, seeds - 5, threads);
    }
}

/* The allocator takes large arrays directly from the system and returns them at once, but may keep
 * the memory of smaller arrays. The levels of 16 to 18 seeds have arrays of both kinds, so this
 * test fails if memory of finished levels is kept. (`make test-long` builds 18 seeds.) */
static void memory_of_finished_levels_is_released(void **state)
{
    const int seeds = test_scale_long(18, 15, 13);

    (void)state;
    check_peak((struct wari_variant){WARI_AWARI, WARI_EVEN}, seeds, 2);
}

/* Fixed bug: the memory of the planes stayed resident while the values of the level were counted,
 * so that the process exceeded its limit. This test finds the bug with 18 seeds. With 13 seeds, as
 * in `make test`, the planes are smaller than the memory that the limit leaves, so the test finds
 * only larger excesses. */
static void memory_of_bits_is_released_before_codes_are_counted(void **state)
{
    struct wari_build build =
        build_of(folder, (struct wari_variant){WARI_AWARI, WARI_EVEN}, test_scale(18, 13));

    (void)state;
    build.threads = 2;
    build.memory = memory_for_bits(&build);
    const uint64_t peak = peak_of(&build);
    if (peak > build.memory)
        fail_msg("%llu bytes resident, %llu allowed", (unsigned long long)peak,
                 (unsigned long long)build.memory);
}

/* ---- The allocator and threads --------------------------------------------------------------- */

/* Returns the number of arenas ("heaps") that the allocator reports; 0 if it reports none. */
static int count_arenas(void)
{
    int count = 0;
#ifdef __GLIBC__
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL || malloc_info(0, stream) != 0 || fclose(stream) != 0)
        return 0;
    for (const char *at = text; (at = strstr(at, "<heap nr=")) != NULL; at++)
        count++;
    free(text);
#endif
    return count;
}

/* Fixed bug: each thread had an arena of its own, which keeps freed memory. In a build of the
 * levels 0 to 24 with a limit of 128 MB, these arenas kept 1.4 MB, and the build exceeded its
 * limit. Levels that take only seconds leave too much unused memory for the peak to show this. */
static void threads_share_one_arena(void **state)
{
    struct wari_build build = build_of(folder, (struct wari_variant){WARI_AWARI, WARI_EVEN}, 10);
    int status;

    (void)state;
    build.threads = 4;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(wari_build(&build, NULL) == WARI_OK ? count_arenas() : 100);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
#ifdef __GLIBC__
    assert_int_equal(WEXITSTATUS(status), 1);
#else
    assert_int_equal(WEXITSTATUS(status), 0);
#endif
}

TEST_GROUP(test_solver_peak)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(resident_memory_stays_within_the_plan, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(memory_of_finished_levels_is_released, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(memory_of_bits_is_released_before_codes_are_counted,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(threads_share_one_arena, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

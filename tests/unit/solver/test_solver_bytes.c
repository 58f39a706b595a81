/* The files of a build depend only on the request, and not on threads, kernel or order of work.
 *
 * The levels are large enough (from 11 seeds on they have half a million cells) for sweeps to
 * use all threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "db/wari.h"
#include "tests/support/builds.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

static const struct wari_variant even = {WARI_WARRI, WARI_EVEN};
static const struct wari_variant own = {WARI_ABAPA, WARI_OWN};

static void assert_builds_alike(const struct wari_build *build, const struct folder_image *like)
{
    struct folder_image image = build_alone(build);
    assert_folders_equal(&image, like);
    folder_free(&image);
}

/* ---- Threads and kernels --------------------------------------------------------------------- */

/* Some builds have more threads than processors, so that some threads are always late. The small
 * scale builds only the variant `own`: its solver takes all steps that `even` takes, and in
 * addition shrinks upper bounds. */
static void number_of_threads_does_not_change_files(void **state)
{
    static const int threads[] = {3, 2, 7};
    const int count = test_scale(3, 1), seeds = test_scale(13, 11);

    (void)state;
    for (int i = test_scale(0, 1); i < 2; i++) {
        struct wari_build build = build_of(NULL, i == 0 ? even : own, seeds);
        build.threads = 1;
        struct folder_image one = build_alone(&build);
        assert_int_equal(one.count, seeds + 2);
        for (int j = 0; j < count; j++) {
            build.threads = threads[j];
            assert_builds_alike(&build, &one);
        }
        folder_free(&one);
    }
}

/* In the last sweeps of a level, whole blocks are skipped. A thread that is late must skip the same
 * blocks as the others, although later blocks change in the meantime. Fixed bug: a late thread
 * skipped other blocks than the other threads did, and then the threads waited for ever or wrote
 * out of bounds. 16 seeds are the smallest level with such sweeps on all threads; it takes too long
 * under sanitizers. */
static void late_thread_skips_the_same_blocks(void **state)
{
    static const int threads[] = {2, 4};
    struct wari_build build = build_of(NULL, even, test_scale(16, 9));

    (void)state;
    build.threads = 1;
    struct folder_image one = build_alone(&build);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        build.threads = threads[i];
        assert_builds_alike(&build, &one);
    }
    folder_free(&one);
}

/* The name "auto" selects one of the other kernels. */
static void kernels_do_not_change_files(void **state)
{
    static const char *const names[] = {"avx2", "avx512bw", "avx512", "neon", "auto"};
    const size_t count = sizeof names / sizeof *names;

    (void)state;
    for (int i = test_scale(0, 1); i < 2; i++) {
        struct wari_build build = build_of(NULL, i == 0 ? even : own, test_scale(11, 8));
        build.kernel = WARI_KERNEL_PORTABLE;
        struct folder_image portable = build_alone(&build);
        for (size_t j = test_for_races() ? count - 1 : 0; j < count - (test_for_races() ? 0 : 1);
             j++)
            if (wari_kernel_parse(names[j], &build.kernel, NULL) == WARI_OK)
                assert_builds_alike(&build, &portable);
        folder_free(&portable);
    }
}

static void building_in_steps_does_not_change_files(void **state)
{
    char folder[TABLE_FOLDER_MAX];
    const int seeds = test_scale(8, 7);

    (void)state;
    assert_true(table_folder_make(folder));
    build_database(folder, own, 0);
    build_database(folder, own, 5);
    build_database(folder, own, seeds);
    build_database(folder, own, 3); /* the folder is complete: nothing is removed */
    struct folder_image steps = folder_load(folder);
    assert_folders_equal(&steps, image_of(own, seeds));
    folder_free(&steps);
    assert_true(table_folder_remove(folder));
}

static void variants_of_one_folder_do_not_mix(void **state)
{
    char folder[TABLE_FOLDER_MAX];
    struct wari_variant listed[WARI_VARIANT_COUNT];
    int count;

    (void)state;
    assert_true(table_folder_make(folder));
    build_database(folder, own, 4);
    struct folder_image before = folder_load(folder);
    build_database(folder, even, 5);
    struct folder_image after = folder_load(folder);
    assert_int_equal(before.count, 4 + 2);
    assert_int_equal(after.count, 4 + 2 + 5 + 2);
    /* The files are sorted by name, and the names of the first variant, "abapa...", come first. */
    for (int i = 0; i < before.count; i++)
        assert_string_equal(before.file[i].name, after.file[i].name);
    after.count = before.count;
    assert_folders_equal(&before, &after);
    after.count += 5 + 2;
    assert_int_equal(wari_list(folder, NULL, listed, &count, NULL), WARI_OK);
    assert_int_equal(count, 2);
    folder_free(&before);
    folder_free(&after);
    assert_true(table_folder_remove(folder));
}

TEST_GROUP(test_solver_bytes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_of_threads_does_not_change_files),
        cmocka_unit_test(late_thread_skips_the_same_blocks),
        cmocka_unit_test(kernels_do_not_change_files),
        cmocka_unit_test(building_in_steps_does_not_change_files),
        cmocka_unit_test(variants_of_one_folder_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

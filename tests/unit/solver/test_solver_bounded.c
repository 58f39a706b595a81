/* Builds with a limit on memory. Such builds write the same files as builds without a limit,
 * although chunks are dropped from the cache of lower levels and read again. If a read fails, no
 * wrong file is written.
 *
 * The smallest cache has space for 115 chunks for each thread and 8 more: 123 chunks for one
 * thread, 238 for two. The lower levels have more chunks than that: 637 below level 14, which is
 * built with one thread, and 1172 below level 15, which is built with two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "db/maintain/pack.h"
#include "tests/support/builds.h"
#include "tests/support/fault_host.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

/* ---- Complete builds ------------------------------------------------------------------------- */

typedef uint64_t memory_of_build(const struct wari_build *build);

static void check_variant(struct wari_variant variant, int seeds, int threads,
                          memory_of_build *memory)
{
    struct wari_build build = build_of(NULL, variant, seeds);

    build.threads = threads;
    build.memory = memory(&build);
    struct folder_image image = build_alone(&build);
    assert_folders_equal(&image, image_of(variant, seeds));
    folder_free(&image);
}

/* Builds every variant, with the last level solved by the bit backend in the least possible memory.
 * (For levels below 11 seeds the bit backend does not need less memory than the memory backend.)
 * The small scale builds only two variants; of all other tests, only test_solver_bits.c solves
 * levels of the rule sets of these variants with the bit backend. */
static void levels_by_bits_give_the_same_files(void **state)
{
    (void)state;
    for (int i = test_for_races() ? 0 : test_scale(0, 7); i < 2 * WARI_RULES_COUNT;
         i += test_for_races() ? 15 : test_scale(1, 7)) {
        const struct wari_variant variant = {(enum wari_rules)(i / 2), (enum wari_cycle)(i % 2)};
        check_variant(variant, 11, BUILD_THREADS, memory_for_bits);
    }
}

/* Builds with the least memory, so that the cache of lower levels has to drop chunks. At the small
 * scale it drops none, because these levels are too small. At that scale only test_solver_lower.c
 * lets threads compete for the slots of the cache. */
static void least_memory_gives_the_same_files(void **state)
{
    static const struct {
        struct wari_variant variant;
        int seeds, small, threads;
    } builds[] = {
        {{WARI_AWARI, WARI_EVEN}, 15, 7, 2},
        {{WARI_ABAPA, WARI_OWN}, 14, 7, 1},
        {{WARI_WARRI, WARI_EVEN}, 14, 6, 1},
        {{WARI_SLAM_GIVES, WARI_EVEN}, 10, 4, 3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        check_variant(builds[i].variant, test_scale(builds[i].seeds, builds[i].small),
                      builds[i].threads, memory_for_all);
}

/* ---- Levels read from files ------------------------------------------------------------------ */

/* Builds each level in a separate build, so that all lower levels come from files. */
static void levels_read_back_give_the_same_files(void **state)
{
    static const struct wari_variant variants[] = {{WARI_AWARI, WARI_EVEN}, {WARI_WARRI, WARI_OWN}};

    (void)state;
    for (int i = 0; i < 2; i++) {
        /* These levels have several chunks. */
        const int seeds = i == 0 ? test_scale(14, 8) : test_scale(12, 7);
        char path[TABLE_FOLDER_MAX];
        assert_true(table_folder_make(path));
        for (int level = 0; level <= seeds; level++) {
            struct wari_build build = build_of(path, variants[i], level);
            build.threads = 1 + level % 3;
            assert_int_equal(wari_build(&build, NULL), WARI_OK);
        }
        struct folder_image image = folder_load(path);
        assert_folders_equal(&image, image_of(variants[i], seeds));
        folder_free(&image);
        assert_true(table_folder_remove(path));
    }
}

/* ---- Packed levels --------------------------------------------------------------------------- */

/* Checks that the files of the levels above `packed` equal those in `whole`. */
static void assert_levels_equal(const char *path, struct wari_variant variant, int packed,
                                const struct folder_image *whole)
{
    struct folder_image image = folder_load(path);
    int equal = 0;

    assert_int_equal(image.count, whole->count);
    for (int i = 0; i < image.count; i++)
        for (int level = packed + 1; level <= WARI_SEEDS_MAX; level++) {
            char name[64];
            snprintf(name, sizeof name, "%s-%s-%d.wari", wari_get_rules_info(variant.rules)->name,
                     wari_cycle_name(variant.cycle), level);
            if (strcmp(image.file[i].name, name) != 0)
                continue;
            assert_int_equal(image.file[i].size, whole->file[i].size);
            assert_memory_equal(image.file[i].bytes, whole->file[i].bytes, image.file[i].size);
            equal++;
        }
    assert_int_equal(equal, whole->count - 1 - (packed + 1)); /* number of level files above
                                                               * `packed`; the catalogue is not
                                                               * counted */
    folder_free(&image);
}

/* Packed files leave values out. Fixed bug: the missing values were taken from uninitialised
 * memory. The levels built on top of a packed level were silently wrong where the packed level has
 * one chunk, and could not be built where it has several. */
static void levels_on_top_of_packed_ones_are_the_same(void **state)
{
    static const struct wari_variant variants[] = {{WARI_AWARI, WARI_EVEN}, {WARI_ABAPA, WARI_OWN}};
    const int seeds = test_scale(10, 7);

    (void)state;
    for (int i = 0; i < 4; i++) {
        const struct wari_variant variant = variants[i % 2];
        const int packed = i < 2 ? 4 : seeds - 1;
        struct wari_pack pack = {.folder = folder, .variant = variant, .threads = 1};
        struct wari_pack_report report;
        folder_store(folder, image_of(variant, packed));
        assert_int_equal(wari_pack(&pack, &report, NULL), WARI_OK);
        assert_true(report.packed > 0);
        build_database(folder, variant, seeds);
        assert_levels_equal(folder, variant, packed, image_of(variant, seeds));
        assert_true(table_folder_remove(folder));
        assert_int_equal(make_folder(NULL), 0);
    }
}

/* ---- Reads that fail ------------------------------------------------------------------------- */

/* Lets the k-th read of a build of level `seeds` fail, or all reads from the k-th on; returns
 * false if there is no k-th read. */
static bool fail_read(struct wari_variant variant, int seeds, long k, bool for_good)
{
    struct fault_host fault;
    struct wari_error error = {WARI_OK, ""};
    struct wari_build build = build_of(folder, variant, seeds);

    fault_host_init(&fault, FAULT_READ, k);
    fault.error = EIO;
    fault.for_good = for_good;
    build.host = &fault.host;
    build.threads = 3;
    const enum wari_status status = wari_build(&build, &error);
    assert_true(fault_host_clean(&fault));
    if (!fault_host_fired(&fault)) {
        assert_int_equal(status, WARI_OK);
        return false;
    }
    assert_int_equal(status, WARI_IO);
    assert_non_null(strstr(error.text, strerror(EIO)));
    struct folder_image image = folder_load(folder);
    assert_folders_equal(&image, image_of(variant, seeds - 1));
    folder_free(&image);
    return true;
}

/* Lets each read fail (at the small scale, every third read), from the opening of the lower levels
 * to the last chunk that the captures or the count read. After each failure the level is not
 * published. */
static void failed_read_of_a_lower_level_publishes_nothing(void **state)
{
    static const struct wari_variant variants[] = {{WARI_WARRI, WARI_EVEN}, {WARI_ABAPA, WARI_OWN}};
    const int seeds = test_scale(11, 7);

    (void)state;
    for (int i = 0; i < 2; i++) {
        long k = 1;
        folder_store(folder, image_of(variants[i], seeds - 1));
        while (fail_read(variants[i], seeds, k, k % 2))
            k += test_scale(1, 3);
        /* Each level is opened, and at least one of its chunks is read. */
        assert_true(k > 2 * (seeds - 1) + 10);
        assert_true(table_folder_remove(folder));
        assert_int_equal(make_folder(NULL), 0);
    }
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

TEST_GROUP(test_solver_bounded)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_memory_gives_the_same_files),
        cmocka_unit_test(levels_by_bits_give_the_same_files),
        cmocka_unit_test(levels_read_back_give_the_same_files),
        IN_FOLDER(levels_on_top_of_packed_ones_are_the_same),
        IN_FOLDER(failed_read_of_a_lower_level_publishes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

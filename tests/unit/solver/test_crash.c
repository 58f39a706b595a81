/* A process is killed, or a machine loses power, between any two calls of a build. The folder then
 * holds either a valid database, which may have fewer levels, or no database; and after the next
 * build it has the same bytes as after an undisturbed build.
 *
 * Expected bytes: those of an undisturbed build. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <string.h>

#include "db/catalogue/variants.h"
#include "db/maintain/check.h"
#include "solver/build.h"
#include "tests/support/memory_host.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

static const struct wari_variant even = {WARI_SLAM_GIVES, WARI_EVEN};
static const struct wari_variant own = {WARI_ABAPA, WARI_OWN};

enum { SEEDS = 4 };

/* The time that finished levels wait to be published, in seconds. With at_once each level is
 * published at once, with at_end all levels are published at the end of the build. */
static const double at_once = -1, at_end = 1e9;

static void build_in(struct memory_host *memory, struct wari_variant variant, int seeds,
                     double publish)
{
    const struct wari_build build = {.folder = "folder",
                                     .variant = variant,
                                     .seeds = seeds,
                                     .threads = 1,
                                     .publish = publish,
                                     .host = &memory->host};
    struct wari_error error = {WARI_OK, ""};
    if (wari_build(&build, &error) != WARI_OK)
        fail_msg("%s", error.text);
}

static void assert_same_files(struct memory_host *one, struct memory_host *other)
{
    const char *name = memory_host_difference(one, other);
    if (name != NULL)
        fail_msg("%s: not the same", name);
}

/* ---- States after a crash -------------------------------------------------------------------- */

struct crash {
    struct wari_variant variant;
    struct memory_host *whole; /* result of an undisturbed build */
    struct memory_host *left;  /* scratch copy: the folder after a crash */
    struct memory_images seen; /* folders that the test has already checked, so it does not check
                                * them again */
    int levels_before;
    double publish;
    long step, looked_at;
    /* Kinds of folders that were found. */
    bool without_catalogue, with_some_levels, with_all_levels;
};

static void no_damage(void *context, const struct wari_damage *damage)
{
    (void)context;
    fail_msg("%s", damage->text);
}

static void check_folder_after_crash(struct crash *crash)
{
    const struct wari_check check = {.folder = "folder",
                                     .variant = crash->variant,
                                     .threads = 1,
                                     .host = &crash->left->host,
                                     .found = no_damage};
    struct wari_variant variants[WARI_VARIANT_COUNT];
    struct wari_check_report report = {.levels = 0};
    struct wari_error error = {WARI_OK, ""};
    int count;

    crash->looked_at++;
    if (!memory_host_is_new(crash->left, &crash->seen))
        return;
    assert_int_equal(wari_variants(&crash->left->host, "folder", variants, &count, NULL), WARI_OK);
    if (count > 0 && wari_check(&check, &report, &error) != WARI_OK)
        fail_msg("%s", error.text);
    assert_true(report.levels >= crash->levels_before);
    crash->without_catalogue |= count == 0;
    crash->with_some_levels |= report.levels > 0 && report.levels <= SEEDS;
    crash->with_all_levels |= report.levels == SEEDS + 1;

    build_in(crash->left, crash->variant, SEEDS, crash->publish);
    assert_same_files(crash->left, crash->whole);
}

/* Called before each call of the build. Checks the folder that a kill would leave at this moment,
 * and the folder that a power cut would leave. */
static void crash_here(void *context, const struct memory_host *memory)
{
    struct crash *crash = context;
    if (memory->calls % crash->step != 0)
        return;
    for (int durable = 0; durable < 4; durable++) {
        memory_host_copy(crash->left, memory, durable & 1, durable & 2);
        check_folder_after_crash(crash);
    }
    for (int durable = 0; durable < 2; durable++) {
        memory_host_copy_renamed(crash->left, memory, durable);
        check_folder_after_crash(crash);
    }
}

static struct crash crash_at_each_call(struct wari_variant variant, int first, double publish,
                                       long step)
{
    struct crash crash = {.variant = variant,
                          .whole = memory_host_create(),
                          .left = memory_host_create(),
                          .levels_before = first,
                          .publish = publish,
                          .step = step};
    struct memory_host *memory = memory_host_create();

    build_in(crash.whole, variant, SEEDS, at_once);
    if (first > 0)
        build_in(memory, variant, first - 1, at_once);
    memory->before = crash_here;
    memory->context = &crash;
    build_in(memory, variant, SEEDS, publish);
    assert_same_files(memory, crash.whole);
    memory_host_destroy(memory);
    memory_host_destroy(crash.left);
    memory_host_destroy(crash.whole);
    return crash;
}

static void
a_crash_at_any_call_leaves_complete_levels_and_the_next_build_gives_the_same_bytes(void **state)
{
    const struct crash crash = crash_at_each_call(own, 0, at_once, test_scale(1, 3));

    (void)state;
    /* For each of five levels, two files are written: the level file and the catalogue. Each file
     * needs at least six calls: open, write, sync, close, rename, sync. At every call whose number
     * is a multiple of `step`, at least four folders are checked. */
    assert_true(crash.looked_at * crash.step >= 4 * 5 * 2 * 6);
    assert_true(crash.without_catalogue && crash.with_some_levels && crash.with_all_levels);
}

static void a_crash_of_a_resumed_build_loses_no_published_level(void **state)
{
    const struct crash crash = crash_at_each_call(even, 3, at_once, test_scale(1, 3));

    (void)state;
    assert_true(!crash.without_catalogue && crash.with_some_levels && crash.with_all_levels);
}

/* Levels that are published together are added to the levels that were there before. */
static void a_crash_loses_at_most_the_levels_that_wait_to_be_published(void **state)
{
    struct crash crash = crash_at_each_call(own, 0, at_end, test_scale(1, 3));

    (void)state;
    /* Each of five level files needs at least: open, write, sync, close, rename. Then the catalogue
     * is written. At each call, six folders are checked. */
    assert_true(crash.looked_at * crash.step >= 6 * (5 * 5 + 9));
    assert_true(crash.without_catalogue && crash.with_all_levels);

    crash = crash_at_each_call(even, 2, at_end, test_scale(1, 3));
    assert_true(!crash.without_catalogue && crash.with_some_levels && crash.with_all_levels);
}

/* ---- The host with files in memory ----------------------------------------------------------- */

/* The expected bytes and names are those that POSIX guarantees after fsync and rename. */
static void bytes_and_names_survive_a_power_cut_only_after_fsync(void **state)
{
    struct memory_host *memory = memory_host_create();
    struct memory_host *cut = memory_host_create();
    const struct wari_host *host = &memory->host;
    int fd, folder;

    (void)state;
    assert_int_equal(wari_open_file(host, "x/new.tmp", O_WRONLY | O_CREAT, &fd, NULL), WARI_OK);
    assert_int_equal(wari_write_at(host, fd, "", "abc", 3, 0, NULL), WARI_OK);
    memory_host_copy(cut, memory, false, true);
    assert_int_equal(memory_host_file(cut, "new.tmp")->size, 0);
    memory_host_copy(cut, memory, true, false);
    assert_null(memory_host_file(cut, "new.tmp"));

    assert_int_equal(host->fsync(memory, fd), 0);
    assert_int_equal(host->close(memory, fd), 0);
    assert_int_equal(host->rename(memory, "x/new.tmp", "x/new"), 0);
    memory_host_copy(cut, memory, false, true);
    assert_int_equal(memory_host_file(cut, "new")->size, 3);
    assert_null(memory_host_file(cut, "new.tmp"));
    memory_host_copy(cut, memory, true, true);
    assert_int_equal(memory_host_count(cut), 0);
    memory_host_copy_renamed(cut, memory, true);
    assert_int_equal(memory_host_count(cut), 1);
    assert_int_equal(memory_host_file(cut, "new")->size, 3);

    assert_int_equal(wari_open_file(host, "x", O_RDONLY | O_DIRECTORY, &folder, NULL), WARI_OK);
    assert_int_equal(host->fsync(memory, folder), 0);
    memory_host_copy(cut, memory, true, true);
    assert_int_equal(memory_host_count(cut), 1);
    assert_memory_equal(memory_host_file(cut, "new")->bytes, "abc", 3);
    memory_host_destroy(memory);
    memory_host_destroy(cut);
}

TEST_GROUP(test_crash)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_and_names_survive_a_power_cut_only_after_fsync),
        cmocka_unit_test(
            a_crash_at_any_call_leaves_complete_levels_and_the_next_build_gives_the_same_bytes),
        cmocka_unit_test(a_crash_of_a_resumed_build_loses_no_published_level),
        cmocka_unit_test(a_crash_loses_at_most_the_levels_that_wait_to_be_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

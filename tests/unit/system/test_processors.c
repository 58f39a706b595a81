/* The number of processors: quotas of control groups, read from folders that a test has made.
 *
 * Expected values: worked out by hand from the documentation of the Linux kernel (cgroup-v2.rst,
 * sched-bwc.rst).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "db/host/host.h"
#include "system/processors.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/unit/groups.h"

/* Stores a file below the folder of the test; its folders must exist. */
static void store(const char *name, const char *text)
{
    char path[WARI_PATH_MAX];

    assert_int_equal(wari_path(path, NULL, folder, "%s", name), WARI_OK);
    file_store(path, text, strlen(text));
}

static void make(const char *name)
{
    char path[WARI_PATH_MAX];

    assert_int_equal(wari_path(path, NULL, folder, "%s", name), WARI_OK);
    assert_int_equal(mkdir(path, 0777), 0);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status;
    (void)type;
    (void)ftw;
    return remove(path);
}

/* Removes the folder of the test with all that is in it. */
static int remove_tree(void **state)
{
    enum { DEPTH = 8 };

    (void)state;
    return nftw(folder, remove_one, DEPTH, FTW_DEPTH | FTW_PHYS);
}

static int quota(void)
{
    const struct wari_system_folders folders = {folder, folder};

    return wari_processor_quota(&folders);
}

static void without_files_there_is_no_quota(void **state)
{
    (void)state;
    assert_int_equal(quota(), 0);
    store("cgroup", "0::/\n");
    assert_int_equal(quota(), 0);
}

static void a_quota_of_version_2_is_rounded_up(void **state)
{
    static const struct {
        const char *text;
        int processors;
    } cases[] = {
        {"100000 100000\n", 1},
        {"150000 100000\n", 2},
        {"200000 100000\n", 2},
        {"200001 100000\n", 3},
        {"1000 100000\n", 1},
        {"max 100000\n", 0},
        {"10000 5000\n", 2},
        {"1600000 100000", 16},
        {"", 0},
        {"\n", 0},
        {"100000\n", 0},
        {"100000 0\n", 0},
        {"0 100000\n", 0},
        {"-1 100000\n", 0},
        {"-100000 -100000\n", 0},
        {"100000x 100000\n", 0},
        {"many 100000\n", 0},
        {"100000 few\n", 0},
        {"99999999999999999999 1\n", 0},
        {"9999999999999 1\n", 0},
    };

    (void)state;
    store("cgroup", "0::/\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        store("cpu.max", cases[i].text);
        if (quota() != cases[i].processors)
            fail_msg("%s: %d", cases[i].text, quota());
    }
}

static void the_smallest_quota_of_nested_groups_counts(void **state)
{
    (void)state;
    make("a.slice");
    make("a.slice/b");
    store("cgroup", "0::/a.slice/b\n");
    assert_int_equal(quota(), 0);
    store("cpu.max", "700000 100000\n");
    assert_int_equal(quota(), 7);
    store("a.slice/cpu.max", "300000 100000\n");
    assert_int_equal(quota(), 3);
    store("a.slice/b/cpu.max", "max 100000\n");
    assert_int_equal(quota(), 3);
    store("a.slice/b/cpu.max", "500000 100000\n");
    assert_int_equal(quota(), 3);
    store("a.slice/b/cpu.max", "150000 100000\n");
    assert_int_equal(quota(), 2);
    /* The quota of a group below the group of the process does not count. */
    store("cgroup", "0::/a.slice\n");
    assert_int_equal(quota(), 3);
    /* The path of the group does not exist below the root, as in a container that has only the
     * files of its own group. The quota of the root counts. */
    store("cgroup", "0::/docker/1234\n");
    assert_int_equal(quota(), 7);
}

static void a_quota_of_version_1_is_rounded_up(void **state)
{
    (void)state;
    make("cpu");
    make("cpu/docker");
    make("cpuset");
    store("cgroup", "12:cpuset:/docker\n"
                    "4:cpu,cpuacct:/docker\n"
                    "1:name=systemd:/docker\n"
                    "0::/docker\n");
    assert_int_equal(quota(), 0);
    store("cpu/docker/cpu.cfs_quota_us", "250000\n");
    assert_int_equal(quota(), 0); /* no period */
    store("cpu/docker/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota(), 3);
    store("cpu/docker/cpu.cfs_quota_us", "-1\n");
    assert_int_equal(quota(), 0);
    store("cpu/cpu.cfs_quota_us", "50000\n");
    store("cpu/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota(), 1);
    store("cpu/cpu.cfs_period_us", "zero\n");
    assert_int_equal(quota(), 0);
}

/* Controllers whose names only begin or end like "cpu" have no quota. */
static void only_the_controller_of_processors_counts(void **state)
{
    static const char *const lists[] = {"cpuset", "cpuacct", "cpuset,cpuacct", "xcpu", ""};
    char text[80];

    (void)state;
    make("cpu");
    store("cpu/cpu.cfs_quota_us", "100000\n");
    store("cpu/cpu.cfs_period_us", "100000\n");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        snprintf(text, sizeof text, "3:%s:/\n", lists[i]);
        store("cgroup", text);
        assert_int_equal(quota(), 0);
    }
    store("cgroup", "3:cpuacct,cpu:/\n");
    assert_int_equal(quota(), 1);
    store("cgroup", "3:cpu:/\n");
    assert_int_equal(quota(), 1);
    store("cgroup", "cpu\n3:cpu\n");
    assert_int_equal(quota(), 0);
}

static void the_smallest_limit_is_the_number_of_usable_processors(void **state)
{
    static const struct {
        struct wari_processors processors;
        int usable;
    } cases[] = {
        {{16, 16, 0}, 16}, {{16, 4, 0}, 4}, {{16, 4, 2}, 2}, {{16, 4, 8}, 4},
        {{4, 16, 8}, 4},   {{1, 1, 1}, 1},  {{1, 0, 0}, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(wari_processors_usable(&cases[i].processors), cases[i].usable);
    const struct wari_processors here = wari_processors();
    assert_true(here.online >= 1 && here.allowed >= 1 && here.quota >= 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_tree)

TEST_GROUP(test_processors)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(without_files_there_is_no_quota),
        IN_FOLDER(a_quota_of_version_2_is_rounded_up),
        IN_FOLDER(the_smallest_quota_of_nested_groups_counts),
        IN_FOLDER(a_quota_of_version_1_is_rounded_up),
        IN_FOLDER(only_the_controller_of_processors_counts),
        cmocka_unit_test(the_smallest_limit_is_the_number_of_usable_processors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

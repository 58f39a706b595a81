/* The k-th call to the system fails during a build, for every k. The build fails with the
 * correct status and a message, releases everything, and leaves no incomplete file under a final
 * name; and the next build completes the folder to the same bytes as a build without faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "tests/support/builds.h"
#include "tests/support/fault_host.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

static const struct wari_variant variant = {WARI_ABAPA, WARI_OWN};

/* The time that finished levels wait to be published, in seconds. With at_once each level is
 * published at once, with at_end all levels are published at the end of the build. */
static const double at_once = -1, at_end = 1e9;

/* Returns the last level of the builds. At the small scale a build on top of existing levels has
 * one level less to solve. */
static int last_level(void)
{
    return test_scale(4, 3);
}

/* A build in which the k-th call of some kinds fails. The levels below `first` already exist in the
 * folder; the build solves the levels from `first` to last_level(). */
struct trial {
    int kinds;     /* kinds of calls that fail, FAULT_* */
    int error;     /* errno */
    bool for_good; /* true if all calls after the k-th one fail, too */
    int first;
    enum wari_status expected;
    const char *says; /* text that the message must contain */
    double publish;   /* as in struct wari_build, in seconds */
};

/* Returns a build with two threads if allocations fail, and with one thread otherwise. Each level
 * up to last_level() is a single item of work. So a second thread allocates memory of its own, but
 * makes no call for a file. */
static struct wari_build build_to_fail(const char *folder, int kinds)
{
    struct wari_build build = build_of(folder, variant, last_level());

    build.threads = kinds & FAULT_ALLOCATE ? BUILD_THREADS : 1;
    return build;
}

/* Checks that a build completes the files in the folder, unless an earlier test has left the
 * same files there. */
static void complete(const char *folder)
{
    static struct folder_states seen;

    if (!folder_is_new(folder, &seen))
        return;
    build_database(folder, variant, last_level());
    struct folder_image image = folder_load(folder);
    assert_folders_equal(&image, image_of(variant, last_level()));
    folder_free(&image);
}

/* Lets the k-th call fail; returns false if there was no k-th call. */
static bool fail_at(const struct trial *trial, long k)
{
    char folder[TABLE_FOLDER_MAX];
    struct fault_host fault;
    struct wari_error error = {WARI_OK, ""};

    assert_true(table_folder_make(folder));
    folder_store(folder, image_of(variant, trial->first - 1));
    struct wari_build build = build_to_fail(folder, trial->kinds);
    build.publish = trial->publish;
    fault_host_init(&fault, trial->kinds, k);
    fault.error = trial->error;
    fault.for_good = trial->for_good;
    build.host = &fault.host;
    const enum wari_status status = wari_build(&build, &error);
    const bool fired = fault_host_fired(&fault);
    if (status != (fired ? trial->expected : WARI_OK))
        fail_msg("call %ld of %d: status %d: %s", k, trial->kinds, status, error.text);
    if (fired) {
        assert_int_equal(error.status, status);
        assert_non_null(strstr(error.text, trial->says));
    }
    if (!fault_host_clean(&fault))
        fail_msg("call %ld of %d: %ld blocks, %ld files left", k, trial->kinds,
                 atomic_load(&fault.blocks), atomic_load(&fault.files));
    const int done = assert_folder_is_part(folder, variant, image_of(variant, last_level()));
    assert_true(done >= trial->first - 1 && (fired || done == last_level()));
    complete(folder);
    assert_true(table_folder_remove(folder));
    return fired;
}

/* Calls fail_at() for the first call and every `step`-th call after it, until there is no such
 * call. Asserts that there are at least `least` calls. If `step` is above 1, up to step - 1 of
 * these calls may be absent without being noticed. */
static void fail_at_each_call(const struct trial *trial, long step, long least)
{
    long k = 1;

    while (fail_at(trial, k))
        k += step;
    assert_true(k > least);
}

/* Calls fail_at_each_call() for both ways of publishing. Publishing all levels at the end makes
 * fewer calls. */
static void fail_at_each_call_of_both(struct trial trial, long step, long least,
                                      long least_together)
{
    trial.publish = at_once;
    fail_at_each_call(&trial, step, least);
    trial.publish = at_end;
    fail_at_each_call(&trial, step, least_together);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* There are some hundred allocations, more than half of them for the tables. */
static void failed_allocation_is_no_memory(void **state)
{
    const struct trial trial = {FAULT_ALLOCATE, ENOMEM, false, 0, WARI_NO_MEMORY, "", at_end};

    (void)state;
    fail_at_each_call(&trial, test_scale(1, 5), 100);
}

static void failed_allocation_when_resuming_is_no_memory(void **state)
{
    const struct trial trial = {FAULT_ALLOCATE, ENOMEM, true,   last_level() - 1,
                                WARI_NO_MEMORY, "",     at_once};

    (void)state;
    fail_at_each_call(&trial, test_scale(3, 11), 60);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* The file of a level is opened, written, synchronised and renamed. To publish levels, the folder
 * is synchronised, the catalogue is opened, written, synchronised and renamed, and the folder is
 * synchronised again. This happens for every level, or once for all levels. */
static void failed_open_is_an_io_error(void **state)
{
    const struct trial trial = {FAULT_OPEN, EACCES, false, 0, WARI_IO, strerror(EACCES), 0};

    (void)state;
    fail_at_each_call_of_both(trial, 1, 4 * (last_level() + 1), last_level() + 1 + 3);
}

static void failed_read_is_an_io_error(void **state)
{
    const struct trial trial = {FAULT_READ, EIO,           false, last_level() - 1,
                                WARI_IO,    strerror(EIO), 0};

    (void)state;
    fail_at_each_call_of_both(trial, 1, 6, 6);
}

static void failed_write_is_an_io_error(void **state)
{
    const struct trial trial = {FAULT_WRITE, EIO, false, 0, WARI_IO, strerror(EIO), 0};

    (void)state;
    fail_at_each_call_of_both(trial, 1, 5 * (last_level() + 1), 4 * (last_level() + 1) + 1);
}

/* The disk is full and remains full. */
static void full_disk_is_an_io_error(void **state)
{
    const struct trial trial = {FAULT_WRITE, ENOSPC,           true, last_level() - 2,
                                WARI_IO,     strerror(ENOSPC), 0};

    (void)state;
    fail_at_each_call_of_both(trial, 1, 6, 6);
}

static void failed_sync_is_an_io_error(void **state)
{
    const struct trial once = {FAULT_SYNC, EIO, false, 0, WARI_IO, strerror(EIO), 0};
    const struct trial full = {FAULT_SYNC, ENOSPC, true, 0, WARI_IO, strerror(ENOSPC), 0};

    (void)state;
    fail_at_each_call_of_both(once, 1, 4 * (last_level() + 1), last_level() + 1 + 3);
    fail_at_each_call_of_both(full, 1, 4 * (last_level() + 1), last_level() + 1 + 3);
}

static void failed_rename_is_an_io_error(void **state)
{
    const struct trial trial = {FAULT_RENAME, EIO, false, 0, WARI_IO, strerror(EIO), 0};

    (void)state;
    fail_at_each_call_of_both(trial, 1, 2 * (last_level() + 1), last_level() + 1 + 1);
}

static void failed_lock_or_folder_is_an_io_error(void **state)
{
    const struct trial trial = {FAULT_FOLDER, EIO, false, 0, WARI_IO, strerror(EIO), at_once};

    (void)state;
    fail_at_each_call(&trial, 1, 2);
}

/* A build that fails still publishes the levels that it finished before. */
static void levels_that_wait_are_published_when_the_next_one_fails(void **state)
{
    struct wari_error error;
    struct fault_host fault;

    (void)state;
    for (int finished = 1; finished <= last_level(); finished++) {
        char folder[TABLE_FOLDER_MAX];
        assert_true(table_folder_make(folder));
        struct wari_build build = build_to_fail(folder, FAULT_RENAME);
        build.publish = at_end;
        fault_host_init(&fault, FAULT_RENAME,
                        finished + 1); /* the rename of the next level's file */
        build.host = &fault.host;
        assert_int_equal(wari_build(&build, &error), WARI_IO);
        assert_non_null(strstr(error.text, "rename"));
        assert_int_equal(assert_folder_is_part(folder, variant, image_of(variant, last_level())),
                         finished - 1);
        assert_true(table_folder_remove(folder));
    }
}

/* A file that was written to is complete only if close() succeeds. For files that were only
 * read, and for the folder, close() may fail. In both cases nothing stays open and no byte is
 * wrong. */
static int fail_at_each_close(double publish)
{
    int failed = 0;
    bool fired = true;

    for (long k = 1; fired; k++) {
        char folder[TABLE_FOLDER_MAX];
        struct fault_host fault;
        struct wari_error error = {WARI_OK, ""};
        assert_true(table_folder_make(folder));
        struct wari_build build = build_to_fail(folder, FAULT_CLOSE);
        build.publish = publish;
        fault_host_init(&fault, FAULT_CLOSE, k);
        build.host = &fault.host;
        const enum wari_status status = wari_build(&build, &error);
        fired = fault_host_fired(&fault);
        assert_true(status == WARI_OK || (fired && status == WARI_IO));
        failed += status == WARI_IO;
        assert_true(fault_host_clean(&fault));
        const int done = assert_folder_is_part(folder, variant, image_of(variant, last_level()));
        assert_true(status == WARI_OK ? done == last_level() : done < last_level() || fired);
        complete(folder);
        assert_true(table_folder_remove(folder));
    }
    return failed;
}

static void failed_close_loses_nothing(void **state)
{
    (void)state;
    /* A file is closed for each level, and the catalogue is closed once for each level. */
    assert_true(fail_at_each_close(at_once) >= 2 * (last_level() + 1));
    assert_true(fail_at_each_close(at_end) >= last_level() + 1 + 1);
}

/* ---- Harmless conditions --------------------------------------------------------------------- */

static void short_and_interrupted_transfers_do_not_change_files(void **state)
{
    char folder[TABLE_FOLDER_MAX];
    struct fault_host fault;

    (void)state;
    assert_true(table_folder_make(folder));
    folder_store(folder, image_of(variant, last_level() - 1));
    struct wari_build build = build_of(folder, variant, 6);
    fault_host_init(&fault, 0, 0);
    fault.longest = 100;
    fault.interrupt = true;
    build.host = &fault.host;
    assert_int_equal(wari_build(&build, NULL), WARI_OK);
    assert_true(fault_host_clean(&fault));
    assert_true(atomic_load(&fault.interruptions) > 100);
    struct folder_image image = folder_load(folder);
    assert_folders_equal(&image, image_of(variant, 6));
    folder_free(&image);
    assert_true(table_folder_remove(folder));
}

TEST_GROUP(test_solver_faults)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_allocation_is_no_memory),
        cmocka_unit_test(failed_allocation_when_resuming_is_no_memory),
        cmocka_unit_test(failed_open_is_an_io_error),
        cmocka_unit_test(failed_read_is_an_io_error),
        cmocka_unit_test(failed_write_is_an_io_error),
        cmocka_unit_test(full_disk_is_an_io_error),
        cmocka_unit_test(failed_sync_is_an_io_error),
        cmocka_unit_test(failed_rename_is_an_io_error),
        cmocka_unit_test(failed_lock_or_folder_is_an_io_error),
        cmocka_unit_test(failed_close_loses_nothing),
        cmocka_unit_test(levels_that_wait_are_published_when_the_next_one_fails),
        cmocka_unit_test(short_and_interrupted_transfers_do_not_change_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

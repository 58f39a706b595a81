/* For every k, the k-th call to the host fails while a database is checked, verified or asked
 * for lines of play. The status is right, there is a message, and nothing leaks. A failed call is
 * never reported as damage or as a wrong value, and never gives a value. (test_solver_faults.c and
 * test_db_faults.c do the same for building, opening and probing.)
 *
 * Expected results are those of the same calls without a failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/maintain/check.h"
#include "db/wari.h"
#include "solver/build.h"
#include "tests/support/builds.h"
#include "tests/support/fault_host.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"
#include "verify/verify.h"

enum { SEEDS = 5 };

static const struct wari_variant variant = {WARI_ABAPA, WARI_OWN};

static const struct fault {
    int kinds;
    int error;
    bool for_good;
    enum wari_status status; /* the required status, if the call fails */
} faults[] = {
    {FAULT_ALLOCATE, ENOMEM, false, WARI_NO_MEMORY},
    {FAULT_ALLOCATE, ENOMEM, true, WARI_NO_MEMORY},
    {FAULT_OPEN, EMFILE, false, WARI_IO},
    {FAULT_OPEN, EACCES, true, WARI_IO},
    {FAULT_READ, EIO, false, WARI_IO},
    {FAULT_READ, EIO, true, WARI_IO},
    {FAULT_CLOSE, EIO, true, WARI_OK},
};

static int set_up(void **state)
{
    if (make_folder(state) != 0)
        return -1;
    build_database(folder, variant, SEEDS);
    return 0;
}

/* A function that uses the folder through a host. */
typedef enum wari_status piece_of_work(const struct wari_host *host, struct wari_error *error);

/* Calls `work` again and again. In the first round, its first call to the host fails; then its call
 * number 1 + step, and so on, until a round has no such call. That round must succeed. */
static void fail_at_each_call(piece_of_work *work, long step)
{
    struct fault_host host;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        long k = 1;
        for (;; k += step) {
            struct wari_error error = {WARI_OK, ""};
            fault_host_init(&host, faults[i].kinds, k);
            host.error = faults[i].error;
            host.for_good = faults[i].for_good;
            host.longest = 500;
            host.interrupt = true;
            const enum wari_status status = work(&host.host, &error);
            const bool fired = fault_host_fired(&host);
            if (status != (fired ? faults[i].status : WARI_OK))
                fail_msg("fault %zu, call %ld: status %d: %s", i, k, status, error.text);
            assert_int_equal(error.status, status);
            assert_true(status == WARI_OK || error.text[0] != '\0');
            assert_true(fault_host_clean(&host));
            if (!fired)
                break;
        }
        assert_true(k > 1);
    }
    assert_true(atomic_load(&host.interruptions) > 0);
}

/* ---- The work ------------------------------------------------------------------------------- */

/* Stores the first finding of the check, or the failure of the check itself. */
static void note(void *context, const struct wari_damage *damage)
{
    struct wari_error *error = context;
    assert_int_not_equal(damage->status, WARI_CORRUPT);
    assert_non_null(strstr(damage->text, damage->file));
    if (error->status == WARI_OK)
        wari_fail(error, damage->status, "%s", damage->text);
}

static enum wari_status check(const struct wari_host *host, struct wari_error *error)
{
    const struct wari_check check = {.folder = folder,
                                     .variant = variant,
                                     .threads = 2,
                                     .host = host,
                                     .found = note,
                                     .context = error};
    struct wari_check_report report;
    const enum wari_status status = wari_check(&check, &report, error);
    if (status == WARI_OK)
        assert_int_equal(report.worst, error->status);
    return status == WARI_OK ? report.worst : status;
}

static enum wari_status verify(const struct wari_host *host, struct wari_error *error)
{
    const struct wari_verify verify = {
        .folder = folder, .variant = variant, .mode = WARI_VERIFY_FULL, .threads = 2, .host = host};
    struct wari_verify_report report;
    const enum wari_status status = wari_verify(&verify, &report, error);
    if (status == WARI_OK)
        assert_int_equal(report.levels, SEEDS + 1);
    return status;
}

/* Probes a position whose value data/RULES.md gives: 1, by the moves A and C. */
static enum wari_status play(const struct wari_host *host, struct wari_error *error)
{
    const struct wari_options options = {.cache_bytes = 1, .host = host};
    const struct wari_position position = {{1, 0, 1, 0, 0, 0, 1}};
    struct wari_variant variants[WARI_VARIANT_COUNT];
    struct wari_analysis analysis;
    struct wari_line line;
    struct wari_db *db;
    int count = 0;

    enum wari_status status = wari_list(folder, &options, variants, &count, error);
    if (status != WARI_OK)
        return status;
    assert_int_equal(count, 1);
    status = wari_open(&db, folder, &variant, &options, error);
    if (status != WARI_OK)
        return status;
    status = wari_analyse(db, &position, &analysis, error);
    if (status == WARI_OK) {
        assert_int_equal(analysis.value, 1);
        status = wari_find_line(db, &position, &line, error);
    }
    if (status == WARI_OK)
        assert_true(line.count > 0);
    wari_close(db);
    return status;
}

static void a_check_meets_every_fault_and_calls_none_of_them_damage(void **state)
{
    (void)state;
    fail_at_each_call(check, test_scale(1, 3));
}

static void a_proof_meets_every_fault_and_calls_none_of_them_a_wrong_value(void **state)
{
    (void)state;
    fail_at_each_call(verify, test_scale(1, 11));
}

static void analysis_and_line_meet_every_fault(void **state)
{
    (void)state;
    fail_at_each_call(play, test_scale(1, 3));
}

/* ---- A check on several threads ------------------------------------------------------------- */

/* All findings, joined into one text. */
struct list {
    char text[4096];
    int count;
};

static void add_to_list(void *context, const struct wari_damage *damage)
{
    struct list *list = context;
    const size_t used = strlen(list->text);
    snprintf(list->text + used, sizeof list->text - used, "%s\n", damage->text);
    list->count++;
}

/* Level 10 has 351,351 positions in 43 chunks, which is enough work for four threads. */
static void threads_find_the_same_damage_in_the_same_order(void **state)
{
    static const struct wari_variant many = {WARI_AWARI, WARI_EVEN};
    const struct wari_level_key key = {many, 10};
    struct list lists[2] = {{.count = 0}, {.count = 0}};
    char path[WARI_PATH_MAX];

    (void)state;
    build_database(folder, many, key.seeds);
    assert_int_equal(wari_level_path(path, folder, key, NULL), WARI_OK);
    struct file_image image = file_load(path);
    for (size_t at = image.size / 3; at < image.size; at += image.size / 5) {
        image.bytes[at] ^= 0x10;
        file_patch(path, at, &image.bytes[at], 1);
    }
    for (int i = 0; i < 2; i++) {
        const struct wari_check check = {.folder = folder,
                                         .variant = many,
                                         .threads = i == 0 ? 1 : 4,
                                         .found = add_to_list,
                                         .context = &lists[i]};
        struct wari_check_report report;
        assert_int_equal(wari_check(&check, &report, NULL), WARI_OK);
        assert_int_equal(report.worst, WARI_CORRUPT);
        assert_int_equal(report.damaged, lists[i].count);
    }
    assert_true(lists[0].count >= 3);
    assert_string_equal(lists[0].text, lists[1].text);
    free(image.bytes);
}

/* One chunk is damaged, and each read fails in turn. One finding covers only adjacent chunks
 * with the same result, so a read failure must be a separate finding. */
static void a_chunk_that_cannot_be_read_is_no_part_of_damage_beside_it(void **state)
{
    static const struct wari_variant many = {WARI_WARI, WARI_EVEN};
    const struct wari_level_key key = {many, 8}; /* this level has 10 chunks */
    char path[WARI_PATH_MAX];
    int both = 0;
    bool fired = true;

    (void)state;
    build_database(folder, many, key.seeds);
    assert_int_equal(wari_level_path(path, folder, key, NULL), WARI_OK);
    struct file_image image = file_load(path);
    image.bytes[image.size / 2] ^= 0x10;
    file_patch(path, image.size / 2, &image.bytes[image.size / 2], 1);
    free(image.bytes);
    for (long k = 1; fired; k++) {
        struct list list = {.count = 0};
        struct fault_host host;
        const struct wari_check check = {.folder = folder,
                                         .variant = many,
                                         .threads = 1,
                                         .host = &host.host,
                                         .found = add_to_list,
                                         .context = &list};
        struct wari_check_report report;
        fault_host_init(&host, FAULT_READ, k);
        assert_int_equal(wari_check(&check, &report, NULL), WARI_OK);
        fired = fault_host_fired(&host);
        both += list.count == 2;
        assert_in_range(list.count, 1, fired ? 2 : 1);
        assert_null(strstr(list.text, "chunks ")); /* no finding covers several chunks, such as
                                                    * "chunks 3 to 4" */
    }
    assert_true(both >= 9);
}

/* ---- A check that is stopped ---------------------------------------------------------------- */

static void a_check_stops_when_it_is_asked_to(void **state)
{
    const atomic_bool stop = true;
    const struct wari_check check = {
        .folder = folder, .variant = variant, .threads = 2, .found = note, .stop = &stop};
    struct wari_check_report report;
    struct wari_error error = {WARI_OK, ""};

    (void)state;
    assert_int_equal(wari_check(&check, &report, &error), WARI_INTERRUPTED);
    assert_int_equal(error.status, WARI_INTERRUPTED);
}

TEST_GROUP(test_reader_faults)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_check_meets_every_fault_and_calls_none_of_them_damage),
        cmocka_unit_test(a_proof_meets_every_fault_and_calls_none_of_them_a_wrong_value),
        cmocka_unit_test(analysis_and_line_meet_every_fault),
        cmocka_unit_test(threads_find_the_same_damage_in_the_same_order),
        cmocka_unit_test(a_chunk_that_cannot_be_read_is_no_part_of_damage_beside_it),
        cmocka_unit_test(a_check_stops_when_it_is_asked_to),
    };
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}

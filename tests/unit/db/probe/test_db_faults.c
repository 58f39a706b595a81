/* For every k, the k-th call to the host fails. The status is right, nothing leaks, and no
 * incomplete file ever has its final name.
 *
 * Expected values are the sample values that were written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/catalogue/catalogue_file.h"
#include "db/probe/pool.h"
#include "db/wari.h"
#include "tests/support/fault_host.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/unit/groups.h"

static const struct wari_variant variant = {WARI_WARI, WARI_EVEN};

/* The kinds of calls that fail, and the status that the operation must return if it fails
 * because of them. */
static const struct fault {
    int kinds;
    int error;
    bool for_good;
    enum wari_status status;
} faults[] = {
    {FAULT_ALLOCATE, ENOMEM, false, WARI_NO_MEMORY},
    {FAULT_ALLOCATE, ENOMEM, true, WARI_NO_MEMORY},
    {FAULT_OPEN, EMFILE, false, WARI_IO},
    {FAULT_READ, EIO, false, WARI_IO},
    {FAULT_WRITE, ENOSPC, false, WARI_IO},
    {FAULT_WRITE, ENOSPC, true, WARI_IO},
    {FAULT_SYNC, EIO, false, WARI_IO},
    {FAULT_CLOSE, EIO, false, WARI_IO},
    {FAULT_RENAME, EACCES, false, WARI_IO},
    {FAULT_ANY & ~FAULT_ALLOCATE, EIO, true, WARI_IO},
};
enum { FAULTS = sizeof faults / sizeof *faults };

static void start(struct fault_host *host, const struct fault *fault, long k)
{
    fault_host_init(host, fault->kinds, k);
    host->error = fault->error;
    host->for_good = fault->for_good;
    host->longest = 1000; /* short transfers, so that there are many calls even for small files */
    host->interrupt = true;
}

static void a_level_is_written_whole_or_not_at_all(void **state)
{
    struct wari_level_key key = {variant, 5};
    int8_t *values = sample_values(key);
    char path[WARI_PATH_MAX];
    char temporary[WARI_PATH_MAX];
    long runs = 0;

    (void)state;
    assert_int_equal(wari_level_path(path, folder, key, NULL), WARI_OK);
    assert_int_equal(wari_path(temporary, NULL, folder, "wari-even-5.wari.tmp"), WARI_OK);
    for (int i = 0; i < FAULTS; i++) {
        struct fault_host host;
        long k = 0;
        do {
            struct wari_level_record record;
            struct wari_error error = {WARI_OK, ""};
            unlink(path);
            start(&host, &faults[i], ++k);
            enum wari_status status =
                sample_write(&host.host, folder, key, values, &record, &error);

            /* Every file with a final name is complete, and every file that was reported as
             * written exists. */
            if (file_exists(path))
                assert_int_equal(sample_read(wari_host_system(), folder, key, values, NULL),
                                 WARI_OK);
            else
                assert_int_not_equal(status, WARI_OK);
            assert_true(status == WARI_OK || status == faults[i].status);
            assert_int_equal(error.status, status);
            assert_true(fault_host_clean(&host));
            /* If unlinking fails as well, the program cannot remove the temporary file. */
            assert_true(!file_exists(temporary) || (faults[i].kinds & FAULT_UNLINK));
            runs++;
        } while (fault_host_fired(&host));
        unlink(temporary);
    }
    assert_true(runs > 2 * FAULTS);
    free(values);
}

static void nothing_stands_under_the_final_name_before_the_last_step(void **state)
{
    static const int kinds[] = {FAULT_ALLOCATE, FAULT_OPEN, FAULT_WRITE, FAULT_RENAME};
    struct wari_level_key key = {variant, 5};
    int8_t *values = sample_values(key);
    char path[WARI_PATH_MAX];

    (void)state;
    assert_int_equal(wari_level_path(path, folder, key, NULL), WARI_OK);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct fault_host host;
        for (long k = 1;; k++) {
            struct wari_level_record record;
            unlink(path);
            fault_host_init(&host, kinds[i], k);
            host.longest = 1000;
            enum wari_status status = sample_write(&host.host, folder, key, values, &record, NULL);
            if (!fault_host_fired(&host)) {
                assert_int_equal(status, WARI_OK);
                break;
            }
            assert_int_not_equal(status, WARI_OK);
            assert_false(file_exists(path));
        }
    }
    free(values);
}

static void a_catalogue_is_replaced_whole_or_not_at_all(void **state)
{
    struct wari_catalogue before = {.variant = variant, .seeds_max = 1};
    struct wari_catalogue after = {.variant = variant, .seeds_max = 4};
    struct wari_catalogue read;
    char temporary[WARI_PATH_MAX];
    long k;

    (void)state;
    assert_int_equal(wari_path(temporary, NULL, folder, "wari-even.catalogue.tmp"), WARI_OK);
    for (int n = 0; n <= 4; n++) {
        sample_histogram(n, &before.level[n]);
        sample_histogram(n, &after.level[n]);
        after.level[n].payload_hash = 77;
    }
    for (int i = 0; i < FAULTS; i++) {
        struct fault_host host;
        k = 0;
        do {
            struct wari_error error = {WARI_OK, ""};
            assert_int_equal(wari_catalogue_write(&before, wari_host_system(), folder, NULL),
                             WARI_OK);
            start(&host, &faults[i], ++k);
            enum wari_status status = wari_catalogue_write(&after, &host.host, folder, &error);
            assert_int_equal(wari_catalogue_read(&read, wari_host_system(), folder, variant, NULL),
                             WARI_OK);
            assert_true(read.seeds_max == 4 || (read.seeds_max == 1 && status != WARI_OK));
            assert_true(status == WARI_OK || status == faults[i].status);
            assert_int_equal(error.status, status);
            assert_true(fault_host_clean(&host));
            assert_true(!file_exists(temporary) || (faults[i].kinds & FAULT_UNLINK));
        } while (fault_host_fired(&host));
        assert_int_equal(read.seeds_max, 4);
        unlink(temporary);
    }
}

static void reading_a_catalogue_survives_every_fault(void **state)
{
    struct wari_catalogue written = {.variant = variant, .seeds_max = 3};
    struct wari_catalogue read;

    (void)state;
    for (int n = 0; n <= 3; n++)
        sample_histogram(n, &written.level[n]);
    assert_int_equal(wari_catalogue_write(&written, wari_host_system(), folder, NULL), WARI_OK);
    for (int i = 0; i < FAULTS; i++) {
        struct fault_host host;
        long k = 0;
        do {
            start(&host, &faults[i], ++k);
            enum wari_status status = wari_catalogue_read(&read, &host.host, folder, variant, NULL);
            assert_true(status == WARI_OK || status == faults[i].status);
            assert_int_equal(read.seeds_max, status == WARI_OK ? 3 : -1);
            assert_true(fault_host_clean(&host));
        } while (fault_host_fired(&host));
    }
}

/* Lists variants, opens the folder, probes and closes. If there is a value, it must be
 * `expected`. */
static enum wari_status open_and_probe(const struct wari_host *host, int expected,
                                       struct wari_error *error)
{
    const struct wari_options options = {.cache_bytes = 1, .host = host};
    const struct wari_position position = {{0, 2, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0}};
    struct wari_db *db;
    int value = 99;

    enum wari_status status = wari_open(&db, folder, NULL, &options, error);
    if (status != WARI_OK) {
        assert_null(db);
        return status;
    }
    for (int i = 0; i < 3; i++) {
        status = wari_probe(db, &position, &value, error);
        assert_int_equal(value, status == WARI_OK ? expected : 99);
        if (status != WARI_OK)
            break;
    }
    wari_close(db);
    return status;
}

static void opening_and_probing_survive_every_fault(void **state)
{
    struct wari_level_key key = {variant, 5};
    const struct wari_position position = {{0, 2, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0}};
    int8_t *values = sample_values(key);
    struct wari_layout layout;

    (void)state;
    wari_layout_init(&layout, 5);
    int expected = values[wari_layout_rank(&layout, &position)];
    free(values);
    assert_int_equal(sample_write_folder(wari_host_system(), folder, variant, 5, NULL), WARI_OK);
    for (int i = 0; i < FAULTS; i++) {
        struct fault_host host;
        long k = 0;
        do {
            struct wari_error error = {WARI_OK, ""};
            start(&host, &faults[i], ++k);
            enum wari_status status = open_and_probe(&host.host, expected, &error);
            assert_true(status == WARI_OK || status == faults[i].status);
            assert_int_equal(error.status, status);
            assert_true(fault_host_clean(&host));
            /* Only one failure may have no consequence: that of closing a file which was only
             * read. */
            assert_true(status != WARI_OK || !fault_host_fired(&host) ||
                        (faults[i].kinds & FAULT_CLOSE));
        } while (fault_host_fired(&host));
    }
}

static void a_probe_that_failed_can_be_repeated(void **state)
{
    const struct wari_position position = {{0, 2, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0}};
    const struct wari_options system = {.host = NULL};
    struct wari_db *db;
    int expected;
    struct fault_host host;

    (void)state;
    assert_int_equal(sample_write_folder(wari_host_system(), folder, variant, 5, NULL), WARI_OK);
    assert_int_equal(wari_open(&db, folder, NULL, &system, NULL), WARI_OK);
    assert_int_equal(wari_probe(db, &position, &expected, NULL), WARI_OK);
    wari_close(db);

    const struct wari_options options = {.host = &host.host};
    fault_host_init(&host, 0, 0);
    assert_int_equal(wari_open(&db, folder, NULL, &options, NULL), WARI_OK);
    int value = 99;
    host.kinds = FAULT_READ;
    host.fail_at = atomic_load(&host.calls) + 1;
    assert_int_equal(wari_probe(db, &position, &value, NULL), WARI_IO);
    assert_int_equal(value, 99);
    host.kinds = FAULT_ALLOCATE; /* a probe allocates nothing, because opening the folder has
                                  * allocated all its memory */
    host.fail_at = atomic_load(&host.calls) + 1;
    assert_int_equal(wari_probe(db, &position, &value, NULL), WARI_OK);
    assert_int_equal(value, expected);
    wari_close(db);
    assert_true(fault_host_clean(&host));
}

/* A second thread that decodes at the same time needs a second decoder. If there is no memory
 * for it, the pool is unchanged and can still be used. */
static void pool_without_memory_for_one_more_goes_on(void **state)
{
    struct fault_host host;
    struct wari_pool *pool;
    struct wari_decoding *first, *second = (struct wari_decoding *)&host;

    (void)state;
    fault_host_init(&host, FAULT_ALLOCATE, 0);
    assert_int_equal(wari_pool_create(&pool, &host.host, NULL), WARI_OK);
    assert_int_equal(wari_pool_take(pool, &first, NULL), WARI_OK);
    host.fail_at = atomic_load(&host.calls) + 1;
    assert_int_equal(wari_pool_take(pool, &second, NULL), WARI_NO_MEMORY);
    assert_null(second);
    wari_pool_give_back(pool, first);
    assert_int_equal(wari_pool_take(pool, &second, NULL), WARI_OK);
    assert_ptr_equal(second, first);
    wari_pool_give_back(pool, second);
    wari_pool_destroy(pool);
    assert_true(fault_host_clean(&host));
}

TEST_GROUP(test_db_faults)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_is_written_whole_or_not_at_all),
        cmocka_unit_test(nothing_stands_under_the_final_name_before_the_last_step),
        cmocka_unit_test(a_catalogue_is_replaced_whole_or_not_at_all),
        cmocka_unit_test(reading_a_catalogue_survives_every_fault),
        cmocka_unit_test(opening_and_probing_survive_every_fault),
        cmocka_unit_test(a_probe_that_failed_can_be_repeated),
        cmocka_unit_test(pool_without_memory_for_one_more_goes_on),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

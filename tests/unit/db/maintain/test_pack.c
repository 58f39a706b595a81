/* Packing a database changes no value and damages no folder, even if the process is killed, a
 * call fails, or bits of its output are flipped.
 *
 * Expected values come from the reference solver; expected bytes come from a call without
 * faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "db/maintain/check.h"
#include "db/maintain/pack.h"
#include "db/wari.h"
#include "tests/support/builds.h"
#include "tests/support/fault_host.h"
#include "tests/support/memory_host.h"
#include "tests/support/scale.h"
#include "tests/support/table_files.h"
#include "tests/unit/groups.h"

enum { SEEDS = 4, MORE = 6 };

static const struct wari_variant variant = {WARI_ABAPA, WARI_OWN};
static struct table truth;

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(table_solve(&truth, variant, MORE), WARI_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    table_free(&truth);
    return 0;
}

static void build_in(const struct wari_host *host, const char *folder, int seeds)
{
    const struct wari_build build = {
        .folder = folder, .variant = variant, .seeds = seeds, .threads = 1, .host = host};
    assert_int_equal(wari_build(&build, NULL), WARI_OK);
}

/* Bytes of memory for packing and for probing. The number is small, because the memory is
 * cleared in each of a thousand calls. */
enum { LITTLE = 1 << 17 };

static enum wari_status pack_in(const struct wari_host *host, const char *folder,
                                struct wari_pack_report *report, struct wari_error *error)
{
    const struct wari_pack pack = {
        .folder = folder, .variant = variant, .threads = 1, .memory = LITTLE, .host = host};
    return wari_pack(&pack, report, error);
}

static void count_damage(void *context, const struct wari_damage *damage)
{
    (void)damage;
    ++*(int *)context;
}

static int damages(const struct wari_host *host, const char *folder)
{
    int count = 0;
    const struct wari_check check = {.folder = folder,
                                     .variant = variant,
                                     .threads = 1,
                                     .host = host,
                                     .found = count_damage,
                                     .context = &count};
    struct wari_check_report report;
    assert_int_equal(wari_check(&check, &report, NULL), WARI_OK);
    return count;
}

/* Checks the size of the level files in the folder. The catalogue may allow two files for a
 * level; each size must be that of one of the two. */
static void check_sizes(const struct wari_db *db, const struct wari_host *host, const char *folder,
                        int seeds)
{
    struct wari_info info;
    uint64_t all = 0;
    for (int n = 0; n <= seeds; n++) {
        struct wari_level_info level;
        char path[WARI_PATH_MAX];
        int fd;
        assert_int_equal(wari_level_path(path, folder, (struct wari_level_key){variant, n}, NULL),
                         WARI_OK);
        assert_int_equal(wari_open_file(host, path, O_RDONLY, &fd, NULL), WARI_OK);
        assert_int_equal(wari_get_level_info(db, n, &level, NULL), WARI_OK);
        assert_int_equal(level.file_bytes, host->size(host->context, fd));
        all += level.file_bytes;
        (void)host->close(host->context, fd);
    }
    wari_get_info(db, &info);
    assert_int_equal(info.file_bytes, all);
}

/* Asserts that every step-th position of all levels has its true value or none. Returns the
 * number of positions without a value. */
static long probe(const struct wari_host *host, const char *folder, int seeds, uint64_t step)
{
    const struct wari_options options = {.cache_bytes = LITTLE, .host = host};
    struct wari_db *db;
    long missing = 0;
    if (wari_open(&db, folder, &variant, &options, NULL) != WARI_OK)
        return 1;
    check_sizes(db, host, folder, seeds);
    for (int n = 0; n <= seeds; n++) {
        for (uint64_t cell = 0; cell < wari_level_positions(n); cell += step) {
            struct wari_position position;
            int value = 99;
            wari_layout_unrank(&truth.layout[n], cell, &position);
            const enum wari_status status = wari_probe(db, &position, &value, NULL);
            if (status == WARI_OK && value != truth.values[n][cell])
                fail_msg("level %d, cell %llu: %d", n, (unsigned long long)cell, value);
            missing += status != WARI_OK;
        }
    }
    wari_close(db);
    return missing;
}

static void assert_same_files(struct memory_host *one, struct memory_host *other)
{
    const char *name = memory_host_difference(one, other);
    if (name != NULL)
        fail_msg("%s: not the same", name);
}

/* ---- What packing does ---------------------------------------------------------------------- */

static void packing_keeps_values_and_hashes_and_saves_room(void **state)
{
    struct memory_host *memory = memory_host_create();
    struct wari_catalogue *before = malloc(2 * sizeof *before);
    struct wari_catalogue *after = before + 1;
    struct wari_pack_report report;

    (void)state;
    assert_non_null(before);
    build_in(&memory->host, "folder", MORE);
    assert_int_equal(wari_catalogue_read(before, &memory->host, "folder", variant, NULL), WARI_OK);
    assert_int_equal(pack_in(&memory->host, "folder", &report, NULL), WARI_OK);
    assert_int_equal(report.levels, MORE + 1);
    assert_int_equal(report.packed, MORE); /* level 0 has nothing to leave out */
    assert_true(report.bytes < report.bytes_before);
    assert_int_equal(wari_catalogue_read(after, &memory->host, "folder", variant, NULL), WARI_OK);
    for (int n = 0; n <= MORE; n++) {
        assert_int_equal(after->level[n].payload_hash, before->level[n].payload_hash);
        assert_int_equal(after->level[n].other_bytes, 0);
    }
    assert_int_equal(damages(&memory->host, "folder"), 0);
    assert_int_equal(probe(&memory->host, "folder", MORE, 1), 0);
    assert_int_equal(pack_in(&memory->host, "folder", &report, NULL), WARI_OK);
    assert_int_equal(report.packed, 0);
    assert_int_equal(report.bytes, report.bytes_before);
    free(before);
    memory_host_destroy(memory);
}

/* A build that continues a packed database gets the same values as without packing. */
static void a_packed_database_can_be_built_on(void **state)
{
    struct memory_host *memory = memory_host_create();
    struct wari_pack_report report;

    (void)state;
    build_in(&memory->host, "folder", SEEDS);
    assert_int_equal(pack_in(&memory->host, "folder", &report, NULL), WARI_OK);
    build_in(&memory->host, "folder", MORE);
    assert_int_equal(probe(&memory->host, "folder", MORE, 1), 0);
    assert_int_equal(pack_in(&memory->host, "folder", &report, NULL), WARI_OK);
    assert_int_equal(report.packed, MORE - SEEDS);
    assert_int_equal(probe(&memory->host, "folder", MORE, 1), 0);
    memory_host_destroy(memory);
}

/* A value is wrong, but all hashes are correct. Packing refuses the level and replaces no file. */
static void a_value_that_its_moves_do_not_give_is_refused(void **state)
{
    char folder[TABLE_FOLDER_MAX];
    struct wari_pack_report report;
    struct wari_error error;
    int8_t *last = &truth.values[SEEDS][wari_level_positions(SEEDS) - 1];
    const int8_t right = *last;

    (void)state;
    assert_true(table_folder_make(folder));
    *last = (int8_t)(right + 1);
    assert_int_equal(table_write(&truth, folder, NULL), WARI_OK);
    *last = right;
    assert_int_equal(pack_in(NULL, folder, &report, &error), WARI_CORRUPT);
    assert_non_null(strstr(error.text, "level 4"));
    assert_int_equal(report.packed, SEEDS - 1);
    assert_int_equal(damages(wari_host_system(), folder), 0);
    assert_true(table_folder_remove(folder));
}

/* ---- Killed --------------------------------------------------------------------------------- */

struct crash {
    struct memory_host *whole, *left;
    struct memory_images seen;
    long step, looked_at;
};

static void crash_here(void *context, const struct memory_host *memory)
{
    struct crash *crash = context;
    if (memory->calls % crash->step != 0)
        return;
    for (int durable = 0; durable < 4; durable++) {
        struct wari_pack_report report;
        memory_host_copy(crash->left, memory, durable & 1, durable & 2);
        crash->looked_at++;
        if (!memory_host_is_new(crash->left, &crash->seen))
            continue;
        assert_int_equal(damages(&crash->left->host, "folder"), 0);
        assert_int_equal(probe(&crash->left->host, "folder", SEEDS, 11), 0);
        assert_int_equal(pack_in(&crash->left->host, "folder", &report, NULL), WARI_OK);
        assert_same_files(crash->left, crash->whole);
    }
}

static void a_crash_at_any_call_leaves_every_value_and_the_next_run_the_same_bytes(void **state)
{
    struct crash crash = {
        .whole = memory_host_create(), .left = memory_host_create(), .step = test_scale(1, 11)};
    struct memory_host *memory = memory_host_create();
    struct wari_pack_report report;

    (void)state;
    build_in(&crash.whole->host, "folder", SEEDS);
    build_in(&memory->host, "folder", SEEDS);
    assert_int_equal(pack_in(&crash.whole->host, "folder", &report, NULL), WARI_OK);
    memory->before = crash_here;
    memory->context = &crash;
    assert_int_equal(pack_in(&memory->host, "folder", &report, NULL), WARI_OK);
    memory->before = NULL;
    assert_same_files(memory, crash.whole);
    /* Packing replaces four levels, and writes three files for each level, with six calls: open,
     * write, sync, close, rename, sync. At each call, four folders are checked. */
    assert_true(crash.looked_at * crash.step >= 4 * 4 * 3 * 6);
    memory_host_destroy(memory);
    memory_host_destroy(crash.left);
    memory_host_destroy(crash.whole);
}

/* ---- Faults --------------------------------------------------------------------------------- */

/* Fixed bug: with 0 threads the program crashed with a segmentation fault. */
static void packing_by_no_thread_is_refused(void **state)
{
    const struct wari_pack pack = {.folder = "folder", .variant = variant};
    struct wari_pack_report report;
    struct wari_error error;

    (void)state;
    assert_int_equal(wari_pack(&pack, &report, &error), WARI_BAD_INPUT);
    assert_non_null(strstr(error.text, "thread"));
}

/* Asserts that every value is correct, and that packing the folder again changes no value.
 * Returns at once if an earlier folder had the same files. */
static void expect_every_value(const char *folder)
{
    static struct folder_states seen;
    struct wari_pack_report report;

    if (!folder_is_new(folder, &seen))
        return;
    assert_int_equal(damages(wari_host_system(), folder), 0);
    assert_int_equal(probe(wari_host_system(), folder, SEEDS - 1, 5), 0);
    assert_int_equal(pack_in(wari_host_system(), folder, &report, NULL), WARI_OK);
    assert_int_equal(probe(wari_host_system(), folder, SEEDS - 1, 5), 0);
}

static void fail_each_call(int kinds, int error_number, enum wari_status expected)
{
    char folder[TABLE_FOLDER_MAX];
    struct wari_pack_report report;
    struct fault_host host;
    long k = 0;
    do {
        struct wari_error error = {WARI_OK, ""};
        assert_true(table_folder_make(folder));
        folder_store(folder, image_of(variant, SEEDS - 1));
        k += test_scale(1, 7);
        fault_host_init(&host, kinds, k);
        if (error_number != 0)
            host.error = error_number;
        const enum wari_status status = pack_in(&host.host, folder, &report, &error);
        if (fault_host_fired(&host)) {
            if (status != WARI_OK && status != expected)
                fail_msg("call %ld: %s", k, error.text);
            if (status != WARI_OK)
                assert_true(error.text[0] != '\0');
        } else {
            assert_int_equal(status, WARI_OK);
        }
        assert_true(fault_host_clean(&host));
        expect_every_value(folder);
        assert_true(table_folder_remove(folder));
    } while (fault_host_fired(&host));
    assert_true(k > 3);
}

static void every_call_that_fails_leaves_every_value(void **state)
{
    (void)state;
    fail_each_call(FAULT_ALLOCATE, 0, WARI_NO_MEMORY);
    fail_each_call(FAULT_OPEN | FAULT_READ | FAULT_FOLDER, 0, WARI_IO);
    fail_each_call(FAULT_WRITE | FAULT_SYNC | FAULT_RENAME | FAULT_CLOSE, ENOSPC, WARI_IO);
}

/* ---- Bits ----------------------------------------------------------------------------------- */

static void every_flipped_bit_of_a_packed_database_is_found_and_costs_no_truth(void **state)
{
    struct memory_host *memory = memory_host_create();
    struct wari_pack_report report;

    (void)state;
    build_in(&memory->host, "folder", SEEDS);
    assert_int_equal(pack_in(&memory->host, "folder", &report, NULL), WARI_OK);
    for (int i = 0; i < MEMORY_FILES; i++) {
        if (memory->name[i].now == MEMORY_NONE || strcmp(memory->name[i].text, "build.lock") == 0)
            continue;
        struct memory_file *file = memory_host_file(memory, memory->name[i].text);
        for (size_t bit = 0; bit < 8 * file->size; bit += (size_t)test_scale(1, 29)) {
            file->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            assert_int_equal(damages(&memory->host, "folder"), 1);
            probe(&memory->host, "folder", SEEDS, 41);
            file->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    assert_int_equal(damages(&memory->host, "folder"), 0);
    assert_int_equal(probe(&memory->host, "folder", SEEDS, 1), 0);
    memory_host_destroy(memory);
}

TEST_GROUP(test_pack)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packing_keeps_values_and_hashes_and_saves_room),
        cmocka_unit_test(a_packed_database_can_be_built_on),
        cmocka_unit_test(a_value_that_its_moves_do_not_give_is_refused),
        cmocka_unit_test(a_crash_at_any_call_leaves_every_value_and_the_next_run_the_same_bytes),
        cmocka_unit_test(packing_by_no_thread_is_refused),
        cmocka_unit_test(every_call_that_fails_leaves_every_value),
        cmocka_unit_test(every_flipped_bit_of_a_packed_database_is_found_and_costs_no_truth),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

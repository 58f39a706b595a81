/* Opening folders: the selected variant, refused arguments, and the information in a handle.
 *
 * Expected values: written by hand; the values of probes are those that were written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/catalogue/catalogue_file.h"
#include "db/host/bytes.h"
#include "db/wari.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/unit/groups.h"

static const struct wari_variant wari_even = {WARI_WARI, WARI_EVEN};
static const struct wari_variant abapa_own = {WARI_ABAPA, WARI_OWN};
static const struct wari_variant abapa_even = {WARI_ABAPA, WARI_EVEN};

static void fill(struct wari_variant variant, int seeds_max)
{
    assert_int_equal(sample_write_folder(wari_host_system(), folder, variant, seeds_max, NULL),
                     WARI_OK);
}

static void path_of(char path[WARI_PATH_MAX], struct wari_variant variant, int seeds)
{
    struct wari_level_key key = {variant, seeds};
    assert_int_equal(wari_level_path(path, folder, key, NULL), WARI_OK);
}

static void assert_open_fails(const struct wari_variant *variant, enum wari_status expected,
                              const char *message)
{
    struct wari_db *db = (struct wari_db *)&folder;
    struct wari_error error;
    assert_int_equal(wari_open(&db, folder, variant, NULL, &error), expected);
    assert_null(db);
    assert_int_equal(error.status, expected);
    assert_non_null(strstr(error.text, message));
    assert_null(strchr(error.text, '\n'));
    assert_int_equal(wari_open(&db, folder, variant, NULL, NULL), expected);
}

/* ---- Variants in a folder ---- */

static void variants_are_listed_in_the_order_of_the_enums(void **state)
{
    struct wari_variant variants[WARI_VARIANT_COUNT];
    int count = 99;

    (void)state;
    assert_int_equal(wari_list(folder, NULL, variants, &count, NULL), WARI_OK);
    assert_int_equal(count, 0);
    fill(abapa_own, 0);
    fill(wari_even, 0);
    fill(abapa_even, 0);
    assert_int_equal(wari_list(folder, NULL, variants, &count, NULL), WARI_OK);
    assert_int_equal(count, 3);
    assert_int_equal(variants[0].rules, WARI_WARI);
    assert_int_equal(variants[0].cycle, WARI_EVEN);
    assert_int_equal(variants[1].rules, WARI_ABAPA);
    assert_int_equal(variants[1].cycle, WARI_EVEN);
    assert_int_equal(variants[2].rules, WARI_ABAPA);
    assert_int_equal(variants[2].cycle, WARI_OWN);
}

static void all_sixteen_variants_fit_one_folder_and_one_message(void **state)
{
    struct wari_variant variants[WARI_VARIANT_COUNT];
    struct wari_error error;
    struct wari_db *db;
    int count;

    (void)state;
    for (int r = 0; r < WARI_RULES_COUNT; r++)
        for (int c = 0; c < WARI_CYCLE_COUNT; c++)
            fill((struct wari_variant){(enum wari_rules)r, (enum wari_cycle)c}, 1);
    assert_int_equal(wari_list(folder, NULL, variants, &count, NULL), WARI_OK);
    assert_int_equal(count, 16);
    assert_int_equal(wari_open(&db, folder, NULL, NULL, &error), WARI_BAD_INPUT);
    assert_non_null(strstr(error.text, "awari even, awari own, wari even"));
    assert_non_null(strstr(error.text, "slam-wins own"));
}

static void a_missing_folder_is_an_io_error(void **state)
{
    char missing[WARI_PATH_MAX];
    struct wari_variant variants[WARI_VARIANT_COUNT];
    struct wari_error error;
    struct wari_db *db;
    int count = 99;

    (void)state;
    assert_int_equal(wari_path(missing, NULL, folder, "missing"), WARI_OK);
    assert_int_equal(wari_list(missing, NULL, variants, &count, &error), WARI_IO);
    assert_int_equal(count, 99);
    assert_non_null(strstr(error.text, missing));
    assert_int_equal(wari_open(&db, missing, NULL, NULL, &error), WARI_IO);
    assert_null(db);
    assert_int_equal(wari_open(&db, missing, &wari_even, NULL, &error), WARI_IO);
    assert_int_equal(wari_open(&db, "", &wari_even, NULL, &error), WARI_BAD_INPUT);
}

/* A path has at most 1,023 bytes. In this test the longest path is that of the catalogue. */
static void a_folder_with_no_name_or_a_huge_one_is_bad_input(void **state)
{
    static const char file[] = "/abapa-own.catalogue";
    enum { MOST = 1023 - (sizeof file - 1) };
    static const struct {
        size_t length;
        enum wari_status status;
        const char *message;
    } rows[] = {{0, WARI_BAD_INPUT, "is empty"},
                {MOST, WARI_IO, ""},
                {MOST + 1, WARI_BAD_INPUT, "longer than 1023 bytes"},
                {1022, WARI_BAD_INPUT, "longer than 1023 bytes"}};
    struct wari_variant variants[WARI_VARIANT_COUNT];
    int count;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[1024] = "";
        struct wari_db *db = (struct wari_db *)&name;
        struct wari_error error;
        memset(name, 'a', rows[i].length);
        assert_int_equal(wari_open(&db, name, &abapa_own, NULL, &error), rows[i].status);
        assert_null(db);
        assert_non_null(strstr(error.text, rows[i].message));
        if (rows[i].length == 0 || rows[i].length == 1022) {
            assert_int_equal(wari_open(&db, name, NULL, NULL, &error), rows[i].status);
            assert_int_equal(wari_list(name, NULL, variants, &count, &error), rows[i].status);
        }
    }
}

static void an_empty_folder_has_no_database(void **state)
{
    (void)state;
    assert_open_fails(NULL, WARI_MISMATCH, "no database");
    assert_open_fails(&wari_even, WARI_MISMATCH, "no database");
}

static void without_a_variant_the_only_one_is_opened(void **state)
{
    struct wari_db *db;
    struct wari_info info;

    (void)state;
    fill(abapa_own, 2);
    assert_int_equal(wari_open(&db, folder, NULL, NULL, NULL), WARI_OK);
    wari_get_info(db, &info);
    assert_int_equal(info.variant.rules, WARI_ABAPA);
    assert_int_equal(info.variant.cycle, WARI_OWN);
    wari_close(db);
}

static void several_variants_without_a_choice_are_bad_input_that_lists_them(void **state)
{
    (void)state;
    fill(abapa_own, 0);
    fill(wari_even, 0);
    assert_open_fails(NULL, WARI_BAD_INPUT, "wari even, abapa own");
}

static void a_variant_that_is_not_there_is_a_mismatch_that_lists_the_others(void **state)
{
    const struct wari_variant none = {WARI_RULES_COUNT, WARI_EVEN};

    (void)state;
    fill(abapa_own, 0);
    fill(wari_even, 0);
    assert_open_fails(&abapa_even, WARI_MISMATCH, "wari even, abapa own");
    assert_open_fails(&none, WARI_BAD_INPUT, "");
}

/* ---- Information in a handle ---- */

static void a_handle_knows_its_levels(void **state)
{
    struct wari_db *db;
    struct wari_info info;
    struct wari_level_info level;
    struct wari_level_info before;
    char path[WARI_PATH_MAX];
    uint64_t bytes = 0;

    (void)state;
    fill(wari_even, 7);
    assert_int_equal(wari_open(&db, folder, &wari_even, NULL, NULL), WARI_OK);
    wari_get_info(db, &info);
    assert_int_equal(info.seeds_max, 7);
    /* C(n+11,11) for 0..7 seeds, minus the full opponent halves of 6 and 7 seeds: C(11,11) +
     * C(12,11). */
    assert_int_equal(info.positions, 1 + 12 + 78 + 364 + 1365 + 4368 + 12376 + 31824 - 1 - 12);
    for (int n = 0; n <= 7; n++) {
        path_of(path, wari_even, n);
        struct file_image image = file_load(path);
        assert_int_equal(wari_get_level_info(db, n, &level, NULL), WARI_OK);
        assert_int_equal(level.seeds, n);
        assert_int_equal(level.file_bytes, image.size);
        bytes += image.size;
        free(image.bytes);
    }
    assert_int_equal(info.file_bytes, bytes);
    assert_int_equal(level.positions, 31824 - 12);
    assert_int_equal(level.placements, 31824);
    /* sample_histogram() distributes the positions evenly over the values: 31824 = 15 * 2121 +
     * 9. */
    assert_int_equal(level.histogram[WARI_SEEDS_MAX - 7], 2121);
    assert_int_equal(level.histogram[WARI_SEEDS_MAX], 2121 + 9);
    assert_int_equal(level.histogram[WARI_SEEDS_MAX + 8], 0);
    before = level;
    assert_int_equal(wari_get_level_info(db, 8, &level, NULL), WARI_NOT_COVERED);
    assert_int_equal(wari_get_level_info(db, -1, &level, NULL), WARI_NOT_COVERED);
    assert_memory_equal(&level, &before, sizeof level);
    wari_close(db);
    wari_close(NULL);
}

static void a_cache_may_be_larger_than_any_memory(void **state)
{
    const struct wari_options options = {.cache_bytes = SIZE_MAX};
    struct wari_db *db;
    int value;

    (void)state;
    fill(wari_even, 2);
    assert_int_equal(wari_open(&db, folder, NULL, &options, NULL), WARI_OK);
    assert_int_equal(wari_probe(db, &(struct wari_position){{1, 1}}, &value, NULL), WARI_OK);
    wari_close(db);
}

static void the_version_is_that_of_the_header(void **state)
{
    (void)state;
    assert_string_equal(wari_version(), WARI_VERSION);
}

/* ---- Files that do not belong to the folder ---- */

static void copy_file(const char *from, const char *to)
{
    struct file_image image = file_load(from);
    file_store(to, image.bytes, image.size);
    free(image.bytes);
}

static void a_file_of_another_variant_or_level_in_its_place_is_a_mismatch(void **state)
{
    char ours[WARI_PATH_MAX];
    char theirs[WARI_PATH_MAX];
    char saved[WARI_PATH_MAX];

    (void)state;
    fill(abapa_own, 4);
    fill(abapa_even, 4);
    path_of(ours, abapa_own, 4);
    assert_int_equal(wari_path(saved, NULL, folder, "saved"), WARI_OK);
    assert_int_equal(rename(ours, saved), 0);

    path_of(theirs, abapa_even, 4);
    copy_file(theirs, ours);
    assert_open_fails(&abapa_own, WARI_MISMATCH, ours);
    path_of(theirs, abapa_own, 3);
    copy_file(theirs, ours);
    assert_open_fails(&abapa_own, WARI_MISMATCH, ours);
    assert_int_equal(unlink(ours), 0);

    assert_int_equal(rename(saved, ours), 0);
    struct wari_db *db;
    assert_int_equal(wari_open(&db, folder, &abapa_own, NULL, NULL), WARI_OK);
    wari_close(db);
}

/* Opens the database and asserts that it has levels 0 to `last`, and that the levels in `missing`,
 * a set of bits, are reported. */
static void assert_levels(int last, uint64_t missing)
{
    bool found[WARI_SEEDS_MAX + 1];
    struct wari_level_info level;
    struct wari_info info;
    struct wari_db *db;
    int count = 0;
    assert_int_equal(wari_open(&db, folder, &abapa_own, NULL, NULL), WARI_OK);
    wari_get_info(db, &info);
    assert_int_equal(info.seeds_max, last);
    assert_int_equal(wari_get_level_info(db, last, &level, NULL), WARI_OK);
    assert_int_equal(wari_get_level_info(db, last + 1, &level, NULL), WARI_NOT_COVERED);
    const int reported = wari_missing(db, found);
    for (int n = 0; n <= WARI_SEEDS_MAX; n++) {
        assert_int_equal(found[n], missing >> n & 1);
        count += found[n];
    }
    assert_int_equal(reported, count);
    wari_close(db);
}

static void levels_below_the_lowest_missing_file_can_be_used(void **state)
{
    char path[WARI_PATH_MAX];

    (void)state;
    fill(abapa_own, 6);
    assert_levels(6, 0);
    path_of(path, abapa_own, 6);
    assert_int_equal(unlink(path), 0);
    assert_levels(5, 1 << 6);
    path_of(path, abapa_own, 3);
    assert_int_equal(unlink(path), 0);
    assert_levels(2, 1 << 6 | 1 << 3);
    path_of(path, abapa_own, 0);
    assert_int_equal(unlink(path), 0);
    assert_open_fails(&abapa_own, WARI_IO, "abapa-own.catalogue: levels 0, 3, 6 are listed but");
}

static void a_catalogue_of_another_variant_in_its_place_is_a_mismatch(void **state)
{
    char ours[WARI_PATH_MAX];
    char theirs[WARI_PATH_MAX];

    (void)state;
    fill(abapa_own, 1);
    fill(wari_even, 1);
    assert_int_equal(wari_catalogue_path(ours, folder, abapa_own, NULL), WARI_OK);
    assert_int_equal(wari_catalogue_path(theirs, folder, wari_even, NULL), WARI_OK);
    copy_file(theirs, ours);
    assert_open_fails(&abapa_own, WARI_MISMATCH, ours);
}

static void an_intact_level_file_of_an_older_build_is_corrupt(void **state)
{
    const struct wari_level_key key = {wari_even, 3};
    struct wari_level_record record;
    char path[WARI_PATH_MAX];

    (void)state;
    fill(wari_even, 3);
    int8_t *values = sample_values(key);
    values[5] = (int8_t)(values[5] == 0 ? 1 : 0);
    assert_int_equal(sample_write(wari_host_system(), folder, key, values, &record, NULL), WARI_OK);
    path_of(path, wari_even, 3);
    assert_open_fails(&wari_even, WARI_CORRUPT, path);
    free(values);
}

static void a_chunk_that_goes_bad_under_an_open_handle_is_named(void **state)
{
    const struct wari_position position = {{0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 1, 0}};
    struct wari_error error;
    struct wari_db *db;
    char path[WARI_PATH_MAX];
    int value = 99;

    (void)state;
    fill(wari_even, 4);
    assert_int_equal(wari_open(&db, folder, &wari_even, NULL, NULL), WARI_OK);
    path_of(path, wari_even, 4);
    struct file_image image = file_load(path);
    const uint64_t chunk = 144 + wari_load64(image.bytes + 80); /* file offset of the first
                                                                 * chunk, which follows the model */
    const size_t at = (size_t)chunk + 50;
    char place[32];
    snprintf(place, sizeof place, "offset %llu:", (unsigned long long)chunk);
    image.bytes[at] ^= 16;
    file_patch(path, at, image.bytes + at, 1);
    assert_int_equal(wari_probe(db, &position, &value, &error), WARI_CORRUPT);
    assert_int_equal(value, 99);
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, place));
    image.bytes[at] ^= 16;
    file_patch(path, at, image.bytes + at, 1);
    assert_int_equal(wari_probe(db, &position, &value, &error), WARI_OK);
    free(image.bytes);
    wari_close(db);
}

static void a_handle_goes_on_when_a_builder_replaces_the_files(void **state)
{
    const struct wari_level_key key = {wari_even, 4};
    const struct wari_position position = {{0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 1, 0}};
    struct wari_level_record record;
    struct wari_layout layout;
    struct wari_db *db;
    int value = 99;

    (void)state;
    fill(wari_even, 4);
    assert_int_equal(wari_open(&db, folder, &wari_even, NULL, NULL), WARI_OK);
    int8_t *values = sample_values(key);
    wari_layout_init(&layout, 4);
    uint64_t rank = wari_layout_rank(&layout, &position);
    int expected = values[rank];
    for (uint64_t i = 0; i < wari_level_positions(4); i++)
        values[i] = (int8_t)(expected == 4 ? -4 : expected + 1);
    assert_int_equal(sample_write(wari_host_system(), folder, key, values, &record, NULL), WARI_OK);
    assert_int_equal(wari_probe(db, &position, &value, NULL), WARI_OK);
    assert_int_equal(value, expected);
    wari_close(db);
    free(values);
}

TEST_GROUP(test_db_open)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(variants_are_listed_in_the_order_of_the_enums),
        IN_A_FOLDER(all_sixteen_variants_fit_one_folder_and_one_message),
        IN_A_FOLDER(a_missing_folder_is_an_io_error),
        cmocka_unit_test(a_folder_with_no_name_or_a_huge_one_is_bad_input),
        IN_A_FOLDER(an_empty_folder_has_no_database),
        IN_A_FOLDER(without_a_variant_the_only_one_is_opened),
        IN_A_FOLDER(several_variants_without_a_choice_are_bad_input_that_lists_them),
        IN_A_FOLDER(a_variant_that_is_not_there_is_a_mismatch_that_lists_the_others),
        IN_A_FOLDER(a_handle_knows_its_levels),
        IN_A_FOLDER(a_cache_may_be_larger_than_any_memory),
        IN_A_FOLDER(the_version_is_that_of_the_header),
        IN_A_FOLDER(a_file_of_another_variant_or_level_in_its_place_is_a_mismatch),
        IN_A_FOLDER(levels_below_the_lowest_missing_file_can_be_used),
        IN_A_FOLDER(a_catalogue_of_another_variant_in_its_place_is_a_mismatch),
        IN_A_FOLDER(an_intact_level_file_of_an_older_build_is_corrupt),
        IN_A_FOLDER(a_chunk_that_goes_bad_under_an_open_handle_is_named),
        IN_A_FOLDER(a_handle_goes_on_when_a_builder_replaces_the_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

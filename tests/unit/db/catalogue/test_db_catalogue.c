/* The catalogue: the reader returns exactly what was written, and accepts no other text.
 *
 * Expected values: the texts are written by hand; counts are binomial coefficients. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "db/catalogue/catalogue_file.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/unit/groups.h"

static const struct wari_variant variant = {WARI_WARRI, WARI_OWN};

static char path[WARI_PATH_MAX];

static int make_folder_and_path(void **state)
{
    if (make_folder(state) != 0)
        return -1;
    return wari_catalogue_path(path, folder, variant, NULL) == WARI_OK ? 0 : -1;
}

static enum wari_status read_catalogue(struct wari_catalogue *catalogue, struct wari_error *error)
{
    return wari_catalogue_read(catalogue, wari_host_system(), folder, variant, error);
}

static enum wari_status write_catalogue(const struct wari_catalogue *catalogue)
{
    return wari_catalogue_write(catalogue, wari_host_system(), folder, NULL);
}

static void make_catalogue(struct wari_catalogue *catalogue, int seeds_max)
{
    memset(catalogue, 0, sizeof *catalogue);
    catalogue->variant = variant;
    catalogue->seeds_max = seeds_max;
    for (int n = 0; n <= seeds_max; n++) {
        if (n == 47)
            continue;
        catalogue->level[n].payload_hash = UINT64_MAX / 3 * (uint64_t)n;
        catalogue->level[n].header_hash = UINT64_MAX - (uint64_t)n;
        catalogue->level[n].file_bytes = 100 + (uint64_t)n;
        sample_histogram(n, &catalogue->level[n]);
    }
}

/* Stores `lines` followed by the correct hash line. */
static void store_text(const char *lines)
{
    char text[4096];
    int length = snprintf(text, sizeof text, "%shash %016llx\n", lines,
                          (unsigned long long)XXH3_64bits(lines, strlen(lines)));
    assert_true(length > 0 && length < (int)sizeof text);
    file_store(path, text, (size_t)length);
}

/* ---- Writing and reading back ---- */

static void a_written_catalogue_is_read_unchanged(void **state)
{
    static const int last[] = {0, 1, 11, 46, 48};
    struct wari_catalogue written;
    struct wari_catalogue read;

    (void)state;
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
        make_catalogue(&written, last[i]);
        assert_int_equal(write_catalogue(&written), WARI_OK);
        assert_int_equal(read_catalogue(&read, NULL), WARI_OK);
        assert_memory_equal(&read, &written, sizeof read);
    }
}

static void the_text_of_two_levels_is_the_one_in_the_description(void **state)
{
    static const char expected[] =
        "wari catalogue 1\n"
        "rules warri\n"
        "cycle own\n"
        "level 0 positions 1 bytes 100 header ffffffffffffffff payload 0000000000000000\n"
        "histogram 0 0:1\n"
        "level 1 positions 12 bytes 101 header fffffffffffffffe payload 5555555555555555\n"
        "histogram 1 -1:7 1:5\n"
        "hash ";
    struct wari_catalogue catalogue;

    (void)state;
    make_catalogue(&catalogue, 1);
    memset(catalogue.level[1].histogram, 0, sizeof catalogue.level[1].histogram);
    catalogue.level[1].histogram[WARI_SEEDS_MAX - 1] = 7;
    catalogue.level[1].histogram[WARI_SEEDS_MAX + 1] = 5;
    assert_int_equal(write_catalogue(&catalogue), WARI_OK);
    struct file_image image = file_load(path);
    assert_int_equal(image.size, sizeof expected - 1 + 17);
    assert_memory_equal(image.bytes, expected, sizeof expected - 1);
    free(image.bytes);
}

static void no_catalogue_and_no_folder_mean_no_levels(void **state)
{
    struct wari_catalogue catalogue;
    char missing[WARI_PATH_MAX];

    (void)state;
    unlink(path);
    assert_int_equal(read_catalogue(&catalogue, NULL), WARI_OK);
    assert_int_equal(catalogue.seeds_max, -1);
    assert_false(wari_catalogue_has(&catalogue, 0));
    assert_int_equal(wari_path(missing, NULL, folder, "missing"), WARI_OK);
    assert_int_equal(wari_catalogue_read(&catalogue, wari_host_system(), missing, variant, NULL),
                     WARI_OK);
    assert_int_equal(catalogue.seeds_max, -1);
    assert_int_equal(catalogue.variant.rules, variant.rules);
}

static void level_47_is_never_present(void **state)
{
    struct wari_catalogue catalogue;

    (void)state;
    make_catalogue(&catalogue, 48);
    for (int n = 0; n <= 48; n++)
        assert_int_equal(wari_catalogue_has(&catalogue, n), n != 47);
    assert_false(wari_catalogue_has(&catalogue, -1));
    assert_false(wari_catalogue_has(&catalogue, 49));
    catalogue.seeds_max = 46;
    assert_true(wari_catalogue_has(&catalogue, 46));
    assert_false(wari_catalogue_has(&catalogue, 48));
    catalogue.seeds_max = 47;
    assert_int_equal(write_catalogue(&catalogue), WARI_BAD_INPUT);
}

/* ---- What is not written ---- */

static void a_catalogue_that_makes_no_sense_is_not_written(void **state)
{
    struct wari_catalogue good;
    struct wari_catalogue bad;

    (void)state;
    unlink(path);
    make_catalogue(&good, 3);
    bad = good;
    bad.seeds_max = -1;
    assert_int_equal(write_catalogue(&bad), WARI_BAD_INPUT);
    bad.seeds_max = 49;
    assert_int_equal(write_catalogue(&bad), WARI_BAD_INPUT);
    bad = good;
    bad.level[3].histogram[WARI_SEEDS_MAX + 3] += 1;
    assert_int_equal(write_catalogue(&bad), WARI_BAD_INPUT);
    bad = good;
    bad.level[2].histogram[WARI_SEEDS_MAX] -= 1;
    assert_int_equal(write_catalogue(&bad), WARI_BAD_INPUT);
    bad.level[2].histogram[WARI_SEEDS_MAX + 3] += 1;
    assert_int_equal(write_catalogue(&bad), WARI_BAD_INPUT);
    bad = good;
    bad.variant.rules = WARI_RULES_COUNT;
    assert_int_equal(write_catalogue(&bad), WARI_BAD_INPUT);
    bad = good;
    bad.variant.cycle = WARI_CYCLE_COUNT;
    assert_int_equal(write_catalogue(&bad), WARI_BAD_INPUT);
    assert_false(file_exists(path));
    assert_int_equal(write_catalogue(&good), WARI_OK);
}

/* ---- What is not read ---- */

/* Creates the image of a catalogue of levels 0 to 4, as the writer writes it. */
static struct file_image make_file(void)
{
    struct wari_catalogue catalogue;
    make_catalogue(&catalogue, 4);
    assert_int_equal(write_catalogue(&catalogue), WARI_OK);
    return file_load(path);
}

static void every_flipped_bit_is_found(void **state)
{
    struct wari_catalogue catalogue;

    (void)state;
    struct file_image image = make_file();
    for (size_t bit = 0; bit < 8 * image.size; bit++) {
        struct wari_error error;
        image.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        file_patch(path, bit / 8, image.bytes + bit / 8, 1);
        assert_int_equal(read_catalogue(&catalogue, &error), WARI_CORRUPT);
        assert_int_equal(catalogue.seeds_max, -1);
        assert_non_null(strstr(error.text, path));
        assert_non_null(strstr(error.text, "offset "));
        image.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        file_patch(path, bit / 8, image.bytes + bit / 8, 1);
    }
    assert_int_equal(read_catalogue(&catalogue, NULL), WARI_OK);
    free(image.bytes);
}

static void every_shorter_text_and_a_longer_one_is_refused(void **state)
{
    struct wari_catalogue catalogue;

    (void)state;
    struct file_image image = make_file();
    for (size_t size = 0; size < image.size; size++) {
        file_store(path, image.bytes, size);
        assert_int_equal(read_catalogue(&catalogue, NULL), WARI_CORRUPT);
    }
    image.bytes[image.size] = '\n';
    file_store(path, image.bytes, image.size + 1);
    assert_int_equal(read_catalogue(&catalogue, NULL), WARI_CORRUPT);
    free(image.bytes);
}

static void a_huge_file_is_refused_without_reading_it(void **state)
{
    struct wari_catalogue catalogue;

    (void)state;
    file_store(path, "", 0);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), (off_t)1 << 40), 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(read_catalogue(&catalogue, NULL), WARI_CORRUPT);
    assert_int_equal(unlink(path), 0);
}

#define HEAD "wari catalogue 1\nrules warri\ncycle own\n"
#define HASHES " header 0123456789abcdef payload fedcba9876543210\n"
#define LEVEL_0 "level 0 positions 1 bytes 154" HASHES "histogram 0 0:1\n"
#define LEVEL_1 "level 1 positions 12 bytes 165" HASHES

static const struct {
    const char *lines;
    enum wari_status status;
    const char *message; /* a part of the message */
} texts[] = {
    {HEAD LEVEL_0, WARI_OK, ""},
    {HEAD LEVEL_0 LEVEL_1 "histogram 1 -1:7 1:5\n", WARI_OK, ""},
    {HEAD LEVEL_0 LEVEL_1 "histogram 1 -1:7 0:1 1:4\n", WARI_OK, ""},
    {"", WARI_CORRUPT, "line 1:"},
    {"catalogue\n", WARI_CORRUPT, "line 1:"},
    {"wari catalogue 2\nanything\n", WARI_MISMATCH, "version 2"},
    {"wari catalogue 01\n", WARI_CORRUPT, "line 1:"},
    {"wari catalogue 1\nrules wary\ncycle own\n" LEVEL_0, WARI_CORRUPT, "line 2:"},
    {"wari catalogue 1\nrules awari\ncycle own\n" LEVEL_0, WARI_MISMATCH, "awari"},
    {"wari catalogue 1\nrules warri\ncycle even\n" LEVEL_0, WARI_MISMATCH, "even"},
    {"wari catalogue 1\nrules warri\ncycle odd\n" LEVEL_0, WARI_CORRUPT, "line 3:"},
    {HEAD, WARI_CORRUPT, "line 4:"},
    {HEAD "\n" LEVEL_0, WARI_CORRUPT, "line 4:"},
    {HEAD LEVEL_0 "\n", WARI_CORRUPT, "line 6:"},
    {HEAD LEVEL_0 "junk\n", WARI_CORRUPT, "line 6:"},
    {HEAD LEVEL_0 LEVEL_0, WARI_CORRUPT, "line 6:"},
    {HEAD LEVEL_1 "histogram 1 -1:7 1:5\n", WARI_CORRUPT, "line 4:"},
    {HEAD "level 0 positions 2 bytes 154" HASHES "histogram 0 0:1\n", WARI_CORRUPT, "line 4:"},
    {HEAD "level 0  positions 1 bytes 154" HASHES "histogram 0 0:1\n", WARI_CORRUPT, "line 4:"},
    {HEAD "level 0 positions 1 bytes 0154" HASHES "histogram 0 0:1\n", WARI_CORRUPT, "line 4:"},
    {HEAD "level 0 positions 1 bytes " HASHES "histogram 0 0:1\n", WARI_CORRUPT, "line 4:"},
    {HEAD "level 0 positions 1 bytes -1" HASHES "histogram 0 0:1\n", WARI_CORRUPT, "line 4:"},
    {HEAD "level 0 positions 1 bytes 9223372036854775807" HASHES "histogram 0 0:1\n", WARI_OK, ""},
    {HEAD "level 0 positions 1 bytes 9223372036854775808" HASHES "histogram 0 0:1\n", WARI_CORRUPT,
     "line 4:"},
    {HEAD "level 0 positions 1 bytes 18446744073709551616" HASHES "histogram 0 0:1\n", WARI_CORRUPT,
     "line 4:"},
    {HEAD "level 0 positions 1 bytes 9 header 0123456789ABCDEF payload fedcba9876543210\n"
          "histogram 0 0:1\n",
     WARI_CORRUPT, "line 4:"},
    {HEAD "level 0 positions 1 bytes 9 header 123456789abcdef payload fedcba9876543210\n"
          "histogram 0 0:1\n",
     WARI_CORRUPT, "line 4:"},
    {HEAD "level 0 positions 1 bytes 154" HASHES, WARI_CORRUPT, "line 5:"},
    {HEAD "level 0 positions 1 bytes 154" HASHES "histogram 0\n", WARI_CORRUPT, "line 5:"},
    {HEAD "level 0 positions 1 bytes 154" HASHES "histogram 0 0:2\n", WARI_CORRUPT, "line 5:"},
    {HEAD "level 0 positions 1 bytes 154" HASHES "histogram 0 -0:1\n", WARI_CORRUPT, "line 5:"},
    {HEAD "level 0 positions 1 bytes 154" HASHES "histogram 0 0:1 \n", WARI_CORRUPT, "line 5:"},
    {HEAD "level 0 positions 1 bytes 154" HASHES "histogram 0 1:1\n", WARI_CORRUPT, "line 5:"},
    {HEAD "level 0 positions 1 bytes 154" HASHES "histogram 1 0:1\n", WARI_CORRUPT, "line 5:"},
    {HEAD LEVEL_0 LEVEL_1 "histogram 1 1:5 -1:7\n", WARI_CORRUPT, "line 7:"},
    {HEAD LEVEL_0 LEVEL_1 "histogram 1 -1:6 -1:1 1:5\n", WARI_CORRUPT, "line 7:"},
    {HEAD LEVEL_0 LEVEL_1 "histogram 1 -1:7 0:0 1:5\n", WARI_CORRUPT, "line 7:"},
    {HEAD LEVEL_0 LEVEL_1 "histogram 1 -1:7 1:4\n", WARI_CORRUPT, "line 7:"},
    {HEAD LEVEL_0 LEVEL_1 "histogram 1 -1:7 1:6\n", WARI_CORRUPT, "line 7:"},
    {HEAD LEVEL_0 LEVEL_1 "histogram 1 -1:7 1:05\n", WARI_CORRUPT, "line 7:"},
    {HEAD LEVEL_0 LEVEL_1 "histogram 1 -2:7 1:5\n", WARI_CORRUPT, "line 7:"},
    {HEAD LEVEL_0 LEVEL_1 "histogram 1 -1:7 +1:5\n", WARI_CORRUPT, "line 7:"},
    {HEAD LEVEL_0 LEVEL_1 "histogram 1 -1:7 1:18446744073709551621\n", WARI_CORRUPT, "line 7:"},
};

static void only_the_one_text_of_a_catalogue_is_taken(void **state)
{
    struct wari_catalogue catalogue;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct wari_error error = {WARI_OK, ""};
        store_text(texts[i].lines);
        assert_int_equal(read_catalogue(&catalogue, &error), texts[i].status);
        assert_int_equal(error.status, texts[i].status);
        assert_non_null(strstr(error.text, texts[i].message));
        assert_true(texts[i].status == WARI_OK || strstr(error.text, path) != NULL);
    }
}

static void nothing_may_follow_level_48(void **state)
{
    struct wari_catalogue catalogue;
    struct wari_error error;

    (void)state;
    make_catalogue(&catalogue, 48);
    assert_int_equal(write_catalogue(&catalogue), WARI_OK);
    struct file_image image = file_load(path);
    char *text = malloc(image.size + 100);
    assert_non_null(text);
    memcpy(text, image.bytes, image.size);
    int more = sprintf(text + image.size - 22, "level 49 positions 1 bytes 1");
    size_t size = image.size - 22 + (size_t)more;
    text[size++] = '\n';
    size +=
        (size_t)sprintf(text + size, "hash %016llx\n", (unsigned long long)XXH3_64bits(text, size));
    file_store(path, text, size);
    assert_int_equal(read_catalogue(&catalogue, &error), WARI_CORRUPT);
    assert_non_null(strstr(error.text, "line 100:")); /* 3 lines at the start, 2 lines for each
                                                       * of 48 levels, and this line */
    free(text);
    free(image.bytes);
}

static void a_catalogue_renamed_to_another_variant_is_a_mismatch(void **state)
{
    const struct wari_variant other = {WARI_AWARI, WARI_EVEN};
    struct wari_catalogue catalogue;
    char copy[WARI_PATH_MAX];

    (void)state;
    make_catalogue(&catalogue, 2);
    assert_int_equal(write_catalogue(&catalogue), WARI_OK);
    assert_int_equal(wari_catalogue_path(copy, folder, other, NULL), WARI_OK);
    assert_int_equal(rename(path, copy), 0);
    assert_int_equal(wari_catalogue_read(&catalogue, wari_host_system(), folder, other, NULL),
                     WARI_MISMATCH);
    assert_int_equal(unlink(copy), 0);
}

static void missing_levels_are_named_in_ranges(void **state)
{
    bool missing[WARI_SEEDS_MAX + 1] = {false};
    char text[WARI_MISSING_TEXT];

    (void)state;
    missing[48] = true;
    assert_string_equal(wari_missing_text(missing, text), "level 48 is listed but missing");
    missing[46] = true; /* level 47 does not exist */
    assert_string_equal(wari_missing_text(missing, text), "levels 46 to 48 are listed but missing");
    missing[0] = missing[2] = missing[3] = true;
    assert_string_equal(wari_missing_text(missing, text),
                        "levels 0, 2 to 3, 46 to 48 are listed but missing");
    for (int n = 0; n <= WARI_SEEDS_MAX; n++)
        missing[n] = n % 2 == 0; /* the longest text */
    wari_missing_text(missing, text);
    assert_non_null(strstr(text, "levels 0, 2, 4, "));
    assert_non_null(strstr(text, ", 44, 46 to 48 are listed but missing"));
}

TEST_GROUP(test_db_catalogue)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_levels_are_named_in_ranges),
        cmocka_unit_test(a_written_catalogue_is_read_unchanged),
        cmocka_unit_test(the_text_of_two_levels_is_the_one_in_the_description),
        cmocka_unit_test(no_catalogue_and_no_folder_mean_no_levels),
        cmocka_unit_test(level_47_is_never_present),
        cmocka_unit_test(a_catalogue_that_makes_no_sense_is_not_written),
        cmocka_unit_test(every_flipped_bit_is_found),
        cmocka_unit_test(every_shorter_text_and_a_longer_one_is_refused),
        cmocka_unit_test(a_huge_file_is_refused_without_reading_it),
        cmocka_unit_test(only_the_one_text_of_a_catalogue_is_taken),
        cmocka_unit_test(nothing_may_follow_level_48),
        cmocka_unit_test(a_catalogue_renamed_to_another_variant_is_a_mismatch),
    };
    return cmocka_run_group_tests(tests, make_folder_and_path, remove_folder);
}

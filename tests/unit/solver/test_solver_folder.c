/* The effect of a build on its folder, and the checks of its arguments: finished work is not
 * repeated, data that cannot be trusted is refused, and a refusal changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/lock.h"
#include "tests/support/builds.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/unit/groups.h"

static const struct wari_variant variant = {WARI_SLAM_GIVES, WARI_EVEN};

static void path_of(char path[WARI_PATH_MAX], int seeds)
{
    if (seeds < 0)
        assert_int_equal(wari_catalogue_path(path, folder, variant, NULL), WARI_OK);
    else
        assert_int_equal(
            wari_level_path(path, folder, (struct wari_level_key){variant, seeds}, NULL), WARI_OK);
}

/* Checks that the build fails with the expected status and a message, and changes no file. */
static void assert_refused(const struct wari_build *build, enum wari_status expected,
                           const char *says)
{
    struct folder_image before = folder_load(folder);
    struct wari_error error = {WARI_OK, ""};

    assert_int_equal(wari_build(build, &error), expected);
    assert_int_equal(error.status, expected);
    if (strstr(error.text, says) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, says);
    assert_int_equal(wari_build(build, NULL), expected);
    struct folder_image after = folder_load(folder);
    assert_folders_equal(&before, &after);
    folder_free(&before);
    folder_free(&after);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

/* Tests the limits on the number of seeds and the numbers on both sides of each limit, and 47,
 * which lies between the limits but does not occur. */
static void seeds_that_no_board_has_are_refused(void **state)
{
    static const int refused[] = {-1, 47, 49};
    static const int taken[] = {0, 46, 48};
    struct wari_build_plan plan;

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct wari_build build = build_of(folder, variant, refused[i]);
        struct wari_error error = {WARI_OK, ""};
        assert_int_equal(wari_build_plan(&build, &plan, &error), WARI_BAD_INPUT);
        assert_string_not_equal(error.text, "");
        assert_refused(&build, WARI_BAD_INPUT, "seeds");
    }
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        const struct wari_build build = build_of(folder, variant, taken[i]);
        assert_int_equal(wari_build_plan(&build, &plan, NULL), WARI_OK);
    }
    struct wari_build build = build_of("/nowhere/at/all", variant, 49);
    assert_int_equal(wari_build(&build, NULL),
                     WARI_BAD_INPUT); /* fails before anything is opened */
}

static void variant_that_does_not_exist_is_refused(void **state)
{
    const struct wari_variant none = {WARI_RULES_COUNT, WARI_EVEN};
    const struct wari_build build = build_of(folder, none, 2);

    (void)state;
    assert_refused(&build, WARI_BAD_INPUT, "");
}

static void folder_that_cannot_be_made_is_an_io_error(void **state)
{
    const struct wari_build build = build_of("/nowhere/at/all", variant, 2);
    struct wari_error error = {WARI_OK, ""};

    (void)state;
    assert_int_equal(wari_build(&build, &error), WARI_IO);
    assert_non_null(strstr(error.text, "/nowhere/at/all"));
}

static void folder_that_is_missing_is_made(void **state)
{
    char inner[TABLE_FOLDER_MAX + 8];

    (void)state;
    strcpy(inner, folder);
    strcat(inner, "/tables");
    build_database(inner, variant, 2);
    struct folder_image image = folder_load(inner);
    assert_int_equal(image.count, 4);
    folder_free(&image);
    assert_true(table_folder_remove(inner));
}

/* ---- Existing files -------------------------------------------------------------------------- */

static void a_complete_folder_does_not_change(void **state)
{
    struct stat before[6], after[6];

    (void)state;
    build_database(folder, variant, 4);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 6; i++) { /* the catalogue and levels 0..4 */
            char path[WARI_PATH_MAX];
            path_of(path, i - 1);
            assert_int_equal(stat(path, round == 0 ? &before[i] : &after[i]), 0);
        }
        build_database(folder, variant, 4);
        build_database(folder, variant, 2);
    }
    for (int i = 0; i < 6; i++) {
        assert_int_equal(before[i].st_ino, after[i].st_ino);
        assert_memory_equal(&before[i].st_mtim, &after[i].st_mtim, sizeof before[i].st_mtim);
        assert_int_equal(before[i].st_size, after[i].st_size);
    }
}

/* A process that died left a file that is not in the catalogue, and a temporary file. */
static void files_that_the_catalogue_does_not_know_are_replaced(void **state)
{
    const struct wari_build build = build_of(NULL, variant, 4);
    struct folder_image whole = build_alone(&build);
    char path[WARI_PATH_MAX];

    (void)state;
    build_database(folder, variant, 2);
    path_of(path, 3);
    file_store(path, "half a file", 11);
    path_of(path, 4);
    strcat(path, ".tmp");
    file_store(path, "half a file", 11);
    build_database(folder, variant, 4);
    struct folder_image image = folder_load(folder);
    assert_folders_equal(&image, &whole);
    folder_free(&image);
    folder_free(&whole);
}

/* ---- Files that cannot be trusted ------------------------------------------------------------ */

static void flip(int seeds, size_t offset)
{
    char path[WARI_PATH_MAX];
    path_of(path, seeds);
    struct file_image image = file_load(path);
    assert_true(offset < image.size);
    image.bytes[offset] ^= 0x10;
    file_patch(path, offset, &image.bytes[offset], 1);
    free(image.bytes);
}

static size_t size_of(int seeds)
{
    char path[WARI_PATH_MAX];
    struct stat about;
    path_of(path, seeds);
    assert_int_equal(stat(path, &about), 0);
    return (size_t)about.st_size;
}

/* Damages three parts of a level file, one at a time: the magic number, a hash in the header, and
 * the offset table. The damage is detected when the level is opened, even if no value of the level
 * is needed. */
static void damaged_level_stops_the_build_and_nothing_changes(void **state)
{
    const struct wari_build build = build_of(folder, variant, 7);

    (void)state;
    build_database(folder, variant, 6);
    for (int seeds = 0; seeds <= 6; seeds += 3) {
        char path[WARI_PATH_MAX];
        path_of(path, seeds);
        const size_t places[] = {0, 64, 130};
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            flip(seeds, places[i]);
            assert_refused(&build, WARI_CORRUPT, path);
            flip(seeds, places[i]);
        }
    }
    build_database(folder, variant, 7); /* the folder is correct again */
}

/* Damages the last chunk of each level to which a capture from 7 seeds can lead. These are levels 1
 * to 5: a move captures at least 2 seeds, and a move that captures all 7 is a grand slam, which
 * ends the game. */
static void damaged_values_stop_the_build_and_nothing_changes(void **state)
{
    (void)state;
    build_database(folder, variant, 6);
    for (int seeds = 1; seeds <= 5; seeds++)
        for (int threads = 1; threads <= 4; threads += 3) {
            struct wari_build build = build_of(folder, variant, 7);
            char path[WARI_PATH_MAX];
            path_of(path, seeds);
            build.threads = threads;
            flip(seeds, size_of(seeds) - 1);
            assert_refused(&build, WARI_CORRUPT, path);
            flip(seeds, size_of(seeds) - 1);
        }
    build_database(folder, variant, 7);
}

/* No capture leads from 7 seeds to 6. So the build continues as far as it can without the values
 * of level 6, and the levels that it publishes are correct. */
static void damaged_values_stop_the_build_at_the_level_that_needs_them(void **state)
{
    const struct wari_build build = build_of(folder, variant, 9);
    const struct wari_build alone = build_of(NULL, variant, 9);
    struct folder_image whole = build_alone(&alone);
    struct wari_error error = {WARI_OK, ""};
    char path[WARI_PATH_MAX];

    (void)state;
    build_database(folder, variant, 6);
    path_of(path, 6);
    flip(6, size_of(6) - 1);
    assert_int_equal(wari_build(&build, &error), WARI_CORRUPT);
    assert_non_null(strstr(error.text, path));
    flip(6, size_of(6) - 1);
    assert_int_equal(assert_folder_is_part(folder, variant, &whole), 7);
    build_database(folder, variant, 9);
    assert_int_equal(assert_folder_is_part(folder, variant, &whole), 9);
    folder_free(&whole);
}

static void truncated_level_stops_the_build_and_a_missing_one_is_solved_again(void **state)
{
    const struct wari_build again = build_of(folder, variant, 4);
    const struct wari_build more = build_of(folder, variant, 5);
    char path[WARI_PATH_MAX];

    (void)state;
    build_database(folder, variant, 4);
    struct folder_image whole = folder_load(folder);
    path_of(path, 3);
    assert_int_equal(truncate(path, (off_t)size_of(3) - 1), 0);
    assert_refused(&more, WARI_CORRUPT, path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(wari_build(&again, NULL), WARI_OK);
    struct folder_image after = folder_load(folder);
    assert_folders_equal(&whole, &after);
    folder_free(&whole);
    folder_free(&after);
}

/* Replaces level 3 by level 3 of the other cycle rule: a valid file that does not belong to this
 * database. */
static void level_of_another_variant_stops_the_build(void **state)
{
    const struct wari_variant other = {variant.rules, WARI_OWN};
    const struct wari_build build = build_of(folder, variant, 5);
    char path[WARI_PATH_MAX], wrong[WARI_PATH_MAX];
    struct wari_build_plan plan;
    struct wari_error error = {WARI_OK, "as before"};

    (void)state;
    build_database(folder, variant, 4);
    build_database(folder, other, 4);
    path_of(path, 3);
    assert_int_equal(wari_level_path(wrong, folder, (struct wari_level_key){other, 3}, NULL),
                     WARI_OK);
    assert_int_equal(rename(wrong, path), 0);
    assert_refused(&build, WARI_MISMATCH, path);
    assert_int_equal(wari_build_plan(&build, &plan, &error),
                     WARI_OK); /* the plan does not notice the wrong level; the build will report
                                * it */
    assert_string_equal(error.text, "as before");
}

static void damaged_catalogue_stops_the_build(void **state)
{
    const struct wari_build build = build_of(folder, variant, 5);
    struct wari_build_plan plan;

    (void)state;
    build_database(folder, variant, 4);
    flip(-1, size_of(-1) / 2);
    assert_refused(&build, WARI_CORRUPT, ".catalogue");
    assert_int_equal(wari_build_plan(&build, &plan, NULL), WARI_CORRUPT);
}

static void folder_in_which_another_process_builds_is_busy(void **state)
{
    const struct wari_build build = build_of(folder, variant, 5);
    struct wari_lock lock;

    (void)state;
    build_database(folder, variant, 3);
    assert_int_equal(wari_folder_lock(wari_host_system(), folder, WARI_BUILDING, &lock, NULL),
                     WARI_OK);
    assert_refused(&build, WARI_BUSY, folder);
    wari_folder_unlock(&lock);
    build_database(folder, variant, 5);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

TEST_GROUP(test_solver_folder)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(seeds_that_no_board_has_are_refused),
        IN_FOLDER(variant_that_does_not_exist_is_refused),
        cmocka_unit_test(folder_that_cannot_be_made_is_an_io_error),
        IN_FOLDER(folder_that_is_missing_is_made),
        IN_FOLDER(a_complete_folder_does_not_change),
        IN_FOLDER(files_that_the_catalogue_does_not_know_are_replaced),
        IN_FOLDER(damaged_level_stops_the_build_and_nothing_changes),
        IN_FOLDER(damaged_values_stop_the_build_and_nothing_changes),
        IN_FOLDER(damaged_values_stop_the_build_at_the_level_that_needs_them),
        IN_FOLDER(truncated_level_stops_the_build_and_a_missing_one_is_solved_again),
        IN_FOLDER(level_of_another_variant_stops_the_build),
        IN_FOLDER(damaged_catalogue_stops_the_build),
        IN_FOLDER(folder_in_which_another_process_builds_is_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

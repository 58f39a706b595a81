/* Tests the reading of the file with the positions from which the games of a match begin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/unit/groups.h"
#include "tools/match/starts.h"

enum { SEEDS_MAX = 12, TEXT_MAX = 20000 };

/* Stores `text` in a file and reads the file. Stores the message without the path at its
 * beginning. */
static enum wari_status read_starts(struct starts *starts, const char *text, char message[200])
{
    char path[WARI_PATH_MAX];
    struct wari_error error = {WARI_OK, ""};

    *starts = (struct starts){.variant = {WARI_ABAPA, WARI_OWN}, .most = SEEDS_MAX};
    snprintf(path, sizeof path, "%s/starts", folder);
    file_store(path, text, strlen(text));
    const enum wari_status status = starts_read(starts, path, &error);
    const bool has_path = strncmp(error.text, path, strlen(path)) == 0;
    snprintf(message, 200, "%s", error.text + (has_path ? strlen(path) : 0));
    return status;
}

static void expect_refusal(const char *text, enum wari_status status, const char *expected)
{
    struct starts starts;
    char message[200];
    assert_int_equal(read_starts(&starts, text, message), status);
    assert_string_equal(message, expected);
    starts_free(&starts);
}

static void a_file_without_a_position_is_refused(void **state)
{
    (void)state;
    expect_refusal("", WARI_BAD_INPUT, ": this file contains no position");
    expect_refusal("\n\n", WARI_BAD_INPUT, ": this file contains no position");
}

static void a_position_above_the_database_is_refused(void **state)
{
    (void)state;
    expect_refusal("1 1 1 1 1 1 / 1 1 1 1 1 1\n2 1 1 1 1 1 / 1 1 1 1 1 1\n", WARI_NOT_COVERED,
                   ": line 2: the position has 13 seeds; the database goes up to 12");
}

/* South has no seeds, and North can give none. */
static void a_game_that_is_over_is_refused(void **state)
{
    (void)state;
    expect_refusal("\n0 0 0 0 0 0 / 1 0 0 0 0 0\n", WARI_BAD_INPUT,
                   ": line 2: nobody can move here: the game is over");
}

/* The list grows several times. If a line has no stores, both sides get the same number of captured
 * seeds; of an odd number, South gets one more. */
static void all_positions_of_a_long_file_are_read_in_order(void **state)
{
    enum { COUNT = 300 };
    char text[TEXT_MAX], message[200];
    struct starts starts;
    size_t length = 0;
    (void)state;
    for (int i = 0; i < COUNT; i++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%d 1 1 0 0 %d / 1 1 1 1 1 1\n", i % 3, 2 - i % 3);
    assert_int_equal(read_starts(&starts, text, message), WARI_OK);
    assert_int_equal(starts.count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        const struct wari_setup *setup = &starts.list[i];
        assert_int_equal(setup->position.pits[0], i % 3);
        assert_int_equal(setup->position.pits[5], 2 - i % 3);
        assert_int_equal(setup->stores[0], 19);
        assert_int_equal(setup->stores[1], 19);
        assert_false(setup->north_to_move);
    }
    starts_free(&starts);
    assert_int_equal(read_starts(&starts, "1 1 1 0 0 2 / 1 1 1 1 1 1", message), WARI_OK);
    assert_int_equal(starts.list[0].stores[0], 19);
    assert_int_equal(starts.list[0].stores[1], 18);
    starts_free(&starts);
}

TEST_GROUP(test_match_starts)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_without_a_position_is_refused),
        cmocka_unit_test(a_position_above_the_database_is_refused),
        cmocka_unit_test(a_game_that_is_over_is_refused),
        cmocka_unit_test(all_positions_of_a_long_file_are_read_in_order),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

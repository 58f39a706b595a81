/* The text that `wari query` prints. The position with a grand slam and its values are those of
 * data/RULES.md. The results of searches are made up, and the expected text follows from their
 * bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/builds.h"
#include "tests/support/run_command.h"
#include "tests/unit/groups.h"
#include "tools/query/query_text.h"

static void expect(const char *text, const char *expected)
{
    if (!strstr(text, expected))
        fail_msg("expected \"%s\" in:\n%s", expected, text);
}

/* ---- Positions in the database ---- */

static const char slams[] = "0 0 0 3 2 0 / 1 0 0 0 0 0";

static void query_slams(enum wari_rules rules, char text[COMMAND_TEXT_MAX])
{
    char tables[TABLE_FOLDER_MAX];
    assert_true(table_folder_make(tables));
    build_database(tables, (struct wari_variant){rules, WARI_EVEN}, 6);
    assert_int_equal(run_command(&command_query, WORDS("query", "--db", tables, slams), text), 0);
    assert_true(table_folder_remove(tables));
}

/* Under `warri` both moves capture two seeds, and the same side moves again. */
static void a_move_that_gives_another_move_is_marked(void **state)
{
    char text[COMMAND_TEXT_MAX];
    (void)state;
    query_slams(WARI_WARRI, text);
    expect(text, "\nvalue   +2: ");
    expect(
        text,
        "\nmoves   D   +2   captures 2, moves again\n        E   +2   captures 2, moves again\n");
}

/* Under `wari` both moves are grand slams, which are forbidden. So the game is over, and each side
 * takes its own row: five seeds against one. */
static void the_end_says_that_each_side_takes_its_own_row(void **state)
{
    char text[COMMAND_TEXT_MAX];
    (void)state;
    query_slams(WARI_WARI, text);
    expect(text, "\nvalue   +4: ");
    expect(text,
           "\nmoves   none\nline    none\n"
           "        the game is over: of the remaining 6 seeds, each side takes its own row\n");
}

/* ---- Results of searches ---- */

static struct {
    struct wari_game game;
    struct wari_position_result result;
} searched;

static int print_searched(int count, char **words)
{
    (void)count;
    (void)words;
    query_print_searched(&searched.game, &searched.result);
    return 0;
}

/* Prints a result whose value lies between `least` and `most`. North is to move; `south` and
 * `north` are the seeds in the stores. */
static void print_bounds(int south, int north, int least, int most, char text[COMMAND_TEXT_MAX])
{
    static const struct command command = {.name = "print", .run = print_searched};
    struct wari_setup setup = {
        .position = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}, .diagram = true, .north_to_move = true};
    setup.stores[0] = (uint8_t)south;
    setup.stores[1] = (uint8_t)north;
    wari_game_begin(&searched.game, wari_host_system(),
                    (struct wari_variant){WARI_AWARI, WARI_EVEN}, &setup);
    searched.result =
        (struct wari_position_result){.value = {least == most ? WARI_KIND_EXACT : WARI_KIND_BOUND,
                                                true, 50 * (least + most), 150, least, most}};
    assert_int_equal(run_command(&command, WORDS("print"), text), 0);
    wari_game_free(&searched.game);
}

static void only_bounds_that_exclude_values_are_printed(void **state)
{
    char text[COMMAND_TEXT_MAX];
    (void)state;
    print_bounds(18, 18, 2, 12, text);
    expect(text, "\nvalue   about +7.0, give or take 1.5   bound: +2 or more\n");
    print_bounds(18, 18, -12, -2, text);
    expect(text, "\nvalue   about -7.0, give or take 1.5   bound: -2 or less\n");
    print_bounds(18, 18, -4, 6, text);
    expect(text, "\nvalue   about +1.0, give or take 1.5   bound: -4 to +6\n");
    print_bounds(18, 18, 3, 3, text);
    expect(text, "\nvalue   +3   exact: proven by search\n");
}

/* At the end, North is ahead by its store minus South's store plus the value. */
static void the_winner_is_proven_by_the_bounds(void **state)
{
    char text[COMMAND_TEXT_MAX];
    (void)state;
    print_bounds(17, 19, -1, 6, text);
    expect(text, "\nresult  North wins: proven\n");
    print_bounds(19, 17, -6, 1, text);
    expect(text, "\nresult  South wins: proven\n");
    print_bounds(19, 17, 2, 2, text);
    expect(text, "\nresult  a draw: proven\n");
    print_bounds(19, 17, -6, 2, text);
    expect(text, "\nresult  not proven; at the score, South is ahead by about 4.0\n");
    print_bounds(17, 19, -2, 6, text);
    expect(text, "\nresult  not proven; at the score, North is ahead by about 4.0\n");
}

TEST_GROUP(test_query_text)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_move_that_gives_another_move_is_marked),
        cmocka_unit_test(the_end_says_that_each_side_takes_its_own_row),
        cmocka_unit_test(only_bounds_that_exclude_values_are_printed),
        cmocka_unit_test(the_winner_is_proven_by_the_bounds),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

/* JSON output of commands when memory runs out: whichever allocation of Jansson fails, the
 * command either prints what it prints otherwise, or ends with the exit code for too little memory.
 * It never prints a part of an object. The address sanitizer reports memory that is not freed.
 *
 * The expected output is that of the same command when no allocation fails; other tests check that
 * output. The last section checks the text that `wari verify` and `wari check` print for wrong
 * values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"
#include "tests/support/builds.h"
#include "tests/support/failing_json.h"
#include "tests/support/level_samples.h"
#include "tests/support/run_command.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"
#include "tools/common/output.h"
#include "tools/common/report.h"
#include "tools/common/text.h"

/* Returns true if the text consists of the first lines of `all`, but not of all lines. Each line is
 * an object. */
static bool is_whole_lines(const char *text, const char *all)
{
    const size_t length = strlen(text);
    return length < strlen(all) && strncmp(text, all, length) == 0 &&
           (length == 0 || text[length - 1] == '\n');
}

/* Runs a command once for each allocation of its JSON output. This allocation fails, alone or
 * together with all later ones. At small size, some of the later allocations are left out; most of
 * them are for further members of the same kind. */
static void whole_or_nothing(const struct command *command, enum wari_status result,
                             const char *const *words)
{
    static char expected[COMMAND_TEXT_MAX], text[COMMAND_TEXT_MAX];

    failing_json_begin();
    assert_int_equal(run_command(command, words, expected), report_exit_code(result));
    assert_true(expected[0] == '{');
    for (int later_too = 0; later_too < 2; later_too++) {
        long number = 1;
        for (bool fired = true; fired; number += test_scale(1, 1 + (int)number / 8)) {
            failing_json_at(number, later_too);
            const int code = run_command(command, words, text);
            fired = failing_json_fired();
            if (code != report_exit_code(fired ? WARI_NO_MEMORY : result))
                fail_msg("wari %s: exit code %d after allocation %ld failed", command->name, code,
                         number);
            if (fired)
                assert_true(is_whole_lines(text, expected));
            else
                assert_string_equal(text, expected);
        }
        assert_true(number > 10);
    }
    failing_json_end();
}

/* ---- The commands ---- */

enum { SEEDS = 6 };
static const struct wari_variant variant = {WARI_ABAPA, WARI_OWN};

/* Four folders; a book of the first folder, a damaged copy of the book, and a record of a game. */
static struct {
    char proved[TABLE_FOLDER_MAX];  /* all levels up to SEEDS, with a record of their proof */
    char damaged[TABLE_FOLDER_MAX]; /* a level and the record of the proof are damaged */
    char wrong[TABLE_FOLDER_MAX];   /* one value is wrong */
    char claimed[TABLE_FOLDER_MAX]; /* the files have values of cycle rule `own`, but their names
                                       and their headers say `even` */
    char book[COMMAND_WORD_MAX], damaged_book[COMMAND_WORD_MAX], games[COMMAND_WORD_MAX];
} files;

static void flip_last_byte(const char *path)
{
    struct file_image image = file_load(path);
    image.bytes[image.size - 1] ^= 1;
    file_store(path, image.bytes, image.size);
    free(image.bytes);
}

static void copy_file(const char *from, const char *to)
{
    struct file_image image = file_load(from);
    file_store(to, image.bytes, image.size);
    free(image.bytes);
}

/* The output for this game has all members: the game has tags, starts within the database, and
 * repeats a position. */
static const char games[] = "[Variant \"abapa\"]\n[South \"Ama\"]\n[North \"Kof\xE8\"]\n"
                            "[FEN \"1-1-0-0-0-0-1-0-0-0-0-0-23-22-S\"]\n\n1. B a 2. C b *\n";

static int make_files(void **state)
{
    char path[COMMAND_WORD_MAX], text[COMMAND_TEXT_MAX];
    struct folder_image image;
    struct table table;

    if (make_folder(state) != 0 || !table_folder_make(files.proved) ||
        !table_folder_make(files.damaged) || !table_folder_make(files.wrong) ||
        !table_folder_make(files.claimed))
        return -1;
    build_database(files.proved, variant, SEEDS);
    assert_int_equal(run_command(&command_verify, WORDS("verify", "--db", files.proved), text), 0);
    snprintf(files.book, COMMAND_WORD_MAX, "%s/a.book", folder);
    snprintf(files.damaged_book, COMMAND_WORD_MAX, "%s/b.book", folder);
    snprintf(files.games, COMMAND_WORD_MAX, "%s/games.ogn", folder);
    assert_int_equal(run_command(&command_book,
                                 WORDS("book", "--db", files.proved, "--output", files.book), text),
                     0);
    copy_file(files.book, files.damaged_book);
    flip_last_byte(files.damaged_book);
    file_store(files.games, (const uint8_t *)games, sizeof games - 1);

    image = folder_load(files.proved);
    folder_store(files.damaged, &image);
    folder_free(&image);
    snprintf(path, sizeof path, "%s/abapa-own-5.wari", files.damaged);
    flip_last_byte(path);
    snprintf(path, sizeof path, "%s/abapa-own.proof", files.damaged);
    flip_last_byte(path);

    assert_int_equal(table_solve(&table, variant, 4), WARI_OK);
    table.values[4][7]--;
    assert_int_equal(table_write(&table, files.wrong, NULL), WARI_OK);
    table.values[4][7]++;
    table.variant.cycle = WARI_EVEN;
    assert_int_equal(table_write(&table, files.claimed, NULL), WARI_OK);
    table_free(&table);
    return 0;
}

static int remove_files(void **state)
{
    const char *const folders[] = {files.proved, files.damaged, files.wrong, files.claimed};
    bool removed = true;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        removed = table_folder_remove(folders[i]) && removed;
    return remove_folder(state) == 0 && removed ? 0 : -1;
}

static void answers_to_positions_are_whole_or_missing(void **state)
{
    (void)state;
    whole_or_nothing(&command_query, WARI_OK,
                     WORDS("query", "--db", files.proved, "--json", "--detail",
                           "0-1-0-0-0-1-0-1-0-0-0-0-23-22-N"));
}

static void statistics_are_whole_or_missing(void **state)
{
    (void)state;
    whole_or_nothing(&command_stats, WARI_OK,
                     WORDS("stats", "--db", files.proved, "--json", "--seeds", "2-3"));
}

static void results_of_a_check_are_whole_or_missing(void **state)
{
    (void)state;
    whole_or_nothing(&command_check, WARI_OK,
                     WORDS("check", "--db", files.proved, "--json", "--published"));
    whole_or_nothing(&command_check, WARI_CORRUPT, WORDS("check", "--db", files.damaged, "--json"));
    whole_or_nothing(&command_check, WARI_DIFFERENT,
                     WORDS("check", "--db", files.wrong, "--json", "--published"));
    whole_or_nothing(&command_check, WARI_OK, WORDS("check", files.book, "--json"));
    whole_or_nothing(&command_check, WARI_CORRUPT, WORDS("check", files.damaged_book, "--json"));
}

static void results_of_a_proof_are_whole_or_missing(void **state)
{
    (void)state;
    whole_or_nothing(
        &command_verify, WARI_OK,
        WORDS("verify", "--db", files.proved, "--json", "--sample", "10", "--threads", "1"));
    whole_or_nothing(&command_verify, WARI_DIFFERENT,
                     WORDS("verify", "--db", files.wrong, "--json", "--local", "--threads", "1"));
    whole_or_nothing(
        &command_verify, WARI_DIFFERENT,
        WORDS("verify", "--db", files.claimed, "--json", "--no-record", "--threads", "1"));
}

static void judged_games_are_whole_or_missing(void **state)
{
    (void)state;
    whole_or_nothing(&command_judge, WARI_OK,
                     WORDS("judge", "--db", files.proved, "--json", "--depth", "1", files.games));
}

/* A position above the database is searched, which takes time, so the result of the search is made
 * up. */
static int print_searched(int count, char **words)
{
    const struct wari_position_result result = {
        .value = {WARI_KIND_BOUND, true, 150, 80, 1, 6},
        .count = 2,
        .moves = {{{.pit = 5}, {WARI_KIND_BOUND, true, 150, 80, 1, 6}},
                  {{.pit = 0}, {WARI_KIND_EXACT, true, 0, 0, 0, 0}}},
        .last = {.line_count = 2,
                 .line = {{.pit = 5}, {.pit = 2, .opponent = true}},
                 .depth = 7,
                 .nodes = 999},
    };
    struct wari_setup setup;
    struct wari_error error;
    (void)count;
    if (wari_setup_parse(words[1], &setup, &error) != WARI_OK)
        return -1;
    return report_exit_code(json_print(answer_searched_json(&setup, variant, &result), &error));
}

static void results_of_searches_are_whole_or_missing(void **state)
{
    static const struct command command = {.name = "print", .run = print_searched};
    (void)state;
    whole_or_nothing(&command, WARI_OK, WORDS("print", "1-0-1-0-0-1-1-0-0-0-1-1-22-20-S"));
}

static void puzzles_are_whole_or_missing(void **state)
{
    (void)state;
    whole_or_nothing(&command_puzzles, WARI_OK,
                     WORDS("puzzles", "--db", files.proved, "--json", "--seeds", "6", "--count",
                           "1", "--depth", "1"));
}

static void rules_and_plans_are_whole_or_missing(void **state)
{
    (void)state;
    whole_or_nothing(&command_rules, WARI_OK, WORDS("rules", "abapa", "--json"));
    whole_or_nothing(&command_plan, WARI_OK,
                     WORDS("plan", "--seeds", "4", "--no-calibration", "--json"));
    whole_or_nothing(&command_plan, WARI_OK, WORDS("plan", "--seeds", "4", "--verify", "--json"));
    whole_or_nothing(&command_plan, WARI_OK,
                     WORDS("plan", "--seeds", "4", "--json", "--rules", "abapa", "--cycle", "own",
                           "--db", files.proved));
}

/* ---- Wrong values ---- */

/* Writes the expected text for the wrong values of a level. A value is wrong if it differs from the
 * value of the best move according to the same table. */
static void text_of_differences(const struct table *table, int seeds, char *text)
{
    const uint64_t count = table_inconsistent(table, seeds);
    text += sprintf(text, "WRONG: %d value%s of the level with %d seeds, starting with:\n",
                    (int)count, count == 1 ? "" : "s", seeds);
    for (uint64_t cell = 0; cell < wari_level_positions(seeds); cell++) {
        struct wari_position position;
        char board[WARI_POSITION_TEXT], number[2][TEXT_NUMBER];
        wari_layout_unrank(&table->layout[seeds], cell, &position);
        const int value = table->values[seeds][cell], best = table_best(table, &position);
        wari_position_text(&position, board);
        if (value != best)
            text += sprintf(text, "  %s: the table has %s, the best move gives %s\n", board,
                            text_value(value, number[0]), text_value(best, number[1]));
    }
}

static void a_proof_names_the_wrong_values(void **state)
{
    char text[COMMAND_TEXT_MAX], expected[COMMAND_TEXT_MAX];
    struct table table;
    (void)state;
    assert_int_equal(table_solve(&table, variant, 4), WARI_OK);
    table.values[4][7]--;
    text_of_differences(&table, 4, expected);
    table_free(&table);
    assert_int_equal(
        run_command(&command_verify, WORDS("verify", "--db", files.wrong, "--local"), text),
        report_exit_code(WARI_DIFFERENT));
    assert_non_null(strstr(text, "\n"));
    assert_string_equal(strchr(text, '\n') + 1, expected);
}

/* The levels up to 3 seeds have the published values. */
static void a_check_names_the_level_that_differs_from_the_published_figures(void **state)
{
    char text[COMMAND_TEXT_MAX];
    (void)state;
    assert_int_equal(
        run_command(&command_check, WORDS("check", "--db", files.wrong, "--published"), text),
        report_exit_code(WARI_DIFFERENT));
    assert_non_null(
        strstr(text, "\nabapa own: DIFFERS from the published figures in the values of level 4\n"));
}

TEST_GROUP(test_json_memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_to_positions_are_whole_or_missing),
        cmocka_unit_test(statistics_are_whole_or_missing),
        cmocka_unit_test(results_of_a_check_are_whole_or_missing),
        cmocka_unit_test(results_of_a_proof_are_whole_or_missing),
        cmocka_unit_test(judged_games_are_whole_or_missing),
        cmocka_unit_test(results_of_searches_are_whole_or_missing),
        cmocka_unit_test(puzzles_are_whole_or_missing),
        cmocka_unit_test(a_proof_names_the_wrong_values),
        cmocka_unit_test(a_check_names_the_level_that_differs_from_the_published_figures),
        cmocka_unit_test(rules_and_plans_are_whole_or_missing),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}

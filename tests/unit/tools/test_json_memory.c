/* The JSON output of every command when memory runs out: whichever allocation of Jansson fails, the
 * command either prints what it prints otherwise, or ends with the exit code of too little memory.
 * It never prints a part of an object. The address sanitizer reports what is not freed.
 *
 * The expected output is that of the same command when no allocation fails; other tests check that
 * output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/builds.h"
#include "tests/support/failing_json.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"
#include "tools/common/command.h"
#include "tools/common/report.h"

/* The words of a command, ended by NULL. */
#define WORDS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

enum { WORDS_MAX = 16, TEXT_MAX = 1 << 16, PATH_BYTES = TABLE_FOLDER_MAX + 32 };

/* ---- Running a command in this process
 * ------------------------------------------------------------ */

/* Moves a descriptor of standard output or error to a file. Returns a copy of what it was. */
static int redirect(int descriptor, const char *path)
{
    const int copy = dup(descriptor);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(copy >= 0 && file >= 0 && dup2(file, descriptor) == descriptor);
    close(file);
    return copy;
}

static void restore(int descriptor, int copy)
{
    assert_int_equal(dup2(copy, descriptor), descriptor);
    close(copy);
}

static void read_text(const char *path, char text[TEXT_MAX])
{
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    const size_t length = fread(text, 1, TEXT_MAX - 1, file);
    assert_true(feof(file));
    text[length] = '\0';
    fclose(file);
}

/* Runs a command with these words. Stores what it prints on standard output; returns its exit code.
 */
static int run_command(const struct command *command, const char *const *words, char text[TEXT_MAX])
{
    char out[PATH_BYTES], err[PATH_BYTES], copies[WORDS_MAX][PATH_BYTES],
        *arguments[WORDS_MAX + 1] = {NULL};
    int count = 0;

    for (; words[count]; count++) {
        assert_true(count < WORDS_MAX &&
                    snprintf(copies[count], PATH_BYTES, "%s", words[count]) < PATH_BYTES);
        arguments[count] = copies[count];
    }
    snprintf(out, sizeof out, "%s/output.text", folder);
    snprintf(err, sizeof err, "%s/messages.text", folder);
    fflush(stdout);
    fflush(stderr);
    const int old_out = redirect(STDOUT_FILENO, out), old_err = redirect(STDERR_FILENO, err);
    optind = 0; /* getopt_long() starts anew */
    const int code = command->run(count, arguments);
    fflush(stdout);
    restore(STDOUT_FILENO, old_out);
    restore(STDERR_FILENO, old_err);
    read_text(out, text);
    return code;
}

/* Returns true if the text consists of the first lines of `all`, but not of all lines. Each line is
 * an object. */
static bool is_whole_lines(const char *text, const char *all)
{
    const size_t length = strlen(text);
    return length < strlen(all) && strncmp(text, all, length) == 0 &&
           (length == 0 || text[length - 1] == '\n');
}

/* Runs a command once for each allocation of its JSON output, which then fails, alone or with all
 * later ones. At small size, it leaves out some of the later allocations, which mostly belong to
 * further members of the same kind. */
static void whole_or_nothing(const struct command *command, enum wari_status result,
                             const char *const *words)
{
    static char expected[TEXT_MAX], text[TEXT_MAX];

    failing_json_begin();
    assert_int_equal(run_command(command, words, expected), report_exit_code(result));
    assert_true(expected[0] == '{');
    for (int on = 0; on < 2; on++) {
        long number = 1;
        for (bool fired = true; fired; number += test_scale(1, 1 + (int)number / 8)) {
            failing_json_at(number, on);
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

/* ---- The commands
 * -------------------------------------------------------------------------------- */

enum { SEEDS = 6 };
static const struct wari_variant variant = {WARI_ABAPA, WARI_OWN};

/* Three folders, and a book of the first one. */
static struct {
    char proved[TABLE_FOLDER_MAX];  /* all levels up to SEEDS, with a record of their proof */
    char damaged[TABLE_FOLDER_MAX]; /* a level and the record of the proof are damaged */
    char wrong[TABLE_FOLDER_MAX];   /* one value is wrong */
    char book[PATH_BYTES], damaged_book[PATH_BYTES], games[PATH_BYTES];
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

/* A game whose tags and moves need every member of the output: it starts within the database with a
 * repeated position. */
static const char games[] = "[Variant \"abapa\"]\n[South \"Ama\"]\n[North \"Kof\xE8\"]\n"
                            "[FEN \"1-1-0-0-0-0-1-0-0-0-0-0-23-22-S\"]\n\n1. B a 2. C b *\n";

static int make_files(void **state)
{
    char path[PATH_BYTES], text[TEXT_MAX];
    struct folder_image image;
    struct table table;

    if (make_folder(state) != 0 || !table_folder_make(files.proved) ||
        !table_folder_make(files.damaged) || !table_folder_make(files.wrong))
        return -1;
    build_database(files.proved, variant, SEEDS);
    assert_int_equal(run_command(&command_verify, WORDS("verify", "--db", files.proved), text), 0);
    snprintf(files.book, PATH_BYTES, "%s/a.book", folder);
    snprintf(files.damaged_book, PATH_BYTES, "%s/b.book", folder);
    snprintf(files.games, PATH_BYTES, "%s/games.ogn", folder);
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
    table_free(&table);
    return 0;
}

static int remove_files(void **state)
{
    const bool removed = table_folder_remove(files.proved) & table_folder_remove(files.damaged) &
                         table_folder_remove(files.wrong);
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
}

static void judged_games_are_whole_or_missing(void **state)
{
    (void)state;
    whole_or_nothing(&command_judge, WARI_OK,
                     WORDS("judge", "--db", files.proved, "--json", "--depth", "1", files.games));
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
}

TEST_GROUP(test_json_memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_to_positions_are_whole_or_missing),
        cmocka_unit_test(statistics_are_whole_or_missing),
        cmocka_unit_test(results_of_a_check_are_whole_or_missing),
        cmocka_unit_test(results_of_a_proof_are_whole_or_missing),
        cmocka_unit_test(judged_games_are_whole_or_missing),
        cmocka_unit_test(puzzles_are_whole_or_missing),
        cmocka_unit_test(rules_and_plans_are_whole_or_missing),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}

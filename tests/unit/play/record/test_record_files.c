/* Reads the files in tests/data/records. tests/js/records.test.mjs tests the JavaScript reader of
 * the web page with the same files. For each file there is another file, whose name ends with
 * ".expected". It lists the games, lost games and remarks, and was written by hand according to
 * wari-judge(1), which describes the notation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play/record/record_read.h"
#include "tests/unit/groups.h"

#define FOLDER "tests/data/records/"

static const struct wari_variant abapa_own = {WARI_ABAPA, WARI_OWN};

/* The games and complaints of the reader, as lines in the format of an expected file. */
struct found {
    struct wari_text text;
};

static char *read_all(const char *name, size_t *length)
{
    char path[256];
    snprintf(path, sizeof path, FOLDER "%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 16);
    assert_non_null(bytes);
    *length = fread(bytes, 1, (1 << 16) - 1, file);
    bytes[*length] = '\0';
    assert_int_equal(fclose(file), 0);
    return bytes;
}

/* Returns the name of a remark in the expected files; NULL for remarks that only this reader makes.
 */
static const char *kind_of(const char *text)
{
    static const char *const kinds[][2] = {
        {"read as the result", "score"}, {"not a score", "result"},       {"no quotes", "quotes"},
        {"over several lines", "lines"}, {"is not in UTF-8", "encoding"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strstr(text, kinds[i][0]))
            return kinds[i][1];
    return NULL;
}

static void hear(void *context, const struct wari_complaint *complaint)
{
    struct found *found = context;
    const char *kind = kind_of(complaint->text);
    bool by_rules = strncmp(complaint->text, "move ", 5) == 0;
    if (complaint->lost)
        assert_int_equal(wari_text_add(&found->text, NULL, "lost %d at %d:%d%s\n",
                                       complaint->game_line, complaint->line, complaint->column,
                                       by_rules ? " rules" : ""),
                         WARI_OK);
    else if (kind)
        assert_int_equal(wari_text_add(&found->text, NULL, "remark %d:%d %s\n", complaint->line,
                                       complaint->column, kind),
                         WARI_OK);
}

static void add_record(struct wari_text *text, const struct wari_record *record)
{
    static const char *const sides[] = {"South", "North"};
    const char *start = wari_record_tag(record, "FEN");
    int failed = wari_text_add(text, NULL, "game %d ", record->line);
    for (int i = 0; i < record->game.count; i++) {
        const struct wari_ply *ply = &record->game.plies[i];
        char letter = wari_move_letter(ply->move.pit, ply->before.north_to_move);
        failed |= wari_text_add_bytes(text, &letter, 1, NULL);
    }
    failed |= wari_text_add(text, NULL, "%s%s%s\n", record->game.count ? "" : "-",
                            record->result ? " " : "", record->result ? record->result : "");
    for (int i = 0; i < 2; i++)
        if (wari_record_tag(record, sides[i]))
            failed |= wari_text_add(text, NULL, "tag %d %s %s\n", record->line, sides[i],
                                    wari_record_tag(record, sides[i]));
    if (start)
        failed |= wari_text_add(text, NULL, "start %d %s\n", record->line, start);
    for (int i = 0; i < record->comment_count; i++)
        if (record->comments[i])
            failed |= wari_text_add(text, NULL, "comment %d %d %s\n", record->line, i + 1,
                                    record->comments[i]);
    assert_int_equal(failed, 0);
}

/* Returns true if `line` is a line of the text. */
static bool has_line(const char *text, const char *line, size_t length)
{
    for (const char *at = text; *at; at = strchr(at, '\n') + 1)
        if (strncmp(at, line, length) == 0 && at[length] == '\n')
            return true;
    return false;
}

/* Asserts that each line of `lines` is also a line of `text`. Skips lines that begin with "page":
 * they are the results of the web page's reader where they differ from those of this reader. */
static void expect_lines(const char *name, const char *lines, const char *text)
{
    for (const char *line = lines; *line; line = strchr(line, '\n') + 1) {
        int length = (int)strcspn(line, "\n");
        if (strncmp(line, "page ", 5) != 0 && !has_line(text, line, (size_t)length))
            fail_msg("%s: \"%.*s\" is not in:\n%s", name, length, line, text);
    }
}

/* Reads the record file that belongs to an expected file, and compares the results with the
 * expected file. */
static void expect_file(const char *expected_name)
{
    struct found found = {.text = {.host = wari_host_system()}};
    char name[256];
    size_t length, expected_length;
    snprintf(name, sizeof name, "%.*s.ogn", (int)strcspn(expected_name, "."), expected_name);
    char *bytes = read_all(name, &length);
    char *expected = read_all(expected_name, &expected_length);
    struct wari_record_reader reader = {
        .host = wari_host_system(),
        .text = bytes,
        .length = length,
        .variants = &abapa_own,
        .variant_count = 1,
        .complain = hear,
        .context = &found,
    };
    bool more = true;
    while (more) {
        struct wari_record record;
        assert_int_equal(wari_record_next(&reader, &record, &more, NULL), WARI_OK);
        if (more)
            add_record(&found.text, &record);
        wari_record_free(&record);
    }
    wari_record_end(&reader);
    const char *text = found.text.bytes ? found.text.bytes : "";
    expect_lines(name, expected, text);
    expect_lines(name, text, expected);
    wari_text_free(&found.text);
    free(bytes);
    free(expected);
}

static void records_are_read_as_written_beside_them(void **state)
{
    (void)state;
    int count = 0;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".expected") != 0)
            continue;
        expect_file(entry->d_name);
        count++;
    }
    assert_int_equal(closedir(folder), 0);
    assert_true(count >= 60);
}

TEST_GROUP(test_record_files)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_read_as_written_beside_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

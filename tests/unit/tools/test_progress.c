/* Tests the progress line. The tests set the time of the clock and the width of the terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/groups.h"
#include "tools/common/progress.h"

static double moment; /* the time that the clock returns, in seconds */
static int width;     /* width of the terminal */

static double invented_clock(void)
{
    return moment;
}

static int invented_columns(void)
{
    return width;
}

static void the_middle_is_lost_before_the_end(void **state)
{
    static const struct {
        int width;
        const char *text;
    } cases[] = {
        {100, "level 9: sweep 3, 4 % changing, about 14 s left in all"},
        {54, "level 9: sweep 3, 4 % changing, about 14 s left in all"},
        {53, "level 9: sweep 3, 4 % chang... about 14 s left in all"},
        {28, "le... about 14 s left in all"},
        {27, "about 14 s left in all"},
        {22, "about 14 s left in all"},
        {10, "about 14 s"},
        {1, "a"},
    };
    char text[PROGRESS_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        progress_fit("level 9: sweep 3, 4 % changing", "about 14 s left in all", cases[i].width,
                     text);
        assert_string_equal(text, cases[i].text);
    }
    progress_fit("book: 40 %", "", 7, text);
    assert_string_equal(text, "book: 4");
}

/* Shows one line and returns what was written; the caller frees it. */
static char *show(struct progress_line *line)
{
    char *written = NULL;
    size_t length;
    line->to = open_memstream(&written, &length);
    assert_non_null(line->to);
    progress_show(line, "about 14 s left in all", "level %d: sweep %d", 9, 3);
    assert_int_equal(fclose(line->to), 0);
    return written;
}

static void assert_shown(struct progress_line *line, const char *expected)
{
    char *written = show(line);
    assert_string_equal(written, expected);
    free(written);
}

static void the_width_is_read_at_each_update(void **state)
{
    struct progress_line line = {
        .terminal = true, .columns = invented_columns, .clock = invented_clock};

    (void)state;
    width = 80;
    assert_shown(&line, "\rlevel 9: sweep 3, about 14 s left in all\033[K");
    width = 32;
    assert_shown(&line, "\rlevel... about 14 s left in all\033[K");
    width = 60;
    assert_shown(&line, "\rlevel 9: sweep 3, about 14 s left in all\033[K");
}

static void a_terminal_is_updated_five_times_a_second_and_a_file_once_a_minute(void **state)
{
    struct progress_line line = {
        .terminal = true, .columns = invented_columns, .clock = invented_clock, .last = 1000};

    (void)state;
    width = 80;
    moment = 1000.125;
    assert_false(progress_due(&line));
    moment = 1000.25;
    assert_true(progress_due(&line));
    line.terminal = false;
    moment = 1059;
    assert_false(progress_due(&line));
    moment = 1060;
    assert_true(progress_due(&line));
    width = 10; /* has no effect, because this is not a terminal */
    assert_shown(&line, "level 9: sweep 3, about 14 s left in all\n");
    assert_false(line.shown);
    moment = 1119;
    assert_false(progress_due(&line));
    moment = 1120;
    assert_true(progress_due(&line));
}

TEST_GROUP(test_progress)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_middle_is_lost_before_the_end),
        cmocka_unit_test(the_width_is_read_at_each_update),
        cmocka_unit_test(a_terminal_is_updated_five_times_a_second_and_a_file_once_a_minute),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}

/* JSON as text when memory runs out: whichever allocation fails, the text is either complete or
 * absent.
 *
 * Jansson's own json_dumps() ignores a failure to write a key: after one failed allocation `wari
 * check --json` printed broken JSON and exited with 0.
 *
 * The expected text is written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/json.h"
#include "tests/support/failing_json.h"
#include "tests/unit/groups.h"

/* Enough for the buffer to grow several times. */
enum { NUMBERS = 100 };

static json_t *make_value(void)
{
    json_t *numbers = json_array();
    for (int i = 0; i < NUMBERS; i++)
        if (json_array_append_new(numbers, json_pack("{si}", "number", i)) != 0) {
            json_decref(numbers);
            return NULL;
        }
    return json_pack("{sb ss so}", "ok", 1, "name", "awari", "numbers", numbers);
}

static void expected_text(char *text)
{
    text += sprintf(text, "{\"ok\":true,\"name\":\"awari\",\"numbers\":[");
    for (int i = 0; i < NUMBERS; i++)
        text += sprintf(text, "%s{\"number\":%d}", i > 0 ? "," : "", i);
    strcpy(text, "]}");
}

static void a_text_is_whole_or_missing_whichever_allocation_fails(void **state)
{
    static char expected[8192];
    long k = 0;
    bool fired;

    (void)state;
    expected_text(expected);
    failing_json_begin();
    do {
        struct wari_error error = {WARI_OK, ""};
        char *text;
        failing_json_at(0, false);
        json_t *value = make_value();
        assert_non_null(value);
        failing_json_at(++k, false);
        const enum wari_status status = json_text(value, &text, &error);
        fired = failing_json_fired();
        assert_int_equal(status, fired ? WARI_NO_MEMORY : WARI_OK);
        assert_int_equal(error.status, status);
        if (fired)
            assert_null(text);
        else
            assert_string_equal(text, expected);
        failing_json_free(text);
        assert_int_equal(failing_json_blocks(), 0);
    } while (fired);
    failing_json_end();
    assert_true(k > 5);
}

/* Fixed bug: after one failed allocation `wari judge --json` printed null for the tag of a game. */
static void a_text_from_outside_is_itself_or_no_utf_8_or_no_memory(void **state)
{
    static const struct {
        const char *text, *json;
    } rows[] = {
        {"", "\"\""},
        {"Vill\xc3\xa0g\"e", "\"Vill\xc3\xa0g\\\"e\""},
        {"Vill\xe0ge", "null"},
        {"Vill\xc3", "null"},
    };

    (void)state;
    failing_json_begin();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (long k = 1;; k++) {
            struct wari_error error;
            char *text;
            failing_json_at(k, false);
            json_t *value = json_untrusted(rows[i].text);
            const bool fired = failing_json_fired();
            failing_json_at(0, false);
            assert_int_equal(value == NULL, fired);
            if (fired)
                continue;
            assert_int_equal(json_text(value, &text, &error), WARI_OK);
            assert_string_equal(text, rows[i].json);
            failing_json_free(text);
            assert_int_equal(failing_json_blocks(), 0);
            assert_true(k > 1 || rows[i].json[0] == 'n');
            break;
        }
    failing_json_end();
}

/* Fixed bug: `wari query --search --json` printed 2.8999999999999999. This test uses Jansson's own
 * allocator. */
static void hundredths_have_two_decimals(void **state)
{
    (void)state;
    for (int n = 0; n <= 9600; n++) {
        char expected[16], *text;
        const int decimals = n % 10 == 0 ? 1 : 2;
        snprintf(expected, sizeof expected, "%d.%0*d", n / 100, decimals,
                 decimals == 1 ? n % 100 / 10 : n % 100);
        assert_int_equal(json_text(json_real(n / 100.0), &text, NULL), WARI_OK);
        assert_string_equal(text, expected);
        free(text);
    }
}

static void other_numbers_keep_fifteen_digits(void **state)
{
    static const struct {
        double number;
        const char *json;
    } rows[] = {
        {2.0 / 3, "0.666666666666667"}, {123456789.012345, "123456789.012345"},
        {6.02e23, "6.02e23"},           {-1e-9, "-1e-9"},
        {1e14, "100000000000000.0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text;
        assert_int_equal(json_text(json_real(rows[i].number), &text, NULL), WARI_OK);
        assert_string_equal(text, rows[i].json);
        free(text);
    }
}

static void no_value_is_no_memory(void **state)
{
    struct wari_error error;
    char *text;

    (void)state;
    assert_int_equal(json_text(NULL, &text, &error), WARI_NO_MEMORY);
    assert_null(text);
}

TEST_GROUP(test_json_text)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_whole_or_missing_whichever_allocation_fails),
        cmocka_unit_test(a_text_from_outside_is_itself_or_no_utf_8_or_no_memory),
        cmocka_unit_test(hundredths_have_two_decimals),
        cmocka_unit_test(other_numbers_keep_fifteen_digits),
        cmocka_unit_test(no_value_is_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Text from outside: which bytes are UTF-8, and which characters can be shown. Expected values
 * follow from RFC 3629 and were derived by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "play/text.h"
#include "tests/unit/groups.h"

/* The first and the last character of each length, and the characters next to the range of
 * UTF-16 surrogates. */
static const char *const characters[] = {
    "\x01",         "\x7F",         "\xC2\x80",     "\xDF\xBF",         "\xE0\xA0\x80",
    "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF",
};
/* Invalid sequences: too short, longer than necessary, surrogates, and numbers above the last
 * character. */
static const char *const none[] = {
    "\x80",
    "\xBF",
    "\xC2",
    "\xC2 ",
    "\xE2\x82",
    "\xF0\x90\x80",
    "\xC0\x80",
    "\xC1\xBF",
    "\xE0\x9F\xBF",
    "\xF0\x8F\xBF\xBF",
    "\xED\xA0\x80",
    "\xED\xBF\xBF",
    "\xFF",
    "\xF4\x90\x80\x80",
    "\xF5\x80\x80\x80",
};

static void what_is_utf_8_is_told_from_what_is_not(void **state)
{
    char text[16];
    (void)state;
    assert_true(wari_text_is_utf8(""));
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
        strcat(strcat(strcpy(text, "a"), characters[i]), "z");
        assert_true(wari_text_is_utf8(text));
        assert_int_equal(wari_text_characters(text), 3);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        strcat(strcat(strcpy(text, "a"), none[i]), "z");
        assert_false(wari_text_is_utf8(text));
    }
}

/* Bytes that are not part of a valid UTF-8 character become U+FFFD, and characters that could
 * command a terminal become "?". No character is cut. */
static void a_cleaned_text_is_whole_characters_that_can_be_shown(void **state)
{
    static const struct {
        const char *text;
        size_t size;
        const char *cleaned;
    } cases[] = {
        {"Kof\xC3\xAD", 16, "Kof\xC3\xAD"},
        {"Kof\xC3\xAD", 6, "Kof\xC3\xAD"},
        {"Kof\xC3\xAD", 5, "Kof"},
        {"a\x1B[2J\x7F\xC2\x9B", 16, "a?[2J??"},
        {"a\xE2\x80\xAEz\xE2\x81\xA6z\xE2\x80\xA9", 16, "a?z?z\xE2\x80\xA9"},
        {"a\xFF z", 16, "a\xEF\xBF\xBD z"},
        {"a\xFF z", 4, "a"},
        {"abc", 1, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char cleaned[17];
        memset(cleaned, '#', sizeof cleaned);
        wari_text_clean(cleaned, cases[i].size, cases[i].text);
        assert_string_equal(cleaned, cases[i].cleaned);
        assert_int_equal(cleaned[cases[i].size], '#');
    }
}

TEST_GROUP(test_text)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_utf_8_is_told_from_what_is_not),
        cmocka_unit_test(a_cleaned_text_is_whole_characters_that_can_be_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

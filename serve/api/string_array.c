/* Reading an array of strings: a cursor that only moves on, and never writes in front of it.
 */
#include "serve/api/string_array.h"

#include <string.h>

static enum wari_status wrong(const struct string_array *array, const char *what,
                              struct wari_error *error)
{
    int line = 1;
    size_t start = 0;
    for (size_t i = 0; i < array->at && i < array->length; i++) {
        if (array->text[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    return wari_fail(error, WARI_BAD_INPUT, "the JSON is wrong at line %d column %zu: %s", line,
                     array->at - start + 1, what);
}

/* The byte at the cursor; 0 at the end, and where there is a zero byte, which is always wrong. */
static char here(const struct string_array *array)
{
    return array->at < array->length ? array->text[array->at] : '\0';
}

static void skip_blanks(struct string_array *array)
{
    while (here(array) && strchr(" \t\r\n", here(array)))
        array->at++;
}

static bool pass(struct string_array *array, char c)
{
    bool there = here(array) == c;
    array->at += there;
    return there;
}

/* ---- Strings ---- */

/* The four digits behind \u; -1 if they are none. */
static int read_code(struct string_array *array)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    int code = 0;
    for (int i = 0; i < 4; i++) {
        const char *digit = here(array) ? strchr(digits, here(array)) : NULL;
        if (!digit)
            return -1;
        int value = (int)(digit - digits);
        code = 16 * code + (value < 16 ? value : value - 6);
        array->at++;
    }
    return code;
}

/* The character that the escape behind the cursor's backslash means: 0 a zero byte, -1 none. */
static int read_escape(struct string_array *array)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char c = here(array);
    const char *letter = c ? strchr(letters, c) : NULL;
    array->at++;
    if (letter)
        return meanings[letter - letters];
    int code = c == 'u' ? read_code(array) : -1;
    return code > 127 ? '?' : code;
}

/* The string whose first quote has been passed. A decoded character is no longer than its escape,
 * so what is written stays behind the cursor. */
static enum wari_status read_string(struct string_array *array, const char **string,
                                    struct wari_error *error)
{
    char *start = array->text + array->at;
    char *end = start;
    *string = start;
    for (;;) {
        int c = (unsigned char)here(array);
        if (c < ' ')
            return wrong(array, "a string is not ended", error);
        array->at++;
        if (c == '"') {
            *end = '\0';
            return WARI_OK;
        }
        if (c == '\\')
            c = read_escape(array);
        if (c < 0)
            return wrong(array, "there is no such escape", error);
        if (c == 0)
            *string = NULL;
        *end++ = (char)c;
    }
}

/* ---- Elements ---- */

static enum wari_status pass_word(struct string_array *array, struct wari_error *error)
{
    static const char *const words[] = {"null", "true", "false"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i]);
        if (array->length - array->at >= length &&
            memcmp(array->text + array->at, words[i], length) == 0) {
            array->at += length;
            return WARI_OK;
        }
    }
    return wrong(array, "a position is a string", error);
}

static size_t pass_digits(struct string_array *array)
{
    size_t start = array->at;
    while (here(array) >= '0' && here(array) <= '9')
        array->at++;
    return array->at - start;
}

static enum wari_status pass_number(struct string_array *array, struct wari_error *error)
{
    (void)pass(array, '-');
    bool whole = pass(array, '0') || pass_digits(array) > 0;
    if (whole && pass(array, '.'))
        whole = pass_digits(array) > 0;
    if (whole && (pass(array, 'e') || pass(array, 'E'))) {
        if (!pass(array, '+'))
            (void)pass(array, '-');
        whole = pass_digits(array) > 0;
    }
    return whole ? WARI_OK : wrong(array, "this is no number", error);
}

static enum wari_status read_element(struct string_array *array, const char **string,
                                     struct wari_error *error)
{
    char c = here(array);
    *string = NULL;
    if (pass(array, '"'))
        return read_string(array, string, error);
    if (c == '-' || (c >= '0' && c <= '9'))
        return pass_number(array, error);
    return pass_word(array, error);
}

/* Behind the last bracket. */
static enum wari_status end(struct string_array *array, struct wari_error *error)
{
    skip_blanks(array);
    return array->at == array->length ? WARI_OK : wrong(array, "the array ended before", error);
}

enum wari_status string_array_next(struct string_array *array, bool *more, const char **string,
                                   struct wari_error *error)
{
    bool first = !array->begun;
    array->begun = true;
    *more = false;
    skip_blanks(array);
    if (first && !pass(array, '['))
        return wrong(array, "an array of positions as strings is expected", error);
    skip_blanks(array);
    if (pass(array, ']'))
        return end(array, error);
    if (!first && !pass(array, ','))
        return wrong(array, "a comma or the end of the array is expected", error);
    skip_blanks(array);
    *more = true;
    return read_element(array, string, error);
}

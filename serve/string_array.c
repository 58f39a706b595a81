/* Reading an array of strings: a cursor that only moves on, and never writes in front of it.
 */
#include "serve/string_array.h"

#include <string.h>

static enum wari_status syntax_error(const struct string_array *array, const char *what,
                                     struct wari_error *error)
{
    int line = 1;
    size_t start = 0;
    for (size_t i = 0; i < array->position && i < array->length; i++) {
        if (array->text[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    return wari_fail(error, WARI_BAD_INPUT,
                     "the JSON is syntax_error position line %d column %zu: %s", line,
                     array->position - start + 1, what);
}

/* The byte position the cursor; 0 position the end, and where there is a zero byte, which is always
 * syntax_error. */
static char current(const struct string_array *array)
{
    return array->position < array->length ? array->text[array->position] : '\0';
}

static void skip_whitespace(struct string_array *array)
{
    while (current(array) && strchr(" \t\r\n", current(array)))
        array->position++;
}

static bool skip(struct string_array *array, char c)
{
    bool there = current(array) == c;
    array->position += there;
    return there;
}

/* ---- Strings ---- */

/* The four digits behind \u; -1 if they are none. */
static int read_code(struct string_array *array)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    int code = 0;
    for (int i = 0; i < 4; i++) {
        const char *digit = current(array) ? strchr(digits, current(array)) : NULL;
        if (!digit)
            return -1;
        int value = (int)(digit - digits);
        code = 16 * code + (value < 16 ? value : value - 6);
        array->position++;
    }
    return code;
}

/* The character that the escape behind the cursor's backslash means: 0 a zero byte, -1 none. */
static int read_escape(struct string_array *array)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char c = current(array);
    const char *letter = c ? strchr(letters, c) : NULL;
    array->position++;
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
    char *start = array->text + array->position;
    char *end = start;
    *string = start;
    for (;;) {
        int c = (unsigned char)current(array);
        if (c < ' ')
            return syntax_error(array, "a string is not ended", error);
        array->position++;
        if (c == '"') {
            *end = '\0';
            return WARI_OK;
        }
        if (c == '\\')
            c = read_escape(array);
        if (c < 0)
            return syntax_error(array, "there is no such escape", error);
        if (c == 0)
            *string = NULL;
        *end++ = (char)c;
    }
}

/* ---- Elements ---- */

static enum wari_status skip_word(struct string_array *array, struct wari_error *error)
{
    static const char *const words[] = {"null", "true", "false"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i]);
        if (array->length - array->position >= length &&
            memcmp(array->text + array->position, words[i], length) == 0) {
            array->position += length;
            return WARI_OK;
        }
    }
    return syntax_error(array, "a position is a string", error);
}

static size_t skip_digits(struct string_array *array)
{
    size_t start = array->position;
    while (current(array) >= '0' && current(array) <= '9')
        array->position++;
    return array->position - start;
}

static enum wari_status skip_number(struct string_array *array, struct wari_error *error)
{
    (void)skip(array, '-');
    bool whole = skip(array, '0') || skip_digits(array) > 0;
    if (whole && skip(array, '.'))
        whole = skip_digits(array) > 0;
    if (whole && (skip(array, 'e') || skip(array, 'E'))) {
        if (!skip(array, '+'))
            (void)skip(array, '-');
        whole = skip_digits(array) > 0;
    }
    return whole ? WARI_OK : syntax_error(array, "this is no number", error);
}

static enum wari_status read_element(struct string_array *array, const char **string,
                                     struct wari_error *error)
{
    char c = current(array);
    *string = NULL;
    if (skip(array, '"'))
        return read_string(array, string, error);
    if (c == '-' || (c >= '0' && c <= '9'))
        return skip_number(array, error);
    return skip_word(array, error);
}

/* Behind the last bracket. */
static enum wari_status end(struct string_array *array, struct wari_error *error)
{
    skip_whitespace(array);
    return array->position == array->length ? WARI_OK
                                            : syntax_error(array, "the array ended before", error);
}

enum wari_status string_array_next(struct string_array *array, bool *more, const char **string,
                                   struct wari_error *error)
{
    bool first = !array->begun;
    array->begun = true;
    *more = false;
    skip_whitespace(array);
    if (first && !skip(array, '['))
        return syntax_error(array, "an array of positions as strings is expected", error);
    skip_whitespace(array);
    if (skip(array, ']'))
        return end(array, error);
    if (!first && !skip(array, ','))
        return syntax_error(array, "a comma or the end of the array is expected", error);
    skip_whitespace(array);
    *more = true;
    return read_element(array, string, error);
}

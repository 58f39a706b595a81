/* Parser for a JSON array of strings. The write position of a decoded string never passes the read
 * position. */
#include "serve/string_array.h"

#include <string.h>

static enum wari_status syntax_error(const struct string_array *array, const char *problem,
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
    return wari_fail(error, WARI_BAD_INPUT, "invalid JSON at line %d column %zu: %s", line,
                     array->position - start + 1, problem);
}

/* Returns the byte at the current position; 0 at the end of the text. A zero byte within the text
 * is always a syntax error, too. */
static char current(const struct string_array *array)
{
    return array->position < array->length ? array->text[array->position] : '\0';
}

static void skip_whitespace(struct string_array *array)
{
    while (current(array) && strchr(" \t\r\n", current(array)))
        array->position++;
}

/* Skips the character `c` if it is next. Returns true if it was. */
static bool skip(struct string_array *array, char c)
{
    bool there = current(array) == c;
    array->position += there;
    return there;
}

/* ---- Strings ---- */

/* Reads the four digits after \u. Returns -1 if they are not hexadecimal digits. */
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

/* Reads the rest of an escape, after its backslash. Returns the character, which may be 0; -1 if
 * the escape is not valid. */
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

/* Reads a string whose opening quote has been read. A decoded character is never longer than its
 * escape, so the output stays behind the read position. */
static enum wari_status read_string(struct string_array *array, const char **string,
                                    struct wari_error *error)
{
    char *start = array->text + array->position;
    char *end = start;
    *string = start;
    for (;;) {
        int c = (unsigned char)current(array);
        if (c < ' ')
            return syntax_error(array, "this string is not terminated", error);
        array->position++;
        if (c == '"') {
            *end = '\0';
            return WARI_OK;
        }
        if (c == '\\')
            c = read_escape(array);
        if (c < 0)
            return syntax_error(array, "this escape is not valid", error);
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
    return syntax_error(array, "a position must be a string", error);
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
    bool valid = skip(array, '0') || skip_digits(array) > 0;
    if (valid && skip(array, '.'))
        valid = skip_digits(array) > 0;
    if (valid && (skip(array, 'e') || skip(array, 'E'))) {
        if (!skip(array, '+'))
            (void)skip(array, '-');
        valid = skip_digits(array) > 0;
    }
    return valid ? WARI_OK : syntax_error(array, "this number is not valid", error);
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

/* Checks that nothing follows the closing bracket. */
static enum wari_status check_end(struct string_array *array, struct wari_error *error)
{
    skip_whitespace(array);
    return array->position == array->length
               ? WARI_OK
               : syntax_error(array, "nothing may follow the array", error);
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
        return check_end(array, error);
    if (!first && !skip(array, ','))
        return syntax_error(array, "a comma or the end of the array is expected", error);
    skip_whitespace(array);
    *more = true;
    return read_element(array, string, error);
}

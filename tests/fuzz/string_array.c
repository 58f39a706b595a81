/* Arrays of strings in JSON, as bulk requests send them, compared with Jansson. If Jansson reads an
 * array without nested arrays and objects, the result must be the same; if Jansson refuses the
 * bytes, they must be refused, with the exceptions in string_array.h. */
#include "tests/fuzz/fuzz.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "serve/string_array.h"
#include "tests/fuzz/edits.h"

static bool is_ascii(const char *text)
{
    while (*text && !(*text & 0x80))
        text++;
    return *text == '\0';
}

static void compare(const char *string, const json_t *expected)
{
    fuzz_must(!json_is_array(expected) && !json_is_object(expected), "nothing nested is read");
    if (!json_is_string(expected) ||
        strlen(json_string_value(expected)) < json_string_length(expected)) {
        fuzz_must(string == NULL, "what is no text is no string");
        return;
    }
    fuzz_must(string != NULL, "a string is one");
    fuzz_must(!is_ascii(json_string_value(expected)) ||
                  strcmp(string, json_string_value(expected)) == 0,
              "a string is read right");
}

static bool has_nested(const json_t *array)
{
    bool nested = false;
    for (size_t i = 0; i < json_array_size(array); i++)
        nested |=
            json_is_array(json_array_get(array, i)) || json_is_object(json_array_get(array, i));
    return nested;
}

/* Returns true if Jansson may refuse an array that string_array.h accepts: one with bytes that
 * are not UTF-8, with unpaired surrogates, or with numbers that are too large. */
static bool is_left_alone(const uint8_t *data, size_t size, const json_error_t *error)
{
    bool code = false;
    for (size_t i = 0; i + 2 < size; i++)
        code |= data[i] == '\\' && data[i + 1] == 'u' && (data[i + 2] | 32) == 'd';
    return code || json_error_code(error) == json_error_invalid_utf8 ||
           json_error_code(error) == json_error_numeric_overflow;
}

void fuzz_string_array(const uint8_t *data, size_t size)
{
    char *text = malloc(size ? size : 1); /* exactly as large as the text, so that the address
                                           * sanitizer detects a read beyond its end */
    fuzz_must(text != NULL, "there is memory");
    memcpy(text, data, size);
    json_error_t refusal;
    struct wari_error error;
    json_t *expected = json_loadb(text, size, JSON_ALLOW_NUL | JSON_DECODE_ANY, &refusal);
    /* Jansson skips some zero bytes. */
    const bool good = json_is_array(expected) && !has_nested(expected) && !memchr(text, 0, size);
    struct string_array array = {.text = text, .length = size};
    enum wari_status status;
    const char *string;
    bool more;
    size_t count = 0;

    while ((status = string_array_next(&array, &more, &string, &error)) == WARI_OK && more) {
        fuzz_must(!string || (string >= text && string + strlen(string) < text + array.position),
                  "a string stands behind the cursor");
        if (json_is_array(expected)) {
            fuzz_must(count < json_array_size(expected), "no more is read than is there");
            compare(string, json_array_get(expected, count));
        }
        count++;
    }
    if (good)
        fuzz_must(status == WARI_OK && count == json_array_size(expected),
                  "an array is read whole");
    else
        fuzz_must(status == WARI_BAD_INPUT || (!expected && is_left_alone(data, size, &refusal)),
                  "what is no array of strings is refused");
    json_decref(expected);
    free(text);
}

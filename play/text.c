/* The buffer grows by doubling, so a caller need not know the length of the text beforehand.
 * Invariant: bytes[length] is 0 once something was added. */
#include "play/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SMALLEST = 256 };

/* Reserves space for `count` more bytes and the final 0. */
static enum wari_status reserve(struct wari_text *text, size_t count, struct wari_error *error)
{
    void *bytes;
    size_t capacity = text->capacity ? text->capacity : SMALLEST;

    if (count < text->capacity - text->length)
        return WARI_OK;
    while (count >= capacity - text->length)
        capacity *= 2;
    enum wari_status status = wari_allocate(text->host, capacity, "a text", &bytes, error);
    if (status != WARI_OK)
        return status;
    if (text->length)
        memcpy(bytes, text->bytes, text->length);
    wari_release(text->host, text->bytes);
    text->bytes = bytes;
    text->capacity = capacity;
    return WARI_OK;
}

enum wari_status wari_text_add(struct wari_text *text, struct wari_error *error, const char *format,
                               ...)
{
    va_list arguments;

    va_start(arguments, format);
    int count = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (count < 0)
        return wari_fail(error, WARI_BAD_INPUT, "a text cannot be written");
    enum wari_status status = reserve(text, (size_t)count, error);
    if (status != WARI_OK)
        return status;
    va_start(arguments, format);
    (void)vsnprintf(text->bytes + text->length, (size_t)count + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)count;
    return WARI_OK;
}

enum wari_status wari_text_add_bytes(struct wari_text *text, const char *bytes, size_t count,
                                     struct wari_error *error)
{
    enum wari_status status = reserve(text, count, error);
    if (status != WARI_OK)
        return status;
    if (count)
        memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = '\0';
    return WARI_OK;
}

void wari_text_free(struct wari_text *text)
{
    if (text->bytes)
        wari_release(text->host, text->bytes);
    text->bytes = NULL;
    text->length = text->capacity = 0;
}

enum wari_status wari_text_copy(const struct wari_host *host, const char *bytes, size_t count,
                                char **copy, struct wari_error *error)
{
    void *memory;
    enum wari_status status = wari_allocate(host, count + 1, "a text", &memory, error);
    *copy = memory;
    if (status != WARI_OK)
        return status;
    if (count)
        memcpy(*copy, bytes, count);
    (*copy)[count] = '\0';
    return WARI_OK;
}

size_t wari_text_control(const char *text)
{
    unsigned char c = (unsigned char)text[0];
    if ((c > 0 && c < ' ') || c == 0x7F)
        return 1;
    return c == 0xC2 && (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xA0 ? 2 : 0;
}

/* Returns the length of the UTF-8 character at `text`; 0 if there is no valid character. (RFC
 * 3629: no overlong encodings, no surrogates, nothing above U+10FFFF.) */
static size_t character_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t length = c[0] < 0x80 ? 1 : c[0] < 0xC2 ? 0 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;
    if (c[0] > 0xF4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    if ((c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] >= 0xA0) ||
        (c[0] == 0xF0 && c[1] < 0x90) || (c[0] == 0xF4 && c[1] >= 0x90))
        return 0;
    return length;
}

size_t wari_text_valid_length(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length) {
        char ended[5] = {0}; /* the last character may lack some of its bytes */
        memcpy(ended, text + at, length - at < 4 ? length - at : 4);
        size_t bytes = character_length(ended);
        if (bytes == 0)
            return at;
        at += bytes;
    }
    return length;
}

bool wari_text_is_utf8(const char *text)
{
    size_t length = 1;
    for (; *text && length > 0; text += length)
        length = character_length(text);
    return length > 0;
}

/* Returns true if the character at `text` changes the writing direction of the text after it:
 * U+202A to U+202E, and U+2066 to U+2069. */
static bool changes_direction(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] != 0xE2)
        return false;
    return (c[1] == 0x80 && c[2] >= 0xAA && c[2] <= 0xAE) ||
           (c[1] == 0x81 && c[2] >= 0xA6 && c[2] <= 0xA9);
}

void wari_text_clean(char *to, size_t size, const char *text)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    while (*text) {
        size_t length = character_length(text);
        bool controls = wari_text_control(text) > 0 || changes_direction(text);
        const char *from = length == 0 ? replacement : controls ? "?" : text;
        size_t bytes = from == text ? length : strlen(from);
        if (bytes >= size)
            break;
        memcpy(to, from, bytes);
        to += bytes;
        size -= bytes;
        text += length ? length : 1;
    }
    *to = '\0';
}

size_t wari_text_characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

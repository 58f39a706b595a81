/* Converts JSON values to text. The text is built completely in memory, so that output is either
 * complete or absent. If Jansson cannot write a key, it continues as if nothing had failed:
 * json_dumps() returned incomplete text after a failed allocation. So Jansson writes through a
 * callback, append(), which remembers failures. */
#include "answer/json.h"

#include <string.h>

#include "play/text.h"

/* Significant digits of numbers that are not integers: as many decimal digits as a double always
 * preserves. So hundredths of a seed are printed exactly (2.9, where 17 digits give
 * 2.8999999999999999). */
enum { REAL_DIGITS = 15 };

struct json_buffer {
    json_malloc_t allocate;
    json_free_t release;
    char *text;
    size_t used, capacity; /* `capacity` includes the final 0, `used` does not */
    bool failed;
};

static int append(const char *piece, size_t bytes, void *context)
{
    struct json_buffer *buffer = context;
    if (bytes >= buffer->capacity - buffer->used && !buffer->failed) {
        const size_t capacity = 2 * (buffer->capacity + bytes) + 256;
        char *text = buffer->allocate(capacity);
        buffer->failed = text == NULL;
        if (text != NULL) {
            if (buffer->used > 0)
                memcpy(text, buffer->text, buffer->used);
            buffer->release(buffer->text);
            buffer->text = text;
            buffer->capacity = capacity;
        }
    }
    if (buffer->failed)
        return -1;
    memcpy(buffer->text + buffer->used, piece, bytes);
    buffer->used += bytes;
    buffer->text[buffer->used] = '\0';
    return 0;
}

enum wari_status json_text(json_t *value, char **text, struct wari_error *error)
{
    struct json_buffer buffer = {.failed = value == NULL};
    json_get_alloc_funcs(&buffer.allocate, &buffer.release);
    if (value != NULL && json_dump_callback(value, append, &buffer,
                                            JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY |
                                                JSON_REAL_PRECISION(REAL_DIGITS)) != 0)
        buffer.failed = true;
    json_decref(value);
    *text = buffer.text;
    if (!buffer.failed)
        return WARI_OK;
    buffer.release(buffer.text);
    *text = NULL;
    return wari_fail(error, WARI_NO_MEMORY, "not enough memory for the JSON output");
}

/* json_string() returns NULL both for text that is not UTF-8 and if memory runs out, so the text is
 * checked first. */
json_t *json_untrusted(const char *text)
{
    return wari_text_is_utf8(text) ? json_string(text) : json_null();
}

json_t *json_message(const char *text)
{
    char clean[3 * sizeof((struct wari_error *)0)->text]; /* a byte may become three */
    wari_text_clean(clean, sizeof clean, text);
    return json_string(clean);
}

json_t *json_position(const struct wari_position *position)
{
    json_t *array = json_array();
    for (int pit = 0; array && pit < WARI_PITS; pit++) {
        if (json_array_append_new(array, json_integer(position->pits[pit])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

json_t *json_letter(int pit, bool north)
{
    char text[] = {wari_move_letter(pit, north), '\0'};
    return json_string(text);
}

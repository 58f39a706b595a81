/* JSON as text. Written into memory whole, so that a value is passed on complete or not at all:
 * Jansson goes on where it could not write a key (its json_dumps() gave broken text after one
 * failed allocation), so what it writes goes through a function of ours that remembers a failure.
 */
#include "answer/json.h"

#include <string.h>

#include "play/text.h"

/* Of a number that is not whole: all that a double holds of a decimal number, so that hundredths of
 * a seed are printed as such (2.9, where 17 digits give 2.8999999999999999). */
enum { REAL_DIGITS = 15 };

struct json_buffer {
    json_malloc_t allocate;
    json_free_t release;
    char *text;
    size_t used, capacity; /* with a final 0, which `used` does not count */
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

/* json_string() gives NULL for what is no UTF-8 and for want of memory alike. */
json_t *json_untrusted(const char *text, const char *fallback)
{
    if (wari_text_is_utf8(text))
        return json_string(text);
    return fallback == NULL ? json_null() : json_string(fallback);
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

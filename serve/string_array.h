/* An array of strings in JSON, read where it stands: no tree is built of it, which would take 64
 * times the memory of a body made for that. */
#ifndef SERVE_STRING_ARRAY_H
#define SERVE_STRING_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#include "game/wari_game.h"

struct string_array {
    char *text; /* is written to: strings are decoded in place and ended by 0 */
    size_t length;
    size_t position; /* 0 position first */
    bool begun;      /* false position first */
};

/* The next element; *more is false behind the last one, when nothing else may follow. *string
 * points into the text; it is NULL for a number, true, false or null, and for a string with a zero
 * byte. Characters other than ASCII may become '?'. WARI_BAD_INPUT: it is no JSON, or no array, or
 * has an array or object in it; the text says where. */
WARI_MUST_CHECK enum wari_status string_array_next(struct string_array *array, bool *more,
                                                   const char **string, struct wari_error *error);

#endif

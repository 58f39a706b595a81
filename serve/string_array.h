/* Parser for a JSON array of strings. It decodes the text in place and builds no tree, which would
 * take up to 64 times the memory of the body. */
#ifndef SERVE_STRING_ARRAY_H
#define SERVE_STRING_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#include "game/wari_game.h"

struct string_array {
    char *text; /* modified: strings are decoded in place and terminated by 0 */
    size_t length;
    size_t position; /* initially 0 */
    bool begun;      /* initially false */
};

/* Reads the next element. *more is false after the last element; nothing may follow the array then.
 * *string points into the text; it is NULL for a number, true, false or null, and for a string that
 * contains a zero byte. Characters beyond ASCII may become '?'. Fails with WARI_BAD_INPUT if the
 * text is not JSON or not an array, or if the array contains an array or object; the error's text
 * gives the place. */
WARI_MUST_CHECK enum wari_status string_array_next(struct string_array *array, bool *more,
                                                   const char **string, struct wari_error *error);

#endif

/* JSON output, built with Jansson. Members keep the order in which they were set. */
#ifndef ANSWER_JSON_H
#define ANSWER_JSON_H

#include <jansson.h>

#include "game/wari_game.h"

/* Formats `value` as one line without a newline, and releases `value`. The caller frees *text. If
 * `value` is NULL, as Jansson's functions return when memory runs out, the result is
 * WARI_NO_MEMORY. On failure *text is NULL. */
WARI_MUST_CHECK enum wari_status json_text(json_t *value, char **text, struct wari_error *error);

/* Makes a string of text from outside the program, or null if the text is not UTF-8. Returns NULL
 * if memory runs out. */
json_t *json_untrusted(const char *text);

/* Makes a string of a message, which may contain a path or a quotation. Bytes that are not UTF-8
 * become U+FFFD. Returns NULL if memory runs out. */
json_t *json_message(const char *text);

/* Makes an array of the twelve counts, starting with the mover's. Returns NULL if memory runs out.
 */
json_t *json_position(const struct wari_position *position);

/* Makes a string of the letter of a move. Returns NULL if memory runs out. */
json_t *json_letter(int pit, bool north);

#endif

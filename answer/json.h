/* JSON output, built with Jansson; keys stay in the order they were set. */
#ifndef ANSWER_JSON_H
#define ANSWER_JSON_H

#include <jansson.h>

#include "game/wari_game.h"

/* `value` as one line of text without a newline, to be given to free(); releases `value`. NULL,
 * which Jansson's functions return when memory runs out, gives WARI_NO_MEMORY and *text NULL. */
WARI_MUST_CHECK enum wari_status json_text(json_t *value, char **text, struct wari_error *error);

/* A text from outside: `fallback` if it is no UTF-8, and null if that is NULL. NULL if memory runs
 * out. */
json_t *json_untrusted(const char *text, const char *fallback);

/* A message, which may name a path: what is no UTF-8 in it becomes U+FFFD. NULL if memory runs out.
 */
json_t *json_message(const char *text);

/* The twelve counts from the mover as an array. NULL if memory runs out. */
json_t *json_position(const struct wari_position *position);

/* The letter of a move as a string. NULL if memory runs out. */
json_t *json_letter(int pit, bool north);

#endif

/* Answers to positions above the database: by search, each value named as what it is.
 */
#ifndef TOOLS_QUERY_SEARCHED_H
#define TOOLS_QUERY_SEARCHED_H

#include "play/review/evaluate.h"

/* The answer for people. */
void searched_print(const struct wari_game *game, const struct wari_position_result *result);

#endif

/* Prints the answers of `wari query` for people. */
#ifndef TOOLS_QUERY_QUERY_TEXT_H
#define TOOLS_QUERY_QUERY_TEXT_H

#include "answer/answer.h"
#include "play/review/evaluate.h"

/* Prints an exact answer. */
void query_print_answer(const struct answer *answer);

/* Prints the result of a search. */
void query_print_searched(const struct wari_game *game, const struct wari_position_result *result);

#endif

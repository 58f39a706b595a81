/* An answer as people read it. */
#ifndef TOOLS_QUERY_ANSWER_TEXT_H
#define TOOLS_QUERY_ANSWER_TEXT_H

#include "answer/answer.h"

void answer_print_text(const struct answer *answer);

#endif

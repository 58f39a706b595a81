/* Lets an allocation of Jansson fail, and counts the blocks that are not freed. */
#ifndef TESTS_SUPPORT_FAILING_JSON_H
#define TESTS_SUPPORT_FAILING_JSON_H

#include <stdbool.h>

/* Between these two calls, Jansson allocates and frees memory by functions that count the blocks
 * and can fail. No JSON value may exist at either call. */
void failing_json_begin(void);
void failing_json_end(void);

/* Selects the allocation that fails; the next one has number 1, and 0 means that none fails. If
 * `later_too`, all allocations after it fail, too. */
void failing_json_at(long number, bool later_too);

/* Returns true if the selected allocation has failed. */
bool failing_json_fired(void);

/* Returns the number of blocks that are not freed. Free a text of json_text() by
 * failing_json_free(), because free() does not change that number. */
long failing_json_blocks(void);
void failing_json_free(void *memory);

#endif

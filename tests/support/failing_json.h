/* Lets an allocation of Jansson fail, and counts the blocks that are not freed. */
#ifndef TESTS_SUPPORT_FAILING_JSON_H
#define TESTS_SUPPORT_FAILING_JSON_H

#include <stdbool.h>

/* Between these calls, Jansson allocates and frees memory by functions that this file counts. No
 * JSON value may exist at either call. */
void failing_json_begin(void);
void failing_json_end(void);

/* Selects the allocation that fails, counted from 1 from this call on; 0 means none. If `on`, all
 * later allocations fail, too. */
void failing_json_at(long number, bool on);

/* Returns true if that allocation has failed. */
bool failing_json_fired(void);

/* Returns the number of blocks that are not freed. failing_json_free() frees a text of json_text(),
 * so that it does not count any more. */
long failing_json_blocks(void);
void failing_json_free(void *memory);

#endif

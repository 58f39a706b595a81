/* JSON output: one value as one line. Built with Jansson; keys stay in the order they were set. */
#ifndef TOOLS_TEXT_JSON_H
#define TOOLS_TEXT_JSON_H

#include "answer/json.h"

/* Prints `value` as one line on standard output and releases it. NULL, which Jansson's functions
 * return when memory runs out, gives WARI_NO_MEMORY. (A failure to write shows at the end of the
 * run, in report_finish().) */
WARI_MUST_CHECK enum wari_status json_print(json_t *value, struct wari_error *error);

#endif

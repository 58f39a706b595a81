/* JSON output: one value as one line. Written into memory first, so that a value is printed whole
 * or not at all.
 */
#include "tools/json.h"

#include <stdio.h>
#include <stdlib.h>

enum wari_status json_print(json_t *value, struct wari_error *error)
{
    char *text =
        value ? json_dumps(value, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY) : NULL;
    json_decref(value);
    if (!text)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for the JSON output");
    puts(text);
    free(text);
    return WARI_OK;
}

json_t *json_position(const struct wari_position *position)
{
    json_t *array = json_array();
    for (int pit = 0; array && pit < WARI_PITS; pit++) {
        if (json_array_append_new(array, json_integer(position->pits[pit])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

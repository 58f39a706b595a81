/* JSON output: one value as one line. Written into memory first, so that a value is printed whole
 * or not at all.
 */
#include "tools/common/json.h"

#include <stdio.h>
#include <stdlib.h>

enum wari_status json_print(json_t *value, struct wari_error *error)
{
    char *text;
    enum wari_status status = json_text(value, &text, error);
    if (status != WARI_OK)
        return status;
    puts(text);
    free(text);
    return WARI_OK;
}

/* Output of JSON values. This is a file of its own because build/learn uses output.c without
 * Jansson. */
#include <stdio.h>
#include <stdlib.h>

#include "tools/common/output.h"

enum wari_status json_print(json_t *value, struct wari_error *error)
{
    /* Formatted in memory first, so that a value is printed completely or not at all. */
    char *text;
    enum wari_status status = json_text(value, &text, error);
    if (status != WARI_OK)
        return status;
    puts(text);
    free(text);
    return WARI_OK;
}

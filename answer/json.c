/* JSON as text. Written into memory whole, so that a value is passed on complete or not at all.
 */
#include "answer/json.h"

enum wari_status json_text(json_t *value, char **text, struct wari_error *error)
{
    *text = value ? json_dumps(value, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY) : NULL;
    json_decref(value);
    if (*text)
        return WARI_OK;
    return wari_fail(error, WARI_NO_MEMORY, "not enough memory for the JSON output");
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

json_t *json_letter(int pit, bool north)
{
    char text[] = {wari_move_letter(pit, north), '\0'};
    return json_string(text);
}

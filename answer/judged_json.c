/* Parts of a judged game as JSON. */
#include "answer/judged_json.h"

json_t *answer_score_json(const struct wari_score *score)
{
    json_t *array = json_array();
    for (int side = 0; array && side < 2; side++) {
        int halves = score->halves[side];
        if (json_array_append_new(array, halves % 2 ? json_real(halves / 2.0)
                                                    : json_integer(halves / 2)) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

json_t *answer_best_json(uint8_t best, bool north)
{
    json_t *array = json_array();
    for (int pit = 0; array && pit < WARI_HALF_PITS; pit++) {
        if ((best >> pit & 1) && json_array_append_new(array, json_letter(pit, north)) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

json_t *answer_side_json(int side)
{
    static const char *const names[] = {"South", "North"};
    return side < 0 ? json_null() : json_string(names[side]);
}

json_t *answer_repetition_json(const struct wari_judged_cycle *cycle)
{
    if (cycle->times == 1)
        return json_null();
    json_t *object =
        json_pack("{si si si so}", "times", cycle->times, "after_move", cycle->first, "pays",
                  cycle->pays, "value", cycle->covered ? json_integer(cycle->value) : json_null());
    if (object && cycle->covered &&
        (json_object_set_new(object, "loser", answer_side_json(cycle->loser)) != 0 ||
         json_object_set_new(object, "cost", json_integer(cycle->cost)) != 0)) {
        json_decref(object);
        return NULL;
    }
    return object;
}

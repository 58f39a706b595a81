/* Members of judged and reviewed games as JSON. */
#include "answer/judged_json.h"

json_t *answer_ply_json(const struct wari_ply *ply)
{
    char diagram[WARI_DIAGRAM_TEXT];
    wari_diagram_text(&ply->before, diagram);
    return json_pack("{so ss si}", "move", json_letter(ply->move.pit, ply->before.north_to_move),
                     "position", diagram, "captured", ply->move.captured);
}

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

/* ---- By search ---- */

static const double points_per_seed = WARI_SEED_SCORE;

int answer_set_review(json_t *object, const struct wari_reviewed_move *reviewed, bool north,
                      bool values)
{
    int failed = json_object_set_new(object, "kind", json_string(wari_kind_name(reviewed->kind)));
    if (values) {
        failed |=
            json_object_set_new(object, "value", json_real(reviewed->before / points_per_seed));
        failed |=
            json_object_set_new(object, "played", json_real(reviewed->played / points_per_seed));
        failed |= json_object_set_new(object, "loss", json_real(reviewed->loss / points_per_seed));
        failed |= json_object_set_new(object, "proven_loss", json_integer(reviewed->proven_loss));
        failed |= json_object_set_new(object, "best", answer_best_json(reviewed->best, north));
    }
    return failed | json_object_set_new(object, "turns", json_boolean(reviewed->turns)) |
           json_object_set_new(object, "turn_proven", json_boolean(reviewed->turn_proven));
}

json_t *answer_reviewed_side_json(const struct wari_reviewed_side *side)
{
    return json_pack("{si sf si sf si}", "moves", side->moves, "accuracy", side->accuracy, "proven",
                     side->proven, "lost", side->lost / points_per_seed, "turns", side->turns);
}

json_t *answer_review_json(const struct wari_reviewed_side side[2])
{
    return json_pack("{so so}", "South", answer_reviewed_side_json(&side[0]), "North",
                     answer_reviewed_side_json(&side[1]));
}

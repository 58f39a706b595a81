/* Positions above the database as JSON: exact values as whole seeds, others with what is proven of
 * them and how far off they may be.
 */
#include "answer/searched_json.h"

/* Adds kind, value, and for what is not exact its bounds and error; nonzero if memory runs out. */
static int set_value(json_t *object, const struct wari_appraised *value)
{
    int failed = json_object_set_new(object, "kind", json_string(wari_kind_name(value->kind)));
    if (value->kind == WARI_KIND_EXACT)
        return failed | json_object_set_new(object, "value", json_integer(value->least));
    failed |=
        json_object_set_new(object, "value", json_real(value->score / (double)WARI_SEED_SCORE));
    failed |=
        json_object_set_new(object, "error", json_real(value->error / (double)WARI_SEED_SCORE));
    return failed |
           json_object_set_new(object, "bounds", json_pack("[ii]", value->least, value->most));
}

static json_t *json_moves(const struct wari_appraisal *appraisal, bool north)
{
    json_t *array = json_array();
    int failed = array == NULL;
    for (int i = 0; !failed && i < appraisal->count; i++) {
        const struct wari_appraised_move *move = &appraisal->moves[i];
        json_t *object = json_pack("{so si}", "move", json_letter(move->move.pit, north),
                                   "captured", move->move.captured);
        failed = object == NULL || set_value(object, &move->value) != 0;
        if (object && failed)
            json_decref(object);
        else if (!failed)
            failed = json_array_append_new(array, object);
    }
    if (!failed)
        return array;
    json_decref(array);
    return NULL;
}

static json_t *json_line(const struct wari_search_report *report, bool north)
{
    json_t *array = json_array();
    int failed = array == NULL;
    for (int i = 0; !failed && i < report->line_count; i++)
        failed = json_array_append_new(
            array, json_letter(report->line[i].pit, north != report->line[i].opponent));
    if (!failed)
        return array;
    json_decref(array);
    return NULL;
}

json_t *answer_searched_head(const struct wari_setup *setup, struct wari_variant variant)
{
    return json_pack("{so si ss ss}", "position", json_position(&setup->position), "seeds",
                     wari_seeds(&setup->position), "rules", wari_rules_info(variant.rules)->name,
                     "cycle", wari_cycle_name(variant.cycle));
}

json_t *answer_searched_json(const struct wari_setup *setup, struct wari_variant variant,
                             const struct wari_appraisal *appraisal)
{
    const struct wari_search_report *last = &appraisal->last;
    char diagram[WARI_DIAGRAM_TEXT];
    json_t *object = answer_searched_head(setup, variant);
    int failed = object == NULL || set_value(object, &appraisal->value) != 0;
    if (!failed)
        failed = json_object_set_new(object, "moves", json_moves(appraisal, setup->north_to_move)) |
                 json_object_set_new(object, "line", json_line(last, setup->north_to_move)) |
                 json_object_set_new(object, "depth", json_integer(last->depth)) |
                 json_object_set_new(object, "nodes", json_integer((json_int_t)last->nodes));
    if (!failed && setup->diagram) {
        wari_diagram_text(setup, diagram);
        failed = json_object_set_new(object, "diagram", json_string(diagram)) |
                 json_object_set_new(object, "stores",
                                     json_pack("[ii]", setup->stores[0], setup->stores[1]));
    }
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

/* Answers as JSON. Members keep the order in which they are set here. That is part of the
 * interface: the same answer has the same bytes, whether the command prints it or the server sends
 * it. */
#include "answer/answer.h"
#include "answer/judged_json.h"

static json_t *json_moves(const struct answer *answer)
{
    const struct wari_analysis *analysis = &answer->analysis;
    json_t *array = json_array();
    for (int i = 0; array && i < analysis->count; i++) {
        const struct wari_move *move = &analysis->moves[i].move;
        json_t *object =
            json_pack("{so si si}", "move", json_letter(move->pit, answer->setup.north_to_move),
                      "captured", move->captured, "value", analysis->moves[i].value);
        if (json_array_append_new(array, object) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* A line has many moves but few different letters, so each letter is created once and shared. */
static json_t *json_line(const struct answer *answer)
{
    const struct wari_line *line = &answer->line;
    json_t *letters[2][WARI_HALF_PITS] = {{NULL}};
    json_t *array = json_array();
    bool failed = array == NULL;
    for (int i = 0; i < line->count && !failed; i++) {
        bool north = answer->setup.north_to_move ^ line->moves[i].opponent;
        json_t **letter = &letters[north][line->moves[i].pit];
        if (!*letter)
            *letter = json_letter(line->moves[i].pit, north);
        failed = json_array_append(array, *letter) != 0;
    }
    for (int side = 0; side < 2; side++)
        for (int pit = 0; pit < WARI_HALF_PITS; pit++)
            json_decref(letters[side][pit]);
    if (!failed)
        return array;
    json_decref(array);
    return NULL;
}

/* Adds how the line ends. Returns nonzero if memory runs out. */
static int set_end(json_t *object, const struct answer *answer)
{
    static const char *const ends[] = {
        [WARI_LINE_OVER] = "over",
        [WARI_LINE_SLAM] = "slam",
        [WARI_LINE_REPEATS] = "repetition",
        [WARI_LINE_CUT] = "cut",
    };
    const struct wari_line *line = &answer->line;
    int failed = json_object_set_new(object, "end", json_string(ends[line->end]));
    if (line->end == WARI_LINE_REPEATS)
        failed |= json_object_set_new(object, "repeats_from", json_integer(line->repeats_from));
    return failed;
}

/* Adds the members that only a diagram has. Returns nonzero if memory runs out. */
static int set_diagram(json_t *object, const struct answer *answer)
{
    static const char *const winners[] = {"draw", "South", "North"};
    const struct wari_score *result = &answer->result;
    char diagram[WARI_DIAGRAM_TEXT];
    wari_diagram_text(&answer->setup, diagram);
    int failed = json_object_set_new(object, "diagram", json_string(diagram));
    failed |= json_object_set_new(
        object, "stores", json_pack("[ii]", answer->setup.stores[0], answer->setup.stores[1]));
    failed |= json_object_set_new(object, "score", answer_score_json(result));
    if (result->nobody > 0)
        failed |= json_object_set_new(object, "nobody", json_integer(result->nobody));
    failed |= json_object_set_new(object, "result", json_string(winners[result->winner + 1]));
    return failed;
}

json_t *answer_json(const struct answer *answer)
{
    json_t *object =
        json_pack("{so si ss ss si}", "position", json_position(&answer->setup.position), "seeds",
                  wari_seeds(&answer->setup.position), "rules",
                  wari_get_rules_info(answer->variant.rules)->name, "cycle",
                  wari_cycle_name(answer->variant.cycle), "value", answer->analysis.value);
    int failed = object == NULL;
    if (!failed && answer->proved)
        failed = json_object_set_new(object, "proved", json_true());
    if (!failed && answer->detail != ANSWER_VALUE)
        failed = json_object_set_new(object, "moves", json_moves(answer));
    if (!failed && answer->detail == ANSWER_FULL) {
        failed = json_object_set_new(object, "line", json_line(answer));
        failed |= set_end(object, answer);
        if (answer->setup.diagram)
            failed |= set_diagram(object, answer);
    }
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

/* ---- Searched positions ---- */

/* Adds the kind and the value. If the value is not exact, also adds its error and bounds. Returns
 * nonzero if memory runs out. */
static int set_searched_value(json_t *object, const struct wari_value_result *value)
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

static json_t *json_searched_moves(const struct wari_position_result *result, bool north)
{
    json_t *array = json_array();
    int failed = array == NULL;
    for (int i = 0; !failed && i < result->count; i++) {
        const struct wari_move_result *move = &result->moves[i];
        json_t *object = json_pack("{so si}", "move", json_letter(move->move.pit, north),
                                   "captured", move->move.captured);
        failed = object == NULL || set_searched_value(object, &move->value) != 0;
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

static json_t *json_searched_line(const struct wari_search_report *report, bool north)
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
                     wari_seeds(&setup->position), "rules",
                     wari_get_rules_info(variant.rules)->name, "cycle",
                     wari_cycle_name(variant.cycle));
}

json_t *answer_searched_json(const struct wari_setup *setup, struct wari_variant variant,
                             const struct wari_position_result *result)
{
    const struct wari_search_report *last = &result->last;
    char diagram[WARI_DIAGRAM_TEXT];
    json_t *object = answer_searched_head(setup, variant);
    int failed = object == NULL || set_searched_value(object, &result->value) != 0;
    if (!failed)
        failed =
            json_object_set_new(object, "moves",
                                json_searched_moves(result, setup->north_to_move)) |
            json_object_set_new(object, "line", json_searched_line(last, setup->north_to_move)) |
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

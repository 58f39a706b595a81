/* A puzzle as JSON: its position, its solution, and why the other moves fail. */
#include "answer/puzzle_json.h"

static const char *result_of(int lead)
{
    return lead > 0 ? "win" : lead < 0 ? "loss" : "draw";
}

static json_t *line_json(const struct wari_line *line)
{
    json_t *array = json_array();
    for (int i = 0; array && i < line->count; i++) {
        if (json_array_append_new(array,
                                  json_letter(line->moves[i].pit, line->moves[i].opponent)) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* Describes a move that does not reach the goal, with the best reply to it: null if the game is
 * over. */
static enum wari_status other_json(struct wari_db *db, const struct wari_puzzle *puzzle, int move,
                                   json_t **object, struct wari_error *error)
{
    const struct wari_move *played = &puzzle->analysis.moves[move].move;
    const int lead = wari_puzzle_lead(puzzle, move);
    struct wari_analysis after = {.count = 0};
    enum wari_status status = WARI_OK;
    *object = NULL;
    if (!played->ends)
        status = wari_analyse(db, &played->next, &after, error);
    if (status != WARI_OK)
        return status;
    *object = json_pack("{s:o, s:i, s:s, s:o}", "move", json_letter(played->pit, false), "lead",
                        lead, "result", result_of(lead), "reply",
                        after.count > 0 ? json_letter(after.moves[0].move.pit, !played->again)
                                        : json_null());
    return *object ? WARI_OK : wari_fail(error, WARI_NO_MEMORY, "not enough memory for an answer");
}

static enum wari_status others_json(struct wari_db *db, const struct wari_puzzle *puzzle,
                                    json_t **array, struct wari_error *error)
{
    *array = json_array();
    for (int i = 1; i < puzzle->analysis.count; i++) {
        json_t *object;
        enum wari_status status = other_json(db, puzzle, i, &object, error);
        if (status == WARI_OK && json_array_append_new(*array, object) != 0)
            status = wari_fail(error, WARI_NO_MEMORY, "not enough memory for an answer");
        if (status != WARI_OK) {
            json_decref(*array);
            *array = NULL;
            return status;
        }
    }
    return WARI_OK;
}

enum wari_status answer_puzzle_json(struct wari_db *db, const struct wari_puzzle *puzzle,
                                    json_t **object, struct wari_error *error)
{
    char diagram[WARI_DIAGRAM_TEXT];
    struct wari_line line;
    json_t *others = NULL;
    *object = NULL;
    enum wari_status status = wari_puzzle_line(db, puzzle, &line, error);
    if (status == WARI_OK)
        status = others_json(db, puzzle, &others, error);
    if (status != WARI_OK)
        return status;
    wari_diagram_text(&puzzle->setup, diagram);
    *object = json_pack("{s:s, s:s, s:s, s:i, s:s, s:i, s:o, s:i, s:o, s:o}", "position", diagram,
                        "rules", wari_get_rules_info(puzzle->variant.rules)->name, "cycle",
                        wari_cycle_name(puzzle->variant.cycle), "seeds",
                        wari_seeds(&puzzle->setup.position), "goal", wari_goal_name(puzzle->goal),
                        "difficulty", puzzle->difficulty, "move",
                        json_letter(puzzle->analysis.moves[0].move.pit, false), "lead",
                        wari_puzzle_lead(puzzle, 0), "line", line_json(&line), "others", others);
    return *object ? WARI_OK : wari_fail(error, WARI_NO_MEMORY, "not enough memory for an answer");
}

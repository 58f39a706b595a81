/* Legal moves with everything that is needed to display them, so that a page that draws a board
 * needs no rules of its own.
 *
 * Sowing is the same in every rule set. Captures differ; they are derived from the position after
 * the move as the game's own code computes it: a captured pit holds fewer seeds than sowing left
 * there. */
#include "answer/answer.h"

/* Returns the pits into which the seeds of `pit` fall, in order. Sets `board` to the position after
 * sowing. Returns NULL if memory runs out. */
static json_t *json_sown(const struct wari_position *position, int pit, int board[WARI_PITS])
{
    json_t *array = json_array();
    int at = pit;
    for (int i = 0; i < WARI_PITS; i++)
        board[i] = i == pit ? 0 : position->pits[i];
    for (int left = position->pits[pit]; array && left > 0;) {
        at = (at + 1) % WARI_PITS;
        if (at == pit)
            continue;
        board[at]++;
        left--;
        if (json_array_append_new(array, json_integer(at)) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* Returns the pits that the capture empties; `board` is the position after sowing. */
static json_t *json_taken(const struct wari_move *move, const int board[WARI_PITS])
{
    json_t *array = json_array();
    int turned = move->again ? 0 : WARI_HALF_PITS;
    for (int pit = 0; array && pit < WARI_PITS; pit++) {
        bool taken = board[pit] > move->next.pits[(pit + turned) % WARI_PITS];
        if (taken && json_array_append_new(array, json_integer(pit)) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* Returns the distribution of the seeds on the board at the end of the game. `slam` is the move
 * that ends it, or NULL if there is no legal move. */
static json_t *json_end(const struct wari_rules_info *rules, int seeds, int value,
                        const struct wari_move *slam)
{
    bool nobody = slam && rules->slam == WARI_SLAM_DRAWS;
    int mover = nobody ? 0 : (seeds + value) / 2;
    int opponent = nobody ? 0 : (seeds - value) / 2;
    json_t *object =
        json_pack("{si si si}", "mover", mover, "opponent", opponent, "nobody", nobody ? seeds : 0);
    const char *winner = NULL;
    if (slam && rules->slam == WARI_SLAM_WINS_ALL)
        winner = "mover";
    else if (slam && rules->slam == WARI_SLAM_LOSES)
        winner = "opponent";
    if (object && winner && json_object_set_new(object, "winner", json_string(winner)) != 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *json_one_move(const struct wari_rules_info *rules, const struct wari_setup *setup,
                             const struct wari_move *move)
{
    int board[WARI_PITS];
    json_t *sown = json_sown(&setup->position, move->pit, board);
    json_t *object =
        json_pack("{so si so so so sb}", "move", json_letter(move->pit, setup->north_to_move),
                  "captured", move->captured, "sown", sown, "taken", json_taken(move, board),
                  "next", json_position(&move->next), "again", move->again);
    if (object && move->ends &&
        json_object_set_new(object, "ends",
                            json_end(rules, wari_seeds(&setup->position), move->end_value, move)) !=
            0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* Returns why a pit that holds seeds may not be played: the opponent has no seeds and would get
 * none, or the move would capture all seeds of the opponent. wari_find_moves() has no other reason.
 */
static const char *refusal(const struct wari_position *position, int pit)
{
    int opponent = 0;
    for (int i = WARI_HALF_PITS; i < WARI_PITS; i++)
        opponent += position->pits[i];
    return opponent == 0 && pit + position->pits[pit] < WARI_HALF_PITS ? "feed" : "slam";
}

/* Lists the mover's pits that hold seeds but may not be played. Returns NULL if memory runs out. */
static json_t *json_refused(const struct wari_setup *setup, const struct wari_moves *moves)
{
    json_t *array = json_array();
    int at = 0;
    for (int pit = 0; array && pit < WARI_HALF_PITS; pit++) {
        bool legal = at < moves->count && moves->list[at].pit == pit;
        at += legal;
        if (legal || setup->position.pits[pit] == 0)
            continue;
        json_t *object = json_pack("{so ss}", "move", json_letter(pit, setup->north_to_move), "why",
                                   refusal(&setup->position, pit));
        if (json_array_append_new(array, object) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

json_t *answer_moves_json(enum wari_rules rules, const struct wari_setup *setup)
{
    const struct wari_rules_info *info = wari_get_rules_info(rules);
    struct wari_moves moves;
    int seeds = wari_seeds(&setup->position);
    json_t *array = json_array();
    wari_find_moves(rules, &setup->position, &moves);
    for (int i = 0; array && i < moves.count; i++) {
        if (json_array_append_new(array, json_one_move(info, setup, &moves.list[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    json_t *object =
        json_pack("{so si ss so so}", "position", json_position(&setup->position), "seeds", seeds,
                  "rules", info->name, "moves", array, "refused", json_refused(setup, &moves));
    if (object && moves.count == 0 &&
        json_object_set_new(object, "end", json_end(info, seeds, moves.end_value, NULL)) != 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

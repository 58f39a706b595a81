/* Prints judged games as JSON, one line for each game. */
#include <string.h>

#include "answer/judged_json.h"
#include "tools/common/output.h"
#include "tools/judge/game_review.h"

/* Adds `value` under `key`. Returns nonzero if there is no memory. */
static int set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value);
}

static json_t *json_tags(const struct wari_record *record)
{
    json_t *object = json_object();
    for (int i = 0; object && i < record->tag_count; i++) {
        if (set(object, record->tags[i].name, json_untrusted(record->tags[i].value)) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

/* ---- Moves ---- */

static json_t *json_judged_move(const struct judged_game *game, int ply)
{
    const struct wari_ply *played = &game->record->game.plies[ply];
    const struct wari_judged_move *judged = &game->judgement->moves[ply];
    bool north = played->before.north_to_move;
    struct wari_score score;

    json_t *object =
        json_pack("{so si si sb}", "move", json_letter(played->move.pit, north), "captured",
                  played->move.captured, "times", played->times, "covered", judged->covered);
    if (!object || !wari_judged_score(&game->record->game, game->judgement, ply, &score))
        return object;
    int failed = set(object, "value", json_integer(judged->before));
    failed |= set(object, "played", json_integer(judged->played));
    failed |= set(object, "loss", json_integer(judged->loss));
    failed |= set(object, "best", answer_best_json(judged->best, north));
    failed |= set(object, "score", answer_score_json(&score));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *json_move(const struct judged_game *game, int ply)
{
    json_t *object = json_judged_move(game, ply);
    if (!object || !game->review || game_review_set_move(object, game, ply) == 0)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *json_moves(const struct judged_game *game)
{
    json_t *array = json_array();
    for (int i = 0; array && i < game->record->game.count; i++) {
        if (json_array_append_new(array, json_move(game, i)) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* ---- Summary ---- */

static json_t *json_ply(int ply)
{
    return ply < 0 ? json_null() : json_integer(ply + 1);
}

static json_t *json_side(const struct wari_judged_side *side, bool one_game)
{
    json_t *object =
        json_pack("{si si si si so}", "moves", side->moves, "judged", side->judged, "perfect",
                  side->perfect, "lost", side->lost, "mean",
                  side->judged ? json_real((double)side->lost / side->judged) : json_null());
    int failed = object == NULL;
    if (object && one_game) {
        failed |= set(object, "first", json_ply(side->first));
        failed |= set(object, "worst", json_ply(side->worst));
    }
    if (object) {
        failed |= set(object, "worst_loss", json_integer(side->worst_loss));
        failed |= set(object, "cycle_lost", json_integer(side->cycle_lost));
    }
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *json_sides(const struct wari_judged_side side[2],
                          const struct wari_judged_side *total, bool one_game)
{
    return json_pack("{so so so}", "South", json_side(&side[0], one_game), "North",
                     json_side(&side[1], one_game), "both", json_side(total, one_game));
}

enum wari_status judged_game_print_json(const struct judged_game *game, struct wari_error *error)
{
    static const char *const ends[] = {
        [WARI_GAME_OPEN] = "open",
        [WARI_GAME_NO_MOVE] = "no move",
        [WARI_GAME_SLAM] = "slam",
        [WARI_GAME_REPETITION] = "repetition",
    };
    const struct wari_game *played = &game->record->game;
    const struct wari_judgement *judgement = game->judgement;
    char diagram[WARI_DIAGRAM_TEXT];

    wari_diagram_text(&played->start, diagram);
    json_t *object = json_pack(
        "{so si si so ss ss ss so ss so so so so}", "file", json_untrusted(game->file), "game",
        game->number, "line", game->record->line, "tags", json_tags(game->record), "rules",
        wari_get_rules_info(played->variant.rules)->name, "cycle",
        wari_cycle_name(played->variant.cycle), "start", diagram, "moves", json_moves(game), "end",
        ends[played->end], "score",
        judgement->score_known ? answer_score_json(&judgement->score) : json_null(), "winner",
        judgement->score_known ? answer_side_json(judgement->score.winner) : json_null(),
        "repetition", answer_repetition_json(&judgement->cycle), "summary",
        json_sides(judgement->side, &judgement->total, true));
    if (object && judgement->score_known && judgement->score.nobody > 0 &&
        set(object, "nobody", json_integer(judgement->score.nobody)) != 0) {
        json_decref(object);
        object = NULL;
    }
    if (object && game->review &&
        set(object, "review", answer_review_json(game->review->side)) != 0) {
        json_decref(object);
        object = NULL;
    }
    return json_print(object, error);
}

static json_t *json_player(const struct player *player, bool has_reviews)
{
    json_t *object =
        json_pack("{so si}", "name", json_message(player->name), "games", player->games);
    json_t *side = json_side(&player->side, false);
    int failed = object == NULL || side == NULL || json_object_update(object, side) != 0;
    json_decref(side);
    if (!failed && has_reviews)
        failed = set(object, "review", answer_reviewed_side_json(&player->review));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *json_players(const struct players *players, bool has_reviews)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < players->count; i++) {
        if (json_array_append_new(array, json_player(players->list[i], has_reviews)) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *json_limit(int limit)
{
    return limit > 0 ? json_integer(limit) : json_null();
}

static json_t *json_search(const struct judged_search *search)
{
    return json_pack("{so so si}", "movetime", json_limit(search->movetime), "depth",
                     json_limit(search->depth), "threads",
                     search->threads > 1 ? search->threads : 1);
}

enum wari_status judged_game_print_total_json(const struct judged_total *total,
                                              struct wari_error *error)
{
    json_t *object = json_pack("{si so so}", "games", total->games, "summary",
                               json_sides(total->side, &total->total, false), "players",
                               json_players(&total->players, total->has_reviews));
    if (object && total->has_reviews &&
        (set(object, "review", answer_review_json(total->review)) != 0 ||
         set(object, "search", json_search(&total->search)) != 0)) {
        json_decref(object);
        object = NULL;
    }
    return json_print(object, error);
}

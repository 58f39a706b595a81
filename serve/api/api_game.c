/* A game, move by move: what each move cost, as `wari judge` says it. */
#include "serve/api/api.h"

#include "answer/judged_json.h"
#include "serve/api/sent_game.h"
#include "serve/request/arguments.h"
#include "serve/request/reply.h"

enum { SOME = 100 }; /* moves written in a turn */

/* ---- The answer ---- */

static json_t *json_ply(const struct wari_ply *ply, const struct wari_verdict *verdict)
{
    bool north = ply->before.north_to_move;
    json_t *object = answer_ply_json(ply);
    if (!object || !verdict->covered)
        return object;
    int failed = json_object_set_new(object, "value", json_integer(verdict->before));
    failed |= json_object_set_new(object, "played", json_integer(verdict->played));
    failed |= json_object_set_new(object, "cost", json_integer(verdict->loss));
    failed |= json_object_set_new(object, "best", answer_best_json(verdict->best, north));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *json_plies(struct workers *workers, const struct wari_game *game,
                          const struct wari_judgement *judgement)
{
    json_t *array = json_array();
    for (int i = 0; array && i < game->count; i++) {
        if (i % SOME == 0)
            workers_yield(workers);
        if (json_array_append_new(array, json_ply(&game->plies[i], &judgement->verdicts[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* Takes sent->remarks. */
static json_t *json_game(struct workers *workers, const struct wari_judgement *judgement,
                         struct sent_game *sent)
{
    const struct wari_game *game = &sent->record.game;
    char diagram[WARI_DIAGRAM_TEXT];
    json_t *remarks = sent->remarks;
    sent->remarks = NULL;
    wari_diagram_text(&game->now, diagram);
    return json_pack("{ss ss so ss so so so}", "rules", wari_rules_info(game->variant.rules)->name,
                     "cycle", wari_cycle_name(game->variant.cycle), "plies",
                     json_plies(workers, game, judgement), "end", diagram, "score",
                     judgement->score_known ? answer_score_json(&judgement->score) : json_null(),
                     "repetition", answer_repetition_json(&judgement->cycle), "remarks", remarks);
}

/* A game has up to WARI_GAME_MOVES_MAX moves, which may take seconds: others come in between. */
static enum MHD_Result judge(struct request *request, struct sent_game *sent)
{
    const struct wari_game *game = &sent->record.game;
    struct wari_db *db = databases_get(request->server->databases, game->variant)->db;
    struct workers *workers = &request->server->workers;
    struct wari_judgement judgement;
    struct wari_error error;
    enum wari_status status = wari_judge_begin(db, game, &judgement, &error);
    for (int ply = 0; ply < game->count && status == WARI_OK; ply++) {
        workers_yield(workers);
        status = wari_judge_ply(db, game, ply, &judgement, &error);
    }
    if (status == WARI_OK)
        status = wari_judge_end(db, game, &judgement, &error);
    enum MHD_Result result =
        status == WARI_OK
            ? reply_json(request, json_game(workers, &judgement, sent), NULL, CACHE_NOTHING)
            : reply_failure(request, status, &error);
    wari_judgement_free(&judgement);
    return result;
}

enum MHD_Result api_game(struct request *request)
{
    struct wari_variant variants[WARI_VARIANTS];
    struct wari_error error;
    struct sent_game sent;
    enum MHD_Result result;
    int count;
    enum wari_status status =
        databases_fitting(request->server->databases, request->arguments[ARGUMENT_RULES],
                          request->arguments[ARGUMENT_CYCLE], variants, &count, &error);
    if (status != WARI_OK)
        return reply_failure(request, status, &error);
    if (!sent_game_read(request, variants, count, &sent, &result))
        return result;
    result = judge(request, &sent);
    sent_game_free(&sent);
    return result;
}

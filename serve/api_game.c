/* /api/game: judges each move of a game by the tables, like `wari judge`. Also reads the games that
 * clients send here and to /api/review, with the parser of play/. A text must hold exactly one
 * valid game; otherwise it is rejected with the line and column, so that a response never judges a
 * game other than the intended one. */
#include "serve/api.h"

#include <stdio.h>
#include <string.h>

#include "answer/judged_json.h"
#include "serve/reply.h"

enum { PLIES_PER_YIELD = 100 }; /* moves formatted before other requests get a turn */

/* ---- Reading the game ---- */

enum {
    REMARKS_MAX = 20, /* number of remarks that are returned; a text can cause one for each of
                       * its tags */
    REMARK = 1200,    /* longer than any complaint of the parser */
};

/* Complaints of the parser about the text. */
struct complaints {
    json_t *remarks; /* an array; NULL if memory ran out */
    bool lost;
    char why[REMARK]; /* why the first invalid game is invalid, if `lost` */
};

static void add_complaint(void *context, const struct wari_complaint *complaint)
{
    struct complaints *complaints = context;
    char text[REMARK];
    snprintf(text, sizeof text, "line %d column %d: %s%s", complaint->line, complaint->column,
             complaint->text, complaint->undecided ? "; choose with rules and cycle" : "");
    if (complaint->lost && !complaints->lost) {
        complaints->lost = true;
        memcpy(complaints->why, text, sizeof text);
    }
    if (complaint->lost || json_array_size(complaints->remarks) == REMARKS_MAX)
        return;
    if (json_array_append_new(complaints->remarks, json_message(text)) != 0) {
        json_decref(complaints->remarks);
        complaints->remarks = NULL;
    }
}

/* Reads the only game of the text. Fails with WARI_BAD_INPUT if there is no game, more than one, or
 * an invalid one. On failure *record holds nothing. */
static enum wari_status read_only_game(struct wari_record_reader *reader,
                                       struct wari_record *record, struct wari_error *error)
{
    const struct complaints *complaints = reader->context;
    struct wari_record second = {.line = 0};
    bool found = false, more = false;
    enum wari_status status = wari_record_next(reader, record, &found, error);
    if (status == WARI_OK && found && !complaints->lost)
        status = wari_record_next(reader, &second, &more, error);
    int line = second.line;
    wari_record_free(&second);
    wari_record_end(reader);
    if (status == WARI_OK && complaints->lost)
        status = wari_fail(error, WARI_BAD_INPUT, "%s", complaints->why);
    else if (status == WARI_OK && more)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "a second game starts at line %d; send one at a time", line);
    else if (status == WARI_OK && !found)
        status = wari_fail(error, WARI_BAD_INPUT, "there is no game in this text");
    if (status != WARI_OK)
        wari_record_free(record);
    return status;
}

bool sent_game_read(struct request *request, const struct wari_variant *variants, int count,
                    struct sent_game *sent, enum MHD_Result *result)
{
    struct wari_error error;
    struct complaints complaints = {.remarks = NULL};
    struct wari_record_reader reader = {
        .host = wari_host_system(),
        .text = request->body,
        .length = request->body_length,
        .variants = variants,
        .variant_count = count,
        .insist = request->arguments[ARGUMENT_RULES] != NULL,
        .complain = add_complaint,
        .context = &complaints,
    };
    if (request->body_is_json) {
        *result = reply_error(request, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
                              "a game must be sent as text/plain");
        return false;
    }
    complaints.remarks = json_array();
    enum wari_status status = read_only_game(&reader, &sent->record, &error);
    sent->remarks = complaints.remarks;
    if (status == WARI_OK)
        return true;
    json_decref(complaints.remarks);
    *result = reply_failure(request, status, &error);
    return false;
}

void sent_game_free(struct sent_game *sent)
{
    wari_record_free(&sent->record);
    json_decref(sent->remarks);
}

/* ---- The answer ---- */

static json_t *json_ply(const struct wari_ply *ply, const struct wari_judged_move *judged)
{
    bool north = ply->before.north_to_move;
    json_t *object = answer_ply_json(ply);
    if (!object || !judged->covered)
        return object;
    int failed = json_object_set_new(object, "value", json_integer(judged->before));
    failed |= json_object_set_new(object, "played", json_integer(judged->played));
    failed |= json_object_set_new(object, "cost", json_integer(judged->loss));
    failed |= json_object_set_new(object, "best", answer_best_json(judged->best, north));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *json_plies(struct permits *permits, const struct wari_game *game,
                          const struct wari_judgement *judgement)
{
    json_t *array = json_array();
    for (int i = 0; array && i < game->count; i++) {
        if (i % PLIES_PER_YIELD == 0)
            permits_yield(permits);
        if (json_array_append_new(array, json_ply(&game->plies[i], &judgement->moves[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* Returns the answer to the client; NULL if memory ran out. Takes ownership of sent->remarks. */
static json_t *json_game(struct permits *permits, const struct wari_judgement *judgement,
                         struct sent_game *sent)
{
    const struct wari_game *game = &sent->record.game;
    char diagram[WARI_DIAGRAM_TEXT];
    json_t *remarks = sent->remarks;
    sent->remarks = NULL;
    wari_diagram_text(&game->now, diagram);
    return json_pack("{ss ss so ss so so so}", "rules",
                     wari_get_rules_info(game->variant.rules)->name, "cycle",
                     wari_cycle_name(game->variant.cycle), "plies",
                     json_plies(permits, game, judgement), "end", diagram, "score",
                     judgement->score_known ? answer_score_json(&judgement->score) : json_null(),
                     "repetition", answer_repetition_json(&judgement->cycle), "remarks", remarks);
}

/* A game has up to WARI_GAME_MOVES_MAX moves and may take seconds, so other requests get their turn
 * in between. */
static enum MHD_Result judge(struct request *request, struct sent_game *sent)
{
    const struct wari_game *game = &sent->record.game;
    struct wari_db *db = databases_find(request->server->databases, game->variant)->db;
    struct permits *permits = &request->server->permits;
    struct wari_judgement judgement;
    struct wari_error error;
    enum wari_status status = wari_judge_begin(db, game, &judgement, &error);
    for (int ply = 0; ply < game->count && status == WARI_OK; ply++) {
        permits_yield(permits);
        status = wari_judge_ply(db, game, ply, &judgement, &error);
    }
    if (status == WARI_OK)
        status = wari_judge_end(db, game, &judgement, &error);
    enum MHD_Result result =
        status == WARI_OK
            ? reply_json(request, json_game(permits, &judgement, sent), NULL, CACHE_NOTHING)
            : reply_failure(request, status, &error);
    wari_judgement_free(&judgement);
    return result;
}

enum MHD_Result api_game(struct request *request)
{
    struct wari_variant variants[WARI_VARIANT_COUNT];
    struct wari_error error;
    struct sent_game sent;
    enum MHD_Result result;
    int count;
    enum wari_status status =
        databases_match(request->server->databases, request->arguments[ARGUMENT_RULES],
                        request->arguments[ARGUMENT_CYCLE], variants, &count, &error);
    if (status != WARI_OK)
        return reply_failure(request, status, &error);
    if (!sent_game_read(request, variants, count, &sent, &result))
        return result;
    result = judge(request, &sent);
    sent_game_free(&sent);
    return result;
}

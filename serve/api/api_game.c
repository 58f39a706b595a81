/* A game, move by move: what each move cost.
 *
 * Read and judged as `wari judge` does it, by the code of play/. A text holds one game: where there
 * are more, or one that cannot be read, it is refused with the place, so that an answer is never
 * one to another game than was meant.
 */
#include "serve/api/api.h"

#include <stdio.h>
#include <string.h>

#include "answer/judged_json.h"
#include "play/record/record_read.h"
#include "serve/request/arguments.h"
#include "serve/request/reply.h"

enum {
    REMARKS_MAX = 20, /* that are told; a text can have as many as it has tags */
    REMARK = 1200,    /* longer than a complaint of the reader's */
};

/* What the reader says about the text. */
struct heard {
    json_t *remarks; /* an array; NULL: no memory */
    bool lost;
    char why[REMARK]; /* the first game that is lost, is lost */
};

static void hear(void *context, const struct wari_complaint *complaint)
{
    struct heard *heard = context;
    char text[REMARK];
    snprintf(text, sizeof text, "line %d column %d: %s%s", complaint->line, complaint->column,
             complaint->text, complaint->undecided ? "; choose with rules and cycle" : "");
    if (complaint->lost && !heard->lost) {
        heard->lost = true;
        memcpy(heard->why, text, sizeof text);
    }
    if (complaint->lost || json_array_size(heard->remarks) == REMARKS_MAX)
        return;
    json_t *remark = json_string(text); /* NULL where it is no UTF-8, too */
    if (json_array_append_new(heard->remarks, remark ? remark : json_string("?")) != 0) {
        json_decref(heard->remarks);
        heard->remarks = NULL;
    }
}

/* ---- The answer ---- */

static json_t *json_ply(const struct wari_ply *ply, const struct wari_verdict *verdict)
{
    bool north = ply->before.north_to_move;
    char diagram[WARI_DIAGRAM_TEXT];
    wari_diagram_text(&ply->before, diagram);
    json_t *object = json_pack("{so ss si}", "move", json_letter(ply->move.pit, north), "position",
                               diagram, "captured", ply->move.captured);
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

static json_t *json_plies(const struct wari_game *game, const struct wari_judgement *judgement)
{
    json_t *array = json_array();
    for (int i = 0; array && i < game->count; i++) {
        if (json_array_append_new(array, json_ply(&game->plies[i], &judgement->verdicts[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* Takes heard->remarks. */
static json_t *json_game(const struct wari_game *game, const struct wari_judgement *judgement,
                         struct heard *heard)
{
    char diagram[WARI_DIAGRAM_TEXT];
    json_t *remarks = heard->remarks;
    heard->remarks = NULL;
    wari_diagram_text(&game->now, diagram);
    return json_pack("{ss ss so ss so so so}", "rules", wari_rules_info(game->variant.rules)->name,
                     "cycle", wari_cycle_name(game->variant.cycle), "plies",
                     json_plies(game, judgement), "end", diagram, "score",
                     judgement->score_known ? answer_score_json(&judgement->score) : json_null(),
                     "repetition", answer_repetition_json(&judgement->cycle), "remarks", remarks);
}

static enum MHD_Result judge(struct request *request, const struct wari_game *game,
                             struct heard *heard)
{
    const struct database *database = databases_find(request->server->databases, game->variant);
    struct wari_judgement judgement;
    struct wari_error error;
    enum wari_status status = wari_judge_game(database->db, game, &judgement, &error);
    if (status != WARI_OK)
        return reply_failure(request, status, &error);
    json_t *object = json_game(game, &judgement, heard);
    wari_judgement_free(&judgement);
    return reply_json(request, object, NULL, CACHE_NOTHING);
}

/* ---- The text ---- */

/* Reads the only game of the text; WARI_BAD_INPUT if there are none, several, or one that is
 * broken. Unless it is WARI_OK, *record holds nothing. */
static enum wari_status read_only_game(struct wari_record_reader *reader,
                                       struct wari_record *record, struct wari_error *error)
{
    const struct heard *heard = reader->context;
    struct wari_record second = {.line = 0};
    bool found = false, more = false;
    enum wari_status status = wari_record_next(reader, record, &found, error);
    if (status == WARI_OK && found && !heard->lost)
        status = wari_record_next(reader, &second, &more, error);
    int line = second.line;
    wari_record_free(&second);
    if (status == WARI_OK && heard->lost)
        status = wari_fail(error, WARI_BAD_INPUT, "%s", heard->why);
    else if (status == WARI_OK && more)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "a second game starts at line %d; send one at a time", line);
    else if (status == WARI_OK && !found)
        status = wari_fail(error, WARI_BAD_INPUT, "there is no game in this text");
    if (status != WARI_OK)
        wari_record_free(record);
    return status;
}

enum MHD_Result api_game(struct request *request)
{
    struct wari_variant variants[WARI_VARIANTS];
    struct wari_record record;
    struct wari_error error;
    struct heard heard = {.remarks = NULL};
    struct wari_record_reader reader = {
        .host = wari_host_system(),
        .text = request->body,
        .length = request->length,
        .variants = variants,
        .insist = request->arguments[ARGUMENT_RULES] != NULL,
        .complain = hear,
        .context = &heard,
    };
    if (request->json)
        return reply_error(request, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "a game is text/plain");
    enum wari_status status = databases_fitting(
        request->server->databases, request->arguments[ARGUMENT_RULES],
        request->arguments[ARGUMENT_CYCLE], variants, &reader.variant_count, &error);
    if (status != WARI_OK)
        return reply_failure(request, status, &error);
    heard.remarks = json_array();
    status = read_only_game(&reader, &record, &error);
    enum MHD_Result result = status == WARI_OK ? judge(request, &record.game, &heard)
                                               : reply_failure(request, status, &error);
    if (status == WARI_OK)
        wari_record_free(&record);
    json_decref(heard.remarks);
    return result;
}

/* The arguments that endpoints share, and the endpoints that need little code: a position, its
 * moves, statistics and information about the databases. */
#include "serve/api.h"

#include <string.h>
#include <xxhash.h>

#include "answer/answer.h"
#include "serve/reply.h"

/* ---- Arguments ---- */

bool request_database(struct request *request, const struct database **database,
                      enum MHD_Result *result)
{
    struct wari_error error;
    enum wari_status status =
        databases_choose(request->server->databases, request->arguments[ARGUMENT_RULES],
                         request->arguments[ARGUMENT_CYCLE], database, &error);
    if (status == WARI_OK && !(*database)->db)
        status = wari_fail(&error, WARI_NOT_COVERED,
                           "this server has no tables; /api/analysis and /api/move search");
    if (status != WARI_OK)
        *result = reply_failure(request, status, &error);
    return status == WARI_OK;
}

bool request_variant(struct request *request, struct wari_variant *variant,
                     const struct database **database, enum MHD_Result *result)
{
    struct wari_error error;
    enum wari_status status =
        databases_choose_variant(request->server->databases, request->arguments[ARGUMENT_RULES],
                                 request->arguments[ARGUMENT_CYCLE], variant, database, &error);
    if (status != WARI_OK)
        *result = reply_failure(request, status, &error);
    return status == WARI_OK;
}

bool request_position(struct request *request, struct wari_setup *setup, enum MHD_Result *result)
{
    struct wari_error error;
    const char *text = request->arguments[ARGUMENT_POSITION];
    if (!text) {
        *result = reply_error(request, MHD_HTTP_BAD_REQUEST,
                              "the argument p is missing; it is twelve counts, a diagram or a "
                              "position of PlayStrategy");
        return false;
    }
    enum wari_status status = wari_setup_parse(text, setup, &error);
    if (status != WARI_OK)
        *result = reply_failure(request, status, &error);
    return status == WARI_OK;
}

bool request_detail(struct request *request, enum answer_detail *detail, enum MHD_Result *result)
{
    static const char *const names[] = {
        [ANSWER_VALUE] = "value",
        [ANSWER_MOVES] = "moves",
        [ANSWER_FULL] = "full",
    };
    const char *word = request->arguments[ARGUMENT_DETAIL];
    *detail = ANSWER_FULL;
    if (!word)
        return true;
    for (int i = 0; i <= ANSWER_FULL; i++) {
        if (strcmp(names[i], word) == 0) {
            *detail = (enum answer_detail)i;
            return true;
        }
    }
    *result =
        reply_error(request, MHD_HTTP_BAD_REQUEST,
                    "detail: unknown value \"%.40s\"; choose one of value, moves, full", word);
    return false;
}

/* ---- Endpoints ---- */

enum MHD_Result api_position(struct request *request)
{
    const struct database *database;
    struct wari_setup setup;
    struct wari_error error;
    struct answer answer;
    enum answer_detail detail;
    enum MHD_Result result;
    if (!request_database(request, &database, &result) ||
        !request_detail(request, &detail, &result) || !request_position(request, &setup, &result))
        return result;
    if (database_covers(database, &setup) &&
        reply_not_modified(request, database->etag, CACHE_AN_HOUR, &result))
        return result;
    enum wari_status status =
        answer_find(database->db, &database->proof, &setup, detail, &answer, &error);
    if (status != WARI_OK)
        return reply_failure(request, status, &error);
    return reply_json(request, answer_json(&answer), database->etag, CACHE_AN_HOUR);
}

/* Answers /api/moves. The answer contains no values, so no tables are needed, and it works for
 * every position. */
enum MHD_Result api_moves(struct request *request)
{
    const struct database *database;
    struct wari_variant variant;
    struct wari_setup setup;
    enum MHD_Result result;
    if (!request_variant(request, &variant, &database, &result) ||
        !request_position(request, &setup, &result) ||
        (database && reply_not_modified(request, database->etag, CACHE_AN_HOUR, &result)))
        return result;
    return reply_json(request, answer_moves_json(variant.rules, &setup),
                      database ? database->etag : NULL, CACHE_AN_HOUR);
}

enum MHD_Result api_stats(struct request *request)
{
    const struct database *database;
    struct wari_error error;
    enum MHD_Result result;
    json_t *levels;
    if (!request_database(request, &database, &result) ||
        reply_not_modified(request, database->etag, CACHE_AN_HOUR, &result))
        return result;
    enum wari_status status = answer_levels_json(database->db, &database->proof, 0,
                                                 database->info.seeds_max, &levels, &error);
    if (status != WARI_OK)
        return reply_failure(request, status, &error);
    return reply_json(request, levels, database->etag, CACHE_AN_HOUR);
}

/* Lists the presets that are this variant. NULL if memory runs out. */
static json_t *json_presets(struct wari_variant variant)
{
    json_t *array = json_array();
    for (const struct wari_preset *preset = wari_presets(); array && preset->name; preset++) {
        if (preset->variant.rules != variant.rules || preset->variant.cycle != variant.cycle)
            continue;
        if (json_array_append_new(array, json_string(preset->name)) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *json_database(const struct database *database)
{
    const struct wari_rules_info *rules = wari_get_rules_info(database->info.variant.rules);
    return json_pack("{ss ss si sI sI ss ss so si ss so}", "rules", rules->name, "cycle",
                     wari_cycle_name(database->info.variant.cycle), "seeds_max",
                     database->info.seeds_max, "positions", (json_int_t)database->info.positions,
                     "bytes", (json_int_t)database->info.file_bytes, "summary", rules->summary,
                     "players", rules->players, "presets", json_presets(database->info.variant),
                     "proved", database->proof.seeds_max, "record",
                     answer_proof_state(&database->proof), "missing",
                     database->db ? answer_missing_json(database->db) : json_array());
}

enum MHD_Result api_info(struct request *request)
{
    const struct databases *databases = request->server->databases;
    XXH64_hash_t hash = request->server->options.analysis_threads;
    char etag[ETAG_TEXT];
    enum MHD_Result result;
    for (int i = 0; i < databases->count; i++)
        hash = XXH3_64bits_withSeed(databases->list[i].etag, ETAG_TEXT, hash);
    etag_write(hash, etag);
    if (reply_not_modified(request, etag, CACHE_REVALIDATE, &result))
        return result;
    json_t *list = json_array();
    for (int i = 0; list && i < databases->count; i++) {
        if (json_array_append_new(list, json_database(&databases->list[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return reply_json(request,
                      json_pack("{ss so s{si si} si}", "version", wari_version(), "databases", list,
                                "limits", "positions", SERVE_POSITIONS_MAX, "bytes", SERVE_BODY_MAX,
                                "analysis_threads", request->server->options.analysis_threads),
                      etag, CACHE_REVALIDATE);
}

enum MHD_Result api_health(struct request *request)
{
    return reply_json(request, json_pack("{ss}", "status", "ok"), NULL, CACHE_NOTHING);
}

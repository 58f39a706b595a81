/* /api/analysis: evaluates any position, from the tables or by a search that continues while
 * clients poll it.
 *
 * A response never waits for a search, so a slow client occupies nothing but its connection. */
#include "serve/api.h"

#include "answer/answer.h"
#include "serve/analysis.h"
#include "serve/reply.h"

/* Adds the state to `object` and returns it, or releases it and returns NULL. `object` may be NULL
 * because memory ran out. */
static json_t *with_state(json_t *object, enum analysis_state state)
{
    if (json_object_set_new(object, "state", json_string(analysis_state_name(state))) == 0)
        return object;
    json_decref(object);
    return NULL;
}

/* ---- Without a search ---- */

static enum MHD_Result reply_exact(struct request *request, const struct answer *answer,
                                   const char *etag)
{
    json_t *object = answer_json(answer);
    if (json_object_set_new(object, "kind", json_string("exact")) != 0) {
        json_decref(object);
        object = NULL;
    }
    return reply_json(request, with_state(object, ANALYSIS_DONE), etag, CACHE_AN_HOUR);
}

static enum MHD_Result answer_exactly(struct request *request, const struct database *database,
                                      const struct wari_setup *setup)
{
    struct wari_error error;
    struct answer answer;
    enum wari_status status =
        answer_find(database->db, &database->proof, setup, ANSWER_FULL, &answer, &error);
    return status == WARI_OK ? reply_exact(request, &answer, database->etag)
                             : reply_failure(request, status, &error);
}

/* ---- Searches ---- */

/* The response of a position that has not been searched yet only describes the position. */
static enum MHD_Result answer_by_search(struct request *request, const struct analysis_query *query)
{
    struct analysis_result answer;
    struct wari_error error;
    enum wari_status status = analysis_poll(request->server->analysis, query, &answer, &error);
    if (status != WARI_OK)
        return reply_failure(request, status, &error);
    json_t *object = answer.milliseconds > 0
                         ? answer_searched_json(&query->setup, query->variant, &answer.result)
                         : answer_searched_head(&query->setup, query->variant);
    object = with_state(object, answer.state);
    if (json_object_set_new(object, "before", json_integer(answer.jobs_before)) != 0 ||
        json_object_set_new(object, "milliseconds", json_integer(answer.milliseconds)) != 0) {
        json_decref(object);
        object = NULL;
    }
    return reply_json(request, object, NULL, CACHE_NOTHING);
}

enum MHD_Result api_analysis(struct request *request)
{
    const struct database *database;
    struct wari_variant variant;
    struct wari_setup setup;
    struct wari_moves moves;
    struct answer over;
    enum MHD_Result result;
    if (!request->server->analysis)
        return reply_error(request, MHD_HTTP_NOT_FOUND, "analysis is turned off on this server");
    if (!request_variant(request, &variant, &database, &result) ||
        !request_position(request, &setup, &result))
        return result;
    if (database_covers(database, &setup)) {
        if (reply_not_modified(request, database->etag, CACHE_AN_HOUR, &result))
            return result;
        permits_acquire(&request->server->permits);
        result = answer_exactly(request, database, &setup);
        permits_release(&request->server->permits);
        return result;
    }
    wari_find_moves(variant.rules, &setup.position, &moves);
    if (moves.count == 0) {
        answer_game_over(variant, &setup, moves.end_value, &over);
        return reply_exact(request, &over, NULL);
    }
    const struct analysis_query query = {.db = database ? database->db : NULL,
                                         .variant = variant,
                                         .setup = setup,
                                         .client = request->connection->client,
                                         .count_earlier = true};
    return answer_by_search(request, &query);
}

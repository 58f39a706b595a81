/* /api/review: judges a whole game by search, also where there are no tables.
 *
 * A request keeps no state on the server. Each request polls a short search of every position that
 * has not been searched enough, and reports how many positions need no further search. Once no
 * position needs one, the game is judged without waiting. */
#include "serve/api.h"

#include <string.h>

#include "answer/judged_json.h"
#include "serve/analysis.h"
#include "serve/reply.h"

enum {
    REVIEW_SEARCH_MS = 80, /* search time of a position: less than the first slice */
    MOVES_MAX = 500,       /* less than half of the jobs that the analysis remembers */
    WAITING_MAX = 100, /* positions of a request that wait at a time. The limit lets the positions
                          of other games be searched, too */
};

_Static_assert((int)MOVES_MAX < (int)ANALYSIS_CLIENT_MAX, "a client may have any game reviewed");

/* Everything that is needed to evaluate the positions of the game. */
struct review_context {
    struct analysis *analysis;
    struct permits *permits;
    const struct database *database; /* NULL if there are no tables */
    struct wari_variant variant;
    uint64_t client;
};

static struct wari_db *database_handle(const struct review_context *context)
{
    return context->database ? context->database->db : NULL;
}

/* Evaluates a position by search. Returns WARI_BUSY if it has not been searched enough yet. */
static enum wari_status poll_position(const struct review_context *context,
                                      const struct wari_setup *setup, bool defer,
                                      struct wari_position_result *result, struct wari_error *error)
{
    const struct analysis_query query = {.db = database_handle(context),
                                         .variant = context->variant,
                                         .setup = *setup,
                                         .enough_ms = REVIEW_SEARCH_MS,
                                         .client = context->client,
                                         .defer = defer};
    struct analysis_result analysis;
    enum wari_status status = analysis_poll(context->analysis, &query, &analysis, error);
    if (status != WARI_OK)
        return status;
    *result = analysis.result;
    if (analysis.state == ANALYSIS_DONE || analysis.milliseconds >= REVIEW_SEARCH_MS)
        return WARI_OK;
    return wari_fail(error, WARI_BUSY, "positions of the game are still being searched");
}

static enum wari_status evaluate(void *user_data, const struct wari_game *game,
                                 struct wari_position_result *result, struct wari_error *error)
{
    const struct review_context *context = user_data;
    const struct wari_search_limits none = {.depth = 1};
    permits_yield(context->permits); /* a game has many positions */
    return database_covers(context->database, &game->now)
               ? wari_evaluate_position(context->database->db, NULL, game, &none, result, error)
               : poll_position(context, &game->now, false, result, error);
}

/* Returns true if the position before move `i`, or the last position if there is no such move, ends
 * the game and is not searched. Under awari a move may follow the end: see wari_game_play(). */
static bool is_over(const struct wari_game *game, int i)
{
    const bool is_last = i == game->count;
    const struct wari_setup *setup = is_last ? &game->now : &game->plies[i].before;
    struct wari_moves moves;
    wari_find_moves(game->variant.rules, &setup->position, &moves);
    return moves.count == 0 || (is_last && game->end == WARI_GAME_SLAM);
}

/* Polls all positions. Once enough of them are waiting, only reserves entries for the rest: without
 * that, two reviews would evict each other's positions and never finish. *done counts the positions
 * that need no further search. */
static enum wari_status poll_all_positions(const struct review_context *context,
                                           const struct wari_game *game, int *done,
                                           struct wari_error *error)
{
    int waiting = 0;
    *done = 0;
    for (int i = 0; i <= game->count; i++) {
        const struct wari_setup *setup = i < game->count ? &game->plies[i].before : &game->now;
        struct wari_position_result result;
        enum wari_status status = WARI_OK;
        if (!is_over(game, i) && !database_covers(context->database, setup))
            status = poll_position(context, setup, waiting >= WAITING_MAX, &result, error);
        if (status != WARI_OK && status != WARI_BUSY)
            return status;
        *done += status == WARI_OK;
        waiting += status == WARI_BUSY;
    }
    return WARI_OK;
}

/* ---- The answer ---- */

static json_t *json_ply(const struct wari_ply *ply, const struct wari_reviewed_move *reviewed)
{
    json_t *object = answer_ply_json(ply);
    if (object && answer_set_review(object, reviewed, ply->before.north_to_move, true) == 0)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *json_plies(const struct wari_game *game, const struct wari_review *review)
{
    json_t *array = json_array();
    for (int i = 0; array && i < game->count; i++) {
        if (json_array_append_new(array, json_ply(&game->plies[i], &review->moves[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* Sends the remarks and the progress of a review and, if the review is ready, the review itself.
 * `review` is NULL if it is not ready. Takes ownership of sent->remarks. */
static enum MHD_Result reply_review(struct request *request, const struct review_context *context,
                                    struct sent_game *sent, int done,
                                    const struct wari_review *review)
{
    const struct wari_game *game = &sent->record.game;
    json_t *remarks = sent->remarks;
    struct wari_judgement judgement = {0};
    struct wari_error error;
    char diagram[WARI_DIAGRAM_TEXT];
    sent->remarks = NULL;
    wari_diagram_text(&game->now, diagram);
    json_t *object = json_pack(
        "{ss ss sb so si si}", "rules", wari_get_rules_info(context->variant.rules)->name, "cycle",
        wari_cycle_name(context->variant.cycle), "tables", database_handle(context) != NULL,
        "remarks", remarks, "done", done, "count", game->count + 1);
    if (!review)
        return reply_json(request, object, NULL, CACHE_NOTHING);
    enum wari_status status = wari_judge_end(database_handle(context), game, &judgement, &error);
    if (status != WARI_OK) {
        json_decref(object);
        return reply_failure(request, status, &error);
    }
    int failed = json_object_set_new(object, "plies", json_plies(game, review));
    failed |= json_object_set_new(object, "review", answer_review_json(review->side));
    failed |= json_object_set_new(object, "end", json_string(diagram));
    failed |= json_object_set_new(
        object, "score", judgement.score_known ? answer_score_json(&judgement.score) : json_null());
    failed |= json_object_set_new(object, "repetition", answer_repetition_json(&judgement.cycle));
    if (failed) {
        json_decref(object);
        object = NULL;
    }
    return reply_json(request, object, NULL, CACHE_NOTHING);
}

static enum MHD_Result review_game(struct request *request, struct sent_game *sent)
{
    const struct wari_game *game = &sent->record.game;
    struct review_context context = {.analysis = request->server->analysis,
                                     .permits = &request->server->permits,
                                     .variant = game->variant,
                                     .client = request->connection->client};
    const struct wari_reviewer reviewer = {.evaluate = evaluate, .context = &context};
    struct wari_review review;
    struct wari_error error;
    int done;
    context.database = databases_find(request->server->databases, game->variant);
    enum wari_status status = poll_all_positions(&context, game, &done, &error);
    if (status != WARI_OK)
        return reply_failure(request, status, &error);
    if (done <= game->count)
        return reply_review(request, &context, sent, done, NULL);
    status = wari_review_game(&reviewer, game, &review, &error);
    if (status == WARI_BUSY) /* queries for other positions have evicted a position of this game */
        return reply_review(request, &context, sent, done - 1, NULL);
    if (status != WARI_OK)
        return reply_failure(request, status, &error);
    enum MHD_Result result = reply_review(request, &context, sent, done, &review);
    wari_review_free(&review);
    return result;
}

/* Returns true if the server has tables of this rule set. */
static bool has_tables(const struct databases *databases, enum wari_rules rules)
{
    for (int i = 0; i < databases->count; i++)
        if (databases->list[i].db && databases->list[i].info.variant.rules == rules)
            return true;
    return false;
}

/* Returns the variant under which games of a rule set without tables are reviewed: the only variant
 * of the rule set that the server lists, if --rules and --cycle left just one; else the variant of
 * the first preset. */
static struct wari_variant default_variant(const struct databases *databases, enum wari_rules rules)
{
    const struct wari_preset *preset = wari_presets();
    struct wari_variant listed = {rules, WARI_EVEN};
    int count = 0;
    for (int i = 0; i < databases->count; i++) {
        if (databases->list[i].info.variant.rules != rules)
            continue;
        listed = databases->list[i].info.variant;
        count++;
    }
    if (count == 1)
        return listed;
    while (preset->name && preset->variant.rules != rules)
        preset++;
    return preset->name ? preset->variant : (struct wari_variant){rules, WARI_EVEN};
}

/* Lists the variants that the game may have: all variants with tables and, for each rule set
 * without tables, its default_variant(). If the request names a rule set, lists only the variant
 * that the arguments select. */
static bool find_variants(struct request *request, struct wari_variant variants[WARI_VARIANT_COUNT],
                          int *count, enum MHD_Result *result)
{
    const struct databases *databases = request->server->databases;
    const struct database *database;
    if (request->arguments[ARGUMENT_RULES]) {
        *count = 1;
        return request_variant(request, &variants[0], &database, result);
    }
    if (request->arguments[ARGUMENT_CYCLE]) {
        *result = reply_error(request, MHD_HTTP_BAD_REQUEST, "cycle: give the argument rules, too");
        return false;
    }
    *count = 0;
    for (int i = 0; i < databases->count; i++)
        if (databases->list[i].db)
            variants[(*count)++] = databases->list[i].info.variant;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++)
        if (!has_tables(databases, (enum wari_rules)rules))
            variants[(*count)++] = default_variant(databases, (enum wari_rules)rules);
    return true;
}

enum MHD_Result api_review(struct request *request)
{
    struct wari_variant variants[WARI_VARIANT_COUNT];
    struct sent_game sent;
    enum MHD_Result result;
    int count;
    if (!request->server->analysis)
        return reply_error(request, MHD_HTTP_NOT_FOUND, "analysis is turned off on this server");
    if (!find_variants(request, variants, &count, &result) ||
        !sent_game_read(request, variants, count, &sent, &result))
        return result;
    result = sent.record.game.count > MOVES_MAX
                 ? reply_error(request, MHD_HTTP_BAD_REQUEST,
                               "games of more than %d moves are not reviewed here; use 'wari "
                               "judge'",
                               MOVES_MAX)
                 : review_game(request, &sent);
    sent_game_free(&sent);
    return result;
}

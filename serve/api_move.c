/* /api/move: chooses a move at a level of play. The weaker levels compute theirs at once; full
 * strength uses the tables, or else searches for a while. */
#include "serve/api.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"
#include "play/search/strength.h"
#include "serve/analysis.h"
#include "serve/reply.h"

enum {
    MOVE_SEARCH_MS = 1500, /* search time of full strength, in milliseconds */
    LEVELS_TEXT = 200,     /* longer than the names of all levels */
};

/* The arguments of the request. */
struct task {
    const struct wari_strength *level;
    uint64_t seed;
    struct wari_variant variant;
    const struct database *database; /* NULL if there are no tables */
    struct wari_setup setup;
};

/* Formats a list such as "beginner, easy, ...". Returns `text`. */
static const char *list_levels(char *text, size_t size)
{
    text[0] = '\0';
    for (const struct wari_strength *level = wari_strengths(); level->name; level++) {
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s", length ? ", " : "", level->name);
    }
    return text;
}

static bool read_level(struct request *request, struct task *task, enum MHD_Result *result)
{
    const char *name = request->arguments[ARGUMENT_LEVEL];
    const char *seed = request->arguments[ARGUMENT_SEED];
    char *end = NULL, levels[LEVELS_TEXT];
    task->level = name ? wari_strength_find(name) : NULL;
    if (!task->level) {
        *result = reply_error(request, MHD_HTTP_BAD_REQUEST, "level: choose one of %s",
                              list_levels(levels, sizeof levels));
        return false;
    }
    errno = 0;
    task->seed = seed ? strtoull(seed, &end, 10) : 0;
    if (!seed || (*seed >= '0' && *seed <= '9' && *end == '\0' && errno == 0))
        return true;
    *result = reply_error(request, MHD_HTTP_BAD_REQUEST,
                          "seed: \"%.40s\" is not a number from 0 to 2^64 - 1", seed);
    return false;
}

static enum MHD_Result answer_pit(struct request *request, const struct task *task, int pit)
{
    return reply_json(request,
                      json_pack("{so ss ss}", "move", json_letter(pit, task->setup.north_to_move),
                                "level", task->level->name, "state", "done"),
                      NULL, CACHE_NOTHING);
}

/* Several moves may have the best value, but some of them only repeat a position. The player
 * chooses one that makes progress. */
static enum MHD_Result play_by_tables(struct request *request, const struct task *task)
{
    struct wari_player *player;
    struct wari_choice choice;
    struct wari_error error;
    permits_acquire(&request->server->permits);
    enum wari_status status = wari_player_new(&player, task->database->db, &error);
    if (status == WARI_OK)
        status = wari_player_choose(player, &task->setup.position, &choice, &error);
    wari_player_free(player);
    permits_release(&request->server->permits);
    if (status != WARI_OK)
        return reply_failure(request, status, &error);
    return answer_pit(request, task, choice.analysis.moves[choice.move].move.pit);
}

static enum MHD_Result play_by_search(struct request *request, const struct task *task)
{
    const struct analysis_query query = {.db = task->database ? task->database->db : NULL,
                                         .variant = task->variant,
                                         .setup = task->setup,
                                         .client = request->connection->client,
                                         .count_earlier = true};
    struct analysis_result answer;
    struct wari_error error;
    if (!request->server->analysis)
        return reply_error(request, MHD_HTTP_NOT_FOUND, "analysis is turned off on this server");
    enum wari_status status = analysis_poll(request->server->analysis, &query, &answer, &error);
    if (status != WARI_OK)
        return reply_failure(request, status, &error);
    if (answer.state == ANALYSIS_DONE || answer.milliseconds >= MOVE_SEARCH_MS)
        return answer_pit(request, task, answer.result.moves[0].move.pit);
    return reply_json(request,
                      json_pack("{sn ss ss si}", "move", "level", task->level->name, "state",
                                analysis_state_name(answer.state), "before",
                                (int)answer.jobs_before),
                      NULL, CACHE_NOTHING);
}

enum MHD_Result api_move(struct request *request)
{
    struct task task;
    struct wari_moves moves;
    enum MHD_Result result;
    if (!request_variant(request, &task.variant, &task.database, &result) ||
        !request_position(request, &task.setup, &result) || !read_level(request, &task, &result))
        return result;
    wari_find_moves(task.variant.rules, &task.setup.position, &moves);
    if (moves.count == 0)
        return reply_error(request, MHD_HTTP_BAD_REQUEST,
                           "the game is over: there is no move to play");
    if (task.level->depth > 0) {
        permits_acquire(&request->server->permits);
        int pit = wari_strength_move(task.level, task.variant, &task.setup.position, task.seed);
        permits_release(&request->server->permits);
        return answer_pit(request, &task, pit);
    }
    return database_covers(task.database, &task.setup) ? play_by_tables(request, &task)
                                                       : play_by_search(request, &task);
}

/* A move to play at a level: the weaker ones find theirs at once, full strength knows the tables
 * and otherwise searches for a while.
 */
#include "serve/api/api.h"

#include <errno.h>
#include <stdlib.h>

#include "answer/answer.h"
#include "play/strength/strength.h"
#include "serve/analysis/analysis.h"
#include "serve/request/arguments.h"
#include "serve/request/reply.h"

enum { THINKING = 1500 }; /* milliseconds of search that full strength takes */

/* What is to be played. */
struct task {
    const struct wari_strength *level;
    uint64_t seed;
    struct wari_variant variant;
    const struct database *database; /* NULL: no tables */
    struct wari_setup setup;
};

static bool read_level(struct request *request, struct task *task, enum MHD_Result *result)
{
    const char *name = request->arguments[ARGUMENT_LEVEL];
    const char *seed = request->arguments[ARGUMENT_SEED];
    char *end = NULL;
    task->level = name ? wari_strength_find(name) : NULL;
    if (!task->level) {
        *result = reply_error(request, MHD_HTTP_BAD_REQUEST,
                              "level: choose one of beginner, easy, medium, hard, expert, master");
        return false;
    }
    errno = 0;
    task->seed = seed ? strtoull(seed, &end, 10) : 0;
    if (!seed || (*seed >= '0' && *seed <= '9' && *end == '\0' && errno == 0))
        return true;
    *result = reply_error(request, MHD_HTTP_BAD_REQUEST,
                          "seed: \"%.40s\" is no number from 0 to 2^64 - 1", seed);
    return false;
}

static enum MHD_Result answer_pit(struct request *request, const struct task *task, int pit)
{
    return reply_json(request,
                      json_pack("{so ss ss}", "move", json_letter(pit, task->setup.north_to_move),
                                "level", task->level->name, "state", "done"),
                      NULL, CACHE_NOTHING);
}

static enum MHD_Result play_by_tables(struct request *request, const struct task *task)
{
    struct answer answer;
    struct wari_error error;
    workers_enter(&request->server->workers);
    enum wari_status status = answer_find(task->database->db, &task->database->proof, &task->setup,
                                          ANSWER_FULL, &answer, &error);
    workers_leave(&request->server->workers);
    if (status != WARI_OK)
        return reply_failure(request, status, &error);
    return answer_pit(request, task, answer.analysis.moves[0].move.pit);
}

static enum MHD_Result play_by_search(struct request *request, const struct task *task)
{
    const struct analysis_question question = {task->database ? task->database->db : NULL,
                                               task->variant, task->setup, 0};
    struct analysis_answer answer;
    struct wari_error error;
    if (!request->server->analysis)
        return reply_error(request, MHD_HTTP_NOT_FOUND, "this server searches nothing");
    enum wari_status status = analysis_ask(request->server->analysis, &question, &answer, &error);
    if (status != WARI_OK)
        return reply_failure(request, status, &error);
    if (answer.state == ANALYSIS_DONE || answer.milliseconds >= THINKING)
        return answer_pit(request, task, answer.appraisal.moves[0].move.pit);
    return reply_json(request,
                      json_pack("{sn ss ss si}", "move", "level", task->level->name, "state",
                                analysis_state_name(answer.state), "before", (int)answer.before),
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
    wari_moves(task.variant.rules, &task.setup.position, &moves);
    if (moves.count == 0)
        return reply_error(request, MHD_HTTP_BAD_REQUEST,
                           "the game is over: there is no move to play");
    if (task.level->depth > 0) {
        workers_enter(&request->server->workers);
        int pit = wari_strength_move(task.level, task.variant, &task.setup.position, task.seed);
        workers_leave(&request->server->workers);
        return answer_pit(request, &task, pit);
    }
    return task.database && database_covers(task.database, &task.setup)
               ? play_by_tables(request, &task)
               : play_by_search(request, &task);
}

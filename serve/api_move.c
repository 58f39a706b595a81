/* /api/move: chooses a move at a level of play. The weaker levels compute their moves at once. Full
 * strength uses the tables and the game so far or, above the tables, searches for a while. */
#include "serve/api.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"
#include "play/engine/endgame.h"
#include "play/search/strength.h"
#include "serve/analysis.h"
#include "serve/reply.h"

enum {
    MOVE_SEARCH_MS = 1500,     /* search time of full strength, in milliseconds */
    ENDGAME_MS = 200,          /* time limit of wari_endgame_choose() */
    ENDGAME_POSITIONS = 10000, /* limit on the positions of wari_endgame_new(), which take 1 MB */
    LEVELS_TEXT = 200,         /* longer than the names of all levels */
};

/* The arguments of the request. */
struct task {
    const struct wari_strength *level;
    uint64_t seed;
    struct wari_variant variant;
    const struct database *database; /* NULL if there are no tables */
    struct wari_setup setup;
    struct wari_game game; /* the game that led to the position, as far as it is known */
    struct wari_repetition repetition;
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

/* Plays the moves of the argument `moves`. Fails if they do not lead to the requested position. */
static enum wari_status play_moves(struct task *task, const char *moves, struct wari_error *error)
{
    char text[WARI_POSITION_TEXT];
    struct wari_error reason;
    const struct wari_setup *now = &task->game.now, *wanted = &task->setup;
    for (int i = 0; moves[i]; i++) {
        enum wari_status status = wari_game_play_letter(&task->game, moves[i], &reason);
        if (status != WARI_OK)
            return wari_fail(error, status, "moves: move %d: %.200s", i + 1, reason.text);
    }
    const bool same =
        memcmp(&now->position, &wanted->position, sizeof now->position) == 0 &&
        now->north_to_move == wanted->north_to_move &&
        (!wanted->diagram || memcmp(now->stores, wanted->stores, sizeof now->stores) == 0);
    if (same)
        return WARI_OK;
    wari_position_text(&now->position, text);
    return wari_fail(error, WARI_BAD_INPUT,
                     "moves: they lead from start to %s with the stores %d and %d and %s to move, "
                     "not to p",
                     text, now->stores[0], now->stores[1], now->north_to_move ? "North" : "South");
}

/* Reads the game that led to the position, from the arguments `start` and `moves`. Without them,
 * the game begins with the position. After a success the caller frees task->game. */
static bool read_game(struct request *request, struct task *task, enum MHD_Result *result)
{
    const char *start_text = request->arguments[ARGUMENT_START];
    const char *moves = request->arguments[ARGUMENT_MOVES];
    struct wari_setup start = task->setup;
    struct wari_error error;
    enum wari_status status = WARI_OK;
    if ((start_text == NULL) != (moves == NULL)) {
        *result = reply_error(request, MHD_HTTP_BAD_REQUEST,
                              "start and moves belong together: an earlier position, and the moves "
                              "from there to p");
        return false;
    }
    if (start_text)
        status = wari_setup_parse(start_text, &start, &error);
    wari_game_begin(&task->game, wari_host_system(), task->variant, &start);
    if (status == WARI_OK && moves)
        status = play_moves(task, moves, &error);
    if (status == WARI_OK)
        return true;
    wari_game_free(&task->game);
    *result = reply_failure(request, status, &error);
    return false;
}

/* Reads the rule for a position that returns: which occurrence of it ends the game, and what each
 * side then gets. */
static bool read_repetition(struct request *request, struct task *task, enum MHD_Result *result)
{
    static const char *const times[] = {"ideal", NULL, "second", "third"};
    const char *name = request->arguments[ARGUMENT_REPETITION];
    const char *score = request->arguments[ARGUMENT_REPETITION_SCORE];
    int number = name ? 0 : 3;
    while (name && number < 4 && (!times[number] || strcmp(times[number], name) != 0))
        number++;
    task->repetition = (struct wari_repetition){number, score && strcmp(score, "rows") == 0};
    if (number == 4)
        *result = reply_error(
            request, MHD_HTTP_BAD_REQUEST,
            "repetition: unknown value \"%.40s\"; choose one of second, third, ideal", name);
    else if (score && !task->repetition.rows && strcmp(score, "cycle") != 0)
        *result = reply_error(
            request, MHD_HTTP_BAD_REQUEST,
            "repetition_score: unknown value \"%.40s\"; choose one of rows, cycle", score);
    else
        return true;
    return false;
}

static enum MHD_Result answer_pit(struct request *request, const struct task *task, int pit)
{
    return reply_json(request,
                      json_pack("{so ss ss}", "move", json_letter(pit, task->setup.north_to_move),
                                "level", task->level->name, "state", "done"),
                      NULL, CACHE_NOTHING);
}

/* Chooses a move of perfect play, given the stores and the positions since the last capture.
 * Several moves may have the best value, but some of them only repeat a position.
 * wari_player_choose() chooses a move that makes progress. wari_endgame_choose() corrects this
 * choice if the return of a position would cost the game. */
static enum wari_status choose_by_tables(const struct task *task, struct wari_choice *choice,
                                         struct wari_error *error)
{
    struct wari_db *db = task->database->db;
    struct wari_repetition repetition = task->repetition;
    struct wari_endgame_result result;
    struct wari_endgame *endgame = NULL;
    struct wari_player *player;
    if (!task->game.now.diagram) /* without the stores, the winner is not known */
        repetition.times = 0;
    enum wari_status status = wari_player_new(&player, db, error);
    if (status == WARI_OK)
        status = wari_player_choose(player, &task->setup.position, choice, error);
    wari_player_free(player);
    if (status == WARI_OK)
        status = wari_endgame_new(&endgame, db, wari_host_system(), ENDGAME_POSITIONS, error);
    if (status == WARI_OK)
        status = wari_endgame_choose(endgame, &task->game, &repetition, ENDGAME_MS, choice, &result,
                                     error);
    wari_endgame_free(endgame);
    return status;
}

static enum MHD_Result play_by_tables(struct request *request, const struct task *task)
{
    struct wari_choice choice;
    struct wari_error error;
    permits_acquire(&request->server->permits);
    enum wari_status status = choose_by_tables(task, &choice, &error);
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
        !request_position(request, &task.setup, &result) || !read_level(request, &task, &result) ||
        !read_repetition(request, &task, &result))
        return result;
    wari_find_moves(task.variant.rules, &task.setup.position, &moves);
    if (moves.count == 0)
        return reply_error(request, MHD_HTTP_BAD_REQUEST,
                           "the game is over: there is no move to play");
    if (!read_game(request, &task, &result))
        return result;
    if (task.level->depth > 0) {
        permits_acquire(&request->server->permits);
        int pit = wari_strength_move(task.level, task.variant, &task.setup.position, task.seed);
        permits_release(&request->server->permits);
        result = answer_pit(request, &task, pit);
    } else if (database_covers(task.database, &task.setup)) {
        result = play_by_tables(request, &task);
    } else {
        result = play_by_search(request, &task);
    }
    wari_game_free(&task.game);
    return result;
}

/* A game, move by move: what each move cost.
 *
 * The record is replayed by the game's own code. Where the database has the position, the value of
 * the move played is compared with the best one; where it has not, nothing is said, never guessed.
 */
#include <string.h>

#include "serve/record.h"
#include "serve/server.h"

struct replay {
    const struct database *database;
    struct wari_setup now;
    bool over; /* a slam ended the game */
};

/* Plays *move on the setup. */
static void play(struct replay *replay, const struct wari_move *move)
{
    struct wari_setup *now = &replay->now;
    now->stores[now->north_to_move] += move->captured;
    if (!move->again)
        now->north_to_move = !now->north_to_move;
    now->position = move->next;
    replay->over = move->ends;
}

/* The move that a letter means, in `moves`. */
static enum wari_status find_move(const struct replay *replay, const struct wari_moves *moves,
                                  size_t number, char letter, const struct wari_move **move,
                                  struct wari_error *error)
{
    struct wari_error reason;
    int pit;
    if (replay->over || moves->count == 0)
        return wari_fail(error, WARI_BAD_INPUT, "move %zu, %c: the game was over before it", number,
                         letter);
    if (wari_move_parse(letter, replay->now.north_to_move, &pit, &reason) != WARI_OK)
        return wari_fail(error, WARI_BAD_INPUT, "move %zu, %c: it is %s's turn, with %s", number,
                         letter, replay->now.north_to_move ? "North" : "South",
                         replay->now.north_to_move ? "a to f" : "A to F");
    for (int i = 0; i < moves->count; i++) {
        if (moves->list[i].pit == pit) {
            *move = &moves->list[i];
            return WARI_OK;
        }
    }
    return wari_fail(error, WARI_BAD_INPUT, "move %zu, %c: %s", number, letter,
                     replay->now.position.pits[pit] == 0
                         ? "this pit is empty"
                         : "the rules do not allow it here (a grand slam, or it feeds nobody)");
}

/* Adds values to the object of a ply; what the database does not cover gets none. */
static enum wari_status add_values(const struct replay *replay, const struct wari_move *move,
                                   json_t *ply, struct wari_error *error)
{
    struct wari_analysis analysis;
    enum wari_status status =
        wari_analyse(replay->database->db, &replay->now.position, &analysis, error);
    if (status == WARI_NOT_COVERED)
        return WARI_OK;
    if (status != WARI_OK)
        return status;
    json_t *best = json_array();
    int played = 0, failed = best == NULL;
    for (int i = 0; i < analysis.count; i++) {
        if (analysis.moves[i].move.pit == move->pit)
            played = analysis.moves[i].value;
        if (analysis.moves[i].value == analysis.value)
            failed |= json_array_append_new(
                best, json_letter(analysis.moves[i].move.pit, replay->now.north_to_move));
    }
    failed |= json_object_set_new(ply, "value", json_integer(analysis.value));
    failed |= json_object_set_new(ply, "played", json_integer(played));
    failed |= json_object_set_new(ply, "cost", json_integer(analysis.value - played));
    failed |= json_object_set_new(ply, "best", best);
    if (failed)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory; try again");
    return WARI_OK;
}

static enum wari_status replay_moves(struct replay *replay, const struct record *record,
                                     json_t *plies, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    for (size_t i = 0; i < record->count && status == WARI_OK; i++) {
        struct wari_moves moves;
        const struct wari_move *move = NULL;
        char diagram[WARI_DIAGRAM_TEXT];
        wari_moves(replay->database->info.variant.rules, &replay->now.position, &moves);
        status = find_move(replay, &moves, i + 1, record->moves[i], &move, error);
        if (status != WARI_OK)
            return status;
        wari_diagram_text(&replay->now, diagram);
        char letter[] = {record->moves[i], '\0'};
        json_t *ply = json_pack("{ss ss si}", "move", letter, "position", diagram, "captured",
                                move->captured);
        status = add_values(replay, move, ply, error);
        if (json_array_append_new(plies, ply) != 0 && status == WARI_OK)
            status = wari_fail(error, WARI_NO_MEMORY, "not enough memory; try again");
        play(replay, move);
    }
    return status;
}

enum MHD_Result api_game(struct request *request)
{
    struct replay replay = {.over = false};
    struct record record;
    struct wari_error error;
    enum MHD_Result result;
    char diagram[WARI_DIAGRAM_TEXT];
    if (!request_database(request, &replay.database, &result))
        return result;
    if (request->json)
        return reply_error(request, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "a game is text/plain");
    if (strlen(request->body) != request->length)
        return reply_error(request, MHD_HTTP_BAD_REQUEST, "there is a zero byte in this text");
    enum wari_status status = record_read(request->body, &record, &error);
    if (status != WARI_OK)
        return reply_failure(request, status, &error);
    replay.now = record.start;
    json_t *plies = json_array();
    status = replay_moves(&replay, &record, plies, &error);
    if (status != WARI_OK) {
        json_decref(plies);
        return reply_failure(request, status, &error);
    }
    wari_diagram_text(&replay.now, diagram);
    const struct wari_variant *variant = &replay.database->info.variant;
    return reply_json(request,
                      json_pack("{ss ss so ss}", "rules", wari_rules_info(variant->rules)->name,
                                "cycle", wari_cycle_name(variant->cycle), "plies", plies, "end",
                                diagram),
                      NULL, CACHE_NOTHING);
}

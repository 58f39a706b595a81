/* The referee of a game. It trusts no engine: moves are checked before they are played, and an
 * engine that fails loses only this game. */
#include "play/engine/match.h"

#include <string.h>

#include "index/half.h"
#include "system/clock.h"

/* The rule by which wari_game_play() ends a game. */
static const struct wari_repetition match_repetition = {.times = 3, .rows = false};

/* Finds the move of perfect play. If the history of the game allows a better result, another move
 * replaces it: one that is proven to win or to draw, while the move of perfect play is not. By the
 * cycle rule, which decides the score here, the move of perfect play gets at least the value of the
 * position. So a better result means more seeds, and no game ends with less than the value. */
static enum wari_status find_perfect_move(const struct wari_match_side *side,
                                          const struct wari_game *game, int *pit,
                                          struct wari_error *error)
{
    struct wari_endgame_result result;
    struct wari_choice choice;
    enum wari_status status = wari_player_choose(side->player, &game->now.position, &choice, error);
    if (status != WARI_OK)
        return status;
    *pit = choice.analysis.moves[choice.move].move.pit;
    status =
        wari_endgame_choose(side->endgame, game, &match_repetition, -1, &choice, &result, error);
    if (status == WARI_OK && result.changed && result.proven)
        *pit = choice.analysis.moves[choice.move].move.pit;
    return status;
}

static enum wari_status find_move(const struct wari_match_side *side, const struct wari_game *game,
                                  int *pit, struct wari_match_result *result,
                                  struct wari_error *error)
{
    if (side->engine)
        return wari_opponent_move(side->engine, game, pit, &result->fault, &result->interrupted,
                                  error);
    return find_perfect_move(side, game, pit, error);
}

/* Sets the clocks of both sides, in milliseconds. */
static void start_clocks(const struct wari_match_side sides[2], int64_t left[2])
{
    for (int side = 0; side < 2; side++)
        left[side] = sides[side].engine ? sides[side].engine->limits.clock : 0;
}

/* Asks a side for its move and stops its clock. If the move came after the clock ran out, but
 * within the grace period, the clock continues from 0. */
static enum wari_status find_move_by_clock(const struct wari_match_side sides[2],
                                           const struct wari_game *game, int64_t left[2], int *pit,
                                           struct wari_match_result *result,
                                           struct wari_error *error)
{
    const struct wari_match_side *side = &sides[result->side];
    int64_t began = wari_milliseconds_now();
    if (side->engine)
        memcpy(side->engine->left, left, sizeof side->engine->left);
    enum wari_status status = find_move(side, game, pit, result, error);
    if (side->engine) {
        int64_t *clock = &left[result->side];
        *clock -= wari_milliseconds_now() - began;
        *clock = (*clock > 0 ? *clock : 0) + side->engine->limits.increment;
    }
    return status;
}

/* Ends the game if the tables contain its position. */
static enum wari_status adjudicate(const struct wari_game *game, struct wari_db *tables,
                                   struct wari_match_result *result, struct wari_error *error)
{
    struct wari_info info;
    int value, seeds = wari_seeds(&game->now.position);
    wari_get_info(tables, &info);
    if (seeds > info.seeds_max || !wari_level_exists(seeds))
        return WARI_OK;
    enum wari_status status = wari_probe(tables, &game->now.position, &value, error);
    if (status != WARI_OK)
        return status;
    result->adjudicated = true;
    wari_game_score_at(&game->now, value, &result->score);
    return WARI_OK;
}

enum wari_status wari_match_play(struct wari_game *game, const struct wari_match_side sides[2],
                                 struct wari_db *tables, struct wari_match_result *result,
                                 struct wari_error *error)
{
    int64_t left[2];
    *result = (struct wari_match_result){.fault = WARI_FAULT_NONE};
    for (int side = 0; side < 2; side++) {
        if (!sides[side].engine) {
            wari_endgame_forget(sides[side].endgame);
            continue;
        }
        enum wari_status status =
            wari_opponent_new_game(sides[side].engine, &result->interrupted, error);
        if (status != WARI_OK || result->interrupted)
            return status;
    }
    start_clocks(sides, left);
    while (game->end == WARI_GAME_OPEN) {
        int pit = -1;
        result->side = game->now.north_to_move;
        enum wari_status status = find_move_by_clock(sides, game, left, &pit, result, error);
        if (status != WARI_OK || result->fault != WARI_FAULT_NONE || result->interrupted)
            return status;
        status = wari_game_play(game, pit, error);
        if (status == WARI_OK && tables && game->end == WARI_GAME_OPEN)
            status = adjudicate(game, tables, result, error);
        if (status != WARI_OK || result->adjudicated)
            return status;
    }
    return WARI_OK;
}

uint64_t wari_match_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 16;
}

/* Draws the seeds and the walls between pits in random order. All orders are equally likely, so
 * all placements are. */
void wari_match_placement(uint64_t *state, int seeds, struct wari_position *position)
{
    int walls = WARI_PITS - 1;
    *position = (struct wari_position){{0}};
    while (seeds + walls > 0) {
        if (wari_match_random(state) % (uint64_t)(seeds + walls) < (uint64_t)walls) {
            walls--;
        } else {
            position->pits[walls]++;
            seeds--;
        }
    }
}

bool wari_match_position(uint64_t *state, enum wari_rules rules, int seeds,
                         struct wari_setup *setup)
{
    enum { PLACEMENT_TRIES = 100000 };
    struct wari_moves moves;
    int captured = WARI_SEEDS_MAX - seeds;
    *setup = (struct wari_setup){.diagram = true};
    setup->stores[0] = (uint8_t)(captured - captured / 2);
    setup->stores[1] = (uint8_t)(captured / 2);
    for (int i = 0; i < PLACEMENT_TRIES; i++) {
        wari_match_placement(state, seeds, &setup->position);
        if (wari_half_full(setup->position.pits + WARI_HALF_PITS))
            continue;
        wari_find_moves(rules, &setup->position, &moves);
        if (moves.count > 0)
            return true;
    }
    return false;
}

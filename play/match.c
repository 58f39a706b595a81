/* One game of a match. The referee trusts nobody: moves are checked before they are played, and an
 * engine that fails costs itself this game and nobody anything else.
 */
#include "play/match.h"

#include "index/half.h"

static enum wari_status find_move(const struct wari_match_side *side, const struct wari_game *game,
                                  int *pit, struct wari_match_result *result,
                                  struct wari_error *error)
{
    struct wari_choice choice;
    if (side->engine)
        return wari_opponent_move(side->engine, game, pit, &result->fault, &result->interrupted,
                                  error);
    enum wari_status status = wari_player_choose(side->player, &game->now.position, &choice, error);
    if (status == WARI_OK)
        *pit = choice.analysis.moves[choice.move].move.pit;
    return status;
}

enum wari_status wari_match_play(struct wari_game *game, const struct wari_match_side sides[2],
                                 struct wari_match_result *result, struct wari_error *error)
{
    *result = (struct wari_match_result){.fault = WARI_FAULT_NONE};
    for (int side = 0; side < 2; side++) {
        if (!sides[side].engine)
            continue;
        result->side = side;
        result->fault = wari_opponent_new_game(sides[side].engine, &result->interrupted);
        if (result->fault != WARI_FAULT_NONE || result->interrupted)
            return WARI_OK;
    }
    while (game->end == WARI_GAME_OPEN) {
        int pit = -1;
        result->side = game->now.north_to_move;
        enum wari_status status = find_move(&sides[result->side], game, &pit, result, error);
        if (status != WARI_OK || result->fault != WARI_FAULT_NONE || result->interrupted)
            return status;
        status = wari_game_play(game, pit, error);
        if (status != WARI_OK)
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

/* Seeds and the walls between pits in a row: every order is as likely as any other. */
static void fill(uint64_t *state, int seeds, struct wari_position *position)
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
    enum { TRIES = 100000 };
    struct wari_moves moves;
    int captured = WARI_SEEDS_MAX - seeds;
    *setup = (struct wari_setup){.diagram = true};
    setup->stores[0] = (uint8_t)(captured - captured / 2);
    setup->stores[1] = (uint8_t)(captured / 2);
    for (int i = 0; i < TRIES; i++) {
        fill(state, seeds, &setup->position);
        if (wari_half_full(setup->position.pits + WARI_HALF_PITS))
            continue;
        wari_moves(rules, &setup->position, &moves);
        if (moves.count > 0)
            return true;
    }
    return false;
}

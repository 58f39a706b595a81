/* The loss of a move is the exact value of the position before the move minus the exact value of
 * the move, so losses add up: South's losses minus North's losses are the difference between the
 * score of perfect play and the actual score. The cycle rule is part of this sum: a player who
 * repeats positions until the rule ends the game exchanges the value of the position for the score
 * of the rule, although none of the moves loses anything by itself. */
#include "play/judge.h"

#include <string.h>

/* ---- A move ---- */

/* Judges the move `pit`, which was made in `position`. The caller sets *judged to zero. If the
 * position is not covered, *judged stays zero and the function returns WARI_OK. */
static enum wari_status judge_move(struct wari_db *db, const struct wari_position *position,
                                   int pit, struct wari_judged_move *judged,
                                   struct wari_error *error)
{
    struct wari_analysis analysis;
    struct wari_error reason;

    enum wari_status status = wari_analyse(db, position, &analysis, &reason);
    if (status == WARI_NOT_COVERED)
        return WARI_OK;
    if (status != WARI_OK) {
        if (error)
            *error = reason;
        return status;
    }
    for (int i = 0; i < analysis.count; i++) {
        int each = analysis.moves[i].move.pit;
        if (analysis.moves[i].value == analysis.value)
            judged->best = (uint8_t)(judged->best | 1 << each);
        if (each == pit)
            judged->played = (int8_t)analysis.moves[i].value;
    }
    if (analysis.count == 0) { /* the last grand slam of wari_game_play(), which loses nothing */
        judged->best = (uint8_t)(1 << pit);
        judged->played = (int8_t)analysis.value;
    }
    judged->covered = true;
    judged->before = (int8_t)analysis.value;
    judged->loss = (uint8_t)(analysis.value - judged->played);
    return WARI_OK;
}

/* ---- A side ---- */

static void count_move(struct wari_judged_side *side, const struct wari_judged_move *judged,
                       int ply)
{
    side->moves++;
    if (!judged->covered)
        return;
    side->judged++;
    if (judged->loss == 0) {
        side->perfect++;
        return;
    }
    side->lost += judged->loss;
    if (side->first < 0)
        side->first = ply;
    if (judged->loss > side->worst_loss) {
        side->worst_loss = judged->loss;
        side->worst = ply;
    }
}

void wari_judged_add(struct wari_judged_side *sum, const struct wari_judged_side *side)
{
    sum->moves += side->moves;
    sum->judged += side->judged;
    sum->perfect += side->perfect;
    sum->lost += side->lost;
    sum->cycle_lost += side->cycle_lost;
    sum->first = sum->worst = -1;
    if (side->worst_loss > sum->worst_loss)
        sum->worst_loss = side->worst_loss;
}

/* ---- A game ---- */

/* Computes the value of the final position for South. Sets *covered to false if the position is
 * not covered or there is no database. */
static enum wari_status final_value(struct wari_db *db, const struct wari_game *game, bool *covered,
                                    int *value, struct wari_error *error)
{
    struct wari_error reason;
    *value = 0;
    enum wari_status status =
        db ? wari_probe(db, &game->now.position, value, &reason) : WARI_NOT_COVERED;
    *covered = status == WARI_OK;
    if (game->now.north_to_move)
        *value = -*value;
    if (status == WARI_OK || status == WARI_NOT_COVERED)
        return WARI_OK;
    if (error)
        *error = reason;
    return status;
}

static void judge_cycle(const struct wari_game *game, bool covered, int value,
                        struct wari_judgement *judgement)
{
    struct wari_judged_cycle *cycle = &judgement->cycle;
    *cycle = (struct wari_judged_cycle){.times = game->times, .first = game->first, .loser = -1};
    if (game->times == 1)
        return;
    cycle->pays = wari_game_cycle_pays(game, game->first);
    cycle->covered = covered;
    cycle->value = value;
    if (!covered || value == cycle->pays)
        return;
    cycle->loser = value < cycle->pays; /* both numbers are South's: South loses if the value is
                                         * greater, North (1) if `pays` is greater */
    cycle->cost = cycle->loser ? cycle->pays - value : value - cycle->pays;
    if (game->end == WARI_GAME_REPETITION) {
        judgement->side[cycle->loser].cycle_lost = cycle->cost;
        judgement->total.cycle_lost = cycle->cost;
    }
}

enum wari_status wari_judge_end(struct wari_db *db, const struct wari_game *game,
                                struct wari_judgement *judgement, struct wari_error *error)
{
    bool covered;
    int value;
    judgement->score_known = wari_game_score(game, &judgement->score);
    judgement->cycle = (struct wari_judged_cycle){.times = 1, .loser = -1};
    if (game->end == WARI_GAME_SLAM || game->end == WARI_GAME_NO_MOVE)
        return WARI_OK;
    enum wari_status status = final_value(db, game, &covered, &value, error);
    if (status != WARI_OK)
        return status;
    judge_cycle(game, covered, value, judgement);
    if (!judgement->score_known && covered) {
        judgement->score_known = true;
        wari_game_score_at(&game->now, game->now.north_to_move ? -value : value, &judgement->score);
    }
    return WARI_OK;
}

enum wari_status wari_judge_begin(struct wari_db *db, const struct wari_game *game,
                                  struct wari_judgement *judgement, struct wari_error *error)
{
    static const struct wari_judged_side nothing = {.first = -1, .worst = -1};
    struct wari_info info = {.variant = game->variant};
    void *moves;

    *judgement = (struct wari_judgement){
        .host = game->host,
        .count = game->count,
        .side = {nothing, nothing},
        .total = nothing,
    };
    if (db)
        wari_get_info(db, &info);
    if (info.variant.rules != game->variant.rules || info.variant.cycle != game->variant.cycle)
        return wari_fail(
            error, WARI_MISMATCH, "a game under %s %s cannot be judged by a database for %s %s",
            wari_get_rules_info(game->variant.rules)->name, wari_cycle_name(game->variant.cycle),
            wari_get_rules_info(info.variant.rules)->name, wari_cycle_name(info.variant.cycle));
    size_t bytes = (size_t)(game->count + 1) * sizeof judgement->moves[0];
    enum wari_status status =
        wari_allocate(game->host, bytes, "the judged moves of a game", &moves, error);
    if (status == WARI_OK)
        judgement->moves = moves;
    return status;
}

enum wari_status wari_judge_ply(struct wari_db *db, const struct wari_game *game, int ply,
                                struct wari_judgement *judgement, struct wari_error *error)
{
    const struct wari_ply *played = &game->plies[ply];
    struct wari_judged_move *judged = &judgement->moves[ply];
    enum wari_status status = WARI_OK;
    *judged = (struct wari_judged_move){.covered = false};
    if (db)
        status = judge_move(db, &played->before.position, played->move.pit, judged, error);
    if (status != WARI_OK)
        return status;
    count_move(&judgement->side[played->before.north_to_move], judged, ply);
    count_move(&judgement->total, judged, ply);
    return WARI_OK;
}

enum wari_status wari_judge_game(struct wari_db *db, const struct wari_game *game,
                                 struct wari_judgement *judgement, struct wari_error *error)
{
    enum wari_status status = wari_judge_begin(db, game, judgement, error);
    for (int ply = 0; ply < game->count && status == WARI_OK; ply++)
        status = wari_judge_ply(db, game, ply, judgement, error);
    if (status == WARI_OK)
        status = wari_judge_end(db, game, judgement, error);
    if (status != WARI_OK)
        wari_judgement_free(judgement);
    return status;
}

void wari_judgement_free(struct wari_judgement *judgement)
{
    if (judgement->moves)
        wari_release(judgement->host, judgement->moves);
    judgement->moves = NULL;
    judgement->count = 0;
}

bool wari_judged_score(const struct wari_game *game, const struct wari_judgement *judgement,
                       int ply, struct wari_score *score)
{
    if (ply == game->count) {
        if (judgement->score_known)
            *score = judgement->score;
        return judgement->score_known;
    }
    const struct wari_judged_move *judged = &judgement->moves[ply];
    if (judged->covered)
        wari_game_score_at(&game->plies[ply].before, judged->before, score);
    return judged->covered;
}

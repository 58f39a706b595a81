/* The judge: each move against the best one, and a game as a whole.
 *
 * A move's loss is a difference of two exact values of the same position, so losses add up: what
 * South lost minus what North lost is the distance from the score that perfect play would have
 * given to the one that came out. The same sum takes in the cycle rule: who repeats positions until
 * it ends the game turns the value of the position into what the rule pays, without a single move
 * that loses anything by itself.
 */
#include "play/judge.h"

#include <string.h>

/* ---- A move ---- */

enum wari_status wari_judge_move(struct wari_db *db, const struct wari_position *position, int pit,
                                 struct wari_verdict *verdict, struct wari_error *error)
{
    struct wari_analysis analysis;
    struct wari_error reason;
    bool legal = false;

    *verdict = (struct wari_verdict){.covered = false};
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
            verdict->best = (uint8_t)(verdict->best | 1 << each);
        if (each == pit) {
            legal = true;
            verdict->played = (int8_t)analysis.moves[i].value;
        }
    }
    if (!legal)
        return wari_fail(error, WARI_BAD_INPUT, "pit %d is no legal move", pit);
    verdict->covered = true;
    verdict->before = (int8_t)analysis.value;
    verdict->loss = (uint8_t)(analysis.value - verdict->played);
    return WARI_OK;
}

/* ---- A side ---- */

static void count_move(struct wari_judged_side *side, const struct wari_verdict *verdict, int ply)
{
    side->moves++;
    if (!verdict->covered)
        return;
    side->judged++;
    if (verdict->loss == 0) {
        side->perfect++;
        return;
    }
    side->lost += verdict->loss;
    if (side->first < 0)
        side->first = ply;
    if (verdict->loss > side->worst_loss) {
        side->worst_loss = verdict->loss;
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

/* The value of the position at the end for South; *covered is false where it has none, or there is
 * no database. */
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
    cycle->loser = value < cycle->pays; /* the side that is paid less than the value */
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
    struct wari_info info;
    void *verdicts;

    *judgement = (struct wari_judgement){
        .host = game->host,
        .count = game->count,
        .side = {nothing, nothing},
        .total = nothing,
    };
    wari_info(db, &info);
    if (info.variant.rules != game->variant.rules || info.variant.cycle != game->variant.cycle)
        return wari_fail(
            error, WARI_MISMATCH, "a game under %s %s cannot be judged by a database for %s %s",
            wari_rules_info(game->variant.rules)->name, wari_cycle_name(game->variant.cycle),
            wari_rules_info(info.variant.rules)->name, wari_cycle_name(info.variant.cycle));
    size_t bytes = (size_t)(game->count + 1) * sizeof judgement->verdicts[0];
    enum wari_status status = wari_allocate(game->host, bytes, "a judgement", &verdicts, error);
    if (status == WARI_OK)
        judgement->verdicts = verdicts;
    return status;
}

enum wari_status wari_judge_ply(struct wari_db *db, const struct wari_game *game, int ply,
                                struct wari_judgement *judgement, struct wari_error *error)
{
    const struct wari_ply *played = &game->plies[ply];
    struct wari_verdict *verdict = &judgement->verdicts[ply];
    enum wari_status status =
        wari_judge_move(db, &played->before.position, played->move.pit, verdict, error);
    if (status != WARI_OK)
        return status;
    count_move(&judgement->side[played->before.north_to_move], verdict, ply);
    count_move(&judgement->total, verdict, ply);
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
    if (judgement->verdicts)
        wari_release(judgement->host, judgement->verdicts);
    judgement->verdicts = NULL;
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
    const struct wari_verdict *verdict = &judgement->verdicts[ply];
    if (verdict->covered)
        wari_game_score_at(&game->plies[ply].before, verdict->before, score);
    return verdict->covered;
}

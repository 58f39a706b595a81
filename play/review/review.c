/* Each position of a game is appraised once. What a move is worth is what it captures and the value
 * of the position behind it, so one search serves the move before and the one after; a position is
 * worth at least what the move played from it is.
 */
#include "play/review/review.h"

#include <string.h>

enum {
    SEED = WARI_SEED_SCORE,
    CLEAR = 2 * SEED, /* a loss that is no mere change of mind of the search */
};

/* ---- What positions are worth ---- */

static struct wari_appraised exactly(int value)
{
    return (struct wari_appraised){
        .kind = WARI_KIND_EXACT, .score = SEED * value, .least = value, .most = value};
}

/* The position before ply `number` as the one at hand of a game of its own, which borrows the plies
 * of the whole one. */
static struct wari_game game_until(const struct wari_game *game, int number)
{
    struct wari_game part = *game;
    if (number < game->count) {
        part.now = game->plies[number].before;
        part.end = WARI_GAME_OPEN;
    }
    part.count = number;
    return part;
}

/* The position behind the last move, where the game is over. */
static struct wari_appraised value_of_end(const struct wari_game *game)
{
    struct wari_moves moves;
    wari_moves(game->variant.rules, &game->now.position, &moves);
    return exactly(moves.end_value);
}

/* *best: the moves of the best value. */
static enum wari_status appraise(const struct wari_reviewer *reviewer, const struct wari_game *game,
                                 struct wari_appraised *value, uint8_t *best,
                                 struct wari_error *error)
{
    const atomic_bool *stop = reviewer->limits.stop;
    struct wari_appraisal appraisal;
    *best = 0;
    enum wari_status status = reviewer->appraise
                                  ? reviewer->appraise(reviewer->context, game, &appraisal, error)
                                  : wari_appraise(reviewer->db, reviewer->search, game,
                                                  &reviewer->limits, &appraisal, error);
    if (status != WARI_OK)
        return status;
    if (stop && atomic_load(stop))
        return wari_fail(error, WARI_INTERRUPTED, "interrupted while a game was judged");
    *value = appraisal.value;
    for (int i = 0; i < appraisal.count; i++)
        if (i == 0 || (appraisal.value.kind == WARI_KIND_EXACT && !appraisal.value.searched &&
                       appraisal.moves[i].value.score == appraisal.value.score))
            *best = (uint8_t)(*best | 1 << appraisal.moves[i].move.pit);
    return WARI_OK;
}

/* ---- A move ---- */

/* What a move is worth to the side that makes it, where `behind` is what the next position is
 * worth. */
static struct wari_appraised value_of_move(const struct wari_move *move,
                                           const struct wari_appraised *behind)
{
    int captured = move->captured;
    struct wari_appraised value = *behind;
    if (move->ends)
        return exactly(move->end_value);
    if (move->again) {
        value.score += SEED * captured;
        value.least += captured;
        value.most += captured;
    } else {
        value.score = SEED * captured - behind->score;
        value.least = captured - behind->most;
        value.most = captured - behind->least;
    }
    return value;
}

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

/* Who wins, and whether that is proven, where the side that moves is ahead by so many seeds. */
static int find_winner(int ahead, const struct wari_appraised *value, bool *proven)
{
    *proven = sign(ahead + value->least) == sign(ahead + value->most);
    return *proven ? sign(ahead + value->least) : sign(SEED * ahead + value->score);
}

static void form_opinion(enum wari_rules rules, const struct wari_ply *ply,
                         struct wari_appraised before, const struct wari_appraised *played,
                         struct wari_opinion *opinion)
{
    bool is_best = opinion->best >> ply->move.pit & 1;
    int mover = ply->before.north_to_move;
    int ahead = ply->before.stores[mover] - ply->before.stores[!mover];
    bool proven_before, proven_behind;
    if (played->least > before.least)
        before.least = played->least;
    if (is_best || played->score > before.score)
        before.score = played->score;
    opinion->before = before.score;
    opinion->played = played->score;
    opinion->loss = before.score - played->score;
    opinion->proven_loss = before.least > played->most ? before.least - played->most : 0;
    if (opinion->loss < SEED * opinion->proven_loss)
        opinion->loss = SEED * opinion->proven_loss;
    opinion->kind = before.least == before.most && played->least == played->most ? WARI_KIND_EXACT
                    : opinion->proven_loss > 0 || before.most <= played->least   ? WARI_KIND_BOUND
                                                                               : WARI_KIND_ESTIMATE;
    if (opinion->kind == WARI_KIND_EXACT)
        opinion->loss = SEED * (before.least - played->least);
    if (opinion->loss > 0)
        opinion->best = (uint8_t)(opinion->best & ~(1 << ply->move.pit));
    opinion->winner_before = find_winner(ahead, &before, &proven_before);
    opinion->winner_behind = find_winner(ahead, played, &proven_behind);
    bool worse = opinion->loss > 0 && opinion->winner_behind < opinion->winner_before;
    opinion->turn_proven =
        worse && proven_before && proven_behind && !wari_game_slam_decides(rules);
    opinion->turns = opinion->turn_proven || (worse && opinion->loss >= CLEAR);
}

static void count_opinion(const struct wari_opinion *opinion, struct wari_reviewed_side *side)
{
    side->moves++;
    side->proven += opinion->kind != WARI_KIND_ESTIMATE;
    side->turns += opinion->turns;
    side->lost += opinion->loss;
    double counts = 100 / (1 + opinion->loss / (2.0 * SEED));
    side->accuracy += (counts - side->accuracy) / side->moves;
}

/* ---- A game ---- */

static enum wari_status review_all(const struct wari_reviewer *reviewer,
                                   const struct wari_game *game, struct wari_review *review,
                                   struct wari_error *error)
{
    struct wari_appraised behind = {.kind = WARI_KIND_EXACT}, before = behind;
    uint8_t best;
    bool over = game->end == WARI_GAME_NO_MOVE || game->end == WARI_GAME_SLAM;
    for (int i = game->count; i >= 0; i--) {
        struct wari_game part = game_until(game, i);
        enum wari_status status = WARI_OK;
        best = 0;
        if (i == game->count && over)
            before = value_of_end(game);
        else
            status = appraise(reviewer, &part, &before, &best, error);
        if (status != WARI_OK)
            return status;
        if (i < game->count) {
            struct wari_opinion *opinion = &review->opinions[i];
            const struct wari_ply *ply = &game->plies[i];
            struct wari_appraised played = value_of_move(&ply->move, &behind);
            opinion->best = best;
            form_opinion(game->variant.rules, ply, before, &played, opinion);
        }
        behind = before;
        if (reviewer->progress)
            reviewer->progress(reviewer->context, game->count - i + 1, game->count + 1);
    }
    for (int i = 0; i < game->count; i++)
        count_opinion(&review->opinions[i], &review->side[game->plies[i].before.north_to_move]);
    return WARI_OK;
}

enum wari_status wari_review_game(const struct wari_reviewer *reviewer,
                                  const struct wari_game *game, struct wari_review *review,
                                  struct wari_error *error)
{
    static const struct wari_reviewed_side nothing = {.accuracy = 100};
    void *memory;
    *review =
        (struct wari_review){.host = game->host, .count = game->count, .side = {nothing, nothing}};
    size_t bytes = (size_t)(game->count + 1) * sizeof review->opinions[0];
    enum wari_status status = wari_allocate(game->host, bytes, "a review", &memory, error);
    if (status != WARI_OK)
        return status;
    review->opinions = memory;
    memset(memory, 0, bytes);
    status = review_all(reviewer, game, review, error);
    if (status != WARI_OK)
        wari_review_free(review);
    return status;
}

void wari_review_free(struct wari_review *review)
{
    if (review->opinions)
        wari_release(review->host, review->opinions);
    review->opinions = NULL;
    review->count = 0;
}

/* Reviews a game. Each position is evaluated once. The value of a move is the number of seeds
 * that it captures plus the value of the next position for the mover. So the search of a
 * position gives both the value of the move before it and the value that the next move should
 * attain. A position is worth at least as much as the move that was played in it. */
#include "play/review/review.h"

#include <string.h>

enum {
    SEED = WARI_SEED_SCORE,
    CLEAR = 2 * SEED, /* a loss of at least this much is more than an error of the search */
};

/* ---- Values of positions ---- */

static struct wari_value_result exactly(int value)
{
    return (struct wari_value_result){
        .kind = WARI_KIND_EXACT, .score = SEED * value, .least = value, .most = value};
}

/* Returns a game whose current position is the one before ply `number`. It borrows the plies of
 * the given game. */
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

/* Computes the value of a position in which the game is over: `game` has ended, or its last move
 * was the grand slam that wari_game_play() allows after the end. Returns false for other positions.
 */
static bool value_of_end(const struct wari_game *game, struct wari_value_result *value)
{
    struct wari_moves moves;
    wari_find_moves(game->variant.rules, &game->now.position, &moves);
    if (moves.count > 0 && game->end != WARI_GAME_SLAM)
        return false;
    *value = exactly(moves.end_value);
    return true;
}

/* Evaluates a position. *best receives the set of the moves with the best value. */
static enum wari_status evaluate(const struct wari_reviewer *reviewer, const struct wari_game *game,
                                 struct wari_value_result *value, uint8_t *best,
                                 struct wari_error *error)
{
    const atomic_bool *stop = reviewer->limits.stop;
    struct wari_position_result result;
    *best = 0;
    enum wari_status status = reviewer->evaluate
                                  ? reviewer->evaluate(reviewer->context, game, &result, error)
                                  : wari_evaluate_position(reviewer->db, reviewer->search, game,
                                                           &reviewer->limits, &result, error);
    if (status != WARI_OK)
        return status;
    if (stop && atomic_load(stop))
        return wari_fail(error, WARI_INTERRUPTED, "interrupted while a game was judged");
    *value = result.value;
    for (int i = 0; i < result.count; i++)
        if (i == 0 || (result.value.kind == WARI_KIND_EXACT && !result.value.searched &&
                       result.moves[i].value.score == result.value.score))
            *best = (uint8_t)(*best | 1 << result.moves[i].move.pit);
    return WARI_OK;
}

/* ---- A move ---- */

/* Returns the value of a move to the side that makes it, where `after` is the value of the next
 * position. */
static struct wari_value_result value_of_move(const struct wari_move *move,
                                              const struct wari_value_result *after)
{
    int captured = move->captured;
    struct wari_value_result value = *after;
    if (move->ends)
        return exactly(move->end_value);
    if (move->again) {
        value.score += SEED * captured;
        value.least += captured;
        value.most += captured;
    } else {
        value.score = SEED * captured - after->score;
        value.least = captured - after->most;
        value.most = captured - after->least;
    }
    return value;
}

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

/* Returns the winner if the mover is ahead by `ahead` seeds, and sets *proven if this is proven. */
static int find_winner(int ahead, const struct wari_value_result *value, bool *proven)
{
    *proven = sign(ahead + value->least) == sign(ahead + value->most);
    return *proven ? sign(ahead + value->least) : sign(SEED * ahead + value->score);
}

static void review_move(enum wari_rules rules, const struct wari_ply *ply,
                        struct wari_value_result before, const struct wari_value_result *played,
                        struct wari_reviewed_move *reviewed)
{
    bool is_best = reviewed->best >> ply->move.pit & 1;
    int mover = ply->before.north_to_move;
    int ahead = ply->before.stores[mover] - ply->before.stores[!mover];
    bool proven_before, proven_after;
    if (played->least > before.least)
        before.least = played->least;
    if (is_best || played->score > before.score)
        before.score = played->score;
    reviewed->before = before.score;
    reviewed->played = played->score;
    reviewed->loss = before.score - played->score;
    reviewed->proven_loss = before.least > played->most ? before.least - played->most : 0;
    if (reviewed->loss < SEED * reviewed->proven_loss)
        reviewed->loss = SEED * reviewed->proven_loss;
    reviewed->kind = before.least == before.most && played->least == played->most ? WARI_KIND_EXACT
                     : reviewed->proven_loss > 0 || before.most <= played->least
                         ? WARI_KIND_BOUND
                         : WARI_KIND_ESTIMATE;
    if (reviewed->kind == WARI_KIND_EXACT)
        reviewed->loss = SEED * (before.least - played->least);
    if (reviewed->loss > 0)
        reviewed->best = (uint8_t)(reviewed->best & ~(1 << ply->move.pit));
    reviewed->winner_before = find_winner(ahead, &before, &proven_before);
    reviewed->winner_after = find_winner(ahead, played, &proven_after);
    bool worse = reviewed->loss > 0 && reviewed->winner_after < reviewed->winner_before;
    reviewed->turn_proven =
        worse && proven_before && proven_after && !wari_game_slam_decides(rules);
    reviewed->turns = reviewed->turn_proven || (worse && reviewed->loss >= CLEAR);
}

static void count_move(const struct wari_reviewed_move *reviewed, struct wari_reviewed_side *side)
{
    side->moves++;
    side->proven += reviewed->kind != WARI_KIND_ESTIMATE;
    side->turns += reviewed->turns;
    side->lost += reviewed->loss;
    double counts = 100 / (1 + reviewed->loss / (2.0 * SEED));
    side->accuracy += (counts - side->accuracy) / side->moves;
}

/* ---- A game ---- */

static enum wari_status review_all(const struct wari_reviewer *reviewer,
                                   const struct wari_game *game, struct wari_review *review,
                                   struct wari_error *error)
{
    struct wari_value_result after = {.kind = WARI_KIND_EXACT}, before = after;
    uint8_t best;
    for (int i = game->count; i >= 0; i--) {
        struct wari_game part = game_until(game, i);
        enum wari_status status = WARI_OK;
        best = 0;
        if (i < game->count)
            best = (uint8_t)(1 << game->plies[i].move.pit);
        if (!value_of_end(&part, &before))
            status = evaluate(reviewer, &part, &before, &best, error);
        if (status != WARI_OK)
            return status;
        if (i < game->count) {
            struct wari_reviewed_move *reviewed = &review->moves[i];
            const struct wari_ply *ply = &game->plies[i];
            struct wari_value_result played = value_of_move(&ply->move, &after);
            reviewed->best = best;
            review_move(game->variant.rules, ply, before, &played, reviewed);
        }
        after = before;
        if (reviewer->progress)
            reviewer->progress(reviewer->context, game->count - i + 1, game->count + 1);
    }
    for (int i = 0; i < game->count; i++)
        count_move(&review->moves[i], &review->side[game->plies[i].before.north_to_move]);
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
    size_t bytes = (size_t)(game->count + 1) * sizeof review->moves[0];
    enum wari_status status =
        wari_allocate(game->host, bytes, "the review of a game", &memory, error);
    if (status != WARI_OK)
        return status;
    review->moves = memory;
    memset(memory, 0, bytes);
    status = review_all(reviewer, game, review, error);
    if (status != WARI_OK)
        wari_review_free(review);
    return status;
}

void wari_review_free(struct wari_review *review)
{
    if (review->moves)
        wari_release(review->host, review->moves);
    review->moves = NULL;
    review->count = 0;
}

void wari_reviewed_add(struct wari_reviewed_side *sum, const struct wari_reviewed_side *side)
{
    sum->moves += side->moves;
    sum->proven += side->proven;
    sum->turns += side->turns;
    sum->lost += side->lost;
    if (side->moves > 0)
        sum->accuracy += (side->accuracy - sum->accuracy) * side->moves / sum->moves;
}

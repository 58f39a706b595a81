/* Evaluates a position by the database or by search. The scores of a search come from its last
 * iteration, which is the most reliable one. Its bounds are accumulated over all iterations, since
 * what is proven stays proven. */
#include "play/review/evaluate.h"

#include <string.h>

#include "index/half.h"

enum { SEED = WARI_SEED_SCORE };

struct collection {
    struct wari_position_result *result;
    bool proofs; /* true if only the bounds of the current search are used, because its scores
                  * are worse */
    /* The last report for each pit, from searches without proofs. */
    struct wari_search_report reports[WARI_HALF_PITS];
};

const char *wari_kind_name(enum wari_kind kind)
{
    static const char *const names[] = {[WARI_KIND_EXACT] = "exact",
                                        [WARI_KIND_BOUND] = "bound",
                                        [WARI_KIND_ESTIMATE] = "estimate"};
    return names[kind];
}

/* ---- Database ---- */

static struct wari_value_result exactly(int value)
{
    return (struct wari_value_result){
        .kind = WARI_KIND_EXACT, .score = SEED * value, .least = value, .most = value};
}

static enum wari_status probe(struct wari_db *db, const struct wari_position *position,
                              struct wari_position_result *result, struct wari_error *error)
{
    struct wari_analysis analysis;
    enum wari_status status = wari_analyse(db, position, &analysis, error);
    if (status != WARI_OK)
        return status;
    result->value = exactly(analysis.value);
    result->count = analysis.count;
    for (int i = 0; i < analysis.count; i++)
        result->moves[i] = (struct wari_move_result){.move = analysis.moves[i].move,
                                                     .value = exactly(analysis.moves[i].value)};
    return WARI_OK;
}

/* ---- Search ---- */

/* Sets the kind of `value` from its bounds, limits its score to these bounds, and sets its error to
 * 0 if the value is exact. */
static void update_kind(struct wari_value_result *value, int seeds)
{
    value->searched = true;
    value->kind = value->least == value->most                    ? WARI_KIND_EXACT
                  : value->least > -seeds || value->most < seeds ? WARI_KIND_BOUND
                                                                 : WARI_KIND_ESTIMATE;
    if (value->score < SEED * value->least)
        value->score = SEED * value->least;
    if (value->score > SEED * value->most)
        value->score = SEED * value->most;
    if (value->kind == WARI_KIND_EXACT)
        value->error = 0;
}

static void narrow(struct wari_value_result *value, int least, int most)
{
    value->least = least > value->least ? least : value->least;
    value->most = most < value->most ? most : value->most;
}

static void take_score(const struct wari_search_report *report, bool proofs,
                       struct wari_value_result *value)
{
    if (proofs && value->least != value->most)
        return;
    value->score = report->score;
    value->error = report->error;
}

/* Narrows the bounds of all moves by those of a report. */
static void take_bounds(const struct wari_search_report *report,
                        struct wari_position_result *result)
{
    narrow(&result->value, report->least, report->most);
    for (int i = 0; i < result->count; i++) {
        const int pit = result->moves[i].move.pit;
        narrow(&result->moves[i].value, report->moves[pit].least, report->moves[pit].most);
    }
}

static void collect_report(void *context, const struct wari_search_report *report)
{
    struct collection *collection = context;
    struct wari_position_result *result = collection->result;
    take_bounds(report, result);
    if (!collection->proofs)
        collection->reports[report->pit] = *report;
    for (int i = 0; i < result->count; i++)
        if (result->moves[i].move.pit == report->pit)
            take_score(report, collection->proofs, &result->moves[i].value);
}

/* Returns true if a move ranks before another one: by its score, then by its proven lower bound,
 * then by the choice of the search. */
static bool is_before(const struct wari_move_result *move, const struct wari_move_result *other,
                      int first_pit)
{
    if (move->value.score != other->value.score)
        return move->value.score > other->value.score;
    if (move->value.least != other->value.least)
        return move->value.least > other->value.least;
    return move->move.pit == first_pit;
}

/* Sorts the moves, best first. If the line of the last search starts with another move, replaces
 * the line by the best move alone. */
static void sort(struct wari_position_result *result)
{
    struct wari_search_report *last = &result->last;
    for (int i = 1; i < result->count; i++) {
        struct wari_move_result move = result->moves[i];
        int index = i;
        for (; index > 0 && is_before(&move, &result->moves[index - 1], last->pit); index--)
            result->moves[index] = result->moves[index - 1];
        result->moves[index] = move;
    }
    if (last->line_count > 0 && last->line[0].pit != result->moves[0].move.pit) {
        last->pit = last->line[0].pit = result->moves[0].move.pit;
        last->line_count = 1;
    }
}

/* If the last, unfinished iteration was about another move, takes the line of the first move
 * from the last iteration that reported it. */
static void take_line(const struct collection *collection)
{
    struct wari_search_report *last = &collection->result->last;
    const struct wari_search_report *reports =
        &collection->reports[collection->result->moves[0].move.pit];

    if (last->line_count != 1 || reports->line_count <= 1)
        return;
    memcpy(last->line, reports->line, sizeof last->line);
    last->line_count = reports->line_count;
}

static void begin(const struct wari_game *game, struct wari_position_result *result)
{
    struct wari_moves moves;
    int seeds = wari_seeds(&game->now.position);
    wari_find_moves(game->variant.rules, &game->now.position, &moves);
    result->value = (struct wari_value_result){.least = -seeds, .most = seeds};
    result->count = moves.count;
    for (int i = 0; i < moves.count; i++)
        result->moves[i] = (struct wari_move_result){
            .move = moves.list[i],
            .value = {.score = -SEED * seeds, .least = -seeds, .most = seeds}};
}

static enum wari_status search_for(struct wari_search *search, const struct wari_game *game,
                                   const struct wari_search_limits *limits,
                                   struct collection *collection, struct wari_error *error)
{
    const struct wari_search_listener listener = {collect_report, collection};
    struct wari_position_result *result = collection->result;
    struct wari_search_report last;
    collection->proofs = limits->prove;
    enum wari_status status = wari_search_run(search, game, limits, &listener, &last, error);
    if (last.depth < 0)
        return status;
    take_bounds(&last, result);
    take_score(&last, limits->prove, &result->value);
    if (!limits->prove || last.proven)
        result->last = last;
    return status;
}

enum wari_status wari_evaluate_position(struct wari_db *db, struct wari_search *search,
                                        const struct wari_game *game,
                                        const struct wari_search_limits *limits,
                                        struct wari_position_result *result,
                                        struct wari_error *error)
{
    const struct wari_position *position = &game->now.position;
    struct wari_search_limits part = *limits;
    struct wari_info info = {.seeds_max = -1};
    int seeds = wari_seeds(position);
    if (db)
        wari_get_info(db, &info);
    memset(result, 0, sizeof *result);
    if (seeds <= info.seeds_max && wari_level_exists(seeds))
        return probe(db, position, result, error);
    begin(game, result);
    struct collection collection = {.result = result};
    bool proofs = limits->lines > 1 && limits->milliseconds >= 0 && !limits->prove &&
                  !wari_game_slam_decides(game->variant.rules);
    if (proofs)
        part.milliseconds -= limits->milliseconds / 3;
    enum wari_status status = search_for(search, game, &part, &collection, error);
    if (status == WARI_OK && proofs && result->value.least != result->value.most) {
        part.milliseconds = limits->milliseconds / 3;
        part.prove = true;
        part.lines = 1;
        status = search_for(search, game, &part, &collection, error);
    }
    update_kind(&result->value, seeds);
    for (int i = 0; i < result->count; i++)
        update_kind(&result->moves[i].value, seeds);
    sort(result);
    take_line(&collection);
    /* If the last complete iteration scored every move, the score of the best move becomes the
     * score of the position. Until here the two scores may differ, for two reasons: proven bounds
     * may have limited the score of the best move alone, and an unfinished iteration limits the
     * score of the position by the bounds of another move. */
    if (!limits->prove && result->count > 0 && limits->lines >= result->count)
        result->value.score = result->moves[0].value.score;
    return status;
}

/* ---- Merging two searches ---- */

static void add(const struct wari_value_result *more, bool deeper, int seeds,
                struct wari_value_result *value)
{
    narrow(value, more->least, more->most);
    if (deeper) {
        value->score = more->score;
        value->error = more->error;
    }
    update_kind(value, seeds);
}

/* Returns true if the score of the position is that of the best move, which is the case if the last
 * iteration of the search was complete. */
static bool has_score_of_best_move(const struct wari_position_result *result)
{
    return result->count > 0 && result->value.score == result->moves[0].value.score;
}

void wari_position_result_merge(struct wari_position_result *result,
                                const struct wari_position_result *more, int seeds)
{
    const bool deeper = more->last.depth >= result->last.depth;
    const bool same = has_score_of_best_move(result) && has_score_of_best_move(more);
    for (int i = 0; i < result->count; i++) {
        struct wari_move_result *move = &result->moves[i];
        int j = 0;
        while (more->moves[j].move.pit != move->move.pit)
            j++;
        add(&more->moves[j].value, deeper, seeds, &move->value);
    }
    add(&more->value, deeper, seeds, &result->value);
    if (deeper)
        result->last = more->last;
    sort(result);
    /* Bounds from one search may limit the score of a move in the other one, so that another move
     * becomes the best one. */
    if (same)
        result->value.score = result->moves[0].value.score;
}

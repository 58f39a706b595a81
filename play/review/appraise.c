/* A search says more with each iteration. Scores are those of the last one; bounds are kept, since
 * what is proven stays so.
 */
#include "play/review/appraise.h"

#include <string.h>

enum { SEED = WARI_SEED_SCORE };

struct gathering {
    struct wari_appraisal *appraisal;
    bool proofs; /* bounds alone count: the scores of this search are worse */
    struct wari_search_report heard[WARI_HALF_PITS]; /* the last of each pit's, without proofs */
};

const char *wari_kind_name(enum wari_kind kind)
{
    static const char *const names[] = {[WARI_KIND_EXACT] = "exact",
                                        [WARI_KIND_BOUND] = "bound",
                                        [WARI_KIND_ESTIMATE] = "estimate"};
    return names[kind];
}

/* ---- Out of the database ---- */

static struct wari_appraised exactly(int value)
{
    return (struct wari_appraised){
        .kind = WARI_KIND_EXACT, .score = SEED * value, .least = value, .most = value};
}

static enum wari_status look_up(struct wari_db *db, const struct wari_position *position,
                                struct wari_appraisal *appraisal, struct wari_error *error)
{
    struct wari_analysis analysis;
    enum wari_status status = wari_analyse(db, position, &analysis, error);
    if (status != WARI_OK)
        return status;
    appraisal->value = exactly(analysis.value);
    appraisal->count = analysis.count;
    for (int i = 0; i < analysis.count; i++)
        appraisal->moves[i] = (struct wari_appraised_move){
            .move = analysis.moves[i].move, .value = exactly(analysis.moves[i].value)};
    return WARI_OK;
}

/* ---- By search ---- */

/* Brings kind, score and error into line with the bounds. */
static void settle(struct wari_appraised *value, int seeds)
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

static void narrow(struct wari_appraised *value, int least, int most)
{
    value->least = least > value->least ? least : value->least;
    value->most = most < value->most ? most : value->most;
}

static void take(const struct wari_search_report *report, bool proofs, struct wari_appraised *value)
{
    if (proofs && value->least != value->most)
        return;
    value->score = report->score;
    value->error = report->error;
}

/* What a report proves, of all moves. */
static void take_bounds(const struct wari_search_report *report, struct wari_appraisal *appraisal)
{
    narrow(&appraisal->value, report->least, report->most);
    for (int i = 0; i < appraisal->count; i++) {
        const int pit = appraisal->moves[i].move.pit;
        narrow(&appraisal->moves[i].value, report->moves[pit].least, report->moves[pit].most);
    }
}

static void hear(void *context, const struct wari_search_report *report)
{
    struct gathering *gathering = context;
    struct wari_appraisal *appraisal = gathering->appraisal;
    take_bounds(report, appraisal);
    if (!gathering->proofs)
        gathering->heard[report->pit] = *report;
    for (int i = 0; i < appraisal->count; i++)
        if (appraisal->moves[i].move.pit == report->pit)
            take(report, gathering->proofs, &appraisal->moves[i].value);
}

/* Whether a move stands before another one: by score, then by what is proven; else by whether the
 * search took it for the best. */
static bool is_before(const struct wari_appraised_move *move,
                      const struct wari_appraised_move *other, int first_pit)
{
    if (move->value.score != other->value.score)
        return move->value.score > other->value.score;
    if (move->value.least != other->value.least)
        return move->value.least > other->value.least;
    return move->move.pit == first_pit;
}

/* Best first; the line is then that of the first one. */
static void sort(struct wari_appraisal *appraisal)
{
    struct wari_search_report *last = &appraisal->last;
    for (int i = 1; i < appraisal->count; i++) {
        struct wari_appraised_move move = appraisal->moves[i];
        int place = i;
        for (; place > 0 && is_before(&move, &appraisal->moves[place - 1], last->pit); place--)
            appraisal->moves[place] = appraisal->moves[place - 1];
        appraisal->moves[place] = move;
    }
    if (last->line_count > 0 && last->line[0].pit != appraisal->moves[0].move.pit) {
        last->pit = last->line[0].pit = appraisal->moves[0].move.pit;
        last->line_count = 1;
    }
}

/* Where the last, unfinished iteration was about another move, the line of the first move is that
 * of the last iteration which told of it. */
static void take_line(const struct gathering *gathering)
{
    struct wari_search_report *last = &gathering->appraisal->last;
    const struct wari_search_report *heard =
        &gathering->heard[gathering->appraisal->moves[0].move.pit];

    if (last->line_count != 1 || heard->line_count <= 1)
        return;
    memcpy(last->line, heard->line, sizeof last->line);
    last->line_count = heard->line_count;
}

static void begin(const struct wari_game *game, struct wari_appraisal *appraisal)
{
    struct wari_moves moves;
    int seeds = wari_seeds(&game->now.position);
    wari_moves(game->variant.rules, &game->now.position, &moves);
    appraisal->value = (struct wari_appraised){.least = -seeds, .most = seeds};
    appraisal->count = moves.count;
    for (int i = 0; i < moves.count; i++)
        appraisal->moves[i] = (struct wari_appraised_move){
            .move = moves.list[i],
            .value = {.score = -SEED * seeds, .least = -seeds, .most = seeds}};
}

static enum wari_status search_for(struct wari_search *search, const struct wari_game *game,
                                   const struct wari_search_limits *limits,
                                   struct gathering *gathering, struct wari_error *error)
{
    const struct wari_search_listener listener = {hear, gathering};
    struct wari_appraisal *appraisal = gathering->appraisal;
    struct wari_search_report last;
    gathering->proofs = limits->prove;
    enum wari_status status = wari_search_run(search, game, limits, &listener, &last, error);
    if (last.depth < 0)
        return status;
    take_bounds(&last, appraisal);
    take(&last, limits->prove, &appraisal->value);
    if (!limits->prove || last.proven)
        appraisal->last = last;
    return status;
}

enum wari_status wari_appraise(struct wari_db *db, struct wari_search *search,
                               const struct wari_game *game,
                               const struct wari_search_limits *limits,
                               struct wari_appraisal *appraisal, struct wari_error *error)
{
    const struct wari_position *position = &game->now.position;
    struct wari_search_limits part = *limits;
    struct wari_info info = {.seeds_max = -1};
    int seeds = wari_seeds(position);
    if (db)
        wari_info(db, &info);
    memset(appraisal, 0, sizeof *appraisal);
    if (seeds <= info.seeds_max && seeds != WARI_SEEDS_MAX - 1)
        return look_up(db, position, appraisal, error);
    begin(game, appraisal);
    struct gathering gathering = {.appraisal = appraisal};
    bool proofs = limits->lines > 1 && limits->milliseconds >= 0 && !limits->prove &&
                  !wari_game_slam_decides(game->variant.rules);
    if (proofs)
        part.milliseconds -= limits->milliseconds / 3;
    enum wari_status status = search_for(search, game, &part, &gathering, error);
    if (status == WARI_OK && proofs && appraisal->value.least != appraisal->value.most) {
        part.milliseconds = limits->milliseconds / 3;
        part.prove = true;
        part.lines = 1;
        status = search_for(search, game, &part, &gathering, error);
    }
    settle(&appraisal->value, seeds);
    for (int i = 0; i < appraisal->count; i++)
        settle(&appraisal->moves[i].value, seeds);
    sort(appraisal);
    take_line(&gathering);
    return status;
}

/* ---- Two searches ---- */

static void add(const struct wari_appraised *more, bool deeper, int seeds,
                struct wari_appraised *value)
{
    narrow(value, more->least, more->most);
    if (deeper) {
        value->score = more->score;
        value->error = more->error;
    }
    settle(value, seeds);
}

void wari_appraisal_add(struct wari_appraisal *appraisal, const struct wari_appraisal *more,
                        int seeds)
{
    bool deeper = more->last.depth >= appraisal->last.depth;
    for (int i = 0; i < appraisal->count; i++) {
        struct wari_appraised_move *move = &appraisal->moves[i];
        int j = 0;
        while (more->moves[j].move.pit != move->move.pit)
            j++;
        add(&more->moves[j].value, deeper, seeds, &move->value);
    }
    add(&more->value, deeper, seeds, &appraisal->value);
    if (deeper)
        appraisal->last = more->last;
    sort(appraisal);
}

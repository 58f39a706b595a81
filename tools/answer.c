/* The whole answer to a query: analysis, line of play and what both come to.
 *
 * The line is played again with the rules, to see how it ends; a database knows values, not ends.
 */
#include <stdlib.h>

#include "index/half.h"
#include "tools/query.h"

/* (Seeds in the mover's row) - (seeds in his opponent's row), seen by the mover of the first
 * position. */
static int surplus(const struct wari_position *position, bool opponent)
{
    int difference =
        wari_half_seeds(position->pits) - wari_half_seeds(position->pits + WARI_HALF_PITS);
    return opponent ? -difference : difference;
}

static const struct wari_move *find_move(const struct wari_moves *moves, int pit)
{
    for (int i = 0; i < moves->count; i++) {
        if (moves->list[i].pit == pit)
            return &moves->list[i];
    }
    return NULL;
}

/* What an endless play is worth whose surpluses lie between `least` and `most`: under `own` the
 * number nearest to 0 that does. */
static int cycle_worth(enum wari_cycle cycle, int least, int most)
{
    if (cycle == WARI_EVEN || (least <= 0 && most >= 0))
        return 0;
    return least > 0 ? least : most;
}

static void find_facts(struct answer *answer)
{
    const struct wari_line *line = &answer->line;
    struct line_facts *facts = &answer->facts;
    struct wari_position now = answer->setup.position;
    struct wari_moves moves;
    bool opponent = false; /* whose turn it is */
    int least = WARI_SEEDS_MAX, most = -WARI_SEEDS_MAX;

    *facts = (struct line_facts){.worth_known = line->end != WARI_LINE_CUT};
    for (int i = 0; i < line->count && !facts->slam; i++) {
        wari_moves(answer->variant.rules, &now, &moves);
        const struct wari_move *move = find_move(&moves, line->moves[i].pit);
        if (!move) /* cannot happen: the line was made of legal moves */
            return;
        int rows = surplus(&now, opponent);
        if (line->end == WARI_LINE_REPEATS && i >= line->repeats_from) {
            least = rows < least ? rows : least;
            most = rows > most ? rows : most;
        }
        int gain = move->ends ? move->end_value : move->captured;
        facts->worth += opponent ? -gain : gain;
        facts->slam = move->ends;
        facts->slam_by_opponent = move->ends && opponent;
        if (move->ends)
            continue;
        now = move->next;
        opponent = move->again ? opponent : !opponent;
    }
    facts->seeds_left = wari_seeds(&now);
    if (facts->slam)
        return;
    if (line->end == WARI_LINE_REPEATS) {
        facts->worth += cycle_worth(answer->variant.cycle, least, most);
    } else if (line->end == WARI_LINE_OVER) {
        wari_moves(answer->variant.rules, &now, &moves);
        facts->last_share = opponent ? -moves.end_value : moves.end_value;
        facts->worth += facts->last_share;
    }
}

/* More than 24 of the 48 seeds win. Where a slam decides the game by itself, it does so here, too.
 */
static void find_result(struct answer *answer)
{
    const struct wari_setup *setup = &answer->setup;
    const struct line_facts *facts = &answer->facts;
    enum wari_slam slam = wari_rules_info(answer->variant.rules)->slam;
    struct result *result = &answer->result;
    int north = setup->north_to_move;
    int seeds = wari_seeds(&setup->position);

    *result = (struct result){0};
    result->halves[north] = 2 * setup->stores[north] + seeds + answer->analysis.value;
    result->halves[!north] = 2 * setup->stores[!north] + seeds - answer->analysis.value;
    if (result->halves[0] != result->halves[1])
        result->winner = result->halves[0] > result->halves[1] ? WINNER_SOUTH : WINNER_NORTH;
    if (!facts->slam)
        return;
    bool slammer = north != (int)facts->slam_by_opponent; /* true: North */
    if (slam == WARI_SLAM_DRAWS) {
        result->nobody = facts->seeds_left;
        result->halves[0] -= facts->seeds_left;
        result->halves[1] -= facts->seeds_left;
    } else if (slam == WARI_SLAM_LOSES || slam == WARI_SLAM_WINS_ALL) {
        bool north_wins = slammer == (slam == WARI_SLAM_WINS_ALL);
        result->winner = north_wins ? WINNER_NORTH : WINNER_SOUTH;
        result->by_slam = true;
    }
}

enum wari_status answer_find(struct wari_db *db, const struct wari_setup *setup,
                             struct answer *answer, struct wari_error *error)
{
    struct wari_info info;
    wari_info(db, &info);
    answer->setup = *setup;
    answer->variant = info.variant;
    enum wari_status status = wari_analyse(db, &setup->position, &answer->analysis, error);
    if (status == WARI_OK)
        status = wari_line(db, &setup->position, &answer->line, error);
    if (status != WARI_OK)
        return status;
    find_facts(answer);
    find_result(answer);
    return WARI_OK;
}

/* Looks up positions in a database for answers, and computes how the line of perfect play ends. */
#include "answer/answer.h"

/* ---- Proof ---- */

void answer_proof_find(const struct wari_db *db, const char *folder, struct answer_proof *proof)
{
    proof->status = wari_proved(db, folder, &proof->seeds_max, &proof->error);
}

const char *answer_proof_state(const struct answer_proof *proof)
{
    switch (proof->status) {
    case WARI_OK:
        return proof->seeds_max >= 0 ? "fits" : "none";
    case WARI_CORRUPT:
        return "damaged";
    case WARI_MISMATCH:
        return "version";
    default:
        return "unreadable";
    }
}

/* ---- Positions ---- */

static void find_facts(struct answer *answer)
{
    const struct wari_line *line = &answer->line;
    struct line_facts *facts = &answer->facts;

    *facts = (struct line_facts){
        .slam = line->end == WARI_LINE_SLAM,
        .seeds_left = wari_seeds(&answer->setup.position),
        .total = line->rest,
    };
    for (int i = 0; i < line->count; i++) {
        int captured = line->moves[i].captured;
        facts->seeds_left -= captured;
        facts->total += line->moves[i].opponent ? -captured : captured;
    }
    if (line->end == WARI_LINE_SLAM)
        facts->slam_by_opponent = line->moves[line->count - 1].opponent;
    if (line->end == WARI_LINE_OVER)
        facts->final_difference = line->rest;
}

/* Computes the final score. Where the rules let a slam decide the game, the slam also decides the
 * result. */
static void find_result(struct answer *answer)
{
    const struct wari_setup *setup = &answer->setup;
    const struct line_facts *facts = &answer->facts;
    enum wari_slam slam = wari_get_rules_info(answer->variant.rules)->slam;
    struct wari_score *result = &answer->result;

    wari_game_score_at(setup, answer->analysis.value, result);
    if (!facts->slam)
        return;
    bool slammer = setup->north_to_move != facts->slam_by_opponent; /* true for North */
    if (slam == WARI_SLAM_DRAWS) {
        result->nobody = facts->seeds_left;
        result->halves[0] -= facts->seeds_left;
        result->halves[1] -= facts->seeds_left;
    } else if (wari_game_slam_decides(answer->variant.rules)) {
        result->winner = slammer == (slam == WARI_SLAM_WINS_ALL);
        result->by_slam = true;
    }
}

/* Moves the first move of the line to the front of the list, since several moves may be equally
 * good. */
static void put_choice_first(struct answer *answer)
{
    struct wari_analysis *analysis = &answer->analysis;
    int chosen = 0;
    if (answer->line.count == 0)
        return;
    while (analysis->moves[chosen].move.pit != answer->line.moves[0].pit)
        chosen++;
    const struct wari_move move = analysis->moves[chosen].move;
    const int value = analysis->moves[chosen].value;
    for (; chosen > 0; chosen--)
        analysis->moves[chosen] = analysis->moves[chosen - 1];
    analysis->moves[0].move = move;
    analysis->moves[0].value = value;
}

enum wari_status answer_find(struct wari_db *db, const struct answer_proof *proof,
                             const struct wari_setup *setup, enum answer_detail detail,
                             struct answer *answer, struct wari_error *error)
{
    struct wari_info info;
    enum wari_status status;
    wari_get_info(db, &info);
    answer->detail = detail;
    answer->setup = *setup;
    answer->variant = info.variant;
    answer->proved = wari_seeds(&setup->position) <= proof->seeds_max;
    if (detail == ANSWER_VALUE)
        return wari_probe(db, &setup->position, &answer->analysis.value, error);
    status = wari_analyse(db, &setup->position, &answer->analysis, error);
    if (status == WARI_OK && detail == ANSWER_FULL)
        status = wari_find_line(db, &setup->position, &answer->line, error);
    if (status != WARI_OK || detail != ANSWER_FULL)
        return status;
    put_choice_first(answer);
    find_facts(answer);
    find_result(answer);
    return WARI_OK;
}

void answer_game_over(struct wari_variant variant, const struct wari_setup *setup, int value,
                      struct answer *answer)
{
    *answer = (struct answer){
        .detail = ANSWER_FULL,
        .setup = *setup,
        .variant = variant,
        .analysis.value = value,
        .line = {.end = WARI_LINE_OVER, .rest = value},
    };
    find_facts(answer);
    find_result(answer);
}

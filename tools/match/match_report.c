/* Adds up the results of a match and prints them as a table for people or as a JSON object for
 * programs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "play/text.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/text.h"
#include "tools/match/match_report.h"

/* ---- Sums ---- */

/* Returns the seeds that `side` won in the game minus those that the other side won. The seeds
 * that were in the stores at the start are not counted. */
static int gain(const struct wari_game *game, const struct wari_score *score, int side)
{
    int south =
        score->halves[0] - score->halves[1] - 2 * (game->start.stores[0] - game->start.stores[1]);
    return (side == 0 ? south : -south) / 2;
}

static void add_moves(struct match_statistics *statistics, const struct wari_game *game,
                      const struct wari_judgement *judgement, int side)
{
    for (int i = 0; i < game->count; i++) {
        const struct wari_judged_move *judged = &judgement->moves[i];
        if (!judged->covered || game->plies[i].before.north_to_move != (side == 1))
            continue;
        int seeds = wari_seeds(&game->plies[i].before.position);
        statistics->moves_at[seeds]++;
        statistics->mistakes_at[seeds] += judged->loss > 0;
        statistics->by_loss[judged->loss]++;
    }
}

void match_add_game(struct match_statistics *statistics, const struct wari_game *game,
                    const struct wari_judgement *judgement, int side,
                    const struct wari_match_result *result)
{
    struct wari_score score;
    statistics->games++;
    wari_judged_add(&statistics->judged, &judgement->side[side]);
    add_moves(statistics, game, judgement, side);
    if (result->fault != WARI_FAULT_NONE) {
        statistics->won += result->side != side;
        statistics->lost += result->side == side;
        statistics->forfeited += result->side == side;
        return;
    }
    if (result->adjudicated)
        score = result->score;
    else if (!wari_game_score(game, &score))
        return;
    statistics->won += score.winner == side;
    statistics->drawn += score.winner < 0;
    statistics->lost += score.winner == 1 - side;
    if (game->count > 0 && judgement->moves[0].covered) {
        int value = judgement->moves[0].before; /* value of the start position for the side that
                                                 * moved first */
        bool mine = game->start.north_to_move == (side == 1);
        statistics->over += gain(game, &score, side) - (mine ? value : -value);
    }
}

/* Returns the half points of the first engine in a game: 0, 1 or 2. */
static int half_points(const struct wari_game *game, const struct wari_match_result *result,
                       int side)
{
    struct wari_score score;
    if (result->fault != WARI_FAULT_NONE)
        return result->side == side ? 0 : 2;
    if (result->adjudicated)
        score = result->score;
    else if (!wari_game_score(game, &score))
        return 1;
    return score.winner == side ? 2 : score.winner < 0 ? 1 : 0;
}

void match_add_to_pair(struct match_report *report, int number, const struct wari_game *game,
                       const struct wari_match_result *result)
{
    if (number % 2 == 0) {
        report->half_pair = number / 2 + 1;
        report->half_points = half_points(game, result, 0);
    } else if (report->half_pair == number / 2 + 1)
        report->pairs[report->half_points + half_points(game, result, 1)]++;
}

bool match_is_decided(const struct match_report *report)
{
    double ratio, low, high;
    return report->test.elo1 > report->test.elo0 &&
           wari_elo_test_pairs(&report->test, report->pairs, &ratio, &low, &high) != WARI_ELO_OPEN;
}

/* ---- Text ---- */

enum { LABEL = 26, COLUMN = 27 };

static void print_label(FILE *to, const char *label)
{
    fprintf(to, "%-*s", LABEL, label);
}

/* Prints a name at the right of its column, whose width is in characters, not bytes. */
static void print_name(FILE *to, const char *name)
{
    char cut[WARI_OPPONENT_NAME];
    size_t bytes = strlen(name);
    memcpy(cut, name, bytes + 1);
    while (wari_text_characters(cut) > COLUMN - 2) {
        /* Also removes the continuation bytes of a character. */
        while (((unsigned char)cut[--bytes] & 0xC0) == 0x80)
            ;
        cut[bytes] = '\0';
    }
    fprintf(to, "%*s%s", COLUMN - (int)wari_text_characters(cut), "", cut);
}

static void print_numbers(FILE *to, const char *label, const int *first, const int *second)
{
    print_label(to, label);
    fprintf(to, "%*d%*d\n", COLUMN, *first, COLUMN, *second);
}

/* Prints a row of the table: the same field of both sides. */
#define ROW(label, field)                                                                          \
    print_numbers(to, label, &report->statistics[0].field, &report->statistics[1].field)

static int all_lost(const struct match_statistics *statistics)
{
    return statistics->judged.lost + statistics->judged.cycle_lost;
}

/* Prints the share of perfect moves and the mean losses of both sides; "-" for a side without
 * judged moves. */
static void print_shares(FILE *to, const struct match_report *report)
{
    print_label(to, "perfect moves");
    for (int i = 0; i < MATCH_SIDES; i++) {
        const struct wari_judged_side *judged = &report->statistics[i].judged;
        char share[TEXT_NUMBER] = "-";
        if (judged->judged)
            snprintf(share, sizeof share, "%.2f %%",
                     text_percent((uint64_t)judged->perfect, (uint64_t)judged->judged));
        fprintf(to, "%*s", COLUMN, share);
    }
    putc('\n', to);
    print_label(to, "seeds lost per move");
    for (int i = 0; i < MATCH_SIDES; i++) {
        const struct wari_judged_side *judged = &report->statistics[i].judged;
        char mean[TEXT_NUMBER] = "-";
        if (judged->judged)
            snprintf(mean, sizeof mean, "%.3f", (double)judged->lost / judged->judged);
        fprintf(to, "%*s", COLUMN, mean);
    }
    putc('\n', to);
    print_label(to, "seeds lost per game");
    for (int i = 0; i < MATCH_SIDES; i++) {
        const struct match_statistics *statistics = &report->statistics[i];
        char mean[TEXT_NUMBER] = "-";
        if (statistics->games && (statistics->judged.judged || statistics->judged.cycle_lost))
            snprintf(mean, sizeof mean, "%.2f", (double)all_lost(statistics) / statistics->games);
        fprintf(to, "%*s", COLUMN, mean);
    }
    putc('\n', to);
}

static void print_mistakes(FILE *to, const struct match_statistics *statistics)
{
    if (statistics->judged.judged == statistics->judged.perfect)
        return;
    fprintf(to, "\n%s: mistakes by the seeds they cost:", statistics->name);
    for (int loss = 1; loss <= 2 * WARI_SEEDS_MAX; loss++)
        if (statistics->by_loss[loss])
            fprintf(to, " %d: %d", loss, statistics->by_loss[loss]);
    fprintf(to, "\n    by the seeds on the board:");
    for (int seeds = WARI_SEEDS_MAX; seeds >= 0; seeds--)
        if (statistics->mistakes_at[seeds])
            fprintf(to, " %d: %d of %d", seeds, statistics->mistakes_at[seeds],
                    statistics->moves_at[seeds]);
    putc('\n', to);
}

static void print_elo(FILE *to, const struct wari_elo *elo)
{
    if (elo->pairs < WARI_ELO_PAIRS_MIN)
        fprintf(to, "\nElo difference unknown (fewer than %d pairs)", WARI_ELO_PAIRS_MIN);
    else if (!elo->meaningful)
        fputs("\nElo difference unknown (all pairs have the same result)", to);
    else if (isfinite(elo->error))
        fprintf(to, "\nElo difference %+.1f +/- %.1f (95 %%), LOS %.1f %%", elo->difference,
                elo->error, 100 * elo->superior);
    else
        fprintf(to, "\nElo difference %+.1f (its error has no bound), LOS %.1f %%", elo->difference,
                100 * elo->superior);
}

static void print_strength(FILE *to, const struct match_report *report)
{
    static const char *const answers[] = {[WARI_ELO_OPEN] = "open",
                                          [WARI_ELO_IS_0] = "elo0 is accepted",
                                          [WARI_ELO_IS_1] = "elo1 is accepted"};
    struct wari_elo elo;
    double ratio, low, high;
    wari_elo_from_pairs(report->pairs, &elo);
    print_elo(to, &elo);
    fprintf(to, ", pairs %d %d %d %d %d\n", report->pairs[0], report->pairs[1], report->pairs[2],
            report->pairs[3], report->pairs[4]);
    if (report->test.elo1 <= report->test.elo0)
        return;
    enum wari_elo_answer answer =
        wari_elo_test_pairs(&report->test, report->pairs, &ratio, &low, &high);
    fprintf(to, "SPRT elo0 %g elo1 %g: LLR %.2f (%.2f, %.2f), %s\n", report->test.elo0,
            report->test.elo1, ratio, low, high, answers[answer]);
}

void match_print_text(const struct match_report *report, FILE *to)
{
    static const enum wari_fault always[] = {WARI_FAULT_TIMEOUT, WARI_FAULT_ILLEGAL};
    char variant[VARIANT_TEXT], label[LABEL];
    variant_text(report->variant, variant);
    fprintf(to, "%d game%s, rules %s\n\n", report->games, report->games == 1 ? "" : "s", variant);
    print_label(to, "");
    for (int i = 0; i < MATCH_SIDES; i++)
        print_name(to, report->statistics[i].name);
    putc('\n', to);
    ROW("won", won);
    ROW("drawn", drawn);
    ROW("lost", lost);
    ROW("net seeds from mistakes", over);
    ROW("moves", judged.moves);
    ROW("moves judged", judged.judged);
    print_shares(to, report);
    ROW("seeds lost by moves", judged.lost);
    ROW("seeds lost by repeating", judged.cycle_lost);
    ROW("largest loss by one move", judged.worst_loss);
    for (int fault = 1; fault < WARI_FAULT_COUNT; fault++) {
        const int *first = &report->statistics[0].faults[fault];
        const int *second = &report->statistics[1].faults[fault];
        if (*first + *second == 0 && fault != (int)always[0] && fault != (int)always[1])
            continue;
        snprintf(label, sizeof label, "fault: %s", wari_fault_text((enum wari_fault)fault));
        print_numbers(to, label, first, second);
    }
    if (report->strength)
        print_strength(to, report);
    for (int i = 0; i < MATCH_SIDES; i++)
        if (report->statistics[i].nonsense)
            fprintf(to, "%s: %llu lines were not understood\n", report->statistics[i].name,
                    (unsigned long long)report->statistics[i].nonsense);
    for (int i = 0; i < MATCH_SIDES; i++)
        print_mistakes(to, &report->statistics[i]);
}

/* ---- JSON ---- */

/* Returns {"NUMBER": count, ...} for the counts that are not 0. */
static json_t *json_counts(const int *counts, int count, int first)
{
    json_t *object = json_object();
    for (int i = first; object && i < count; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        if (counts[i] && json_object_set_new(object, key, json_integer(counts[i])) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static json_t *json_faults(const struct match_statistics *statistics)
{
    json_t *object = json_object();
    for (int i = 1; object && i < WARI_FAULT_COUNT; i++) {
        if (json_object_set_new(object, wari_fault_text((enum wari_fault)i),
                                json_integer(statistics->faults[i])) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static json_t *json_statistics(const struct match_statistics *statistics)
{
    const struct wari_judged_side *judged = &statistics->judged;
    return json_pack(
        "{ss si si si si si si si si si si si so so so so si sI}", "name", statistics->name,
        "games", statistics->games, "won", statistics->won, "drawn", statistics->drawn, "lost",
        statistics->lost, "forfeited", statistics->forfeited, "beyond_value", statistics->over,
        "moves", judged->moves, "judged", judged->judged, "perfect", judged->perfect, "seeds_lost",
        judged->lost, "seeds_lost_by_cycles", judged->cycle_lost, "mistakes_by_loss",
        json_counts(statistics->by_loss, 2 * WARI_SEEDS_MAX + 1, 1), "judged_by_seeds",
        json_counts(statistics->moves_at, WARI_SEEDS_MAX + 1, 0), "mistakes_by_seeds",
        json_counts(statistics->mistakes_at, WARI_SEEDS_MAX + 1, 0), "faults",
        json_faults(statistics), "starts", statistics->starts, "lines_not_understood",
        (json_int_t)statistics->nonsense);
}

/* Returns a number, or null if it means nothing or is infinite, which JSON cannot express. */
static json_t *json_known(bool meaningful, double number)
{
    return meaningful && isfinite(number) ? json_real(number) : json_null();
}

static json_t *json_test(const struct match_report *report)
{
    static const char *const answers[] = {
        [WARI_ELO_OPEN] = "open", [WARI_ELO_IS_0] = "elo0", [WARI_ELO_IS_1] = "elo1"};
    double ratio, low, high;
    if (report->test.elo1 <= report->test.elo0)
        return json_null();
    enum wari_elo_answer answer =
        wari_elo_test_pairs(&report->test, report->pairs, &ratio, &low, &high);
    return json_pack("{sf sf sf sf sf ss}", "elo0", report->test.elo0, "elo1", report->test.elo1,
                     "llr", ratio, "low", low, "high", high, "accepted", answers[answer]);
}

static json_t *json_strength(const struct match_report *report)
{
    struct wari_elo elo;
    const int *pairs = report->pairs;
    if (!report->strength)
        return json_null();
    wari_elo_from_pairs(pairs, &elo);
    return json_pack("{so so so s[iiiii] so}", "elo", json_known(elo.meaningful, elo.difference),
                     "error", json_known(elo.meaningful, elo.error), "los",
                     json_known(elo.meaningful, elo.superior), "pairs", pairs[0], pairs[1],
                     pairs[2], pairs[3], pairs[4], "sprt", json_test(report));
}

enum wari_status match_print_json(const struct match_report *report, struct wari_error *error)
{
    json_t *object =
        json_pack("{ss ss si so s[oo]}", "rules", wari_get_rules_info(report->variant.rules)->name,
                  "cycle", wari_cycle_name(report->variant.cycle), "games", report->games,
                  "strength", json_strength(report), "engines",
                  json_statistics(&report->statistics[0]), json_statistics(&report->statistics[1]));
    return json_print(object, error);
}

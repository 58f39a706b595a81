/* What came of a match: sums, a table for people, one object of JSON for programs. */
#include <stdio.h>

#include "tools/json.h"
#include "tools/match.h"
#include "tools/text.h"
#include "tools/variant.h"

/* ---- Sums ---- */

/* What a side got from the board, less what the other one got. */
static int gain(const struct wari_game *game, int side)
{
    struct wari_score score;
    if (!wari_game_score(game, &score))
        return 0;
    int south =
        score.halves[0] - score.halves[1] - 2 * (game->start.stores[0] - game->start.stores[1]);
    return (side == 0 ? south : -south) / 2;
}

static void add_moves(struct match_tally *tally, const struct wari_game *game,
                      const struct wari_judgement *judgement, int side)
{
    for (int i = 0; i < game->count; i++) {
        const struct wari_verdict *verdict = &judgement->verdicts[i];
        if (!verdict->covered || game->plies[i].before.north_to_move != (side == 1))
            continue;
        int seeds = wari_seeds(&game->plies[i].before.position);
        tally->moves_at[seeds]++;
        tally->mistakes_at[seeds] += verdict->loss > 0;
        tally->by_loss[verdict->loss]++;
    }
}

void match_add_game(struct match_tally *tally, const struct wari_game *game,
                    const struct wari_judgement *judgement, int side,
                    const struct wari_match_result *result)
{
    struct wari_score score;
    tally->games++;
    wari_judged_add(&tally->judged, &judgement->side[side]);
    add_moves(tally, game, judgement, side);
    if (result->fault != WARI_FAULT_NONE) {
        tally->won += result->side != side;
        tally->lost += result->side == side;
        tally->forfeited += result->side == side;
        return;
    }
    if (!wari_game_score(game, &score))
        return;
    tally->won += score.winner == side;
    tally->drawn += score.winner < 0;
    tally->lost += score.winner == 1 - side;
    if (game->count > 0 && judgement->verdicts[0].covered) {
        int value = judgement->verdicts[0].before; /* for the side that moved first */
        bool mine = game->start.north_to_move == (side == 1);
        tally->over += gain(game, side) - (mine ? value : -value);
    }
}

/* ---- Text ---- */

enum { LABEL = 26, COLUMN = 27 };

static void print_label(const char *label)
{
    printf("%-*s", LABEL, label);
}

static void print_numbers(const struct match_report *report, const char *label, const int *first,
                          const int *second)
{
    (void)report;
    print_label(label);
    printf("%*d%*d\n", COLUMN, *first, COLUMN, *second);
}

/* A row of the table: the same field of both sides. */
#define ROW(label, field)                                                                          \
    print_numbers(report, label, &report->tally[0].field, &report->tally[1].field)

static int all_lost(const struct match_tally *tally)
{
    return tally->judged.lost + tally->judged.cycle_lost;
}

static void print_shares(const struct match_report *report)
{
    print_label("perfect moves");
    for (int i = 0; i < MATCH_SIDES; i++) {
        const struct wari_judged_side *judged = &report->tally[i].judged;
        printf("%*.2f %%", COLUMN - 2,
               text_percent((uint64_t)judged->perfect, (uint64_t)judged->judged));
    }
    putchar('\n');
    print_label("seeds lost per move");
    for (int i = 0; i < MATCH_SIDES; i++) {
        const struct match_tally *tally = &report->tally[i];
        printf("%*.3f", COLUMN,
               tally->judged.judged ? (double)tally->judged.lost / tally->judged.judged : 0);
    }
    putchar('\n');
    print_label("seeds lost per game");
    for (int i = 0; i < MATCH_SIDES; i++) {
        const struct match_tally *tally = &report->tally[i];
        printf("%*.2f", COLUMN, tally->games ? (double)all_lost(tally) / tally->games : 0);
    }
    putchar('\n');
}

static void print_mistakes(const struct match_tally *tally)
{
    if (tally->judged.judged == tally->judged.perfect)
        return;
    printf("\n%s: mistakes by the seeds they cost:", tally->name);
    for (int loss = 1; loss <= 2 * WARI_SEEDS_MAX; loss++)
        if (tally->by_loss[loss])
            printf(" %d: %d", loss, tally->by_loss[loss]);
    printf("\n    by the seeds on the board:");
    for (int seeds = WARI_SEEDS_MAX; seeds >= 0; seeds--)
        if (tally->mistakes_at[seeds])
            printf(" %d: %d of %d", seeds, tally->mistakes_at[seeds], tally->moves_at[seeds]);
    putchar('\n');
}

void match_print_text(const struct match_report *report)
{
    static const enum wari_fault always[] = {WARI_FAULT_TIMEOUT, WARI_FAULT_ILLEGAL};
    char variant[VARIANT_TEXT], label[LABEL];
    variant_text(report->variant, variant);
    printf("%d game%s, rules %s\n\n", report->games, report->games == 1 ? "" : "s", variant);
    print_label("");
    for (int i = 0; i < MATCH_SIDES; i++)
        printf("%*.*s", COLUMN, COLUMN - 2, report->tally[i].name);
    putchar('\n');
    ROW("won", won);
    ROW("drawn", drawn);
    ROW("lost", lost);
    ROW("seeds beyond the values", over);
    ROW("moves", judged.moves);
    ROW("moves judged", judged.judged);
    print_shares(report);
    ROW("seeds lost by moves", judged.lost);
    ROW("seeds lost by repeating", judged.cycle_lost);
    ROW("largest loss by one move", judged.worst_loss);
    for (int fault = 1; fault < WARI_FAULT_COUNT; fault++) {
        const int *first = &report->tally[0].faults[fault];
        const int *second = &report->tally[1].faults[fault];
        if (*first + *second == 0 && fault != (int)always[0] && fault != (int)always[1])
            continue;
        snprintf(label, sizeof label, "fault: %s", wari_fault_text((enum wari_fault)fault));
        print_numbers(report, label, first, second);
    }
    for (int i = 0; i < MATCH_SIDES; i++)
        if (report->tally[i].nonsense)
            printf("%s: %llu lines were not understood\n", report->tally[i].name,
                   (unsigned long long)report->tally[i].nonsense);
    for (int i = 0; i < MATCH_SIDES; i++)
        print_mistakes(&report->tally[i]);
}

/* ---- JSON ---- */

/* {"NUMBER": count, ...} of the counts that are not 0. */
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

static json_t *json_faults(const struct match_tally *tally)
{
    json_t *object = json_object();
    for (int i = 1; object && i < WARI_FAULT_COUNT; i++) {
        if (json_object_set_new(object, wari_fault_text((enum wari_fault)i),
                                json_integer(tally->faults[i])) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static json_t *json_tally(const struct match_tally *tally)
{
    const struct wari_judged_side *judged = &tally->judged;
    return json_pack("{ss si si si si si si si si si si si so so so so si sI}", "name", tally->name,
                     "games", tally->games, "won", tally->won, "drawn", tally->drawn, "lost",
                     tally->lost, "forfeited", tally->forfeited, "beyond_value", tally->over,
                     "moves", judged->moves, "judged", judged->judged, "perfect", judged->perfect,
                     "seeds_lost", judged->lost, "seeds_lost_by_cycles", judged->cycle_lost,
                     "mistakes_by_loss", json_counts(tally->by_loss, 2 * WARI_SEEDS_MAX + 1, 1),
                     "judged_by_seeds", json_counts(tally->moves_at, WARI_SEEDS_MAX + 1, 0),
                     "mistakes_by_seeds", json_counts(tally->mistakes_at, WARI_SEEDS_MAX + 1, 0),
                     "faults", json_faults(tally), "starts", tally->starts, "lines_not_understood",
                     (json_int_t)tally->nonsense);
}

enum wari_status match_print_json(const struct match_report *report, struct wari_error *error)
{
    json_t *object =
        json_pack("{ss ss si s[oo]}", "rules", wari_rules_info(report->variant.rules)->name,
                  "cycle", wari_cycle_name(report->variant.cycle), "games", report->games,
                  "engines", json_tally(&report->tally[0]), json_tally(&report->tally[1]));
    return json_print(object, error);
}

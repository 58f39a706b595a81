/* Prints answers for people: the board, the value in words, the moves, the line of play.
 *
 * There are two kinds of answers. Exact answers come from the database. For positions with more
 * seeds than the database covers, answers come from a search; there each value is printed together
 * with what is known about it: exact, a bound, or an estimate.
 *
 * South's row is at the bottom, whichever side is to move. In a position of twelve counts the mover
 * is South.
 */
#include "tools/query/query_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/common/options.h"
#include "tools/common/text.h"

/* ---- Value and result ---- */

static void print_value(int value, bool north)
{
    char text[TEXT_NUMBER];
    printf("value   %s: ", text_value(value, text));
    if (value == 0)
        printf("from here on both get the same\n");
    else
        printf("from here on %s gets %d seed%s more than %s\n", board_player(north ^ (value < 0)),
               abs(value), abs(value) == 1 ? "" : "s", board_player(north ^ (value > 0)));
}

static const char *score_text(int halves, char text[TEXT_NUMBER])
{
    snprintf(text, TEXT_NUMBER, halves % 2 ? "%d.5" : "%d", halves / 2);
    return text;
}

static void print_result(const struct wari_score *result)
{
    char south[TEXT_NUMBER], north[TEXT_NUMBER];
    printf("result  with best play South %s, North %s", score_text(result->halves[0], south),
           score_text(result->halves[1], north));
    if (result->nobody)
        printf(", nobody %d", result->nobody);
    if (result->winner < 0)
        printf(": a draw\n");
    else
        printf(": %s wins%s\n", board_player(result->winner == 1),
               result->by_slam ? ", whatever the score: the grand slam decides the game" : "");
}

/* ---- Moves and line ---- */

static void print_moves(const struct answer *answer)
{
    const struct wari_analysis *analysis = &answer->analysis;
    bool north = answer->setup.north_to_move;
    if (analysis->count == 0)
        puts("moves   none");
    for (int i = 0; i < analysis->count; i++) {
        const struct wari_move *move = &analysis->moves[i].move;
        char text[TEXT_NUMBER];
        printf("%s %c %4s", i == 0 ? "moves  " : "       ", wari_move_letter(move->pit, north),
               text_value(analysis->moves[i].value, text));
        if (move->captured)
            printf("   captures %d", move->captured);
        if (move->again)
            printf(", moves again");
        if (move->ends)
            printf("   grand slam: the game is over");
        putchar('\n');
    }
}

/* Prints who takes the seeds that are left on the board when the game is over. */
static void print_last_seeds(const struct line_facts *facts, bool north)
{
    int left = facts->seeds_left;
    if (abs(facts->final_difference) == left)
        printf("        the game is over: %s takes the remaining %d seed%s\n",
               board_player(north ^ (facts->final_difference < 0)), left, left == 1 ? "" : "s");
    else
        printf("        the game is over: of the remaining %d seeds, each side takes its own row\n",
               left);
}

static void print_end(const struct answer *answer)
{
    const struct wari_line *line = &answer->line;
    const struct line_facts *facts = &answer->facts;
    if (line->end == WARI_LINE_CUT) {
        printf("        and so on: cut after %d moves\n", line->count);
        return;
    }
    if (facts->slam)
        printf("        a grand slam ends the game\n");
    else if (line->end == WARI_LINE_OVER && facts->seeds_left)
        print_last_seeds(facts, answer->setup.north_to_move);
    else if (line->end == WARI_LINE_OVER)
        printf("        the game is over\n");
    else if (line->repeats_from == 0)
        printf("        repeats the first position\n");
    else
        printf("        repeats the position after move %d\n", line->repeats_from);
    if (facts->total != answer->analysis.value)
        puts("        (these are best moves, but repeating them does not earn the value)");
}

static void print_line(const struct answer *answer)
{
    enum { MOVES_PER_LINE = 16 };
    const struct wari_line *line = &answer->line;
    bool north = answer->setup.north_to_move;
    fputs(line->count ? "line   " : "line    none", stdout);
    for (int i = 0; i < line->count; i++) {
        if (i > 0 && i % MOVES_PER_LINE == 0)
            printf("\n       ");
        printf(" %c", wari_move_letter(line->moves[i].pit, north ^ line->moves[i].opponent));
        if (line->moves[i].captured)
            printf("+%d", line->moves[i].captured);
    }
    putchar('\n');
    print_end(answer);
}

void query_print_answer(const struct answer *answer)
{
    const struct wari_setup *setup = &answer->setup;
    char position[WARI_DIAGRAM_TEXT];
    char name[VARIANT_TEXT];
    int seeds = wari_seeds(&setup->position);

    wari_diagram_text(setup, position);
    variant_text(answer->variant, name);
    printf("%s   (%d seed%s; rules %s%s)\n", position, seeds, seeds == 1 ? "" : "s", name,
           answer->proved ? "; proved" : "");
    board_print(setup);
    print_value(answer->analysis.value, setup->north_to_move);
    if (setup->diagram)
        print_result(&answer->result);
    print_moves(answer);
    print_line(answer);
}

/* ---- Searched positions ---- */

enum { VALUE_TEXT = 64 };

/* Writes a value: "+3" if it is exact, otherwise "about +2.4". */
static const char *value_text(const struct wari_value_result *value, char text[VALUE_TEXT])
{
    char number[TEXT_NUMBER];
    if (value->kind == WARI_KIND_EXACT)
        snprintf(text, VALUE_TEXT, "%s", text_value(value->least, number));
    else
        snprintf(text, VALUE_TEXT, "about %+.1f", value->score / (double)WARI_SEED_SCORE);
    return text;
}

/* Prints how a value is known: "exact: proven by search", "bound: +2 or more", or "estimate". If
 * `error` is true, prints the standard deviation of a value that is not exact first. */
static void print_kind(const struct wari_value_result *value, int seeds, bool error)
{
    if (value->kind == WARI_KIND_EXACT) {
        printf("   exact: proven by search");
        return;
    }
    if (error)
        printf(", give or take %.1f", value->error / (double)WARI_SEED_SCORE);
    if (value->kind == WARI_KIND_ESTIMATE)
        printf("   estimate");
    else if (value->most == seeds)
        printf("   bound: %+d or more", value->least);
    else if (value->least == -seeds)
        printf("   bound: %+d or less", value->most);
    else
        printf("   bound: %+d to %+d", value->least, value->most);
}

/* Prints the winner, proven or likely. Requires that the stores are known. */
static void print_likely_result(const struct wari_game *game, const struct wari_value_result *value)
{
    const struct wari_setup *setup = &game->start;
    int mover = setup->north_to_move;
    int ahead = setup->stores[mover] - setup->stores[!mover];
    bool north = setup->north_to_move;
    if (wari_game_slam_decides(game->variant.rules))
        puts("result  not proven: under these rules a slam decides the game, whatever the score");
    else if (ahead + value->least > 0)
        printf("result  %s wins: proven\n", board_player(north));
    else if (ahead + value->most < 0)
        printf("result  %s wins: proven\n", board_player(!north));
    else if (value->least == value->most)
        puts("result  a draw: proven");
    else
        printf("result  not proven; at the score, %s is ahead by about %.1f\n",
               board_player(north ^ (WARI_SEED_SCORE * ahead + value->score < 0)),
               (WARI_SEED_SCORE * ahead + value->score < 0 ? -1 : 1) *
                   (ahead + value->score / (double)WARI_SEED_SCORE));
}

static void print_searched_moves(const struct wari_position_result *result, int seeds, bool north)
{
    for (int i = 0; i < result->count; i++) {
        const struct wari_move_result *move = &result->moves[i];
        char text[VALUE_TEXT];
        printf("%s %c   %s", i == 0 ? "moves  " : "       ",
               wari_move_letter(move->move.pit, north), value_text(&move->value, text));
        print_kind(&move->value, seeds, false);
        if (move->move.captured)
            printf("   captures %d", move->move.captured);
        putchar('\n');
    }
}

static void print_searched_line(const struct wari_search_report *report, bool north)
{
    fputs("line   ", stdout);
    for (int i = 0; i < report->line_count; i++)
        printf(" %c", wari_move_letter(report->line[i].pit, north != report->line[i].opponent));
    printf("\nsearch  %d moves deep, %llu positions\n", report->depth,
           (unsigned long long)report->nodes);
}

void query_print_searched(const struct wari_game *game, const struct wari_position_result *result)
{
    const struct wari_setup *setup = &game->start;
    char position[WARI_DIAGRAM_TEXT];
    char name[VARIANT_TEXT], text[VALUE_TEXT];
    int seeds = wari_seeds(&setup->position);
    wari_diagram_text(setup, position);
    variant_text(game->variant, name);
    printf("%s   (%d seeds; rules %s)\n", position, seeds, name);
    board_print(setup);
    printf("value   %s", value_text(&result->value, text));
    print_kind(&result->value, seeds, true);
    putchar('\n');
    if (setup->diagram)
        print_likely_result(game, &result->value);
    print_searched_moves(result, seeds, setup->north_to_move);
    print_searched_line(&result->last, setup->north_to_move);
}

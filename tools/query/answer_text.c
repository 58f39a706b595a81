/* An answer as people read it: the board, the value in words, the moves, the line of play. South
 * sits below, whichever side is to move; the mover of twelve counts is South.
 */
#include "tools/query/answer_text.h"

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

/* Who takes the seeds on the board where nobody can move any more. */
static void print_last_seeds(const struct line_facts *facts, bool north)
{
    int left = facts->seeds_left;
    if (abs(facts->final_difference) == left)
        printf("        the game is over: %s takes the %d seed%s left\n",
               board_player(north ^ (facts->final_difference < 0)), left, left == 1 ? "" : "s");
    else
        printf("        the game is over: each side takes its own row of the %d seeds left\n",
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
        puts("        (these are best moves, but repeating them does not bring in the value)");
}

static void print_line(const struct answer *answer)
{
    enum { A_ROW = 16 }; /* moves */
    const struct wari_line *line = &answer->line;
    bool north = answer->setup.north_to_move;
    fputs(line->count ? "line   " : "line    none", stdout);
    for (int i = 0; i < line->count; i++) {
        if (i > 0 && i % A_ROW == 0)
            printf("\n       ");
        printf(" %c", wari_move_letter(line->moves[i].pit, north ^ line->moves[i].opponent));
        if (line->moves[i].captured)
            printf("+%d", line->moves[i].captured);
    }
    putchar('\n');
    print_end(answer);
}

void answer_print_text(const struct answer *answer)
{
    const struct wari_setup *setup = &answer->setup;
    char position[WARI_DIAGRAM_TEXT > WARI_POSITION_TEXT ? WARI_DIAGRAM_TEXT : WARI_POSITION_TEXT];
    char name[VARIANT_TEXT];
    int seeds = wari_seeds(&setup->position);

    if (setup->diagram)
        wari_diagram_text(setup, position);
    else
        wari_position_text(&setup->position, position);
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

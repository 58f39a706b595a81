/* Values of three kinds: exact ones as whole seeds, others with a decimal and with what is proven
 * of them. What nobody knows is not said.
 */
#include "tools/query/searched.h"

#include <stdio.h>

#include "tools/common/options.h"
#include "tools/common/text.h"

enum { VALUE_TEXT = 64 };

/* ---- Text ---- */

/* "+3", or "about +2.4". */
static const char *about(const struct wari_value_result *value, char text[VALUE_TEXT])
{
    char number[TEXT_NUMBER];
    if (value->kind == WARI_KIND_EXACT)
        snprintf(text, VALUE_TEXT, "%s", text_value(value->least, number));
    else
        snprintf(text, VALUE_TEXT, "about %+.1f", value->score / (double)WARI_SEED_SCORE);
    return text;
}

/* Adds "exact: proven by search", "bound: +2 or more", "estimate, give or take 3.1". */
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

/* Who wins, where stores are known: proven, or most likely. */
static void print_result(const struct wari_game *game, const struct wari_value_result *value)
{
    const struct wari_setup *setup = &game->start;
    int mover = setup->north_to_move;
    int ahead = setup->stores[mover] - setup->stores[!mover];
    bool north = setup->north_to_move;
    if (wari_game_slam_decides(game->variant.rules))
        puts("result  not proven: under these rules a slam decides whatever the score");
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

static void print_moves(const struct wari_position_result *result, int seeds, bool north)
{
    for (int i = 0; i < result->count; i++) {
        const struct wari_move_result *move = &result->moves[i];
        char text[VALUE_TEXT];
        printf("%s %c   %s", i == 0 ? "moves  " : "       ",
               wari_move_letter(move->move.pit, north), about(&move->value, text));
        print_kind(&move->value, seeds, false);
        if (move->move.captured)
            printf("   captures %d", move->move.captured);
        putchar('\n');
    }
}

static void print_line(const struct wari_search_report *report, bool north)
{
    fputs("line   ", stdout);
    for (int i = 0; i < report->line_count; i++)
        printf(" %c", wari_move_letter(report->line[i].pit, north != report->line[i].opponent));
    printf("\nsearch  %d moves deep, %llu positions\n", report->depth,
           (unsigned long long)report->nodes);
}

void searched_print(const struct wari_game *game, const struct wari_position_result *result)
{
    const struct wari_setup *setup = &game->start;
    char position[WARI_DIAGRAM_TEXT > WARI_POSITION_TEXT ? WARI_DIAGRAM_TEXT : WARI_POSITION_TEXT];
    char name[VARIANT_TEXT], text[VALUE_TEXT];
    int seeds = wari_seeds(&setup->position);
    if (setup->diagram)
        wari_diagram_text(setup, position);
    else
        wari_position_text(&setup->position, position);
    variant_text(game->variant, name);
    printf("%s   (%d seeds; rules %s)\n", position, seeds, name);
    board_print(setup);
    printf("value   %s", about(&result->value, text));
    print_kind(&result->value, seeds, true);
    putchar('\n');
    if (setup->diagram)
        print_result(game, &result->value);
    print_moves(result, seeds, setup->north_to_move);
    print_line(&result->last, setup->north_to_move);
}

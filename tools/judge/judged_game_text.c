/* Prints a judged game for people: a table of the moves with the board at each mistake, then the
 * result. A series of moves that are not covered takes one line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/wari.h"
#include "tools/common/options.h"
#include "tools/common/text.h"
#include "tools/judge/game_review.h"

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

/* ---- Helpers ---- */

const char *judged_score_text(const struct wari_score *score, char text[SCORE_TEXT])
{
    static const char *const parts[] = {"", ".5"};
    snprintf(text, SCORE_TEXT, "%d%s-%d%s", score->halves[0] / 2, parts[score->halves[0] % 2],
             score->halves[1] / 2, parts[score->halves[1] % 2]);
    return text;
}

/* Start and end of highlighted text on a terminal. */
static const char *start_highlight(bool colour)
{
    return colour ? "\033[1;31m" : "";
}

static const char *stop(bool colour)
{
    return colour ? "\033[0m" : "";
}

/* ---- Moves ---- */

/* Prints a name safely; it comes from a file of unknown origin. */
static void print_name(const char *name)
{
    char text[TEXT_PATH];
    fputs(text_path(name, text), stdout);
}

static void print_heading(const struct judged_game *game)
{
    const struct wari_record *record = game->record;
    const char *south = player_name(record, false);
    const char *north = player_name(record, true);
    char name[VARIANT_TEXT];

    variant_text(record->game.variant, name);
    print_name(game->file);
    printf(":%d: game %d", record->line, game->number);
    if (south && north) {
        fputs(", ", stdout);
        print_name(south);
        fputs(" - ", stdout);
        print_name(north);
    }
    printf("   (rules %s)\n\n", name);
}

static int uncovered_from(const struct judged_game *game, int ply)
{
    int end = ply;
    while (end < game->record->game.count && !game->judgement->moves[end].covered)
        end++;
    return end;
}

static void print_mistake(const struct wari_ply *ply, const struct wari_judged_move *judged,
                          bool colour)
{
    char words[128], best[BOARD_MOVES];
    bool north = ply->before.north_to_move;
    snprintf(words, sizeof words, "%s%c loses %d seed%s%s; best: %s", start_highlight(colour),
             wari_move_letter(ply->move.pit, north), judged->loss, plural(judged->loss),
             stop(colour), board_moves(judged->best, north, best));
    board_print_arrow(&ply->before, ply->move.pit, words);
}

static void print_move(const struct judged_game *game, int number, bool colour)
{
    const struct wari_ply *ply = &game->record->game.plies[number];
    const struct wari_judged_move *judged = &game->judgement->moves[number];
    struct wari_score score;
    char move[BOARD_MOVES], best[BOARD_MOVES], final[SCORE_TEXT];
    char value[TEXT_NUMBER], played[TEXT_NUMBER], loss[TEXT_NUMBER] = "";

    (void)wari_judged_score(&game->record->game, game->judgement, number, &score);
    if (judged->loss)
        snprintf(loss, sizeof loss, "%d", judged->loss);
    printf("%6d  %-5s %5s  %6s  %s%4s%s  %-11s  %s", number + 1,
           board_move(ply->move.pit, ply->before.north_to_move, ply->move.captured, move),
           text_value(judged->before, value), text_value(judged->played, played),
           start_highlight(colour && judged->loss), loss, stop(colour && judged->loss),
           board_moves(judged->best, ply->before.north_to_move, best),
           judged_score_text(&score, final));
    if (ply->times > 1)
        printf("   same position as before move %d (%d times so far)", ply->first + 1, ply->times);
    if (game->review)
        game_review_print_turn(&game->review->moves[number], ply->before.north_to_move);
    putchar('\n');
    if (judged->loss)
        print_mistake(ply, judged, colour);
}

static void print_moves(const struct judged_game *game, bool colour)
{
    int count = game->record->game.count;
    puts("            mover's                             South-North");
    puts("  move         value  played  loss  best         score with best play");
    for (int i = 0; i < count;) {
        int end = uncovered_from(game, i);
        if (end == i) {
            print_move(game, i++, colour);
            continue;
        }
        if (game->review) {
            game_review_print_move(game, i++);
            continue;
        }
        char range[TEXT_NUMBER];
        snprintf(range, sizeof range, end > i + 1 ? "%d-%d" : "%d", i + 1, end);
        printf("%6s  not covered: more than %d seeds\n", range, game->seeds_max);
        i = end;
    }
}

/* ---- End ---- */

static void describe_repetition(const struct judged_game *game, struct judged_end *end)
{
    const struct wari_judged_cycle *cycle = &game->judgement->cycle;
    bool over = game->record->game.end == WARI_GAME_REPETITION;
    char pays[TEXT_NUMBER], value[TEXT_NUMBER];

    if (cycle->times == 1)
        return;
    snprintf(end->repetition, sizeof end->repetition,
             "The position before move %d has occurred %d times%s: the cycle rule %s South %s.",
             cycle->first + 1, cycle->times, over ? ", which ends the game" : "",
             over ? "pays" : "would pay", text_value(cycle->pays, pays));
    end->costs = cycle->covered && cycle->cost > 0;
    if (!cycle->covered)
        snprintf(end->repeating, sizeof end->repeating,
                 game->seeds_max < 0 ? "It is not known whether that cost a side seeds."
                                     : "The database does not say whether that cost a side seeds.");
    else if (cycle->cost == 0)
        snprintf(end->repeating, sizeof end->repeating,
                 "That is what the position is worth, so nobody lost by repeating.");
    else
        snprintf(end->repeating, sizeof end->repeating,
                 "%s %s %d seed%s by repeating: the position is worth %s to South.",
                 board_player(cycle->loser), over ? "lost" : "would lose", cycle->cost,
                 plural(cycle->cost), text_value(cycle->value, value));
}

void judged_game_end(const struct judged_game *game, struct judged_end *end)
{
    const struct wari_judgement *judgement = game->judgement;
    const struct wari_score *score = &judgement->score;
    bool over = game->record->game.end != WARI_GAME_OPEN;
    char text[SCORE_TEXT], nobody[TEXT_NUMBER + sizeof ",  for nobody"] = "";

    *end = (struct judged_end){.costs = false};
    describe_repetition(game, end);
    if (!judgement->score_known) {
        snprintf(end->result, sizeof end->result,
                 game->seeds_max < 0 ? "The game stops before its end."
                                     : "The game stops in a position that is not covered.");
        return;
    }
    if (score->nobody)
        snprintf(nobody, sizeof nobody, ", %d for nobody", score->nobody);
    snprintf(end->result, sizeof end->result, "%s South-North %s%s%s%s%s.",
             over ? "The game ends" : "The game stops; with best play it ends",
             judged_score_text(score, text), nobody,
             score->by_slam ? "; the grand slam decides: " : "",
             score->by_slam ? board_player(score->winner == 1) : "", score->by_slam ? " wins" : "");
}

static void print_end(const struct judged_game *game, bool colour)
{
    const struct wari_judgement *judgement = game->judgement;
    bool board_was_printed =
        judgement->count > 0 && judgement->moves[judgement->count - 1].loss > 0;
    struct judged_end end;

    judged_game_end(game, &end);
    if (!board_was_printed) /* a board is followed by an empty line */
        putchar('\n');
    if (end.repetition[0]) {
        bool highlight = colour && end.costs;
        printf("%s\n%s%s%s\n", end.repetition, start_highlight(highlight), end.repeating,
               stop(highlight));
    }
    puts(end.result);
}

/* ---- Summary ---- */

static void print_sums(const struct wari_judged_side *side)
{
    char share[TEXT_NUMBER] = "-", mean[TEXT_NUMBER] = "-";
    if (side->judged) {
        snprintf(share, sizeof share, "%.1f %%",
                 text_percent((uint64_t)side->perfect, (uint64_t)side->judged));
        snprintf(mean, sizeof mean, "%.3f", (double)side->lost / side->judged);
    }
    printf("%6d  %6d  %8s  %6d  %6s  %6d", side->moves, side->judged, share, side->lost, mean,
           side->worst_loss);
}

static void print_side(const char *name, const struct wari_judged_side *side)
{
    printf("%-6s ", name);
    print_sums(side);
    if (side->first >= 0)
        printf("   first mistake %d, worst %d", side->first + 1, side->worst + 1);
    if (side->cycle_lost)
        printf("   and %d by repeating", side->cycle_lost);
    putchar('\n');
}

static void print_sides(const struct wari_judged_side side[2], const struct wari_judged_side *total)
{
    puts("        moves  judged  lossless    lost    mean   worst");
    print_side(board_player(false), &side[0]);
    print_side(board_player(true), &side[1]);
    print_side("both", total);
}

void judged_game_print_text(const struct judged_game *game, bool colour)
{
    const struct wari_judgement *judgement = game->judgement;
    print_heading(game);
    print_moves(game, colour);
    print_end(game, colour);
    if (game->seeds_max >= 0) {
        putchar('\n');
        print_sides(judgement->side, &judgement->total);
    }
    if (game->review)
        game_review_print_sides(game);
}

/* The names are last because their width on a terminal is not known. */
static void print_players(const struct players *players)
{
    puts("\n games   moves  judged  lossless    lost    mean   worst  player");
    for (size_t i = 0; i < players->count; i++) {
        const struct player *player = players->list[i];
        printf("%6d  ", player->games);
        print_sums(&player->side);
        fputs("  ", stdout);
        print_name(player->name);
        if (player->side.cycle_lost)
            printf("   and %d by repeating", player->side.cycle_lost);
        putchar('\n');
    }
}

void judged_game_print_total_text(const struct judged_total *total)
{
    printf("\nall %d games\n", total->games);
    if (total->has_database) {
        putchar('\n');
        print_sides(total->side, &total->total);
    }
    if (total->has_database && total->players.count > 0)
        print_players(&total->players);
    if (total->has_reviews)
        game_review_print_total(total);
}

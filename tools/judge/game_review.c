/* Reviews games and prints the reviews: values with one decimal, together with how they are known;
 * moves that change the result; and the accuracy of each side. */
#include "tools/judge/game_review.h"

#include <stdio.h>

#include "answer/judged_json.h"
#include "tools/common/interrupt.h"
#include "tools/common/progress.h"
#include "tools/common/text.h"

static const double seed = WARI_SEED_SCORE;

/* ---- Review ---- */

static void show(void *context, int done, int count)
{
    struct progress_line *line = context;
    if (progress_due(line))
        progress_show(line, "", "judging: position %d of %d", done, count);
}

/* Creates a search for the variant unless the current search is for it already, and clears the
 * search. */
static enum wari_status prepare_search(struct game_reviewer *state, struct wari_db *db,
                                       struct wari_variant variant, struct wari_error *error)
{
    enum { LARGE_HASH_MB = 64 };
    const struct wari_search_settings settings = {
        .hash_mb = state->limits.movetime > 0 ? LARGE_HASH_MB : WARI_SEARCH_HASH_MB,
        .threads = state->limits.threads,
        .variant = variant};
    if (state->search && state->db == db && state->variant.rules == variant.rules &&
        state->variant.cycle == variant.cycle) {
        wari_search_clear(state->search);
        return WARI_OK;
    }
    wari_search_free(state->search);
    state->db = db;
    state->variant = variant;
    return wari_search_new(&state->search, db, wari_host_system(), &settings, error);
}

enum wari_status game_review_run(struct game_reviewer *reviewer_state, struct wari_db *db,
                                 const struct wari_game *game, struct wari_review *review,
                                 struct wari_error *error)
{
    const struct judged_search *limits = &reviewer_state->limits;
    struct progress_line line;
    enum wari_status status = prepare_search(reviewer_state, db, game->variant, error);
    if (status != WARI_OK)
        return status;
    const struct wari_reviewer reviewer = {
        .db = db,
        .search = reviewer_state->search,
        .limits = {.depth = limits->depth > 0 ? limits->depth : WARI_SEARCH_DEPTH_MAX,
                   .milliseconds = limits->movetime > 0 ? limits->movetime : -1,
                   .stop = interrupt_flag()},
        .progress = show,
        .context = &line,
    };
    progress_begin(&line);
    status = wari_review_game(&reviewer, game, review, error);
    progress_clear(&line);
    return status;
}

void game_review_end(struct game_reviewer *reviewer_state)
{
    wari_search_free(reviewer_state->search);
    reviewer_state->search = NULL;
}

/* ---- Text ---- */

/* Returns the text of a result. `winner` is 1 if the side wins, 0 for a draw, -1 if the side loses.
 * The side is North if `north` is true, otherwise South. */
static const char *result_text(int winner, bool north)
{
    if (winner == 0)
        return "a draw";
    return north ^ (winner < 0) ? "a win for North" : "a win for South";
}

void game_review_print_turn(const struct wari_reviewed_move *reviewed, bool north)
{
    if (!reviewed->turns)
        return;
    printf("   changes the result: %s becomes %s%s", result_text(reviewed->winner_before, north),
           result_text(reviewed->winner_after, north),
           reviewed->turn_proven ? " (proven)" : " (likely)");
}

void game_review_print_move(const struct judged_game *game, int number)
{
    const struct wari_ply *ply = &game->record->game.plies[number];
    const struct wari_reviewed_move *reviewed = &game->review->moves[number];
    bool north = ply->before.north_to_move;
    char move[BOARD_MOVES], loss[16] = "", best[BOARD_MOVES];
    if (reviewed->loss > 0)
        snprintf(loss, sizeof loss, "%.1f", reviewed->loss / seed);
    printf("%6d  %-5s %+5.1f  %+6.1f  %4s  %-11s  %s", number + 1,
           board_move(ply->move.pit, north, ply->move.captured, move), reviewed->before / seed,
           reviewed->played / seed, loss, board_moves(reviewed->best, north, best),
           wari_kind_name(reviewed->kind));
    if (reviewed->proven_loss > 0)
        printf(": loses %d%s", reviewed->proven_loss,
               reviewed->kind == WARI_KIND_EXACT ? "" : " or more");
    game_review_print_turn(reviewed, north);
    putchar('\n');
}

static const char legend[] =
    "accuracy: the mean of 100 / (1 + n / 2) for moves that lose n seeds; proven: moves whose\n"
    "loss is known exactly or by bounds; turns: moves that changed the result\n";

static void print_side(const struct wari_reviewed_side *side)
{
    if (side->moves > 0)
        printf("%6d   %5.1f %%", side->moves, side->accuracy);
    else
        printf("%6d         -", side->moves);
    printf("  %6d  %6.1f  %5d", side->proven, side->lost / seed, side->turns);
}

static void print_sides(const struct wari_reviewed_side side[2])
{
    puts("\n        moves  accuracy  proven    lost  turns");
    for (int i = 0; i < 2; i++) {
        printf("%-6s ", board_player(i == 1));
        print_side(&side[i]);
        putchar('\n');
    }
}

const char *game_review_limits(const struct judged_search *search, char text[GAME_REVIEW_LIMITS])
{
    const int threads = search->threads > 1 ? search->threads : 1;
    char time[TEXT_NUMBER + 4] = "", depth[TEXT_NUMBER + 6] = "";
    if (search->movetime > 0)
        snprintf(time, sizeof time, "%d ms", search->movetime);
    if (search->depth > 0)
        snprintf(depth, sizeof depth, "%d move%s", search->depth, search->depth == 1 ? "" : "s");
    snprintf(text, GAME_REVIEW_LIMITS, "%s%s%s, %d thread%s", time,
             time[0] && depth[0] ? " or " : "", depth, threads, threads == 1 ? "" : "s");
    return text;
}

static void print_legend(const struct judged_search *search)
{
    char limits[GAME_REVIEW_LIMITS];
    printf("%slimit of each search: %s\n", legend, game_review_limits(search, limits));
}

void game_review_print_sides(const struct judged_game *game)
{
    print_sides(game->review->side);
    print_legend(game->search);
}

void game_review_print_total(const struct judged_total *total)
{
    const struct players *players = &total->players;
    print_sides(total->review);
    if (players->count > 0) /* the names are last because their width on a terminal is not known */
        puts("\n games   moves  accuracy  proven    lost  turns  player");
    for (size_t i = 0; i < players->count; i++) {
        char name[TEXT_PATH];
        printf("%6d  ", players->list[i]->games);
        print_side(&players->list[i]->review);
        printf("  %s\n", text_path(players->list[i]->name, name));
    }
    print_legend(&total->search);
}

void game_review_comment(const struct wari_ply *ply, const struct wari_reviewed_move *reviewed,
                         char comment[GAME_REVIEW_COMMENT])
{
    bool north = ply->before.north_to_move;
    char best[BOARD_MOVES], turn[48] = "";
    if (reviewed->turns)
        snprintf(turn, sizeof turn, ", changes the result to %s",
                 result_text(reviewed->winner_after, north));
    if (reviewed->loss > 0)
        snprintf(comment, GAME_REVIEW_COMMENT,
                 "%+.1f, loses %.1f: best is %s with %+.1f%s; %s by search",
                 reviewed->played / seed, reviewed->loss / seed,
                 board_moves(reviewed->best, north, best), reviewed->before / seed, turn,
                 wari_kind_name(reviewed->kind));
    else
        snprintf(comment, GAME_REVIEW_COMMENT, "%+.1f; %s by search", reviewed->played / seed,
                 wari_kind_name(reviewed->kind));
}

/* ---- JSON ---- */

int game_review_set_move(json_t *object, const struct judged_game *game, int number)
{
    bool north = game->record->game.plies[number].before.north_to_move;
    return answer_set_review(object, &game->review->moves[number], north,
                             !game->judgement->moves[number].covered);
}

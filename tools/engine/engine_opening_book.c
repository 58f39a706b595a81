/* Opens the opening book of an engine, and plays from it. */
#include "tools/engine/engine_state.h"

#include <string.h>

#include "tools/common/opening_file.h"
#include "tools/common/options.h"

enum wari_status engine_open_opening_book(struct engine_state *state, const char *path,
                                          struct wari_error *error)
{
    const size_t length = strlen(path);
    wari_opening_book_free(&state->opening_book);
    state->opening_path[0] = '\0';
    state->told_opening_rules = false;
    if (length == 0)
        return WARI_OK;
    if (length >= sizeof state->opening_path)
        return wari_fail(error, WARI_BAD_INPUT,
                         "BookFile: a path shorter than %zu bytes is expected",
                         sizeof state->opening_path);
    wari_opening_book_begin(&state->opening_book, wari_host_system(),
                            &(struct wari_opening_settings){0});
    enum wari_status status = opening_file_read(path, &state->opening_book, error);
    if (status == WARI_OK)
        memcpy(state->opening_path, path, length + 1);
    return status;
}

/* Returns true if the opening book is for the rules of the game. Otherwise prints a message about
 * that, but only once for each book. */
static bool fits_rules(struct engine_state *state)
{
    char book_rules[VARIANT_TEXT], game_rules[VARIANT_TEXT];
    const struct wari_variant of_book = state->opening_book.settings.variant;
    const struct wari_variant of_game = state->variant;
    if (of_book.rules == of_game.rules && of_book.cycle == of_game.cycle)
        return true;
    variant_text(of_book, book_rules);
    variant_text(of_game, game_rules);
    if (!state->told_opening_rules)
        engine_io_print(state->io,
                        "info string BookFile: the opening book is for the rules %s, not %s, so it "
                        "is not used",
                        book_rules, game_rules);
    state->told_opening_rules = true;
    return false;
}

/* Returns true if a move leads to a position that has occurred since the last capture of the game.
 * The scores of the book do not take the history of the game into account, so they are useless for
 * such a move. */
static bool repeats_position(const struct wari_game *game, const struct wari_move *move)
{
    const bool north = move->again == game->now.north_to_move;
    for (int i = game->since; i < game->count && move->captured == 0; i++) {
        const struct wari_setup *before = &game->plies[i].before;
        if (before->north_to_move == north &&
            memcmp(&before->position, &move->next, sizeof move->next) == 0)
            return true;
    }
    return false;
}

/* Fills the report with the best line of the book that begins with `move`. */
static void find_line(const struct wari_opening_book *book, const struct wari_opening_move *move,
                      struct wari_search_report *report)
{
    bool opponent = false;
    while (report->line_count < WARI_SEARCH_DEPTH_MAX) { /* the line may be a cycle without end */
        report->line[report->line_count].pit = move->move.pit;
        report->line[report->line_count++].opponent = opponent;
        if (move->next < 0)
            return;
        opponent = move->move.again ? opponent : !opponent;
        const struct wari_opening *opening = &book->openings[move->next];
        move = &opening->moves[opening->best];
    }
}

bool engine_find_opening(struct engine_state *state, const struct wari_game *game,
                         const struct wari_uci_go *go, struct wari_search_report *report)
{
    const struct wari_opening_book *book = &state->opening_book;
    const struct wari_opening_move *best = NULL;
    if (!state->own_book || book->count == 0 || go->infinite || go->ponder || go->prove ||
        state->analyse || state->lines > 1)
        return false;
    const struct wari_opening *opening = wari_opening_book_find(book, &game->now.position);
    if (!fits_rules(state) || !opening)
        return false;
    for (int i = 0; i < opening->count; i++) {
        const struct wari_opening_move *move = &opening->moves[i];
        if ((go->pits >> move->move.pit & 1) && (!best || move->score > best->score))
            best = move;
    }
    /* If the book does not have the position after the move, the score of the move comes from a
     * single search. The engine can search the position just as well, and knows the game. */
    if (!best || best->next < 0 || repeats_position(game, &best->move))
        return false;
    *report = (struct wari_search_report){
        .depth = opening->depth, .score = best->score, .pit = best->move.pit, .rank = 1};
    find_line(book, best, report);
    return true;
}

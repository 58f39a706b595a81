/* Writes games as OGN with a comment after each judged move: its value, and what would have been
 * better. A game that already has these comments does not get them twice. */
#include <stdio.h>
#include <string.h>

#include "db/wari.h"
#include "play/record/record.h"
#include "tools/common/text.h"
#include "tools/judge/game_review.h"

enum { COMMENT = 320 };

static void move_comment(const struct wari_ply *ply, const struct wari_judged_move *judged,
                         char comment[COMMENT])
{
    comment[0] = '\0';
    if (!judged->covered)
        return;
    char played[TEXT_NUMBER], value[TEXT_NUMBER], best[2 * WARI_HALF_PITS + 1] = "";
    size_t length = 0;

    text_value(judged->played, played);
    if (judged->loss == 0) {
        snprintf(comment, COMMENT, "%s", played);
        return;
    }
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        if (!(judged->best >> pit & 1))
            continue;
        best[length++] = ' ';
        best[length++] = wari_move_letter(pit, ply->before.north_to_move);
    }
    snprintf(comment, COMMENT, "%s, loses %d: best is%s with %s", played, judged->loss, best,
             text_value(judged->before, value));
}

/* Appends to the comment which player loses by the cycle rule, and how much. */
static void add_repetition(const struct wari_judged_cycle *cycle, char comment[COMMENT])
{
    size_t length = strlen(comment);
    snprintf(comment + length, COMMENT - length,
             "%sthird repetition: %s loses %d by the cycle rule", length > 0 ? " " : "",
             board_player(cycle->loser), cycle->cost);
}

/* Returns true if the existing comment after a move is equal to `comment`, or ends with it. */
static bool has_comment(const struct wari_record *record, int ply, const char *comment)
{
    const char *comment_text = ply < record->comment_count ? record->comments[ply] : NULL;
    size_t length = strlen(comment);
    if (!comment_text || strlen(comment_text) < length)
        return false;
    const char *end = comment_text + strlen(comment_text) - length;
    return strcmp(end, comment) == 0 && (end == comment_text || end[-1] == ' ');
}

/* Returns true if a search has already left its comment after a move; another search would give
 * other values. */
static bool has_search_comment(const struct wari_record *record, int ply)
{
    const char *comment_text = ply < record->comment_count ? record->comments[ply] : NULL;
    return comment_text && strstr(comment_text, " by search");
}

static void comment_on(const struct judged_game *judged, const struct wari_record *record, int ply,
                       char comment[COMMENT])
{
    const struct wari_judged_move *move = &judged->judgement->moves[ply];
    move_comment(&record->game.plies[ply], move, comment);
    if (!judged->review)
        return;
    const struct wari_reviewed_move *reviewed = &judged->review->moves[ply];
    if (!move->covered && !has_search_comment(record, ply))
        game_review_comment(&record->game.plies[ply], reviewed, comment);
    else if (move->covered && reviewed->turns)
        strcat(comment, ", changes the result");
}

static enum wari_status annotate(const struct judged_game *judged, struct wari_record *record,
                                 struct wari_error *error)
{
    const struct wari_judgement *judgement = judged->judgement;
    const struct wari_game *game = &record->game;
    const bool repeated = game->end == WARI_GAME_REPETITION && judgement->cycle.cost > 0;
    char comment[COMMENT];
    enum wari_status status = WARI_OK;

    for (int i = 0; i < game->count && status == WARI_OK; i++) {
        comment_on(judged, record, i, comment);
        if (repeated && i == game->count - 1)
            add_repetition(&judgement->cycle, comment);
        if (comment[0] != '\0' && !has_comment(record, i, comment))
            status = wari_record_comment(record, i, comment, error);
    }
    if (status == WARI_OK && !wari_record_tag(record, "Annotator"))
        status = wari_record_set_tag(record, "Annotator", "wari " WARI_VERSION, error);
    return status;
}

enum wari_status judged_game_print_annotated(const struct judged_game *game,
                                             struct wari_record *record, struct wari_error *error)
{
    struct wari_text text = {.host = record->game.host};
    enum wari_status status = annotate(game, record, error);
    if (status == WARI_OK)
        status = wari_record_write(record, &text, error);
    if (status == WARI_OK)
        fwrite(text.bytes, 1, text.length, stdout);
    wari_text_free(&text);
    return status;
}

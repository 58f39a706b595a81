/* Games written back with a comment behind each judged move: its value, and what would have been
 * better.
 */
#include <stdio.h>

#include "db/wari.h"
#include "tools/board.h"
#include "tools/judging.h"
#include "tools/text.h"

enum { COMMENT = 160 };

static void move_comment(const struct wari_ply *ply, const struct wari_verdict *verdict,
                         char comment[COMMENT])
{
    char played[TEXT_NUMBER], value[TEXT_NUMBER], best[2 * WARI_HALF_PITS + 1] = "";
    size_t length = 0;

    text_value(verdict->played, played);
    if (verdict->loss == 0) {
        snprintf(comment, COMMENT, "%s", played);
        return;
    }
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        if (!(verdict->best >> pit & 1))
            continue;
        best[length++] = ' ';
        best[length++] = wari_move_letter(pit, ply->before.north_to_move);
    }
    snprintf(comment, COMMENT, "%s, loses %d: best is%s with %s", played, verdict->loss, best,
             text_value(verdict->before, value));
}

static enum wari_status annotate(struct wari_record *record, const struct wari_judgement *judgement,
                                 struct wari_error *error)
{
    const struct wari_judged_cycle *cycle = &judgement->cycle;
    char comment[COMMENT];
    enum wari_status status = WARI_OK;

    for (int i = 0; i < record->game.count && status == WARI_OK; i++) {
        if (!judgement->verdicts[i].covered)
            continue;
        move_comment(&record->game.plies[i], &judgement->verdicts[i], comment);
        status = wari_record_comment(record, i, comment, error);
    }
    if (status == WARI_OK && record->game.end == WARI_GAME_REPETITION && cycle->cost > 0) {
        snprintf(comment, COMMENT, "third repetition: %s loses %d by the cycle rule",
                 board_player(cycle->loser), cycle->cost);
        status = wari_record_comment(record, record->game.count - 1, comment, error);
    }
    if (status == WARI_OK && !wari_record_tag(record, "Annotator"))
        status = wari_record_set_tag(record, "Annotator", "wari " WARI_VERSION, error);
    return status;
}

enum wari_status judging_print_annotated(struct wari_record *record,
                                         const struct wari_judgement *judgement,
                                         struct wari_error *error)
{
    struct wari_text text = {.host = record->game.host};
    enum wari_status status = annotate(record, judgement, error);
    if (status == WARI_OK)
        status = wari_record_write(record, &text, error);
    if (status == WARI_OK)
        fwrite(text.bytes, 1, text.length, stdout);
    wari_text_free(&text);
    return status;
}

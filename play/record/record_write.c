/* Writes records in the same form as Aualé: the standard tags first, moves with their captures,
 * lines of less than 80 columns broken at any blank.
 *
 * Invariants: outside of tags and comments the only letters are those of moves, because Aualé
 * takes every A..F and a..f there for a move. No comment precedes the first move, because Aualé
 * does not accept one there. The output can be read again as the same game. */
#include "play/record/record.h"

#include <stdio.h>
#include <string.h>

#include "play/record/record_read.h"

enum { LINE_WIDTH = 79, TOKEN = 32 };

static const char *const roster[] = {"Variant", "Event", "Site",  "Date",
                                     "Round",   "South", "North", "Result"};
enum { ROSTER = sizeof roster / sizeof roster[0] };

/* ---- Tags ---- */

static enum wari_status write_tag(struct wari_text *text, const char *name, const char *value,
                                  struct wari_error *error)
{
    enum wari_status status = wari_text_add(text, error, "[%s \"", name);
    for (const char *c = value; *c && status == WARI_OK; c++) {
        bool control = *c == '\n' || *c == '\r'; /* a value stays on one line */
        if (*c == '"' || *c == '\\')
            status = wari_text_add_bytes(text, "\\", 1, error);
        if (status == WARI_OK)
            status = wari_text_add_bytes(text, control ? " " : c, 1, error);
    }
    return status == WARI_OK ? wari_text_add(text, error, "\"]\n") : status;
}

/* Returns the result to write: the score of the finished game, in `score_text`, or a string of
 * the record. A score of the record is written completely (it may have any number of digits) or
 * not at all: other words, or parts of a score, would be read as moves or move numbers, or would
 * make the game unreadable. */
static const char *result_text(const struct wari_record *record, char score_text[TOKEN])
{
    static const char *const parts[] = {"", ".5"};
    const char *said = record->result;
    struct wari_score score;
    if (wari_game_score(&record->game, &score)) {
        snprintf(score_text, TOKEN, "%d%s-%d%s", score.halves[0] / 2, parts[score.halves[0] % 2],
                 score.halves[1] / 2, parts[score.halves[1] % 2]);
        return score_text;
    }
    return said && wari_record_is_score(said) ? said : "*";
}

static bool is_known(const char *name)
{
    for (int i = 0; i < ROSTER; i++)
        if (strcmp(name, roster[i]) == 0)
            return true;
    return strcmp(name, "Cycle") == 0 || strcmp(name, "FEN") == 0;
}

static enum wari_status write_tags(const struct wari_record *record, const char *result,
                                   struct wari_text *text, struct wari_error *error)
{
    struct wari_variant variant = record->game.variant;
    struct wari_setup start = wari_game_start_setup();
    char diagram[WARI_DIAGRAM_TEXT], usual[WARI_DIAGRAM_TEXT];
    enum wari_status status = WARI_OK;

    for (int i = 0; i < ROSTER && status == WARI_OK; i++) {
        const char *value = wari_record_tag(record, roster[i]);
        if (strcmp(roster[i], "Result") == 0)
            value = result;
        else if (strcmp(roster[i], "Variant") == 0 && !(value && wari_record_knows_rules(value)))
            value = variant.rules == WARI_ABAPA ? "Oware Abapa"
                                                : wari_get_rules_info(variant.rules)->name;
        status = write_tag(text, roster[i], value ? value : "?", error);
    }
    if (status == WARI_OK)
        status = write_tag(text, "Cycle", wari_cycle_name(variant.cycle), error);
    wari_diagram_text(&record->game.start, diagram);
    wari_diagram_text(&start, usual);
    if (status == WARI_OK && strcmp(diagram, usual) != 0)
        status = write_tag(text, "FEN", diagram, error);
    for (int i = 0; i < record->tag_count && status == WARI_OK; i++)
        if (!is_known(record->tags[i].name))
            status = write_tag(text, record->tags[i].name, record->tags[i].value, error);
    return status;
}

/* ---- Moves ---- */

/* Text broken into lines. A token that does not fit goes to the next line. */
struct lines {
    struct wari_text *text;
    size_t column;
};

static enum wari_status write_token(struct lines *lines, const char *token, size_t length,
                                    struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    bool breaks = lines->column + 1 + length > LINE_WIDTH;
    if (lines->column > 0)
        status = wari_text_add_bytes(lines->text, breaks ? "\n" : " ", 1, error);
    lines->column = lines->column == 0 || breaks ? length : lines->column + 1 + length;
    return status == WARI_OK ? wari_text_add_bytes(lines->text, token, length, error) : status;
}

static enum wari_status write_comment(struct lines *lines, const char *comment,
                                      struct wari_error *error)
{
    enum wari_status status = write_token(lines, "{", 1, error);
    while (*comment && status == WARI_OK) {
        size_t length = strcspn(comment, " ");
        status = write_token(lines, comment, length, error);
        comment += length + (comment[length] == ' ');
    }
    return status == WARI_OK ? write_token(lines, "}", 1, error) : status;
}

static enum wari_status write_moves(const struct wari_record *record, struct lines *lines,
                                    struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    int turns = 0; /* number of turns begun; an extra move belongs to the turn of the move before */
    bool north = false;
    for (int i = 0; i < record->game.count && status == WARI_OK; i++) {
        const struct wari_ply *ply = &record->game.plies[i];
        char token[TOKEN];
        if (i == 0 || ply->before.north_to_move != north) {
            north = ply->before.north_to_move;
            if (turns++ % 2 == 0) {
                int length = snprintf(token, sizeof token, "%d.", turns / 2 + 1);
                status = write_token(lines, token, (size_t)length, error);
            }
        }
        int length = snprintf(token, sizeof token, "%c", wari_move_letter(ply->move.pit, north));
        if (ply->move.captured)
            length +=
                snprintf(token + length, sizeof token - (size_t)length, "+%d", ply->move.captured);
        if (status == WARI_OK)
            status = write_token(lines, token, (size_t)length, error);
        if (status == WARI_OK && i < record->comment_count && record->comments[i])
            status = write_comment(lines, record->comments[i], error);
    }
    return status;
}

enum wari_status wari_record_write(const struct wari_record *record, struct wari_text *text,
                                   struct wari_error *error)
{
    struct lines lines = {text, 0};
    char score_text[TOKEN];
    const char *result = result_text(record, score_text);

    enum wari_status status = write_tags(record, result, text, error);
    if (status == WARI_OK)
        status = wari_text_add_bytes(text, "\n", 1, error);
    if (status == WARI_OK)
        status = write_moves(record, &lines, error);
    if (status == WARI_OK)
        status = write_token(&lines, result, strlen(result), error);
    return status == WARI_OK ? wari_text_add(text, error, "\n\n") : status;
}

/* Reading the moves of a record, and what stands between them.
 *
 * Every move is played at once, so that an illegal one is found where it stands. A capture that is
 * written down but is not what the rules give means that the game was played under other rules, and
 * the game is lost; only behind the last move it may be larger, because Aualé counts there what the
 * end of the game brings in.
 */
#include "play/record/record_read_moves.h"

#include <stdio.h>
#include <string.h>

/* The byte `ahead` of the cursor; 0 beyond the end. */
static char peek(const struct wari_reading *reading, size_t ahead)
{
    size_t at = reading->at + ahead;
    return at < reading->end ? reading->text[at] : '\0';
}

static enum wari_status unexpected(struct wari_reading *reading)
{
    char words[24];
    return wari_reading_complain(reading, reading->at, true,
                                 "a move, a comment or a result is expected, but here is %s",
                                 wari_reading_found(reading, words));
}

/* ---- Comments and variations ---- */

/* Where the comment at the cursor ends: its mark, or the end if there is none. That there is none
 * in the rest of a file is looked for once, not by each game that a file of broken ones has. */
static size_t comment_end(struct wari_reading *reading)
{
    struct wari_record_reader *reader = reading->reader;
    bool brace = reading->text[reading->at] == '{';
    const char *start = reading->text + reading->at;
    if (brace && reader->no_brace)
        return reading->end;
    const char *found = memchr(start, brace ? '}' : '\n', reading->end - reading->at);
    if (!found && brace && reading->end == reader->length)
        reader->no_brace = true;
    size_t end = found ? (size_t)(found - reading->text) : reading->end;
    if (found && end > reading->seen)
        reading->seen = end;
    return end;
}

/* Takes the text from the cursor up to `end` to what waits for keep_comment(). */
static enum wari_status take_comment(struct wari_reading *reading, size_t end)
{
    enum wari_status status = WARI_OK;
    if (memchr(reading->text + reading->at, '\0', end - reading->at))
        return wari_reading_complain(reading, reading->at, true, "a zero byte in this comment");
    if (reading->comment.length)
        status = wari_text_add_bytes(&reading->comment, " ", 1, reading->error);
    if (status == WARI_OK)
        status = wari_text_add_bytes(&reading->comment, reading->text + reading->at,
                                     end - reading->at, reading->error);
    return status;
}

/* Puts the comments that wait, if there are any, behind the last move, if there is one. */
static enum wari_status keep_comment(struct wari_reading *reading)
{
    int count = reading->record->game.count;
    if (count == 0 || reading->comment.length == 0)
        return WARI_OK;
    enum wari_status status =
        wari_record_comment(reading->record, count - 1, reading->comment.bytes, reading->error);
    wari_text_free(&reading->comment);
    return status;
}

/* {text}, or ; and the rest of the line. */
static enum wari_status read_comment(struct wari_reading *reading)
{
    bool brace = peek(reading, 0) == '{';
    size_t start = reading->at;
    size_t end = comment_end(reading);
    reading->at++;
    if (brace && end == reading->end)
        return wari_reading_complain(reading, start, true,
                                     "the } that ends this comment is missing");
    enum wari_status status = take_comment(reading, end);
    reading->at = brace ? end + 1 : end;
    return status;
}

/* Passes a variation with all that is in it: other variations, comments. A bracket in it is the
 * next game's. */
static enum wari_status skip_variation(struct wari_reading *reading)
{
    size_t start = reading->at;
    int depth = 0;
    do {
        char c = peek(reading, 0);
        if (reading->at >= reading->end || c == '[')
            return wari_reading_complain(reading, start, true,
                                         "the ) that ends this variation is missing");
        if (c == '{' || c == ';')
            reading->at = comment_end(reading);
        depth += (c == '(') - (c == ')');
        if (reading->at < reading->end)
            reading->at++;
    } while (depth > 0);
    return WARI_OK;
}

/* ---- Moves ---- */

static enum wari_status play_letter(struct wari_reading *reading)
{
    struct wari_error reason;
    enum wari_status status =
        wari_game_play_letter(&reading->record->game, peek(reading, 0), &reason);
    if (status == WARI_BAD_INPUT)
        return wari_reading_complain(reading, reading->at, true, "move %d: %s",
                                     reading->record->game.count + 1, reason.text);
    if (status != WARI_OK && reading->error)
        *reading->error = reason;
    reading->at++;
    return status;
}

/* +2 behind a move: what it captures. */
static void read_capture(struct wari_reading *reading)
{
    const struct wari_game *game = &reading->record->game;
    size_t start = reading->at++;
    int said = 0;
    for (; wari_reading_is_digit(peek(reading, 0)); reading->at++)
        if (said <= WARI_SEEDS_MAX)
            said = 10 * said + (peek(reading, 0) - '0');
    reading->capture.captured = game->plies[game->count - 1].move.captured;
    reading->capture.said = said;
    if (said != reading->capture.captured)
        reading->capture.at = start;
}

/* Complains of the capture of the last move if it is not what the rules say. */
static enum wari_status check_capture(struct wari_reading *reading, bool last)
{
    size_t at = reading->capture.at;
    const struct wari_game *game = &reading->record->game;
    reading->capture.at = 0;
    if (at == 0 || (last && reading->capture.said > reading->capture.captured))
        return WARI_OK;
    return wari_reading_complain(reading, at, true,
                                 "move %d captures %d under the rules %s, not %d; was this game "
                                 "played under others?",
                                 game->count, reading->capture.captured,
                                 wari_rules_info(game->variant.rules)->name, reading->capture.said);
}

static enum wari_status read_move(struct wari_reading *reading)
{
    enum wari_status status = check_capture(reading, false);
    if (status == WARI_OK)
        status = keep_comment(reading);
    if (status == WARI_OK)
        status = play_letter(reading);
    if (status == WARI_OK && reading->record->game.count == 1)
        status = keep_comment(reading);
    if (status != WARI_OK)
        return status;
    if (peek(reading, 0) == '+' && wari_reading_is_digit(peek(reading, 1)))
        read_capture(reading);
    while (peek(reading, 0) == '!' || peek(reading, 0) == '?')
        reading->at++;
    return WARI_OK;
}

/* ---- Numbers and results ---- */

static enum wari_status read_result(struct wari_reading *reading, size_t length)
{
    struct wari_record *record = reading->record;
    const char *text = reading->text + reading->at;
    bool same = record->result && strlen(record->result) == length &&
                memcmp(record->result, text, length) == 0;

    if (record->result && !same && strcmp(record->result, "*") != 0)
        (void)wari_reading_complain(reading, reading->at, false,
                                    "this result is not that of the tag, %.20s", record->result);
    wari_release(reading->reader->host, record->result);
    record->result = NULL;
    reading->ended = true;
    enum wari_status status =
        wari_text_copy(reading->reader->host, text, length, &record->result, reading->error);
    reading->at += length;
    return status;
}

/* 12. or 12... : the number of a move, which says nothing that the moves do not say. */
static enum wari_status skip_number(struct wari_reading *reading)
{
    while (wari_reading_is_digit(peek(reading, 0)))
        reading->at++;
    while (peek(reading, 0) == '.')
        reading->at++;
    return WARI_OK;
}

static enum wari_status read_number(struct wari_reading *reading)
{
    size_t length =
        wari_reading_score_length(reading->text + reading->at, reading->end - reading->at);
    return length ? read_result(reading, length) : skip_number(reading);
}

/* ---- All of it ---- */

/* Whether the score at the end is another than the rules give. */
static enum wari_status check_score(struct wari_reading *reading)
{
    const struct wari_record *record = reading->record;
    struct wari_score score;
    double south, north;
    if (!record->result || !wari_game_score(&record->game, &score) || score.by_slam ||
        sscanf(record->result, "%lf-%lf", &south, &north) != 2 ||
        (2 * south == score.halves[0] && 2 * north == score.halves[1]))
        return WARI_OK;
    return wari_reading_complain(reading, reading->at, false,
                                 "the record says %.20s, but under the rules %s %s this game ends "
                                 "%g-%g",
                                 record->result, wari_rules_info(record->game.variant.rules)->name,
                                 wari_cycle_name(record->game.variant.cycle), score.halves[0] / 2.0,
                                 score.halves[1] / 2.0);
}

static enum wari_status read_token(struct wari_reading *reading)
{
    char c = peek(reading, 0);
    if (c == '{' || c == ';')
        return read_comment(reading);
    if (c == '(')
        return skip_variation(reading);
    if (reading->ended)
        return wari_reading_complain(reading, reading->at, true,
                                     "the game goes on behind its result");
    if ((c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f'))
        return read_move(reading);
    if (c == '*')
        return read_result(reading, 1);
    if (wari_reading_is_digit(c))
        return read_number(reading);
    if (c == '$' &&
        wari_reading_is_digit(peek(reading, 1))) { /* a chess record's "good move" and the like */
        reading->at++;
        return skip_number(reading);
    }
    return unexpected(reading);
}

enum wari_status wari_reading_moves(struct wari_reading *reading)
{
    enum wari_status status = WARI_OK;
    while (status == WARI_OK) {
        wari_reading_skip_blanks(reading);
        if (reading->at >= reading->end || (peek(reading, 0) == '[' && !reading->reader->plain))
            break;
        status = read_token(reading);
    }
    if (status == WARI_OK)
        status = keep_comment(reading);
    if (status == WARI_OK)
        status = check_capture(reading, true);
    return status == WARI_OK ? check_score(reading) : status;
}

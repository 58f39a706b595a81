/* Reading records: one game after the other, and on after one that is lost.
 *
 * The next game after a broken one is looked for by the shape of the file alone: a line that starts
 * with a bracket, behind a blank line or behind moves. So one mistake in the tags of a game does
 * not make a second game of the rest of it. What always holds: every call moves on in the text, and
 * every game that is not handed out has been complained of.
 */
#include "play/record/record_read.h"

#include <string.h>

#include "play/record/record_read_moves.h"
#include "play/record/record_read_tags.h"

static size_t line_end(const struct wari_record_reader *reader, size_t at)
{
    const char *newline = memchr(reader->text + at, '\n', reader->length - at);
    return newline ? (size_t)(newline - reader->text) : reader->length;
}

/* The first byte of a line that is no white space; its end if there is none. */
static size_t line_word(const struct wari_record_reader *reader, size_t at, size_t end)
{
    while (at < end && wari_text_is_blank(reader->text[at]))
        at++;
    return at;
}

/* Whether a line between games that starts so is passed over: '#' is for lists, the others for OGN.
 */
static bool is_remark(char c)
{
    return c == '#' || c == '%' || c == ';';
}

/* Passes the byte order mark, and finds out what kind of file this is: one with tags, or a list. */
static void begin_text(struct wari_record_reader *reader)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t at = 0;

    reader->begun = true;
    if (reader->length >= 3 && memcmp(reader->text, mark, 3) == 0)
        at = 3;
    reader->at = at;
    while (at < reader->length) {
        size_t end = line_end(reader, at);
        size_t word = line_word(reader, at, end);
        if (word < end && !is_remark(reader->text[word])) {
            reader->plain = reader->text[word] != '[';
            return;
        }
        at = end < reader->length ? end + 1 : end;
    }
    reader->at = reader->length;
}

/* Where the next game starts after one that was lost at `at`. */
static size_t find_next_game(const struct wari_record_reader *reader, size_t at, bool in_moves)
{
    static const char first_tag[] = "[Variant";
    bool blank = false;
    for (;;) {
        size_t end = line_end(reader, at);
        if (end >= reader->length)
            return reader->length;
        at = end + 1;
        end = line_end(reader, at);
        size_t word = line_word(reader, at, end);
        if (word == end) {
            blank = true;
        } else if (reader->text[word] != '[') {
            in_moves = true;
        } else if (in_moves || blank ||
                   (end - word >= sizeof first_tag - 1 &&
                    memcmp(reader->text + word, first_tag, sizeof first_tag - 1) == 0)) {
            return at;
        }
    }
}

/* Where to look for the next game after one that was lost: at the place of the complaint. What was
 * read beyond it, such as a variation without its end, is then read again, and a text can be made
 * whose games all go on to its end. So no more is read again than the text has bytes, and AGAIN
 * more for short ones; when that is used up, the next game is looked for behind what was read. */
static size_t resume_at(struct wari_reading *reading)
{
    enum { AGAIN = 1 << 20 };
    struct wari_record_reader *reader = reading->reader;
    size_t seen = reading->seen > reading->at ? reading->seen : reading->at;
    if (seen <= reading->lost_at)
        return reading->lost_at;
    reader->again += seen - reading->lost_at;
    if (reader->again <= reader->length + AGAIN)
        return reading->lost_at;
    reader->again -= seen - reading->lost_at;
    (void)wari_reading_complain(reading, reading->lost_at, true,
                                "too much of this text would be read again to find games in "
                                "what this one took; it is left out up to line %d",
                                wari_reading_place(reader, seen).line);
    return seen;
}

static enum wari_status read_tagged(struct wari_reading *reading)
{
    enum wari_status status = wari_reading_tags(reading);
    if (status == WARI_OK)
        status = wari_reading_begin_game(reading);
    if (status == WARI_OK)
        status = wari_reading_moves(reading);
    return status;
}

/* "2. E e" cannot be a game from the start: somebody has a game without tags on several lines. */
static enum wari_status refuse_middle_of_game(struct wari_reading *reading)
{
    int number = 0;
    for (size_t at = reading->at; at < reading->end; at++) {
        char c = reading->text[at];
        if (c == '.' && number > 1)
            return wari_reading_complain(
                reading, reading->at, true,
                "a line that starts with move %d, but each line of a list is a game of its own; "
                "put "
                "all its moves on one line, or a tag such as [South \"Ama\"] above them",
                number);
        if (c < '0' || c > '9' || number > WARI_GAME_MOVES_MAX)
            return WARI_OK;
        number = 10 * number + (c - '0');
    }
    return WARI_OK;
}

/* A line of a plain list: a diagram or nothing, and moves. */
static enum wari_status read_line(struct wari_reading *reading)
{
    const char *text = reading->text;
    size_t length = 0;
    int dashes = 0;
    while (reading->at + length < reading->end && !wari_text_is_blank(text[reading->at + length]))
        dashes += text[reading->at + length++] == '-';
    if (dashes > 1) {
        char *diagram;
        enum wari_status status = wari_text_copy(reading->reader->host, text + reading->at, length,
                                                 &diagram, reading->error);
        if (status == WARI_OK)
            status = wari_record_set_tag(reading->record, "FEN", diagram, reading->error);
        wari_release(reading->reader->host, diagram);
        if (status != WARI_OK)
            return status;
        reading->tags.fen_at = reading->at;
        reading->at += length;
    }
    enum wari_status status = dashes > 1 ? WARI_OK : refuse_middle_of_game(reading);
    if (status == WARI_OK)
        status = wari_reading_begin_game(reading);
    return status == WARI_OK ? wari_reading_moves(reading) : status;
}

/* Goes to where the next game starts; false if there is none. */
static bool find_game(struct wari_record_reader *reader)
{
    if (!reader->begun)
        begin_text(reader);
    while (reader->at < reader->length) {
        char c = reader->text[reader->at];
        if (is_remark(c))
            reader->at = line_end(reader, reader->at);
        else if (wari_text_is_blank(c))
            reader->at++;
        else
            return true;
    }
    return false;
}

/* Reads the game at the reader's place into *record and goes on behind it. */
static enum wari_status read_game(struct wari_record_reader *reader, struct wari_record *record,
                                  struct wari_error *error)
{
    reader->game = wari_reading_place(reader, reader->at);
    struct wari_reading reading = {
        .reader = reader,
        .record = record,
        .error = error,
        .text = reader->text,
        .at = reader->at,
        .end = reader->plain ? line_end(reader, reader->at) : reader->length,
        .comment = {.host = reader->host},
        .game_line = reader->game.line,
    };
    *record = (struct wari_record){.line = reading.game_line, .game = {.host = reader->host}};
    enum wari_status status = reader->plain ? read_line(&reading) : read_tagged(&reading);
    wari_text_free(&reading.comment);
    if (reader->plain)
        reader->at = reading.end;
    else if (status == WARI_OK)
        reader->at = reading.at;
    else
        reader->at = find_next_game(reader, resume_at(&reading), reading.begun);
    if (status != WARI_OK)
        wari_record_free(record);
    return status;
}

enum wari_status wari_record_next(struct wari_record_reader *reader, struct wari_record *record,
                                  bool *found, struct wari_error *error)
{
    *record = (struct wari_record){.line = 0};
    *found = false;
    while (find_game(reader)) {
        enum wari_status status = read_game(reader, record, error);
        if (status == WARI_BAD_INPUT)
            continue;
        *found = status == WARI_OK;
        return status;
    }
    return WARI_OK;
}

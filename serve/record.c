/* Reading a game that somebody pasted: a cursor that knows its line and column, and a loop over
 * what can stand at it.
 */
#include "serve/record.h"

#include <string.h>

struct reader {
    const char *text;
    size_t at;
    struct record *record;
    struct wari_error *error;
};

static enum wari_status wrong(const struct reader *reader, size_t at, const char *what)
{
    int line = 1, column = 1;
    for (size_t i = 0; i < at; i++) {
        column++;
        if (reader->text[i] == '\n') {
            line++;
            column = 1;
        }
    }
    return wari_fail(reader->error, WARI_BAD_INPUT, "line %d column %d: %s", line, column, what);
}

/* Passes everything from the opening bracket at the cursor to the one that closes it. */
static enum wari_status pass_bracket(struct reader *reader, char opening, char closing)
{
    size_t start = reader->at;
    int depth = 0;
    for (; reader->text[reader->at]; reader->at++) {
        char c = reader->text[reader->at];
        if (c == '{' && opening == '(') {
            /* a comment in a variation may hold parentheses */
            reader->at += strcspn(reader->text + reader->at, "}");
            if (!reader->text[reader->at])
                break;
        } else if (c == opening && (opening == '(' || depth == 0)) {
            depth++;
        } else if (c == closing && --depth == 0) {
            reader->at++;
            return WARI_OK;
        }
    }
    return wrong(reader, start, "this bracket is never closed");
}

/* [Name "value"] */
static enum wari_status read_tag(struct reader *reader)
{
    size_t start = reader->at;
    char diagram[WARI_DIAGRAM_TEXT];
    enum wari_status status = pass_bracket(reader, '[', ']');
    if (status != WARI_OK || strncmp(reader->text + start, "[FEN \"", 6) != 0)
        return status;
    const char *value = reader->text + start + 6;
    size_t length = strcspn(value, "\"]");
    if (value[length] != '"' || length >= sizeof diagram)
        return wrong(reader, start, "this tag should read [FEN \"DIAGRAM\"]");
    memcpy(diagram, value, length);
    diagram[length] = '\0';
    status = wari_setup_parse(diagram, &reader->record->start, reader->error);
    if (status == WARI_OK && !reader->record->start.diagram)
        return wrong(reader, start,
                     "the tag FEN holds a diagram, such as "
                     "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S");
    return status;
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

/* A number with what belongs to it: "12.", "1-0", "1/2-1/2", "26-22". */
static void pass_number(struct reader *reader)
{
    reader->at += strspn(reader->text + reader->at, "0123456789./-");
}

static enum wari_status read_token(struct reader *reader)
{
    char c = reader->text[reader->at];
    if (is_letter(c)) {
        if (reader->record->count == RECORD_MOVES_MAX)
            return wrong(reader, reader->at, "a game has at most 1000 moves here");
        reader->record->moves[reader->record->count++] = c;
        reader->at++;
        return WARI_OK;
    }
    if (c == '[')
        return read_tag(reader);
    if (c == '{')
        return pass_bracket(reader, '{', '}');
    if (c == '(')
        return pass_bracket(reader, '(', ')');
    if (c == '$' || (c >= '0' && c <= '9')) {
        reader->at++;
        pass_number(reader);
        return WARI_OK;
    }
    if (c == ';')
        reader->at += strcspn(reader->text + reader->at, "\n");
    else if (strchr(" \t\r\n\v\f!?*+=,.-", c))
        reader->at++;
    else
        return wrong(reader, reader->at,
                     "a move is a letter, A to F for South and a to f for North");
    return WARI_OK;
}

enum wari_status record_read(const char *text, struct record *record, struct wari_error *error)
{
    struct reader reader = {.text = text, .record = record, .error = error};
    enum wari_status status = WARI_OK;
    *record = (struct record){.start = {.position = wari_start_position(), .diagram = true}};
    while (status == WARI_OK && text[reader.at])
        status = read_token(&reader);
    if (status == WARI_OK && record->count == 0)
        return wari_fail(error, WARI_BAD_INPUT, "there is no move in this text");
    return status;
}

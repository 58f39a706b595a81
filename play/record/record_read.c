/* Reads records: one game after the other, and continues after a game that is lost.
 *
 * Every move is played immediately, so that an illegal move is reported at its place in the
 * text. Where the text of a broken game ends is decided by the shape of the file alone: the next
 * game starts at a line that starts with a bracket and follows a blank line or moves. So one
 * mistake in the tags of a game does not turn the rest of it into a second game.
 *
 * Invariants: every call of wari_record_next() advances in the text, and every game that is not
 * returned has caused a complaint. */
#include "play/record/record_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Offsets of the values of the tags that later complaints may refer to. 0 means that the tag is
 * missing, since no value starts at offset 0. */
struct tag_offsets {
    size_t variant_at, cycle_at, fen_at, result_at;
    int unknown; /* number of unknown tags stored; at most WARI_RECORD_TAGS_MAX */
};

/* The capture written after the last move, if it differs from the capture under the rules. */
struct wrong_capture {
    size_t at; /* offset; 0 means that there is none */
    int captured, stated;
};

struct parser {
    struct wari_record_reader *reader;
    struct wari_record *record;
    struct wari_error *error;
    const char *text; /* text of the reader */
    size_t at;        /* offset of the next byte */
    size_t end;       /* end of the text, or of the line in a plain list */
    size_t examined;  /* end of the bytes examined so far, if beyond `at` */
    size_t lost_at;   /* offset at which the game was lost; valid after WARI_BAD_INPUT */
    int game_line;

    struct tag_offsets tags;
    bool undecided; /* value of `undecided` for the next complaint */
    bool begun;     /* record->game has been set up */
    bool ended;     /* the result has been read */
    /* Comments that were read since the last move, or before the first one, and are not stored yet.
     */
    struct wari_text comment;
    struct wrong_capture capture;
};

enum { COMPLAINT_MAX = 1024 };

/* ---- Locations and complaints ---- */

/* Returns the line and column of offset `at`, which must not be before the start of the current
 * game. Counts from the nearest known location, so that the time is proportional to the length
 * of the text however many games and complaints a line has: complaints about a game mostly
 * follow each other, and no complaint is about an earlier game. */
static struct wari_text_location locate(struct wari_record_reader *reader, size_t at)
{
    struct wari_text_location location = reader->last.at <= at ? reader->last : reader->game;
    const char *newline;
    if (location.line == 0)
        location = (struct wari_text_location){0, 1, 1};
    while ((newline = memchr(reader->text + location.at, '\n', at - location.at))) {
        location.at = (size_t)(newline - reader->text) + 1;
        location.line++;
        location.column = 1;
    }
    for (; location.at < at; location.at++) /* continuation bytes of UTF-8 do not count */
        location.column += ((unsigned char)reader->text[location.at] & 0xC0) != 0x80;
    reader->last = location;
    return location;
}

/* Replaces control characters by '?'. Complaints quote the text, which may come from anyone, and
 * are mostly written to a terminal. */
static void replace_control_characters(char *text)
{
    while (*text) {
        size_t control = wari_text_control(text);
        memset(text, '?', control);
        text += control ? control : 1;
    }
}

static enum wari_status complain(struct parser *parser, size_t at, bool lost, const char *format,
                                 ...)
{
    struct wari_record_reader *reader = parser->reader;
    char text[COMPLAINT_MAX];
    struct wari_complaint complaint = {
        .game_line = parser->game_line, .lost = lost, .undecided = parser->undecided, .text = text};
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    replace_control_characters(text);
    struct wari_text_location location = locate(reader, at);
    complaint.line = location.line;
    complaint.column = location.column;
    if (reader->complain)
        reader->complain(reader->context, &complaint);
    parser->lost_at = at;
    return lost ? WARI_BAD_INPUT : WARI_OK;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(struct parser *parser)
{
    const char *text = parser->text;
    while (parser->at < parser->end) {
        bool line_starts = parser->at == 0 || text[parser->at - 1] == '\n';
        if (line_starts && text[parser->at] == '%' && !parser->reader->plain) {
            while (parser->at < parser->end && text[parser->at] != '\n')
                parser->at++;
        } else if (wari_text_is_blank(text[parser->at])) {
            parser->at++;
        } else {
            return;
        }
    }
}

static const char *describe_next(const struct parser *parser, char words[24])
{
    if (parser->at >= parser->end)
        return parser->reader->plain ? "the end of the line" : "the end of the file";
    char c = parser->text[parser->at];
    if (c == '\n')
        return "the end of the line";
    if (c > ' ' && c <= '~')
        snprintf(words, 24, "'%c'", c);
    else
        snprintf(words, 24, "the byte 0x%02X", (unsigned)(unsigned char)c);
    return words;
}

/* ---- Tags ---- */

/* The tags determine the rules and the first position of a game.
 *
 * An unknown tag is stored and reported, since it may be a misspelt known tag. An unknown name
 * of rules is only reported if the caller insists on its own rules. Otherwise the game is lost,
 * because judging a game by other rules than it was played under would be worse. */
enum {
    NAME_MAX_BYTES = 64,
    LIST_MAX = 512, /* longer than the names of all variants */
};

/* The tags that Aualé writes, the two more that this program needs, and common tags of chess
 * records. */
static const char *const known_tags[] = {
    "Variant", "Event",       "Site",        "Date",     "Round", "South",
    "North",   "Result",      "FEN",         "Cycle",    "Time",  "Annotator",
    "SetUp",   "TimeControl", "Termination", "PlyCount", "P1",    "P2",
};

static bool is_known(const char *name)
{
    for (size_t i = 0; i < sizeof known_tags / sizeof known_tags[0]; i++)
        if (strcmp(known_tags[i], name) == 0)
            return true;
    return false;
}

static bool is_name(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static enum wari_status unexpected_in_tag(struct parser *parser, const char *expected)
{
    char words[24];
    return complain(parser, parser->at, true,
                    "%s is expected in a tag such as [South \"Ama\"], but here is %s", expected,
                    describe_next(parser, words));
}

static void skip_blanks_on_line(struct parser *parser)
{
    while (parser->at < parser->end && parser->text[parser->at] != '\n' &&
           wari_text_is_blank(parser->text[parser->at]))
        parser->at++;
}

static bool next_is(const struct parser *parser, char c)
{
    return parser->at < parser->end && parser->text[parser->at] == c;
}

static enum wari_status read_name(struct parser *parser, char name[NAME_MAX_BYTES])
{
    size_t start = parser->at;
    size_t length = 0;
    while (start + length < parser->end && is_name(parser->text[start + length]))
        length++;
    if (length == 0)
        return unexpected_in_tag(parser, "a name");
    if (length >= NAME_MAX_BYTES)
        return complain(parser, start, true, "a tag's name has at most %d letters",
                        NAME_MAX_BYTES - 1);
    memcpy(name, parser->text + start, length);
    name[length] = '\0';
    parser->at += length;
    return WARI_OK;
}

/* Reads a value in quotes. \" means " and \\ means \. */
static enum wari_status read_value(struct parser *parser, struct wari_text *value)
{
    size_t quote = parser->at;
    if (!next_is(parser, '"'))
        return unexpected_in_tag(parser, "a value in quotes");
    parser->at++;
    while (!next_is(parser, '"')) {
        const char *c = parser->text + parser->at;
        if (parser->at >= parser->end || *c == '\n')
            return complain(parser, quote, true,
                            "the quote that ends this value is missing on its line");
        if (*c == '\0')
            return unexpected_in_tag(parser, "text");
        bool escape = *c == '\\' && parser->at + 1 < parser->end && (c[1] == '"' || c[1] == '\\');
        enum wari_status status = wari_text_add_bytes(value, c + escape, 1, parser->error);
        if (status != WARI_OK)
            return status;
        parser->at += 1 + (size_t)escape;
    }
    parser->at++;
    return WARI_OK;
}

static enum wari_status store_tag(struct parser *parser, size_t name_at, size_t value_at,
                                  const char *name, const char *value)
{
    bool known = is_known(name);
    if (!known)
        (void)complain(parser, name_at, false, "unknown tag %s", name);
    if (wari_record_tag(parser->record, name))
        (void)complain(parser, name_at, false, "the tag %s appears twice; the last one counts",
                       name);
    else if (!known && parser->tags.unknown++ == WARI_RECORD_TAGS_MAX)
        return complain(parser, name_at, true, "more than %d unknown tags in one game",
                        WARI_RECORD_TAGS_MAX);
    if (strcmp(name, "Variant") == 0)
        parser->tags.variant_at = value_at;
    else if (strcmp(name, "Cycle") == 0)
        parser->tags.cycle_at = value_at;
    else if (strcmp(name, "FEN") == 0)
        parser->tags.fen_at = value_at;
    else if (strcmp(name, "Result") == 0)
        parser->tags.result_at = value_at;
    return wari_record_set_tag(parser->record, name, value, parser->error);
}

/* Reads a tag: [Name "value"]. */
static enum wari_status read_tag(struct parser *parser)
{
    struct wari_text value = {.host = parser->reader->host};
    char name[NAME_MAX_BYTES];

    parser->at++;
    skip_blanks_on_line(parser);
    size_t name_at = parser->at;
    enum wari_status status = read_name(parser, name);
    if (status != WARI_OK)
        return status;
    skip_blanks_on_line(parser);
    size_t value_at = parser->at + 1;
    status = read_value(parser, &value);
    if (status == WARI_OK) {
        skip_blanks_on_line(parser);
        if (!next_is(parser, ']'))
            status = unexpected_in_tag(parser, "a bracket ]");
    }
    if (status == WARI_OK) {
        parser->at++;
        status = store_tag(parser, name_at, value_at, name, value.bytes ? value.bytes : "");
    }
    wari_text_free(&value);
    return status;
}

static enum wari_status read_tags(struct parser *parser)
{
    skip_blanks(parser);
    while (next_is(parser, '[')) {
        enum wari_status status = read_tag(parser);
        if (status != WARI_OK)
            return status;
        skip_blanks(parser);
    }
    return WARI_OK;
}

/* ---- Variant, first position and result ---- */

/* The variant that the tags Variant and Cycle require. */
struct required_variant {
    bool rules, cycle; /* true if the tags name the rules, or the cycle rule */
    struct wari_variant variant;
};

/* Parses a name of rules as Oware programs write it: "Oware Abapa" is abapa. Returns false if
 * the name is unknown. */
static bool parse_rules(const char *value, struct required_variant *required_variant)
{
    static const char family[] = "oware ";
    char name[NAME_MAX_BYTES];
    size_t length = strlen(value);
    if (length >= NAME_MAX_BYTES)
        return false;
    for (size_t i = 0; i <= length; i++)
        name[i] = wari_text_lower(value[i]);
    bool has_family = strncmp(name, family, sizeof family - 1) == 0;
    required_variant->rules =
        wari_rules_parse(name + (has_family ? sizeof family - 1 : 0), &required_variant->variant,
                         &required_variant->cycle, NULL) == WARI_OK;
    return required_variant->rules;
}

bool wari_record_knows_rules(const char *value)
{
    struct required_variant required_variant;
    return parse_rules(value, &required_variant);
}

static bool fits(const struct required_variant *required_variant,
                 const struct wari_variant *variant)
{
    return (!required_variant->rules || required_variant->variant.rules == variant->rules) &&
           (!required_variant->cycle || required_variant->variant.cycle == variant->cycle);
}

/* Lists the variants that match the tags, or all variants if `all` is true. */
static void list_variants(const struct wari_record_reader *reader,
                          const struct required_variant *required_variant, bool all, char *list,
                          size_t size)
{
    size_t used = 0;
    list[0] = '\0';
    for (int i = 0; i < reader->variant_count && used < size; i++) {
        const struct wari_variant *each = &reader->variants[i];
        if (!all && !fits(required_variant, each))
            continue;
        int length = snprintf(list + used, size - used, "%s%s %s", used ? ", " : "",
                              wari_rules_info(each->rules)->name, wari_cycle_name(each->cycle));
        used += (size_t)length;
    }
}

static enum wari_status read_required_variant(struct parser *parser,
                                              struct required_variant *required_variant)
{
    const char *rules = wari_record_tag(parser->record, "Variant");
    const char *cycle = wari_record_tag(parser->record, "Cycle");
    *required_variant = (struct required_variant){.rules = false};
    if (rules && strcmp(rules, "?") != 0 && !parse_rules(rules, required_variant)) {
        char list[LIST_MAX] = "";
        parser->undecided = !parser->reader->insist;
        if (parser->undecided)
            list_variants(parser->reader, required_variant, true, list, sizeof list);
        if (complain(parser, parser->tags.variant_at, parser->undecided,
                     "no rule set is called \"%.60s\"%s%s", rules, list[0] ? "; available: " : "",
                     list) != WARI_OK)
            return WARI_BAD_INPUT;
    }
    if (!cycle || strcmp(cycle, "?") == 0)
        return WARI_OK;
    enum wari_cycle named;
    if (wari_cycle_parse(cycle, &named, NULL) != WARI_OK)
        return complain(parser, parser->tags.cycle_at, true,
                        "the cycle rule is even or own, not \"%.60s\"", cycle);
    if (required_variant->cycle && required_variant->variant.cycle != named)
        return complain(parser, parser->tags.cycle_at, true,
                        "the cycle rule \"%s\" contradicts the variant \"%.60s\"", cycle, rules);
    required_variant->cycle = true;
    required_variant->variant.cycle = named;
    return WARI_OK;
}

static enum wari_status choose_variant(struct parser *parser, struct wari_variant *variant)
{
    const struct wari_record_reader *reader = parser->reader;
    struct required_variant required_variant;
    char list[LIST_MAX];
    int count = 0;
    size_t at = parser->tags.variant_at ? parser->tags.variant_at : parser->tags.cycle_at;

    enum wari_status status = read_required_variant(parser, &required_variant);
    if (status != WARI_OK)
        return status;
    for (int i = 0; i < reader->variant_count; i++) {
        if (!fits(&required_variant, &reader->variants[i]))
            continue;
        *variant = reader->variants[i];
        count++;
    }
    if (count == 1)
        return WARI_OK;
    list_variants(reader, &required_variant, count == 0, list, sizeof list);
    if (count == 0)
        return complain(parser, at, true,
                        "this game was played under other rules than are available "
                        "here: %s",
                        list);
    parser->undecided = true;
    return complain(parser, at ? at : reader->at, true,
                    "%s %s not say under which rules this game was played; available: "
                    "%s",
                    reader->plain ? "a list" : "the tags Variant and Cycle",
                    reader->plain ? "does" : "do", list);
}

/* Reports a bad diagram. If `reason` starts with a column of the diagram, the column is
 * converted to one of the file. */
static enum wari_status reject_diagram(struct parser *parser, const char *reason)
{
    int column = 1, used = 0;
    if (sscanf(reason, "column %d: %n", &column, &used) != 1)
        used = 0;
    return complain(parser, parser->tags.fen_at + (size_t)(column - 1), true, "%s", reason + used);
}

/* Stores the result given by the tag. A result at the end of the moves may replace it. */
static enum wari_status store_result(struct parser *parser)
{
    const char *result = wari_record_tag(parser->record, "Result");
    if (!result || strcmp(result, "?") == 0)
        return WARI_OK;
    size_t length = strlen(result);
    bool score = length > 0 && wari_record_score_length(result, length) == length;
    if (!score && strcmp(result, "*") != 0)
        return complain(parser, parser->tags.result_at, false,
                        "\"%.40s\" is not a result such as 25-23 (South's seeds first) "
                        "or *",
                        result);
    return wari_text_copy(parser->reader->host, result, length, &parser->record->result,
                          parser->error);
}

static enum wari_status begin_game(struct parser *parser)
{
    struct wari_setup start = wari_game_start_setup();
    struct wari_error reason;
    struct wari_variant variant;
    const char *diagram = wari_record_tag(parser->record, "FEN");

    enum wari_status status = choose_variant(parser, &variant);
    if (status != WARI_OK)
        return status;
    if (diagram && wari_setup_parse(diagram, &start, &reason) != WARI_OK)
        return reject_diagram(parser, reason.text);
    if (!start.diagram)
        return complain(parser, parser->tags.fen_at, true,
                        "a game starts from a diagram with stores and the side to "
                        "move, such as 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S");
    status = store_result(parser);
    if (status != WARI_OK)
        return status;
    wari_game_begin(&parser->record->game, parser->reader->host, variant, &start);
    parser->begun = true;
    return WARI_OK;
}

/* ---- Moves ---- */

/* A capture that is written down but differs from the capture under the rules means that the
 * game was played under other rules, so the game is lost. Only after the last move it may be
 * larger, because Aualé includes there what the end of the game brings. */

/* Returns the byte `ahead` bytes after the cursor; 0 beyond the end. */
static char peek(const struct parser *parser, size_t ahead)
{
    size_t at = parser->at + ahead;
    return at < parser->end ? parser->text[at] : '\0';
}

static enum wari_status unexpected_in_moves(struct parser *parser)
{
    char words[24];
    return complain(parser, parser->at, true,
                    "a move, a comment or a result is expected, but here is %s",
                    describe_next(parser, words));
}

/* Returns the end of the comment at the cursor: the offset of its end mark, or the end of the
 * text if there is none. Remembers that the rest of a file contains no closing brace, so that a
 * file of broken games is not searched again for each game. */
static size_t comment_end(struct parser *parser)
{
    struct wari_record_reader *reader = parser->reader;
    bool brace = parser->text[parser->at] == '{';
    const char *start = parser->text + parser->at;
    if (brace && reader->no_closing_brace)
        return parser->end;
    const char *found = memchr(start, brace ? '}' : '\n', parser->end - parser->at);
    if (!found && brace && parser->end == reader->length)
        reader->no_closing_brace = true;
    size_t end = found ? (size_t)(found - parser->text) : parser->end;
    if (found && end > parser->examined)
        parser->examined = end;
    return end;
}

/* Adds the text from the cursor up to `end` to the pending comment. */
static enum wari_status take_comment(struct parser *parser, size_t end)
{
    enum wari_status status = WARI_OK;
    if (memchr(parser->text + parser->at, '\0', end - parser->at))
        return complain(parser, parser->at, true, "this comment contains a zero byte");
    if (parser->comment.length)
        status = wari_text_add_bytes(&parser->comment, " ", 1, parser->error);
    if (status == WARI_OK)
        status = wari_text_add_bytes(&parser->comment, parser->text + parser->at, end - parser->at,
                                     parser->error);
    return status;
}

/* Attaches the pending comment, if any, to the last move, if any. */
static enum wari_status store_comment(struct parser *parser)
{
    int count = parser->record->game.count;
    if (count == 0 || parser->comment.length == 0)
        return WARI_OK;
    enum wari_status status =
        wari_record_comment(parser->record, count - 1, parser->comment.bytes, parser->error);
    wari_text_free(&parser->comment);
    return status;
}

/* Reads a comment: {text}, or ; and the rest of the line. */
static enum wari_status read_comment(struct parser *parser)
{
    bool brace = peek(parser, 0) == '{';
    size_t start = parser->at;
    size_t end = comment_end(parser);
    parser->at++;
    if (brace && end == parser->end)
        return complain(parser, start, true, "the } that ends this comment is missing");
    enum wari_status status = take_comment(parser, end);
    parser->at = brace ? end + 1 : end;
    return status;
}

/* Skips a variation including nested variations and comments. An opening bracket in it belongs
 * to the next game. */
static enum wari_status skip_variation(struct parser *parser)
{
    size_t start = parser->at;
    int depth = 0;
    do {
        char c = peek(parser, 0);
        if (parser->at >= parser->end || c == '[')
            return complain(parser, start, true, "the ) that ends this variation is missing");
        if (c == '{' || c == ';')
            parser->at = comment_end(parser);
        depth += (c == '(') - (c == ')');
        if (parser->at < parser->end)
            parser->at++;
    } while (depth > 0);
    return WARI_OK;
}

/* Returns true if a move of PlayStrategy follows, such as d1e2. */
static bool next_is_squares(const struct parser *parser)
{
    for (size_t i = 0; i < 4; i += 2)
        if (peek(parser, i) < 'a' || peek(parser, i) > 'f' ||
            (peek(parser, i + 1) != '1' && peek(parser, i + 1) != '2'))
            return false;
    return !is_name(peek(parser, 4));
}

/* Plays the move at the cursor: a letter, or two squares. */
static enum wari_status play_move(struct parser *parser)
{
    struct wari_game *game = &parser->record->game;
    struct wari_error reason;
    bool squares = next_is_squares(parser);
    int pit = 0;
    enum wari_status status = WARI_OK;
    if (squares)
        status = wari_playstrategy_move_parse(parser->text + parser->at, &game->now, &pit, &reason);
    if (squares && status == WARI_OK)
        status = wari_game_play(game, pit, &reason);
    if (!squares)
        status = wari_game_play_letter(game, peek(parser, 0), &reason);
    if (status == WARI_BAD_INPUT)
        return complain(parser, parser->at, true, "move %d: %s", game->count + 1, reason.text);
    if (status != WARI_OK && parser->error)
        *parser->error = reason;
    parser->at += squares ? 4 : 1;
    return status;
}

/* Reads +2 after a move: the number of captured seeds. */
static void read_capture(struct parser *parser)
{
    const struct wari_game *game = &parser->record->game;
    size_t start = parser->at++;
    int stated = 0;
    for (; is_digit(peek(parser, 0)); parser->at++)
        if (stated <= WARI_SEEDS_MAX)
            stated = 10 * stated + (peek(parser, 0) - '0');
    parser->capture.captured = game->plies[game->count - 1].move.captured;
    parser->capture.stated = stated;
    if (stated != parser->capture.captured)
        parser->capture.at = start;
}

/* Reports a capture that differs from the capture under the rules. `last` says that no move
 * follows. */
static enum wari_status check_capture(struct parser *parser, bool last)
{
    size_t at = parser->capture.at;
    const struct wari_game *game = &parser->record->game;
    parser->capture.at = 0;
    if (at == 0 || (last && parser->capture.stated > parser->capture.captured))
        return WARI_OK;
    return complain(parser, at, true,
                    "move %d captures %d under the rules %s, not %d; was this game "
                    "played under other rules?",
                    game->count, parser->capture.captured,
                    wari_rules_info(game->variant.rules)->name, parser->capture.stated);
}

static enum wari_status read_move(struct parser *parser)
{
    enum wari_status status = check_capture(parser, false);
    if (status == WARI_OK)
        status = store_comment(parser);
    if (status == WARI_OK)
        status = play_move(parser);
    if (status == WARI_OK && parser->record->game.count == 1)
        status = store_comment(parser);
    if (status != WARI_OK)
        return status;
    if (peek(parser, 0) == '+' && is_digit(peek(parser, 1)))
        read_capture(parser);
    while (peek(parser, 0) == '!' || peek(parser, 0) == '?')
        parser->at++;
    return WARI_OK;
}

static enum wari_status read_result(struct parser *parser, size_t length)
{
    struct wari_record *record = parser->record;
    const char *text = parser->text + parser->at;
    bool same = record->result && strlen(record->result) == length &&
                memcmp(record->result, text, length) == 0;

    if (record->result && !same && strcmp(record->result, "*") != 0)
        (void)complain(parser, parser->at, false,
                       "this result differs from that of the tag Result, %.20s", record->result);
    wari_release(parser->reader->host, record->result);
    record->result = NULL;
    parser->ended = true;
    enum wari_status status =
        wari_text_copy(parser->reader->host, text, length, &record->result, parser->error);
    parser->at += length;
    return status;
}

/* Skips "12." or "12...", the number of a move, which adds nothing to the moves themselves. */
static enum wari_status skip_number(struct parser *parser)
{
    while (is_digit(peek(parser, 0)))
        parser->at++;
    while (peek(parser, 0) == '.')
        parser->at++;
    return WARI_OK;
}

static enum wari_status read_number(struct parser *parser)
{
    size_t length = wari_record_score_length(parser->text + parser->at, parser->end - parser->at);
    return length ? read_result(parser, length) : skip_number(parser);
}

/* Reports a score that differs from the score under the rules. */
static enum wari_status check_score(struct parser *parser)
{
    const struct wari_record *record = parser->record;
    struct wari_score score;
    double south, north;
    if (!record->result || !wari_game_score(&record->game, &score) || score.by_slam ||
        sscanf(record->result, "%lf-%lf", &south, &north) != 2 ||
        (2 * south == score.halves[0] && 2 * north == score.halves[1]))
        return WARI_OK;
    return complain(parser, parser->at, false,
                    "the record says %.20s, but under the rules %s %s this game ends "
                    "%g-%g",
                    record->result, wari_rules_info(record->game.variant.rules)->name,
                    wari_cycle_name(record->game.variant.cycle), score.halves[0] / 2.0,
                    score.halves[1] / 2.0);
}

static enum wari_status read_token(struct parser *parser)
{
    char c = peek(parser, 0);
    if (c == '{' || c == ';')
        return read_comment(parser);
    if (c == '(')
        return skip_variation(parser);
    if (parser->ended)
        return complain(parser, parser->at, true, "the game continues after its result");
    if ((c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f'))
        return read_move(parser);
    if (c == '*')
        return read_result(parser, 1);
    if (is_digit(c))
        return read_number(parser);
    /* An annotation of chess records, such as "good move". */
    if (c == '$' && is_digit(peek(parser, 1))) {
        parser->at++;
        return skip_number(parser);
    }
    return unexpected_in_moves(parser);
}

static enum wari_status read_moves(struct parser *parser)
{
    enum wari_status status = WARI_OK;
    while (status == WARI_OK) {
        skip_blanks(parser);
        if (parser->at >= parser->end || (peek(parser, 0) == '[' && !parser->reader->plain))
            break;
        status = read_token(parser);
    }
    if (status == WARI_OK)
        status = store_comment(parser);
    if (status == WARI_OK)
        status = check_capture(parser, true);
    return status == WARI_OK ? check_score(parser) : status;
}

/* ---- Games ---- */

/* Returns the end of the line at offset `at`. */
static size_t line_end(const struct wari_record_reader *reader, size_t at)
{
    const char *newline = memchr(reader->text + at, '\n', reader->length - at);
    return newline ? (size_t)(newline - reader->text) : reader->length;
}

/* Returns the first offset in a line that is not white space; `end` if there is none. */
static size_t skip_indent(const struct wari_record_reader *reader, size_t at, size_t end)
{
    while (at < end && wari_text_is_blank(reader->text[at]))
        at++;
    return at;
}

/* Returns true if a line between games that starts with this character is skipped. In plain
 * lists this is only '#'; in OGN there are other characters, too. */
static bool is_comment_line(char c)
{
    return c == '#' || c == '%' || c == ';';
}

/* Skips the byte order mark and detects the format of the file: games with tags, or a plain
 * list. */
static void detect_format(struct wari_record_reader *reader)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t at = 0;

    reader->begun = true;
    if (reader->length >= 3 && memcmp(reader->text, mark, 3) == 0)
        at = 3;
    reader->at = at;
    while (at < reader->length) {
        size_t end = line_end(reader, at);
        size_t word = skip_indent(reader, at, end);
        if (word < end && !is_comment_line(reader->text[word])) {
            reader->plain = reader->text[word] != '[';
            return;
        }
        at = end < reader->length ? end + 1 : end;
    }
    reader->at = reader->length;
}

/* Returns the start of the next game after a game that was lost at offset `at`. */
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
        size_t word = skip_indent(reader, at, end);
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

/* Returns the offset from which to search for the next game after a lost game: the location of
 * the complaint. Text that was read beyond it, such as a variation without its end, is then read
 * again, so a text could be constructed whose games all extend to its end. Therefore the bytes
 * that are read again are limited to the length of the text plus REREAD_MAX, an allowance for
 * short texts. Beyond that limit, the search starts after what was read. */
static size_t resume_offset(struct parser *parser)
{
    enum { REREAD_MAX = 1 << 20 };
    struct wari_record_reader *reader = parser->reader;
    size_t examined = parser->examined > parser->at ? parser->examined : parser->at;
    if (examined <= parser->lost_at)
        return parser->lost_at;
    reader->reread_bytes += examined - parser->lost_at;
    if (reader->reread_bytes <= reader->length + REREAD_MAX)
        return parser->lost_at;
    reader->reread_bytes -= examined - parser->lost_at;
    (void)complain(parser, parser->lost_at, true,
                   "the text up to line %d is skipped: searching it for further games "
                   "would take too long",
                   locate(reader, examined).line);
    return examined;
}

static enum wari_status read_tagged_game(struct parser *parser)
{
    enum wari_status status = read_tags(parser);
    if (status == WARI_OK)
        status = begin_game(parser);
    if (status == WARI_OK)
        status = read_moves(parser);
    return status;
}

/* Rejects a line such as "2. E e", which cannot be a game from the start: the file probably has
 * one game without tags on several lines. */
static enum wari_status reject_middle_of_game(struct parser *parser)
{
    int number = 0;
    for (size_t at = parser->at; at < parser->end; at++) {
        char c = parser->text[at];
        if (c == '.' && number > 1)
            return complain(
                parser, parser->at, true,
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

/* Returns the number of bytes, from `ahead` bytes after the cursor on, that are all in `set`. */
static size_t span(const struct parser *parser, size_t ahead, const char *set)
{
    size_t length = 0;
    while (peek(parser, ahead + length) && strchr(set, peek(parser, ahead + length)))
        length++;
    return length;
}

/* Returns the length of the position at the cursor, which is the start of a line: a diagram, or a
 * position of PlayStrategy (two rows, two stores, a side and optionally the number of a move, which
 * no period follows). Returns 0 if there is none. Only the shape is checked here. */
static size_t position_length(const struct parser *parser)
{
    static const char digits[] = "0123456789", blanks[] = " \t";
    size_t length = 0;
    int dashes = 0, slashes = 0;
    for (char c; (c = peek(parser, length)) && !wari_text_is_blank(c); length++) {
        dashes += c == '-';
        slashes += c == '/';
    }
    if (dashes > 1)
        return length;
    if (slashes != 1 || span(parser, 0, "0123456789S,/") != length)
        return 0;
    for (int store = 0; store < 2; store++) {
        length += span(parser, length, blanks);
        length += span(parser, length, digits);
    }
    length += span(parser, length, blanks);
    if (peek(parser, length) != 'S' && peek(parser, length) != 'N')
        return 0;
    length++;
    size_t gap = span(parser, length, blanks);
    size_t number = span(parser, length + gap, digits);
    bool numbered = gap > 0 && number > 0 && peek(parser, length + gap + number) != '.';
    return numbered ? length + gap + number : length;
}

/* Reads a line of a plain list: an optional position, then moves. */
static enum wari_status read_line(struct parser *parser)
{
    const char *text = parser->text;
    size_t length = position_length(parser);
    if (length > 0) {
        char *diagram;
        enum wari_status status = wari_text_copy(parser->reader->host, text + parser->at, length,
                                                 &diagram, parser->error);
        if (status == WARI_OK)
            status = wari_record_set_tag(parser->record, "FEN", diagram, parser->error);
        wari_release(parser->reader->host, diagram);
        if (status != WARI_OK)
            return status;
        parser->tags.fen_at = parser->at;
        parser->at += length;
    }
    enum wari_status status = length > 0 ? WARI_OK : reject_middle_of_game(parser);
    if (status == WARI_OK)
        status = begin_game(parser);
    return status == WARI_OK ? read_moves(parser) : status;
}

/* Moves to the start of the next game. Returns false if there is none. */
static bool find_game(struct wari_record_reader *reader)
{
    if (!reader->begun)
        detect_format(reader);
    while (reader->at < reader->length) {
        char c = reader->text[reader->at];
        if (is_comment_line(c))
            reader->at = line_end(reader, reader->at);
        else if (wari_text_is_blank(c))
            reader->at++;
        else
            return true;
    }
    return false;
}

/* Reads the game at the reader's position into *record, and moves the reader to the end of the
 * game. */
static enum wari_status read_game(struct wari_record_reader *reader, struct wari_record *record,
                                  struct wari_error *error)
{
    reader->game = locate(reader, reader->at);
    struct parser parser = {
        .reader = reader,
        .record = record,
        .error = error,
        .text = reader->text,
        .at = reader->at,
        .end = reader->plain ? line_end(reader, reader->at) : reader->length,
        .comment = {.host = reader->host},
        .game_line = reader->game.line,
    };
    *record = (struct wari_record){.line = parser.game_line, .game = {.host = reader->host}};
    enum wari_status status = reader->plain ? read_line(&parser) : read_tagged_game(&parser);
    wari_text_free(&parser.comment);
    if (reader->plain)
        reader->at = parser.end;
    else if (status == WARI_OK)
        reader->at = parser.at;
    else
        reader->at = find_next_game(reader, resume_offset(&parser), parser.begun);
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

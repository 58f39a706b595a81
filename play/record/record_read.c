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

#include "play/record/encoding.h"

/* Offsets of the values of the tags that later complaints may refer to. 0 means that the tag is
 * missing, since no value starts at offset 0. */
struct tag_offsets {
    size_t variant_at, cycle_at, fen_at, result_at;
    int unknown; /* number of unknown tags stored; at most WARI_RECORD_TAGS_MAX */
};

/* The capture written after the last move, if it differs from the capture under the rules. */
struct wrong_capture {
    size_t at;            /* offset; 0 means that there is none */
    int captured, stated; /* the captured seeds by the rules, and by the text. The latter is only
                           * a lower bound if the text has more than WARI_SEEDS_MAX */
    int digits;           /* number of digits in the text */
};

struct parser {
    struct wari_record_reader *reader;
    struct wari_record *record;
    struct wari_error *error;
    const char *text; /* text of the reader */
    size_t at;        /* offset of the next byte */
    size_t end;       /* end of the text, or of the line in a plain list */
    size_t examined;  /* end of the bytes examined so far, if beyond `at` */
    size_t lost_at;   /* offset of the last complaint; after WARI_BAD_INPUT, this complaint is why
                       * the game is lost */
    int game_line;

    struct tag_offsets tags;
    bool undecided, pit_numbers; /* values of these fields for the next complaint */
    bool begun;                  /* record->game has been set up */
    bool ended;                  /* the result has been read */
    /* Comments that were read after the last move so far, or before the first move. They are not
     * stored yet. */
    struct wari_text comment;
    struct wrong_capture capture;
    bool number; /* there is a number that is not the number of a move; number_at is the offset of
                    the first */
    size_t number_at;
    int first_pit; /* if moves are written as digits: the digit of a side's first pit, 0 or 1 */
};

enum { COMPLAINT_MAX = 1024 };

/* ---- Locations and complaints ---- */

/* Returns the line and column of offset `at`, which must not be before the start of the current
 * game. Counts from the location that was computed last if this location is not after `at`, and
 * from the start of the game otherwise. Complaints are mostly in the order of the text. So the
 * total time is about proportional to the length of the text, even if a line has many games and
 * complaints. */
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

/* Returns the end of the line at offset `at`. */
static size_t line_end(const struct wari_record_reader *reader, size_t at)
{
    const char *newline = memchr(reader->text + at, '\n', reader->length - at);
    return newline ? (size_t)(newline - reader->text) : reader->length;
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
        .game_line = parser->game_line,
        .lost = lost,
        .undecided = parser->undecided,
        .pit_numbers = parser->pit_numbers,
        .text = text,
    };
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

/* Returns true if a line that starts with this character is skipped within a game. */
static bool is_skipped_line(const struct wari_record_reader *reader, char c)
{
    return c == '%' || c == '#' || (c == ';' && reader->plain);
}

/* Returns true if only white space precedes the offset on its line. */
static bool is_first_on_line(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n')
        if (!wari_text_is_blank(text[--at]))
            return false;
    return true;
}

/* Skips white space, and all lines whose first character (other than white space) makes
 * is_skipped_line() return true. */
static void skip_blanks(struct parser *parser)
{
    const char *text = parser->text;
    while (parser->at < parser->end) {
        char c = text[parser->at];
        if (is_skipped_line(parser->reader, c) && is_first_on_line(text, parser->at)) {
            while (parser->at < parser->end && text[parser->at] != '\n')
                parser->at++;
        } else if (wari_text_is_blank(c)) {
            parser->at++;
        } else {
            return;
        }
    }
}

/* Decodes a character of several bytes in UTF-8 at the cursor. Returns 0 if there is no such
 * character, or if it is not complete. */
static unsigned decode_next(const struct parser *parser)
{
    const unsigned char *bytes = (const unsigned char *)parser->text + parser->at;
    const size_t more = bytes[0] >= 0xF0 ? 3 : bytes[0] >= 0xE0 ? 2 : bytes[0] >= 0xC0 ? 1 : 0;
    unsigned code = bytes[0] & (0x3FU >> more);

    if (more == 0 || parser->end - parser->at <= more)
        return 0;
    for (size_t i = 1; i <= more; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (bytes[i] & 0x3FU);
    }
    return code;
}

static const char *describe_next(const struct parser *parser, char words[32])
{
    if (parser->at >= parser->end)
        return parser->reader->plain ? "the end of the line" : "the end of the file";
    char c = parser->text[parser->at];
    if (c == '\n')
        return "the end of the line";
    if (c > ' ' && c <= '~')
        snprintf(words, 32, "'%c'", c);
    else if (decode_next(parser) != 0)
        snprintf(words, 32, "the character U+%04X", decode_next(parser));
    else
        snprintf(words, 32, "the byte 0x%02X", (unsigned)(unsigned char)c);
    return words;
}

/* ---- Tags ---- */

/* The tags determine the rules and the first position of a game.
 *
 * An unknown tag is stored and reported, since it may be a misspelt known tag. If the caller
 * insists on its own rules, an unknown name of rules is only reported. Otherwise the game is
 * skipped, because judging it by other rules than it was played under would be worse. */
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
    char words[32];
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
    if (length == 0 || is_digit(parser->text[start])) /* a digit begins a list of numbers in JSON */
        return unexpected_in_tag(parser, "a name");
    if (length >= NAME_MAX_BYTES)
        return complain(parser, start, true, "a tag's name has at most %d letters",
                        NAME_MAX_BYTES - 1);
    memcpy(name, parser->text + start, length);
    name[length] = '\0';
    parser->at += length;
    return WARI_OK;
}

/* Moves the cursor to the character `c` if only white space and at most one line end precede it.
 * Sets *line_end to true if there is a line end. Otherwise stops at the end of the white space on
 * this line. */
static void seek_in_tag(struct parser *parser, char c, bool *line_end)
{
    skip_blanks_on_line(parser);
    if (!next_is(parser, '\n'))
        return;
    size_t end = parser->at++;
    skip_blanks_on_line(parser);
    if (next_is(parser, c))
        *line_end = true;
    else
        parser->at = end;
}

/* Returns true if the value in quotes continues after the line end at the cursor: the next line is
 * neither empty nor the start of a tag, and the text does not end there. Otherwise the closing
 * quote is missing. */
static bool value_continues(const struct parser *parser)
{
    struct parser next = *parser;
    next.at++;
    skip_blanks_on_line(&next);
    return next.at < next.end && !next_is(&next, '\n') && !next_is(&next, '[');
}

/* Reads a value in quotes. \" means " and \\ means \. Sets *line_end to true if it contains the end
 * of a line, which becomes a blank. */
static enum wari_status read_value(struct parser *parser, struct wari_text *value, bool *line_end)
{
    size_t quote = parser->at++;
    while (!next_is(parser, '"')) {
        const char *c = parser->text + parser->at;
        bool ends = parser->at < parser->end && *c == '\n';
        if (parser->at >= parser->end || (ends && !value_continues(parser)))
            return complain(parser, quote, true, "the quote that ends this value is missing");
        if (*c == '\0')
            return unexpected_in_tag(parser, "text");
        bool escape = *c == '\\' && parser->at + 1 < parser->end && (c[1] == '"' || c[1] == '\\');
        enum wari_status status =
            wari_text_add_bytes(value, ends ? " " : c + escape, 1, parser->error);
        if (status != WARI_OK)
            return status;
        *line_end |= ends;
        parser->at += 1 + (size_t)escape;
    }
    parser->at++;
    return WARI_OK;
}

/* Reads a value without quotes: the text up to the bracket on the same line. */
static enum wari_status read_bare_value(struct parser *parser, struct wari_text *value)
{
    const char *start = parser->text + parser->at;
    size_t length = 0, used = 0; /* `used` leaves out white space at the end */
    while (parser->at + length < parser->end && start[length] != ']' && start[length] != '\n') {
        if (start[length] == '\0') {
            parser->at += length;
            return unexpected_in_tag(parser, "text");
        }
        length++;
        used = wari_text_is_blank(start[length - 1]) ? used : length;
    }
    if (length == 0)
        return unexpected_in_tag(parser, "a value in quotes");
    parser->at += length;
    return wari_text_add_bytes(value, start, used, parser->error);
}

/* Returns true if a tag has a known value. "?" and "-" stand for unknown values, as in PGN. */
static bool is_given(const char *value)
{
    return value && value[0] && strcmp(value, "?") != 0 && strcmp(value, "-") != 0;
}

static enum wari_status store_tag(struct parser *parser, size_t name_at, size_t value_at,
                                  const char *name, const char *value)
{
    bool known = is_known(name);
    if (strcmp(name, "FEN") == 0 && !is_given(value))
        return WARI_OK; /* the game starts as if the tag were missing */
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
    bool line_end = false;

    parser->at++;
    skip_blanks_on_line(parser);
    size_t name_at = parser->at;
    enum wari_status status = read_name(parser, name);
    if (status != WARI_OK)
        return status;
    seek_in_tag(parser, '"', &line_end);
    bool quoted = next_is(parser, '"');
    size_t value_at = parser->at + quoted;
    status = quoted ? read_value(parser, &value, &line_end) : read_bare_value(parser, &value);
    if (status == WARI_OK) {
        seek_in_tag(parser, ']', &line_end);
        if (!next_is(parser, ']'))
            status = unexpected_in_tag(parser, "a bracket ]");
    }
    if (status == WARI_OK) {
        parser->at++;
        if (!quoted)
            (void)complain(parser, value_at, false, "the value of the tag %s has no quotes", name);
        if (line_end)
            (void)complain(parser, name_at, false, "the tag %s goes over several lines", name);
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
    bool rules, cycle;  /* true if the tags name the rules, or the cycle rule */
    bool unknown_rules; /* the tag Variant has a name that no rule set has */
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
        wari_variant_parse(name + (has_family ? sizeof family - 1 : 0), NULL,
                           &required_variant->variant, &required_variant->cycle, NULL) == WARI_OK;
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

/* Adds the parts of the variant that the tags do not name. The cycle rule of the fallback applies
 * even if the tags name a rule set. */
static void apply_fallback(const struct wari_variant *fallback,
                           struct required_variant *required_variant)
{
    if (!required_variant->rules)
        required_variant->variant.rules = fallback->rules;
    if (!required_variant->cycle)
        required_variant->variant.cycle = fallback->cycle;
    required_variant->rules = required_variant->cycle = true;
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
                              wari_get_rules_info(each->rules)->name, wari_cycle_name(each->cycle));
        used += (size_t)length;
    }
}

static enum wari_status read_required_variant(struct parser *parser,
                                              struct required_variant *required_variant)
{
    const char *rules = wari_record_tag(parser->record, "Variant");
    const char *cycle = wari_record_tag(parser->record, "Cycle");
    *required_variant = (struct required_variant){.rules = false};
    required_variant->unknown_rules = is_given(rules) && !parse_rules(rules, required_variant);
    if (required_variant->unknown_rules && !parser->reader->insist) {
        char list[LIST_MAX];
        list_variants(parser->reader, required_variant, true, list, sizeof list);
        parser->undecided = true;
        return complain(parser, parser->tags.variant_at, true,
                        "no rule set is called \"%.60s\"; available: %s", rules, list);
    }
    if (!is_given(cycle))
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
    if (reader->fallback)
        apply_fallback(reader->fallback, &required_variant);
    for (int i = 0; i < reader->variant_count; i++) {
        if (!fits(&required_variant, &reader->variants[i]))
            continue;
        *variant = reader->variants[i];
        count++;
    }
    if (count == 1 && required_variant.unknown_rules)
        return complain(parser, at, false,
                        "no rule set is called \"%.60s\"; this game is read under %s %s",
                        wari_record_tag(parser->record, "Variant"),
                        wari_get_rules_info(variant->rules)->name, wari_cycle_name(variant->cycle));
    if (count == 1)
        return WARI_OK;
    list_variants(reader, &required_variant, count == 0, list, sizeof list);
    if (count == 0)
        return complain(parser, at, true,
                        "the rules of this game are not available here; available: %s", list);
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

/* Replaces the result of the record by a score. `text` contains the result, which is at offset `at`
 * of the complete text. */
static enum wari_status store_score(struct parser *parser,
                                    const struct wari_written_result *written, size_t at,
                                    const char *text)
{
    const struct wari_host *host = parser->reader->host;
    char *score;
    enum wari_status status = wari_record_usual_score(written, text, host, &score, parser->error);
    if (status != WARI_OK)
        return status;
    if (!written->usual)
        (void)complain(parser, at, false, "\"%.*s\" is read as the result %.20s",
                       written->length > 40 ? 40 : (int)written->length, text, score);
    wari_release(host, parser->record->result);
    parser->record->result = score;
    return WARI_OK;
}

/* Stores the result given by the tag. A result at the end of the moves may replace it. */
static enum wari_status store_result(struct parser *parser)
{
    const char *result = wari_record_tag(parser->record, "Result");
    if (!result || !result[0] || strcmp(result, "?") == 0)
        return WARI_OK;
    size_t length = strlen(result);
    struct wari_written_result written = wari_record_written_result(result, length);
    if (strcmp(result, "*") == 0)
        return wari_text_copy(parser->reader->host, result, length, &parser->record->result,
                              parser->error);
    if (length > 0 && written.length == length && written.score)
        return store_score(parser, &written, parser->tags.result_at, result);
    return complain(parser, parser->tags.result_at, false,
                    "\"%.40s\" is not a score such as 25-23 (South's seeds first) or *", result);
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

/* Returns the byte `ahead` bytes after the cursor; 0 beyond the end. */
static char peek(const struct parser *parser, size_t ahead)
{
    size_t at = parser->at + ahead;
    return at < parser->end ? parser->text[at] : '\0';
}

static enum wari_status unexpected_in_moves(struct parser *parser)
{
    const bool numbers = parser->number && parser->record->game.count == 0;
    char words[32];
    return complain(parser, parser->at, true,
                    "a move, a comment or a result is expected, but here is %s%s",
                    describe_next(parser, words),
                    numbers ? "; moves are letters, and a position before them is a diagram such "
                              "as 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"
                            : "");
}

/* Returns a hint for a game that was read from the usual start position because its record names no
 * other. Some programs save a game from a set-up board without its first position. */
static const char *start_hint(const struct parser *parser)
{
    if (wari_record_tag(parser->record, "FEN") || parser->record->game.count == WARI_GAME_MOVES_MAX)
        return "";
    return parser->reader->plain
               ? "; the game may start from another position: a diagram before its moves is missing"
               : "; the record may start from another position: a FEN tag is missing";
}

/* Returns the end of the comment at the cursor: the offset of its end mark, or the end of the
 * text if there is none. If the rest of a file contains no closing brace, remembers this, so that
 * the rest is not searched again for each game of a file with many unclosed comments. */
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
        skip_blanks(parser);
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

/* Returns true if a move in the notation of PlayStrategy follows, such as d1e2. */
static bool next_is_squares(const struct parser *parser)
{
    for (size_t i = 0; i < 4; i += 2)
        if (peek(parser, i) < 'a' || peek(parser, i) > 'f' ||
            (peek(parser, i + 1) != '1' && peek(parser, i + 1) != '2'))
            return false;
    return !is_name(peek(parser, 4));
}

/* Returns the letter of the move at the cursor: a letter, or the digit of a pit. */
static char move_letter(const struct parser *parser)
{
    char c = peek(parser, 0);
    bool north = parser->record->game.now.north_to_move;
    return is_digit(c) ? wari_move_letter(c - '0' - parser->first_pit, north) : c;
}

/* Plays the move at the cursor: a letter, the digit of a pit, or two squares. */
static enum wari_status play_move(struct parser *parser)
{
    struct wari_game *game = &parser->record->game;
    struct wari_error reason;
    char c = peek(parser, 0);
    int first = parser->first_pit;
    bool squares = next_is_squares(parser);
    int pit = 0;
    enum wari_status status = WARI_OK;
    if (is_digit(c) && (c - '0' < first || c - '0' >= first + WARI_HALF_PITS))
        return complain(parser, parser->at, true,
                        "move %d: the pits have the numbers %d to %d%s, so %c is not a move",
                        game->count + 1, first, first + WARI_HALF_PITS - 1,
                        first == 0 ? " (there is a pit 0)" : "", c);
    if (squares)
        status = wari_playstrategy_move_parse(parser->text + parser->at, &game->now, &pit, &reason);
    if (squares && status == WARI_OK)
        status = wari_game_play(game, pit, &reason);
    if (!squares)
        status = wari_game_play_letter(game, move_letter(parser), &reason);
    if (status == WARI_BAD_INPUT)
        return complain(parser, parser->at, true, "move %d: %s%s", game->count + 1, reason.text,
                        start_hint(parser));
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
    parser->capture.digits = (int)(parser->at - start - 1);
    if (stated != parser->capture.captured)
        parser->capture.at = start;
}

/* Returns true if `seeds` is the number of seeds that the side of the last move gets when the game
 * ends. That is its share under the rules or, in records of Aualé, all seeds in its own row: at the
 * end of every game, Aualé gives each side the seeds in its own row. Aualé also ends a game when a
 * position occurs for the second time. */
static bool is_share_of_end(const struct wari_game *game, int seeds)
{
    const struct wari_ply *last = &game->plies[game->count - 1];
    const bool north = last->before.north_to_move;
    const uint8_t *pits = game->now.position.pits;
    struct wari_score score;
    int row = 0;
    if (game->end == WARI_GAME_SLAM) /* the record may also count the seeds that the slam took */
        return seeds <= wari_seeds(&last->before.position);
    if (game->end == WARI_GAME_OPEN && game->times == 1)
        return false;
    pits += game->now.north_to_move == north ? 0 : WARI_HALF_PITS;
    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        row += pits[pit];
    return seeds == row || (wari_game_score(game, &score) &&
                            2 * seeds == score.halves[north] - 2 * game->now.stores[north]);
}

/* Reports a stated capture that differs from the capture under the rules, since such a game was
 * played under other rules. Only the capture of the last move may be larger. `last` is true if no
 * move follows. */
static enum wari_status check_capture(struct parser *parser, bool last)
{
    enum { DIGITS_SHOWN = 20 };
    size_t at = parser->capture.at;
    const struct wari_game *game = &parser->record->game;
    const int digits = parser->capture.digits;
    const bool cut = digits > DIGITS_SHOWN;
    int more = parser->capture.stated - parser->capture.captured;
    parser->capture.at = 0;
    if (at == 0 || (last && more > 0 && is_share_of_end(game, more)))
        return WARI_OK;
    return complain(parser, at, true,
                    "move %d captures %d under the rules %s, not %.*s%s%s; was this game "
                    "played under other rules?%s",
                    game->count, parser->capture.captured,
                    wari_get_rules_info(game->variant.rules)->name, cut ? DIGITS_SHOWN : digits,
                    parser->text + at + 1, cut ? "..." : "",
                    last && more > 0 ? ", and the end of the game does not bring the rest" : "",
                    start_hint(parser));
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

/* Reads the result at the end of the moves. A result that does not count seeds, such as 1-0, only
 * ends the game. */
static enum wari_status read_result(struct parser *parser,
                                    const struct wari_written_result *written)
{
    struct wari_record *record = parser->record;
    const char *text = parser->text + parser->at;
    size_t at = parser->at;
    char *before = record->result;

    parser->ended = true;
    parser->at += written->length;
    if (!written->score) {
        (void)complain(parser, at, false,
                       "the result \"%.*s\" is not a score such as 25-23 (South's seeds first)",
                       written->length > 40 ? 40 : (int)written->length, text);
        return WARI_OK;
    }
    record->result = NULL;
    enum wari_status status = store_score(parser, written, at, text);
    if (status == WARI_OK && before && strcmp(before, "*") != 0 &&
        strcmp(before, record->result) != 0)
        (void)complain(parser, at, false, "this result differs from that of the tag Result, %.20s",
                       before);
    wari_release(parser->reader->host, before);
    return status;
}

/* Reads "*", which ends the moves of a game without a result. */
static enum wari_status read_star(struct parser *parser)
{
    struct wari_record *record = parser->record;
    if (record->result && strcmp(record->result, "*") != 0)
        (void)complain(parser, parser->at, false,
                       "this result differs from that of the tag Result, %.20s", record->result);
    wari_release(parser->reader->host, record->result);
    parser->ended = true;
    parser->at++;
    return wari_text_copy(parser->reader->host, "*", 1, &record->result, parser->error);
}

static void skip_spaces(struct parser *parser)
{
    while (peek(parser, 0) == ' ' || peek(parser, 0) == '\t')
        parser->at++;
}

/* Returns the length of the period at the cursor, or of the ellipsis character; 0 if there is none.
 */
static size_t period_length(const struct parser *parser)
{
    static const char ellipsis[] = "\xE2\x80\xA6";
    if (peek(parser, 0) == '.')
        return 1;
    bool three =
        parser->end - parser->at >= 3 && memcmp(parser->text + parser->at, ellipsis, 3) == 0;
    return three ? 3 : 0;
}

/* Skips the number of a move, such as "12.", which is redundant. A number that is not followed by a
 * period is remembered: if a game has only such numbers, its moves are digits, but the caller has
 * not chosen this notation. */
static void skip_number(struct parser *parser)
{
    size_t start = parser->at;
    while (is_digit(peek(parser, 0)))
        parser->at++;
    struct parser next = *parser;
    skip_spaces(&next);
    if (period_length(&next) > 0 || parser->number)
        return;
    parser->number = true;
    parser->number_at = start;
}

/* Returns true if the digit at the cursor is the number of a move rather than of a pit. */
static bool is_move_number(const struct parser *parser)
{
    struct parser next = *parser;
    next.number = false;
    skip_number(&next);
    return !next.number;
}

static enum wari_status read_number(struct parser *parser)
{
    const struct wari_written_result written =
        wari_record_written_result(parser->text + parser->at, parser->end - parser->at);
    if (parser->ended)
        return complain(parser, parser->at, true, "the game continues after its result");
    if (written.length)
        return read_result(parser, &written);
    if (!is_digit(peek(parser, 0)))
        return unexpected_in_moves(parser);
    if (parser->reader->moves != WARI_MOVES_LETTERS && !is_move_number(parser))
        return read_move(parser);
    skip_number(parser);
    return WARI_OK;
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
                    record->result, wari_get_rules_info(record->game.variant.rules)->name,
                    wari_cycle_name(record->game.variant.cycle), score.halves[0] / 2.0,
                    score.halves[1] / 2.0);
}

/* Returns true if a number, or the half sign of a result, starts at the cursor. */
static bool next_is_number(const struct parser *parser)
{
    return is_digit(peek(parser, 0)) || (peek(parser, 0) == '\xC2' && peek(parser, 1) == '\xBD');
}

static enum wari_status read_token(struct parser *parser)
{
    char c = peek(parser, 0);
    if (c == '{' || c == ';')
        return read_comment(parser);
    if (c == '(')
        return skip_variation(parser);
    if (next_is_number(parser))
        return read_number(parser);
    if (parser->ended)
        return complain(parser, parser->at, true, "the game continues after its result");
    if ((c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f'))
        return read_move(parser);
    if (c == '*')
        return read_star(parser);
    if (c == '!' || c == '?') { /* the mark of a move, after a blank */
        parser->at++;
        return WARI_OK;
    }
    size_t period = period_length(parser);
    if (c == '$' && is_digit(peek(parser, 1))) /* an annotation such as $1, as in chess records */
        for (period = 1; is_digit(peek(parser, period));)
            period++;
    parser->at += period;
    return period ? WARI_OK : unexpected_in_moves(parser);
}

/* Returns the number of the move with which the line at offset `at` starts, such as 2 of "2. E";
 * 0 if it starts otherwise. */
static int first_number(const struct wari_record_reader *reader, size_t at)
{
    struct parser line = {.text = reader->text, .at = at, .end = reader->length};
    int number = 0;
    skip_blanks_on_line(&line);
    for (; is_digit(peek(&line, 0)) && number <= WARI_GAME_MOVES_MAX; line.at++)
        number = 10 * number + (peek(&line, 0) - '0');
    skip_spaces(&line);
    return period_length(&line) > 0 ? number : 0;
}

/* Returns the start of the next line of a plain list that is neither empty nor skipped; the end of
 * the text if there is none. */
static size_t next_list_line(const struct parser *parser)
{
    struct parser next = *parser;
    next.at = parser->end;
    next.end = parser->reader->length;
    skip_blanks(&next);
    return next.at;
}

/* Returns true if one of the remaining moves of a game is the digit 0. The game numbers the pits of
 * a side either from 0 or from 1; a 0 shows that it numbers them from 0. */
static bool has_pit_zero(struct parser *parser)
{
    struct parser next = *parser;
    bool zero = false;
    while (next.reader->plain && first_number(next.reader, next_list_line(&next)) > 1)
        next.end = line_end(next.reader, next_list_line(&next));
    for (skip_blanks(&next); next.at < next.end && !zero; skip_blanks(&next)) {
        char c = peek(&next, 0);
        if (c == '[' && !next.reader->plain)
            break;
        if (c == '{' || c == ';') {
            next.at = comment_end(&next);
        } else if (next_is_number(&next)) {
            const struct wari_written_result written =
                wari_record_written_result(next.text + next.at, next.end - next.at);
            zero = c == '0' && written.length == 0 && !is_move_number(&next);
            next.at += written.length ? written.length - 1 : 0;
        }
        bool sign = peek(&next, 0) == '+' || peek(&next, 0) == '$'; /* its digits are not moves */
        do
            next.at += next.at < next.end;
        while (sign && is_digit(peek(&next, 0)));
    }
    parser->examined = next.at > parser->examined ? next.at : parser->examined;
    return zero;
}

/* Extends a game of a plain list by the next line, if that line starts with the number of the next
 * move. */
static bool continue_on_next_line(struct parser *parser)
{
    size_t next = next_list_line(parser);
    int number = first_number(parser->reader, next);
    if (parser->ended || number <= 1 || number != parser->record->game.count / 2 + 1)
        return false;
    parser->at = next;
    parser->end = line_end(parser->reader, next);
    return true;
}

/* Returns true if a JSON object begins at an offset. The notation of games would take the object
 * for a comment, because comments are in braces. */
static bool is_json(const struct parser *parser, size_t at)
{
    if (at >= parser->end || parser->text[at] != '{')
        return false;
    do
        at++;
    while (at < parser->end && wari_text_is_blank(parser->text[at]));
    return at < parser->end && parser->text[at] == '"';
}

/* Reports a game that has no moves, but has numbers or is JSON. `start` is the offset of its first
 * token after the tags. */
static enum wari_status check_moves(struct parser *parser, size_t start)
{
    if (parser->record->game.count > 0)
        return WARI_OK;
    if (is_json(parser, start))
        return complain(parser, start, true,
                        "this is JSON, not the record of a game; moves are letters, A to F for "
                        "South and a to f for North");
    if (!parser->number)
        return WARI_OK;
    parser->pit_numbers = true;
    return complain(parser, parser->number_at, true,
                    "this game has numbers and no moves; moves are letters, A to F for South and a "
                    "to f for North");
}

static enum wari_status read_moves(struct parser *parser)
{
    enum wari_status status = WARI_OK;
    enum wari_record_moves moves = parser->reader->moves;
    parser->first_pit = moves == WARI_MOVES_DIGITS && !has_pit_zero(parser);
    skip_blanks(parser);
    const size_t start = parser->at;
    while (status == WARI_OK) {
        skip_blanks(parser);
        if (parser->reader->plain && parser->at >= parser->end && continue_on_next_line(parser))
            continue;
        if (parser->at >= parser->end || (peek(parser, 0) == '[' && !parser->reader->plain))
            break;
        status = read_token(parser);
    }
    if (status == WARI_OK)
        status = check_moves(parser, start);
    if (status == WARI_OK)
        status = store_comment(parser);
    if (status == WARI_OK)
        status = check_capture(parser, true);
    return status == WARI_OK ? check_score(parser) : status;
}

/* ---- Games ---- */

/* Returns the first offset in a line that is not white space; `end` if there is none. */
static size_t skip_indent(const struct wari_record_reader *reader, size_t at, size_t end)
{
    while (at < end && wari_text_is_blank(reader->text[at]))
        at++;
    return at;
}

/* Returns true if a line between games that starts with this character is skipped. */
static bool is_comment_line(char c)
{
    return c == '#' || c == '%' || c == ';';
}

/* Detects the format of the text: games with tags, or a plain list. */
static void detect_format(struct wari_record_reader *reader)
{
    size_t at = reader->at;
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

/* After a game that could not be read: returns the start of the next game after offset `at`, or the
 * length of the text if there is none. `in_moves` is true if `at` is after the tags of the game. */
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

/* Rejects a line such as "2. E e", which cannot be a game from the start. */
static enum wari_status reject_middle_of_game(struct parser *parser)
{
    int number = first_number(parser->reader, parser->at);
    if (number <= 1)
        return WARI_OK;
    return complain(parser, parser->at, true,
                    "this line starts with move %d, but it does not continue the line above: each "
                    "line of a list is a game of its own",
                    number);
}

/* Returns the number of bytes, starting `ahead` bytes after the cursor, that are all in `set`. */
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

/* Reads a game of a plain list: an optional position, then moves. */
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
    if (reader->plain) {
        reader->at = parser.end;
        /* Skips the further lines of a lost game. */
        while (status != WARI_OK && first_number(reader, next_list_line(&parser)) > 1)
            reader->at = parser.end = line_end(reader, next_list_line(&parser));
    } else if (status == WARI_OK) {
        reader->at = parser.at;
    } else {
        reader->at = find_next_game(reader, resume_offset(&parser), parser.begun);
    }
    if (status != WARI_OK)
        wari_record_free(record);
    return status;
}

/* Converts the text to UTF-8 if that is necessary, and reports what the caller has to know about
 * it. */
static enum wari_status decode_text(struct wari_record_reader *reader, struct wari_error *error)
{
    const char *text = reader->text;
    const size_t length = reader->length;
    enum wari_encoding encoding = wari_encoding_detect(text, length);
    struct parser parser = {.reader = reader, .game_line = 1};
    size_t latin1_at;
    reader->converted = (struct wari_text){.host = reader->host};
    if (encoding == WARI_ENCODING_UNMARKED) {
        (void)complain(&parser, 0, true,
                       "this text is in UTF-16 without a byte order mark, or in UTF-32; save it as "
                       "UTF-8");
        reader->at = length;
        return WARI_OK;
    }
    if (encoding == WARI_ENCODING_BYTES && !memchr(text, '\r', length) &&
        wari_text_valid_length(text, length) == length) {
        const size_t mark = wari_encoding_mark_length(text, length);
        reader->text += mark;
        reader->length -= mark;
        return WARI_OK;
    }
    enum wari_status status =
        wari_encoding_convert(text, length, encoding, &reader->converted, &latin1_at, error);
    if (status != WARI_OK) {
        wari_text_free(&reader->converted);
        return status;
    }
    reader->text = reader->converted.bytes ? reader->converted.bytes : "";
    reader->length = reader->converted.length;
    if (latin1_at != SIZE_MAX)
        (void)complain(&parser, latin1_at, false,
                       "this line is not in UTF-8; it and all others that are not are read as "
                       "Latin-1");
    return WARI_OK;
}

enum wari_status wari_record_next(struct wari_record_reader *reader, struct wari_record *record,
                                  bool *found, struct wari_error *error)
{
    *record = (struct wari_record){.line = 0};
    *found = false;
    if (!reader->begun) {
        enum wari_status status = decode_text(reader, error);
        if (status != WARI_OK)
            return status;
        reader->begun = true;
        detect_format(reader);
    }
    while (find_game(reader)) {
        enum wari_status status = read_game(reader, record, error);
        if (status == WARI_BAD_INPUT)
            continue;
        *found = status == WARI_OK;
        return status;
    }
    return WARI_OK;
}

void wari_record_end(struct wari_record_reader *reader)
{
    wari_text_free(&reader->converted);
}

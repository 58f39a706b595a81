/* Reading the tags of a record, and what they say of the game: rules and first position.
 *
 * A tag that nobody knows is kept and remarked on: it may be a known one misspelt. So is a name of
 * rules that nobody knows, where the caller insists on its own; otherwise such a game is lost,
 * because judging it by other rules than it was played under would be worse.
 */
#include "play/record/record_read_tags.h"

#include <stdio.h>
#include <string.h>

enum {
    NAME = 64,
    LIST = 512, /* more than the names of all variants */
};

/* What Aualé writes, the two that a game needs here, and common ones of chess records. */
static const char *const known_tags[] = {
    "Variant", "Event", "Site", "Date",      "Round", "South",       "North",       "Result",
    "FEN",     "Cycle", "Time", "Annotator", "SetUp", "TimeControl", "Termination", "PlyCount",
};

static bool is_known(const char *name)
{
    for (size_t i = 0; i < sizeof known_tags / sizeof known_tags[0]; i++)
        if (strcmp(known_tags[i], name) == 0)
            return true;
    return false;
}

/* ---- Reading ---- */

static bool is_name(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static enum wari_status unexpected(struct wari_reading *reading, const char *wanted)
{
    char words[24];
    return wari_reading_complain(reading, reading->at, true,
                                 "%s is expected in a tag such as [South \"Ama\"], but here is %s",
                                 wanted, wari_reading_found(reading, words));
}

static void skip_blanks_on_line(struct wari_reading *reading)
{
    while (reading->at < reading->end && reading->text[reading->at] != '\n' &&
           wari_text_is_blank(reading->text[reading->at]))
        reading->at++;
}

static bool stands(const struct wari_reading *reading, char c)
{
    return reading->at < reading->end && reading->text[reading->at] == c;
}

static enum wari_status read_name(struct wari_reading *reading, char name[NAME])
{
    size_t start = reading->at;
    size_t length = 0;
    while (start + length < reading->end && is_name(reading->text[start + length]))
        length++;
    if (length == 0)
        return unexpected(reading, "a name");
    if (length >= NAME)
        return wari_reading_complain(reading, start, true, "a tag's name has at most %d letters",
                                     NAME - 1);
    memcpy(name, reading->text + start, length);
    name[length] = '\0';
    reading->at += length;
    return WARI_OK;
}

/* Reads a value in quotes; in it, \" stands for " and \\ for \. */
static enum wari_status read_value(struct wari_reading *reading, struct wari_text *value)
{
    size_t quote = reading->at;
    if (!stands(reading, '"'))
        return unexpected(reading, "a value in quotes");
    reading->at++;
    while (!stands(reading, '"')) {
        const char *c = reading->text + reading->at;
        if (reading->at >= reading->end || *c == '\n')
            return wari_reading_complain(reading, quote, true,
                                         "the quote that ends this value is missing on its line");
        if (*c == '\0')
            return unexpected(reading, "text");
        bool escape = *c == '\\' && reading->at + 1 < reading->end && (c[1] == '"' || c[1] == '\\');
        enum wari_status status = wari_text_add_bytes(value, c + escape, 1, reading->error);
        if (status != WARI_OK)
            return status;
        reading->at += 1 + (size_t)escape;
    }
    reading->at++;
    return WARI_OK;
}

static enum wari_status keep_tag(struct wari_reading *reading, size_t name_at, size_t value_at,
                                 const char *name, const char *value)
{
    bool known = is_known(name);
    if (!known)
        (void)wari_reading_complain(reading, name_at, false, "unknown tag %s", name);
    if (wari_record_tag(reading->record, name))
        (void)wari_reading_complain(reading, name_at, false,
                                    "the tag %s stands twice; the last one counts", name);
    else if (!known && reading->tags.unknown++ == WARI_RECORD_TAGS_MAX)
        return wari_reading_complain(reading, name_at, true,
                                     "more than %d unknown tags in one game", WARI_RECORD_TAGS_MAX);
    if (strcmp(name, "Variant") == 0)
        reading->tags.variant_at = value_at;
    else if (strcmp(name, "Cycle") == 0)
        reading->tags.cycle_at = value_at;
    else if (strcmp(name, "FEN") == 0)
        reading->tags.fen_at = value_at;
    else if (strcmp(name, "Result") == 0)
        reading->tags.result_at = value_at;
    return wari_record_set_tag(reading->record, name, value, reading->error);
}

/* [Name "value"] */
static enum wari_status read_tag(struct wari_reading *reading)
{
    struct wari_text value = {.host = reading->reader->host};
    char name[NAME];

    reading->at++;
    skip_blanks_on_line(reading);
    size_t name_at = reading->at;
    enum wari_status status = read_name(reading, name);
    if (status != WARI_OK)
        return status;
    skip_blanks_on_line(reading);
    size_t value_at = reading->at + 1;
    status = read_value(reading, &value);
    if (status == WARI_OK) {
        skip_blanks_on_line(reading);
        if (!stands(reading, ']'))
            status = unexpected(reading, "a bracket ]");
    }
    if (status == WARI_OK) {
        reading->at++;
        status = keep_tag(reading, name_at, value_at, name, value.bytes ? value.bytes : "");
    }
    wari_text_free(&value);
    return status;
}

enum wari_status wari_reading_tags(struct wari_reading *reading)
{
    wari_reading_skip_blanks(reading);
    while (stands(reading, '[')) {
        enum wari_status status = read_tag(reading);
        if (status != WARI_OK)
            return status;
        wari_reading_skip_blanks(reading);
    }
    return WARI_OK;
}

/* ---- What they say ---- */

/* What a tag asks of a variant. */
struct wish {
    bool rules, cycle; /* it names them */
    struct wari_variant variant;
};

/* Reads a name of rules as Oware programs write it: "Oware Abapa" is abapa. False if it is none. */
static bool understand_rules(const char *value, struct wish *wish)
{
    static const char family[] = "oware ";
    char name[NAME];
    size_t length = strlen(value);
    if (length >= NAME)
        return false;
    for (size_t i = 0; i <= length; i++)
        name[i] = wari_text_lower(value[i]);
    bool has_family = strncmp(name, family, sizeof family - 1) == 0;
    wish->rules = wari_rules_parse(name + (has_family ? sizeof family - 1 : 0), &wish->variant,
                                   &wish->cycle, NULL) == WARI_OK;
    return wish->rules;
}

bool wari_reading_knows_rules(const char *value)
{
    struct wish wish;
    return understand_rules(value, &wish);
}

static bool fits(const struct wish *wish, const struct wari_variant *variant)
{
    return (!wish->rules || wish->variant.rules == variant->rules) &&
           (!wish->cycle || wish->variant.cycle == variant->cycle);
}

/* Lists the variants that fit, or all of them if `all`. */
static void list_variants(const struct wari_record_reader *reader, const struct wish *wish,
                          bool all, char *list, size_t size)
{
    size_t used = 0;
    list[0] = '\0';
    for (int i = 0; i < reader->variant_count && used < size; i++) {
        const struct wari_variant *each = &reader->variants[i];
        if (!all && !fits(wish, each))
            continue;
        int length = snprintf(list + used, size - used, "%s%s %s", used ? ", " : "",
                              wari_rules_info(each->rules)->name, wari_cycle_name(each->cycle));
        used += (size_t)length;
    }
}

static enum wari_status read_wish(struct wari_reading *reading, struct wish *wish)
{
    const char *rules = wari_record_tag(reading->record, "Variant");
    const char *cycle = wari_record_tag(reading->record, "Cycle");
    *wish = (struct wish){.rules = false};
    if (rules && strcmp(rules, "?") != 0 && !understand_rules(rules, wish)) {
        char list[LIST] = "";
        reading->undecided = !reading->reader->insist;
        if (reading->undecided)
            list_variants(reading->reader, wish, true, list, sizeof list);
        if (wari_reading_complain(reading, reading->tags.variant_at, reading->undecided,
                                  "no rule set is called \"%.60s\"%s%s", rules,
                                  list[0] ? "; here are " : "", list) != WARI_OK)
            return WARI_BAD_INPUT;
    }
    if (!cycle || strcmp(cycle, "?") == 0)
        return WARI_OK;
    enum wari_cycle named;
    if (wari_cycle_parse(cycle, &named, NULL) != WARI_OK)
        return wari_reading_complain(reading, reading->tags.cycle_at, true,
                                     "the cycle rule is even or own, not \"%.60s\"", cycle);
    if (wish->cycle && wish->variant.cycle != named)
        return wari_reading_complain(reading, reading->tags.cycle_at, true,
                                     "the cycle rule \"%s\" contradicts the variant \"%.60s\"",
                                     cycle, rules);
    wish->cycle = true;
    wish->variant.cycle = named;
    return WARI_OK;
}

static enum wari_status choose_variant(struct wari_reading *reading, struct wari_variant *variant)
{
    const struct wari_record_reader *reader = reading->reader;
    struct wish wish;
    char list[LIST];
    int count = 0;
    size_t at = reading->tags.variant_at ? reading->tags.variant_at : reading->tags.cycle_at;

    enum wari_status status = read_wish(reading, &wish);
    if (status != WARI_OK)
        return status;
    for (int i = 0; i < reader->variant_count; i++) {
        if (!fits(&wish, &reader->variants[i]))
            continue;
        *variant = reader->variants[i];
        count++;
    }
    if (count == 1)
        return WARI_OK;
    list_variants(reader, &wish, count == 0, list, sizeof list);
    if (count == 0)
        return wari_reading_complain(reading, at, true,
                                     "this game was played under other rules than there are "
                                     "here: %s",
                                     list);
    reading->undecided = true;
    return wari_reading_complain(reading, at ? at : reader->at, true,
                                 "%s leave%s open which rules this game was played under; here are "
                                 "%s",
                                 reader->plain ? "a list" : "the tags Variant and Cycle",
                                 reader->plain ? "s" : "", list);
}

/* `reason` may start with a column of the diagram, which becomes one of the file. */
static enum wari_status refuse_diagram(struct wari_reading *reading, const char *reason)
{
    int column = 1, used = 0;
    if (sscanf(reason, "column %d: %n", &column, &used) != 1)
        used = 0;
    return wari_reading_complain(reading, reading->tags.fen_at + (size_t)(column - 1), true, "%s",
                                 reason + used);
}

/* Keeps the result that the tag tells; the end of the moves may tell another. */
static enum wari_status keep_result(struct wari_reading *reading)
{
    const char *result = wari_record_tag(reading->record, "Result");
    if (!result || strcmp(result, "?") == 0)
        return WARI_OK;
    size_t length = strlen(result);
    bool score = length > 0 && wari_reading_score_length(result, length) == length;
    if (!score && strcmp(result, "*") != 0)
        return wari_reading_complain(reading, reading->tags.result_at, false,
                                     "\"%.40s\" is no result such as 25-23 (South's seeds first) "
                                     "or *",
                                     result);
    return wari_text_copy(reading->reader->host, result, length, &reading->record->result,
                          reading->error);
}

enum wari_status wari_reading_begin_game(struct wari_reading *reading)
{
    struct wari_setup start = wari_game_start_setup();
    struct wari_error reason;
    struct wari_variant variant;
    const char *diagram = wari_record_tag(reading->record, "FEN");

    enum wari_status status = choose_variant(reading, &variant);
    if (status != WARI_OK)
        return status;
    if (diagram && wari_setup_parse(diagram, &start, &reason) != WARI_OK)
        return refuse_diagram(reading, reason.text);
    if (!start.diagram)
        return wari_reading_complain(reading, reading->tags.fen_at, true,
                                     "a game starts from a diagram with stores and the side to "
                                     "move, such as 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S");
    status = keep_result(reading);
    if (status != WARI_OK)
        return status;
    wari_game_begin(&reading->record->game, reading->reader->host, variant, &start);
    reading->begun = true;
    return WARI_OK;
}

/* Prints and parses the text of a catalogue (FORMAT.md shows one).
 *
 * There is exactly one text for a catalogue, and the parser accepts no other: one blank between
 * words, no leading zeros, levels and values in ascending order, no counts of 0, every sum correct.
 * So a text that can be parsed was written by this program or an equivalent one, and its last line,
 * the hash of everything before it, detects damage.
 */
#define XXH_STATIC_LINKING_ONLY /* for a hash state on the stack */
#include "db/catalogue/catalogue_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "index/level.h"

#define FIRST_LINE "wari catalogue "
enum {
    CATALOGUE_FORMAT = 1, /* format version of catalogues; FORMAT.md has the history */
    HASH_LINE = 22,       /* bytes of the last line: "hash 0123456789abcdef\n" */
};

/* ---- Printing ------------------------------------------------------------------------------- */

struct text {
    char *bytes;
    size_t used;
};

/* Appends to the text. WARI_CATALOGUE_BYTES_MAX is enough for every catalogue. */
__attribute__((format(printf, 2, 3))) static void print(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->bytes + text->used, WARI_CATALOGUE_BYTES_MAX - text->used, format,
                           arguments);
    va_end(arguments);
    text->used += (size_t)length;
}

static void print_level(struct text *text, const struct wari_level_record *level, int n)
{
    print(text, "level %d positions %llu bytes %llu header %016llx payload %016llx\n", n,
          (unsigned long long)wari_level_positions(n), (unsigned long long)level->file_bytes,
          (unsigned long long)level->header_hash, (unsigned long long)level->payload_hash);
    if (level->other_bytes > 0)
        print(text, "or bytes %llu header %016llx\n", (unsigned long long)level->other_bytes,
              (unsigned long long)level->other_hash);
    print(text, "histogram %d", n);
    for (int v = -n; v <= n; v++) {
        uint64_t count = level->histogram[v + WARI_SEEDS_MAX];
        if (count > 0)
            print(text, " %d:%llu", v, (unsigned long long)count);
    }
    print(text, "\n");
}

size_t wari_catalogue_print(const struct wari_catalogue *catalogue,
                            char bytes[WARI_CATALOGUE_BYTES_MAX])
{
    struct text text = {bytes, 0};
    print(&text, FIRST_LINE "%d\n", CATALOGUE_FORMAT);
    print(&text, "rules %s\n", wari_get_rules_info(catalogue->variant.rules)->name);
    print(&text, "cycle %s\n", wari_cycle_name(catalogue->variant.cycle));
    for (int n = 0; n <= catalogue->seeds_max; n = wari_catalogue_next(n))
        print_level(&text, &catalogue->level[n], n);
    print(&text, "hash %016llx\n", (unsigned long long)XXH3_64bits(bytes, text.used));
    return text.used;
}

/* ---- Parsing: a cursor that takes exact words ----------------------------------------------- */

struct cursor {
    const char *start; /* start of the text */
    const char *at;
    const char *end;
    int line; /* number of the current line, counted from 1 */
    const char *path;
    struct wari_error *error;
};

static bool take(struct cursor *cursor, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
        return false;
    cursor->at += length;
    if (length > 0 && word[length - 1] == '\n')
        cursor->line++;
    return true;
}

/* Parses a decimal number without leading zeros, not greater than `largest`. */
static bool take_number(struct cursor *cursor, uint64_t largest, uint64_t *number)
{
    const char *start = cursor->at;
    uint64_t value = 0;
    while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9') {
        uint64_t digit = (uint64_t)(*cursor->at - '0');
        if (digit > largest || value > (largest - digit) / 10)
            return false;
        value = 10 * value + digit;
        cursor->at++;
    }
    *number = value;
    return cursor->at - start == 1 || (cursor->at > start && *start != '0');
}

/* Parses sixteen lower-case hexadecimal digits. */
static bool take_hash(struct cursor *cursor, uint64_t *hash)
{
    static const char digits[] = "0123456789abcdef";
    if (cursor->end - cursor->at < 16)
        return false;
    *hash = 0;
    for (int i = 0; i < 16; i++) {
        const char *digit = memchr(digits, cursor->at[i], 16);
        if (digit == NULL)
            return false;
        *hash = *hash << 4 | (uint64_t)(digit - digits);
    }
    cursor->at += 16;
    return true;
}

static enum wari_status bad_line(const struct cursor *cursor, const char *what)
{
    return wari_fail(cursor->error, WARI_CORRUPT,
                     "%s: line %d: %s, at offset %lld; get the file again or rebuild the database",
                     cursor->path, cursor->line, what, (long long)(cursor->at - cursor->start));
}

/* ---- Parsing: the lines --------------------------------------------------------------------- */

/* Returns true if the hash would be correct with this program's version number. Then the version
 * number is damaged, and the text is not of another version. The cursor is after the first line. */
static bool only_format_differs(const struct cursor *cursor)
{
    char ours[32];
    struct cursor last = *cursor;
    XXH3_state_t state;
    uint64_t hash;
    if (cursor->end - cursor->at < HASH_LINE)
        return false;
    last.at = cursor->end - HASH_LINE;
    int length = snprintf(ours, sizeof ours, FIRST_LINE "%d\n", CATALOGUE_FORMAT);
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, ours, (size_t)length);
    XXH3_64bits_update(&state, cursor->at, (size_t)(last.at - cursor->at));
    return take(&last, "hash ") && take_hash(&last, &hash) && hash == XXH3_64bits_digest(&state);
}

static enum wari_status parse_format(struct cursor *cursor)
{
    uint64_t format;
    const bool begins = take(cursor, FIRST_LINE) && take_number(cursor, UINT32_MAX, &format);
    if (begins && take(cursor, "\r\n"))
        return bad_line(cursor, "the lines end with CR LF, so the file was changed when it was "
                                "copied as text; copy it as binary data");
    if (!begins || !take(cursor, "\n"))
        return bad_line(cursor,
                        "this is not a catalogue: expected \"wari catalogue\" and a version");
    if (format != CATALOGUE_FORMAT && only_format_differs(cursor)) {
        cursor->at = cursor->start + sizeof FIRST_LINE - 1;
        cursor->line = 1;
        return bad_line(cursor, "the version number is damaged: the hash matches with another one");
    }
    if (format != CATALOGUE_FORMAT)
        return wari_fail(cursor->error, WARI_MISMATCH,
                         "%s: the catalogue has version %llu, but this program reads version %d; "
                         "use the program that wrote it or rebuild the database",
                         cursor->path, (unsigned long long)format, CATALOGUE_FORMAT);
    return WARI_OK;
}

/* Checks the last line and excludes it from the text. */
static enum wari_status parse_hash(struct cursor *cursor)
{
    struct cursor last = *cursor;
    uint64_t hash;
    if (cursor->end - cursor->at < HASH_LINE)
        return bad_line(cursor, "the file ends too early");

    cursor->end -= HASH_LINE;
    last.at = cursor->end;
    for (const char *c = cursor->at; c < last.at; c++)
        last.line += *c == '\n';
    if (last.at[-1] != '\n' || !take(&last, "hash ") || !take_hash(&last, &hash) ||
        last.at[0] != '\n')
        return bad_line(&last, "expected the last line to be \"hash\" and 16 digits");
    if (hash != XXH3_64bits(cursor->start, (size_t)(cursor->end - cursor->start)))
        return bad_line(&last, "the hash does not match the lines before it");
    return WARI_OK;
}

static enum wari_status parse_variant(struct cursor *cursor, struct wari_variant expected)
{
    struct wari_variant found = {WARI_RULES_COUNT, WARI_CYCLE_COUNT};
    char line[40];
    for (int r = 0; r < WARI_RULES_COUNT && found.rules == WARI_RULES_COUNT; r++) {
        snprintf(line, sizeof line, "rules %s\n", wari_get_rules_info((enum wari_rules)r)->name);
        if (take(cursor, line))
            found.rules = (enum wari_rules)r;
    }
    if (found.rules == WARI_RULES_COUNT)
        return bad_line(cursor, "expected \"rules\" and the name of a rule set");
    for (int c = 0; c < WARI_CYCLE_COUNT && found.cycle == WARI_CYCLE_COUNT; c++) {
        snprintf(line, sizeof line, "cycle %s\n", wari_cycle_name((enum wari_cycle)c));
        if (take(cursor, line))
            found.cycle = (enum wari_cycle)c;
    }
    if (found.cycle == WARI_CYCLE_COUNT)
        return bad_line(cursor, "expected \"cycle\" and the name of a cycle rule");
    if (found.rules != expected.rules || found.cycle != expected.cycle)
        return wari_fail(cursor->error, WARI_MISMATCH,
                         "%s: this is the catalogue of %s, cycle rule %s, although its name says "
                         "otherwise; put the right file in its place or rebuild the database",
                         cursor->path, wari_get_rules_info(found.rules)->name,
                         wari_cycle_name(found.cycle));
    return WARI_OK;
}

static enum wari_status parse_histogram(struct cursor *cursor, struct wari_level_record *level,
                                        int n)
{
    char start[24];
    uint64_t left = wari_level_placements(n);
    uint64_t size;
    uint64_t count;
    int previous = -n - 1;

    memset(level->histogram, 0, sizeof level->histogram);
    snprintf(start, sizeof start, "histogram %d", n);
    if (!take(cursor, start))
        return bad_line(cursor, "expected the histogram of the level above");
    while (take(cursor, " ")) {
        bool negative = take(cursor, "-");
        if (!take_number(cursor, (uint64_t)n, &size) || (negative && size == 0) ||
            !take(cursor, ":"))
            return bad_line(cursor, "expected a value no larger than the level and a colon");
        int value = negative ? -(int)size : (int)size;
        if (value <= previous)
            return bad_line(cursor, "values must ascend");
        if (!take_number(cursor, left, &count) || count == 0)
            return bad_line(cursor, "expected a count above 0 that fits the number of placements");
        level->histogram[value + WARI_SEEDS_MAX] = count;
        left -= count;
        previous = value;
    }
    if (left != 0)
        return bad_line(cursor, "the counts do not add up to the number of placements");
    if (!take(cursor, "\n"))
        return bad_line(cursor, "expected the end of the line");
    return WARI_OK;
}

/* Parses the line of a second file that may replace the level's file. If there is no such line,
 * sets other_bytes and other_hash to 0. */
static enum wari_status parse_other(struct cursor *cursor, struct wari_level_record *level)
{
    level->other_bytes = 0;
    level->other_hash = 0;
    if (!take(cursor, "or bytes "))
        return WARI_OK;
    if (!take_number(cursor, INT64_MAX, &level->other_bytes) || level->other_bytes == 0 ||
        !take(cursor, " header ") || !take_hash(cursor, &level->other_hash) || !take(cursor, "\n"))
        return bad_line(cursor,
                        "expected size and header of the other file that the level may have");
    return WARI_OK;
}

static enum wari_status parse_level(struct cursor *cursor, struct wari_level_record *level, int n)
{
    char start[64];
    snprintf(start, sizeof start, "level %d positions %llu bytes ", n,
             (unsigned long long)wari_level_positions(n));
    if (!take(cursor, start))
        return bad_line(cursor, "expected the next level and its number of positions");
    if (!take_number(cursor, INT64_MAX, &level->file_bytes))
        return bad_line(cursor, "expected the size of the level's file");
    if (!take(cursor, " header ") || !take_hash(cursor, &level->header_hash) ||
        !take(cursor, " payload ") || !take_hash(cursor, &level->payload_hash) ||
        !take(cursor, "\n"))
        return bad_line(cursor, "expected \"header\" and \"payload\" with 16 digits each");
    enum wari_status status = parse_other(cursor, level);
    return status == WARI_OK ? parse_histogram(cursor, level, n) : status;
}

enum wari_status wari_catalogue_parse(struct wari_catalogue *catalogue, const char *text,
                                      size_t bytes, const char *path, struct wari_error *error)
{
    struct cursor cursor = {text, text, text + bytes, 1, path, error};

    /* The version is checked first, since the text of another version may end differently. */
    enum wari_status status = parse_format(&cursor);
    if (status == WARI_OK)
        status = parse_hash(&cursor);
    if (status == WARI_OK)
        status = parse_variant(&cursor, catalogue->variant);
    if (status != WARI_OK)
        return status;

    catalogue->seeds_max = -1;
    do {
        int n = wari_catalogue_next(catalogue->seeds_max);
        if (n > WARI_SEEDS_MAX)
            return bad_line(&cursor, "expected nothing after the last level");
        status = parse_level(&cursor, &catalogue->level[n], n);
        if (status != WARI_OK)
            return status;
        catalogue->seeds_max = n;
    } while (cursor.at < cursor.end);
    return WARI_OK;
}

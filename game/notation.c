/* Notation: text to position, position to text, and the letters of moves.
 *
 * A text is read once from left to right by a cursor that knows its column, so that every error
 * message can say where the text is wrong. The text is not copied and may have any length. A text
 * is a diagram if a dash follows its first count.
 *
 * Invariants: numbers are capped far above every limit, so that no sequence of digits overflows,
 * and sums are checked as they grow.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "game/wari_game.h"

enum {
    DIAGRAM_COUNTS = WARI_PITS + 2, /* twelve pits and two stores */
    NUMBER_CAP = 1000, /* larger numbers are read as this one; they are too large in any case */
};

static const char *const count_names[DIAGRAM_COUNTS] = {
    "pit A", "pit B", "pit C", "pit D", "pit E", "pit F",         "pit a",
    "pit b", "pit c", "pit d", "pit e", "pit f", "South's store", "North's store",
};

static const char counts_help[] =
    "a position is twelve counts, A to F and then a to f, such as 4 4 4 4 4 4 / 4 4 4 4 4 4";
static const char diagram_help[] =
    "a diagram is twelve pits, two stores and the side to move, such as "
    "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";

/* ---- Reading ---- */

struct cursor {
    const char *text;
    size_t at;
    struct wari_error *error;
};

/* Used instead of isspace(), whose result depends on the locale. */
static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(struct cursor *cursor)
{
    while (is_blank(cursor->text[cursor->at]))
        cursor->at++;
}

/* Converts an offset to a column, counted from 1. Every byte before the first wrong one is ASCII,
 * so bytes are columns. */
static int column(size_t at)
{
    return at < INT_MAX ? (int)at + 1 : INT_MAX;
}

/* Describes in words what is at the cursor; may use the buffer `words`. */
static const char *found(const struct cursor *cursor, char words[24])
{
    char c = cursor->text[cursor->at];
    if (c == 0)
        return "the end of the text";
    if (c > ' ' && c <= '~')
        snprintf(words, 24, "'%c'", c);
    else
        snprintf(words, 24, "the byte 0x%02X", (unsigned)(unsigned char)c);
    return words;
}

static enum wari_status unexpected(const struct cursor *cursor, const char *expected,
                                   const char *help)
{
    char words[24];
    return wari_fail(cursor->error, WARI_BAD_INPUT, "column %d: %s, but here is %s; %s",
                     column(cursor->at), expected, found(cursor, words), help);
}

/* Reads the count called `name` and adds it to *sum, which may not exceed 48. */
static enum wari_status read_count(struct cursor *cursor, const char *name, const char *help,
                                   uint8_t *count, int *sum)
{
    size_t start = cursor->at;
    int number = 0;

    if (!is_digit(cursor->text[start])) {
        char expected[48];
        snprintf(expected, sizeof expected, "the count of %s is expected", name);
        return unexpected(cursor, expected, help);
    }
    for (; is_digit(cursor->text[cursor->at]); cursor->at++)
        if (number < NUMBER_CAP)
            number = 10 * number + (cursor->text[cursor->at] - '0');
    if (number > WARI_SEEDS_MAX)
        return wari_fail(cursor->error, WARI_BAD_INPUT,
                         "column %d: %.*s%s seeds in %s, but a game has %d; correct this count",
                         column(start), cursor->at - start > 8 ? 8 : (int)(cursor->at - start),
                         cursor->text + start, cursor->at - start > 8 ? "..." : "", name,
                         WARI_SEEDS_MAX);
    *sum += number;
    if (*sum > WARI_SEEDS_MAX)
        return wari_fail(cursor->error, WARI_BAD_INPUT,
                         "column %d: %d seeds up to %s, but a game has %d; correct the counts",
                         column(start), *sum, name, WARI_SEEDS_MAX);
    *count = (uint8_t)number;
    return WARI_OK;
}

/* Skips the blanks between two counts, and one comma or slash among them. */
static enum wari_status read_separator(struct cursor *cursor, int counts_so_far)
{
    size_t start = cursor->at;
    skip_blanks(cursor);
    char c = cursor->text[cursor->at];
    if (c == 0)
        return wari_fail(cursor->error, WARI_BAD_INPUT,
                         "column %d: the text ends after %d of 12 counts; %s", column(cursor->at),
                         counts_so_far, counts_help);
    if (c == ',' || c == '/') {
        cursor->at++;
        skip_blanks(cursor);
    } else if (cursor->at == start) {
        return unexpected(cursor, "a blank, comma or slash is expected after a count", counts_help);
    }
    return WARI_OK;
}

static enum wari_status read_end(struct cursor *cursor, const char *expected, const char *help)
{
    skip_blanks(cursor);
    return cursor->text[cursor->at] == 0 ? WARI_OK : unexpected(cursor, expected, help);
}

static enum wari_status read_twelve(struct cursor *cursor, struct wari_setup *setup)
{
    enum wari_status status;
    int sum = 0;

    for (int pit = 0; pit < WARI_PITS; pit++) {
        if (pit > 0 && (status = read_separator(cursor, pit)) != WARI_OK)
            return status;
        status =
            read_count(cursor, count_names[pit], counts_help, &setup->position.pits[pit], &sum);
        if (status != WARI_OK)
            return status;
    }
    return read_end(cursor, "nothing is expected after the twelfth count", counts_help);
}

static enum wari_status read_dash(struct cursor *cursor)
{
    if (cursor->text[cursor->at] != '-')
        return unexpected(cursor, "a dash is expected after a count", diagram_help);
    cursor->at++;
    return WARI_OK;
}

static enum wari_status read_diagram(struct cursor *cursor, struct wari_setup *setup)
{
    enum wari_status status;
    uint8_t counts[DIAGRAM_COUNTS] = {0};
    int sum = 0;
    size_t last_count = 0;

    for (int i = 0; i < DIAGRAM_COUNTS; i++) {
        last_count = cursor->at;
        status = read_count(cursor, count_names[i], diagram_help, &counts[i], &sum);
        if (status != WARI_OK || (status = read_dash(cursor)) != WARI_OK)
            return status;
    }
    char side = cursor->text[cursor->at];
    if (side != 'S' && side != 'N')
        return unexpected(cursor, "the side to move, S or N, is expected", diagram_help);
    cursor->at++;
    status = read_end(cursor, "nothing is expected after the side to move", diagram_help);
    if (status != WARI_OK)
        return status;
    if (sum != WARI_SEEDS_MAX)
        return wari_fail(cursor->error, WARI_BAD_INPUT,
                         "column %d: with North's store, pits and stores add up to %d seeds, but a "
                         "diagram holds all %d of a game; correct the counts",
                         column(last_count), sum, WARI_SEEDS_MAX);

    setup->diagram = true;
    setup->north_to_move = side == 'N';
    for (int pit = 0; pit < WARI_PITS; pit++)
        setup->position.pits[pit] =
            counts[setup->north_to_move ? (pit + WARI_HALF_PITS) % WARI_PITS : pit];
    setup->stores[0] = counts[WARI_PITS];
    setup->stores[1] = counts[WARI_PITS + 1];
    return WARI_OK;
}

/* Returns true if the text, whose first count starts at `at`, has a dash after this count. */
static bool looks_like_diagram(const char *text, size_t at)
{
    while (is_digit(text[at]))
        at++;
    return text[at] == '-';
}

enum wari_status wari_setup_parse(const char *text, struct wari_setup *setup,
                                  struct wari_error *error)
{
    struct cursor cursor = {text, 0, error};
    struct wari_setup result;
    enum wari_status status;

    memset(&result, 0, sizeof result);
    skip_blanks(&cursor);
    if (is_digit(text[cursor.at]) && looks_like_diagram(text, cursor.at))
        status = read_diagram(&cursor, &result);
    else
        status = read_twelve(&cursor, &result);
    if (status == WARI_OK)
        *setup = result;
    return status;
}

/* ---- Writing ---- */

/* Appends "<number><mark>", truncated to the buffer. Valid positions always fit. */
static void append(char *text, size_t size, int number, const char *mark)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%d%s", number, mark);
}

void wari_position_text(const struct wari_position *position, char text[WARI_POSITION_TEXT])
{
    text[0] = 0;
    for (int pit = 0; pit < WARI_PITS; pit++) {
        const char *mark = pit == WARI_PITS - 1 ? "" : pit == WARI_HALF_PITS - 1 ? " / " : " ";
        append(text, WARI_POSITION_TEXT, position->pits[pit], mark);
    }
}

void wari_diagram_text(const struct wari_setup *setup, char text[WARI_DIAGRAM_TEXT])
{
    bool north = setup->diagram && setup->north_to_move;
    int south_store =
        setup->diagram ? setup->stores[0] : WARI_SEEDS_MAX - wari_seeds(&setup->position);
    int north_store = setup->diagram ? setup->stores[1] : 0;

    text[0] = 0;
    for (int i = 0; i < WARI_PITS; i++) {
        int pit = north ? (i + WARI_HALF_PITS) % WARI_PITS : i;
        append(text, WARI_DIAGRAM_TEXT, setup->position.pits[pit], "-");
    }
    append(text, WARI_DIAGRAM_TEXT, south_store, "-");
    append(text, WARI_DIAGRAM_TEXT, north_store, north ? "-N" : "-S");
}

/* ---- Moves ---- */

char wari_move_letter(int pit, bool north)
{
    return (char)((north ? 'a' : 'A') + pit);
}

enum wari_status wari_move_parse(char letter, bool north, int *pit, struct wari_error *error)
{
    char first = wari_move_letter(0, north);
    char last = wari_move_letter(WARI_HALF_PITS - 1, north);
    if (letter >= first && letter <= last) {
        *pit = letter - first;
        return WARI_OK;
    }

    const struct cursor here = {&letter, 0, NULL};
    char words[24];
    return wari_fail(error, WARI_BAD_INPUT, "%s is not a move of %s, whose pits are %c to %c",
                     found(&here, words), north ? "North" : "South", first, last);
}

/* Notation: text to position, position to text, and the letters of moves.
 *
 * A text is read once from left to right by a cursor that knows its column, so that every error
 * message can say where the text is wrong. The text is not copied and may have any length. A text
 * is a diagram if a dash follows its first count. It is in the notation of PlayStrategy if its
 * first word contains a slash, and a letter S or N follows the slash.
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
    NUMBER_CAP = 1000, /* larger numbers are not read exactly; they are too large in any case */
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
static const char playstrategy_help[] =
    "PlayStrategy writes two rows, two stores and the side to move, such as "
    "4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S 1";

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

/* Reads the digits at the cursor. If the number is above NUMBER_CAP, returns some number that is at
 * least NUMBER_CAP, and so above WARI_SEEDS_MAX. */
static int read_number(struct cursor *cursor)
{
    int number = 0;
    for (; is_digit(cursor->text[cursor->at]); cursor->at++)
        if (number < NUMBER_CAP)
            number = 10 * number + (cursor->text[cursor->at] - '0');
    return number;
}

/* Stores the count called `name`, whose digits start at `start`, and adds it to *sum, which may not
 * exceed 48. */
static enum wari_status store_count(const struct cursor *cursor, size_t start, int number,
                                    const char *name, uint8_t *count, int *sum)
{
    size_t length = cursor->at - start;
    if (number > WARI_SEEDS_MAX)
        return wari_fail(cursor->error, WARI_BAD_INPUT,
                         "column %d: %.*s%s seeds in %s, but a game has %d; correct this count%s",
                         column(start), length > 8 ? 8 : (int)length, cursor->text + start,
                         length > 8 ? "..." : "", name, WARI_SEEDS_MAX,
                         length > 2 ? ", or separate the counts" : "");
    *sum += number;
    if (*sum > WARI_SEEDS_MAX)
        return wari_fail(cursor->error, WARI_BAD_INPUT,
                         "column %d: %d seeds up to %s, but a game has %d; correct the counts",
                         column(start), *sum, name, WARI_SEEDS_MAX);
    *count = (uint8_t)number;
    return WARI_OK;
}

static enum wari_status missing_count(const struct cursor *cursor, const char *name,
                                      const char *help)
{
    char expected[48];
    snprintf(expected, sizeof expected, "the count of %s is expected", name);
    return unexpected(cursor, expected, help);
}

/* Reads the count called `name` and adds it to *sum, which may not exceed 48. */
static enum wari_status read_count(struct cursor *cursor, const char *name, const char *help,
                                   uint8_t *count, int *sum)
{
    size_t start = cursor->at;
    if (!is_digit(cursor->text[start]))
        return missing_count(cursor, name, help);
    int number = read_number(cursor);
    return store_count(cursor, start, number, name, count, sum);
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

/* ---- Reading the notation of PlayStrategy ---- */

/* Returns the number, 0..11 for A..F a..f, of the pit in this column (0..5) of a row. North's row
 * is written from pit f to pit a, as it appears on the board. The function also converts the
 * number of a pit to its column. */
static int row_pit(bool north, int row_column)
{
    return north ? WARI_PITS - 1 - row_column : row_column;
}

/* Reads six pits, separated by commas: "3S" is a pit with three seeds, "3" is three empty pits. */
static enum wari_status read_row(struct cursor *cursor, bool north, uint8_t counts[WARI_PITS],
                                 int *sum)
{
    for (int pit_column = 0; pit_column < WARI_HALF_PITS;) {
        int pit = row_pit(north, pit_column);
        if (pit_column > 0 && cursor->text[cursor->at] != ',')
            return unexpected(cursor, "a comma and the next pit are expected", playstrategy_help);
        cursor->at += pit_column > 0;
        size_t start = cursor->at;
        if (!is_digit(cursor->text[start]))
            return missing_count(cursor, count_names[pit], playstrategy_help);
        int number = read_number(cursor);
        if (cursor->text[cursor->at] == 'S') {
            enum wari_status status =
                store_count(cursor, start, number, count_names[pit], &counts[pit], sum);
            if (status != WARI_OK)
                return status;
            cursor->at++;
            pit_column++;
        } else if (number < 1 || number > WARI_HALF_PITS - pit_column) {
            return wari_fail(cursor->error, WARI_BAD_INPUT,
                             "column %d: a number without S counts empty pits, but %s row has %d "
                             "left here; %s",
                             column(start), north ? "North's" : "South's",
                             WARI_HALF_PITS - pit_column, playstrategy_help);
        } else {
            pit_column += number;
        }
    }
    return WARI_OK;
}

/* Skips the blanks between two fields. In addresses of pages an underscore stands for a blank. */
static enum wari_status read_gap(struct cursor *cursor, const char *next)
{
    size_t start = cursor->at;
    while (is_blank(cursor->text[cursor->at]) || cursor->text[cursor->at] == '_')
        cursor->at++;
    return cursor->at > start ? WARI_OK : unexpected(cursor, next, playstrategy_help);
}

/* Checks that pits and stores hold all seeds of a game. When a game has ended, the site adds the
 * seeds of each row to the store of its side and leaves them on the board; then the stores alone
 * hold 48, and this function takes the rows out of them again. */
static enum wari_status balance_stores(const struct cursor *cursor, size_t last_count, int seeds,
                                       const uint8_t counts[WARI_PITS], int stores[2])
{
    int rows[2] = {0, 0};
    for (int pit = 0; pit < WARI_PITS; pit++)
        rows[pit / WARI_HALF_PITS] += counts[pit];
    if (stores[0] + stores[1] == WARI_SEEDS_MAX && stores[0] >= rows[0] && stores[1] >= rows[1]) {
        stores[0] -= rows[0];
        stores[1] -= rows[1];
    }
    int sum = seeds + stores[0] + stores[1];
    if (sum == WARI_SEEDS_MAX)
        return WARI_OK;
    return wari_fail(cursor->error, WARI_BAD_INPUT,
                     "column %d: with North's store, pits and stores add up to %d seeds, but a "
                     "game has %d; correct the counts",
                     column(last_count), sum, WARI_SEEDS_MAX);
}

static enum wari_status read_playstrategy(struct cursor *cursor, struct wari_setup *setup)
{
    uint8_t counts[WARI_PITS] = {0}, store;
    int sum = 0, stores[2];
    size_t last_count = 0;

    enum wari_status status = read_row(cursor, true, counts, &sum);
    if (status == WARI_OK && cursor->text[cursor->at] != '/')
        status = unexpected(cursor, "a slash and South's row are expected", playstrategy_help);
    cursor->at += status == WARI_OK;
    if (status == WARI_OK)
        status = read_row(cursor, false, counts, &sum);
    for (int side = 0; side < 2 && status == WARI_OK; side++) {
        int alone = 0;
        status = read_gap(cursor, "a blank and a store are expected");
        last_count = cursor->at;
        if (status == WARI_OK)
            status = read_count(cursor, count_names[WARI_PITS + side], playstrategy_help, &store,
                                &alone);
        stores[side] = alone;
    }
    if (status == WARI_OK)
        status = read_gap(cursor, "a blank and the side to move are expected");
    if (status != WARI_OK)
        return status;
    char side = cursor->text[cursor->at];
    if (side != 'S' && side != 'N')
        return unexpected(cursor, "the side to move, S or N, is expected", playstrategy_help);
    cursor->at++;
    if (cursor->text[cursor->at] != 0) { /* the number of the move may be missing */
        status = read_gap(cursor, "a blank and the number of the move are expected");
        while (is_digit(cursor->text[cursor->at]))
            cursor->at++;
        if (status == WARI_OK)
            status = read_end(cursor, "nothing is expected after the number of the move",
                              playstrategy_help);
    }
    if (status == WARI_OK)
        status = balance_stores(cursor, last_count, sum, counts, stores);
    if (status != WARI_OK)
        return status;

    setup->diagram = true;
    setup->north_to_move = side == 'N';
    for (int pit = 0; pit < WARI_PITS; pit++)
        setup->position.pits[pit] =
            counts[setup->north_to_move ? (pit + WARI_HALF_PITS) % WARI_PITS : pit];
    setup->stores[0] = (uint8_t)stores[0];
    setup->stores[1] = (uint8_t)stores[1];
    return WARI_OK;
}

/* ---- Reading any notation ---- */

/* Returns true if the text, whose first count starts at `at`, has a dash after this count. */
static bool looks_like_diagram(const char *text, size_t at)
{
    while (is_digit(text[at]))
        at++;
    return text[at] == '-';
}

/* Returns true if the first word, which starts at `at`, contains a slash, and a letter S or N
 * follows the slash somewhere in the text. */
static bool looks_like_playstrategy(const char *text, size_t at)
{
    while (text[at] && text[at] != '/' && !is_blank(text[at]))
        at++;
    if (text[at] != '/')
        return false;
    while (text[at] && text[at] != 'S' && text[at] != 'N')
        at++;
    return text[at] != 0;
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
    else if (is_digit(text[cursor.at]) && looks_like_playstrategy(text, cursor.at))
        status = read_playstrategy(&cursor, &result);
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

/* Returns the number of seeds in a pit of the board. Pits 0..11 are A..F and a..f. */
static int board_count(const struct wari_setup *setup, int pit)
{
    return setup->position.pits[setup->north_to_move ? (pit + WARI_HALF_PITS) % WARI_PITS : pit];
}

void wari_diagram_text(const struct wari_setup *setup, char text[WARI_DIAGRAM_TEXT])
{
    if (!setup->diagram) {
        wari_position_text(&setup->position, text);
        return;
    }
    text[0] = 0;
    for (int pit = 0; pit < WARI_PITS; pit++)
        append(text, WARI_DIAGRAM_TEXT, board_count(setup, pit), "-");
    append(text, WARI_DIAGRAM_TEXT, setup->stores[0], "-");
    append(text, WARI_DIAGRAM_TEXT, setup->stores[1], setup->north_to_move ? "-N" : "-S");
}

void wari_playstrategy_text(const struct wari_setup *setup, char text[WARI_PLAYSTRATEGY_TEXT])
{
    if (!setup->diagram) {
        wari_position_text(&setup->position, text);
        return;
    }
    text[0] = 0;
    for (int row = 0; row < 2; row++) {
        const char *end = row == 0 ? "/" : " ";
        int empty = 0; /* number of empty pits before this one */
        for (int pit_column = 0; pit_column < WARI_HALF_PITS; pit_column++) {
            int count = board_count(setup, row_pit(row == 0, pit_column));
            bool last = pit_column == WARI_HALF_PITS - 1;
            empty += count == 0;
            if (empty > 0 && (count > 0 || last))
                append(text, WARI_PLAYSTRATEGY_TEXT, empty, count == 0 ? end : ",");
            if (count == 0)
                continue;
            append(text, WARI_PLAYSTRATEGY_TEXT, count, last ? (row == 0 ? "S/" : "S ") : "S,");
            empty = 0;
        }
    }
    append(text, WARI_PLAYSTRATEGY_TEXT, setup->stores[0], " ");
    append(text, WARI_PLAYSTRATEGY_TEXT, setup->stores[1], setup->north_to_move ? " N 1" : " S 1");
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

/* Parses a square, such as d1, as a pit of the board: 0..11 for A..F a..f. Returns -1 if there is
 * no such square. Reads no further than the first character that is wrong. */
static int square_pit(const char *text)
{
    if (text[0] < 'a' || text[0] > 'f' || (text[1] != '1' && text[1] != '2'))
        return -1;
    return row_pit(text[1] == '2', text[0] - 'a');
}

enum wari_status wari_playstrategy_move_parse(const char *text, const struct wari_setup *setup,
                                              int *pit, struct wari_error *error)
{
    enum { LAP = WARI_PITS - 1 }; /* a lap skips the pit that is sown */
    bool north = setup->diagram && setup->north_to_move;
    int from = square_pit(text);
    int to = from < 0 ? -1 : square_pit(text + 2);
    if (from < 0 || to < 0)
        return wari_fail(error, WARI_BAD_INPUT,
                         "a PlayStrategy move is two squares from a1 to f2, such as d1e2");
    if (from / WARI_HALF_PITS != north)
        return wari_fail(error, WARI_BAD_INPUT,
                         "%.4s is not a move of %s, whose pits are a%d to f%d", text,
                         north ? "North" : "South", 1 + north, 1 + north);
    int seeds = board_count(setup, from);
    int last = seeds ? (from + seeds + (seeds - 1) / LAP) % WARI_PITS : to;
    if (last != to)
        return wari_fail(error, WARI_BAD_INPUT, "the last seed of %.2s falls into %c%d, not %.2s",
                         text, 'a' + row_pit(last >= WARI_HALF_PITS, last),
                         1 + last / WARI_HALF_PITS, text + 2);
    *pit = from % WARI_HALF_PITS;
    return WARI_OK;
}

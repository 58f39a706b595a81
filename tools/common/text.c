/* Formats numbers for people, and draws the board.
 *
 * The drawing shows North's pits from right to left, so that sowing runs round the board.
 */
#include "tools/common/text.h"

#include <stdio.h>

#include "play/text.h"

/* Screen columns in the drawing of the board. */
enum { FIRST_PIT_COLUMN = 9, PIT_WIDTH = 4 };

const char *text_number(uint64_t number, char text[TEXT_NUMBER])
{
    char digits[TEXT_NUMBER];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    int out = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = '\0';
    return text;
}

const char *text_bytes(uint64_t bytes, char text[TEXT_NUMBER])
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 1000) {
        snprintf(text, TEXT_NUMBER, "%d byte%s", (int)bytes, bytes == 1 ? "" : "s");
        return text;
    }
    double amount = (double)bytes / 1000;
    int unit = 0;
    for (; amount >= 999.95; unit++)
        amount /= 1000;
    snprintf(text, TEXT_NUMBER, "%.1f %s", amount, units[unit]);
    return text;
}

const char *text_levels(int first, int last, char text[TEXT_NUMBER])
{
    if (first == last)
        snprintf(text, TEXT_NUMBER, "level %d", first);
    else
        snprintf(text, TEXT_NUMBER, "levels %d to %d", first, last);
    return text;
}

const char *text_seconds(double seconds, char text[TEXT_NUMBER])
{
    if (seconds < 9.995) {
        snprintf(text, TEXT_NUMBER, "%.2f s", seconds);
        return text;
    }
    return text_whole_seconds(seconds, text);
}

const char *text_whole_seconds(double seconds, char text[TEXT_NUMBER])
{
    uint64_t rounded = (uint64_t)(seconds + 0.5);
    unsigned long long minutes = rounded / 60 % 60;
    unsigned long long hours = rounded / 3600;
    if (hours)
        snprintf(text, TEXT_NUMBER, "%llu h %02llu min", hours, minutes);
    else if (minutes)
        snprintf(text, TEXT_NUMBER, "%llu min %02d s", minutes, (int)(rounded % 60));
    else
        snprintf(text, TEXT_NUMBER, "%d s", (int)rounded);
    return text;
}

const char *text_value(int value, char text[TEXT_NUMBER])
{
    snprintf(text, TEXT_NUMBER, value > 0 ? "+%d" : "%d", value);
    return text;
}

const char *text_path(const char *path, char text[TEXT_PATH])
{
    wari_text_clean(text, TEXT_PATH, path);
    return text;
}

double text_percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* ---- The board ---- */

const char *board_player(bool north)
{
    return north ? "North" : "South";
}

/* Returns the position of a pit in its row as drawn, counted from the left. Also converts such a
 * position back into a pit. */
static int column_of(int pit, bool north)
{
    return north ? WARI_HALF_PITS - 1 - pit : pit;
}

static void print_letters(bool north)
{
    printf("      ");
    for (int i = 0; i < WARI_HALF_PITS; i++)
        printf("   %c", wari_move_letter(column_of(i, north), north));
    putchar('\n');
}

static void print_row(const struct wari_setup *setup, bool north)
{
    const uint8_t *row =
        setup->position.pits + (north == setup->north_to_move ? 0 : WARI_HALF_PITS);
    printf(" %s", board_player(north));
    for (int i = 0; i < WARI_HALF_PITS; i++)
        printf("  %2d", row[column_of(i, north)]);
    if (setup->diagram)
        printf("   store %2d", setup->stores[north]);
    if (north == setup->north_to_move)
        printf("   to move");
    putchar('\n');
}

static void print_arrow(int pit, bool north, const char *words)
{
    printf("%*s%c   %s\n", FIRST_PIT_COLUMN + PIT_WIDTH * column_of(pit, north), "",
           north ? 'v' : '^', words);
}

static void print_board(const struct wari_setup *setup, int pit, const char *words)
{
    bool north = setup->north_to_move;
    putchar('\n');
    if (pit >= 0 && north)
        print_arrow(pit, north, words);
    print_letters(true);
    print_row(setup, true);
    print_row(setup, false);
    print_letters(false);
    if (pit >= 0 && !north)
        print_arrow(pit, north, words);
    putchar('\n');
}

void board_print(const struct wari_setup *setup)
{
    print_board(setup, -1, "");
}

void board_print_arrow(const struct wari_setup *setup, int pit, const char *words)
{
    print_board(setup, pit, words);
}

const char *board_moves(uint8_t pits, bool north, char text[BOARD_MOVES])
{
    size_t length = 0;
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        if (!(pits >> pit & 1))
            continue;
        if (length > 0)
            text[length++] = ' ';
        text[length++] = wari_move_letter(pit, north);
    }
    text[length] = '\0';
    return text;
}

const char *board_move(int pit, bool north, int captured, char text[BOARD_MOVES])
{
    int length = snprintf(text, BOARD_MOVES, "%c", wari_move_letter(pit, north));
    if (captured > 0)
        snprintf(text + length, (size_t)(BOARD_MOVES - length), "+%d", captured);
    return text;
}

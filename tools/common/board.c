/* The board on a terminal: North's pits run from right to left, so that sowing goes round the
 * board.
 */
#include "tools/common/board.h"

#include <stdio.h>

enum { FIRST_PIT = 9, PIT_WIDTH = 4 }; /* columns */

const char *board_player(bool north)
{
    return north ? "North" : "South";
}

/* The place from the left of a pit of one side. */
static int place(int pit, bool north)
{
    return north ? WARI_HALF_PITS - 1 - pit : pit;
}

static void print_letters(bool north)
{
    printf("      ");
    for (int i = 0; i < WARI_HALF_PITS; i++)
        printf("   %c", wari_move_letter(place(i, north), north));
    putchar('\n');
}

static void print_row(const struct wari_setup *setup, bool north)
{
    const uint8_t *row =
        setup->position.pits + (north == setup->north_to_move ? 0 : WARI_HALF_PITS);
    printf(" %s", board_player(north));
    for (int i = 0; i < WARI_HALF_PITS; i++)
        printf("  %2d", row[place(i, north)]);
    if (setup->diagram)
        printf("   store %2d", setup->stores[north]);
    if (north == setup->north_to_move)
        printf("   to move");
    putchar('\n');
}

static void print_arrow(int pit, bool north, const char *words)
{
    printf("%*s%c   %s\n", FIRST_PIT + PIT_WIDTH * place(pit, north), "", north ? 'v' : '^', words);
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

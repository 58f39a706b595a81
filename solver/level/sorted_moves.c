/* Sorts moves with a counting sort that has no branch for each move. Moves are counted separately
 * for each pit, so that successive increments are independent of each other. */
#include "solver/level/sorted_moves.h"

/* Number of values of wari_sowing_sown(). The value of an empty pit is SOWN_NUMBERS - 1; no move
 * can drop so many seeds. */
enum { SOWN_NUMBERS = 32 };

void wari_sort_moves(const struct wari_halves *halves, int seeds, uint32_t first, uint32_t count,
                     struct wari_sorted_moves *moves)
{
    wari_sowing sowings[WARI_ITEM_COLUMNS][WARI_HALF_PITS];
    uint16_t counts[SOWN_NUMBERS][WARI_HALF_PITS] = {{0}};
    uint16_t offsets[SOWN_NUMBERS][WARI_HALF_PITS], next = 0;

    wari_sow_halves(halves, seeds, first, count, sowings);
    for (uint32_t half = 0; half < count; half++)
        for (int pit = 0; pit < WARI_HALF_PITS; pit++)
            counts[wari_sowing_sown(sowings[half][pit])][pit]++;
    for (int sown = 0; sown < SOWN_NUMBERS; sown++) {
        if (sown <= WARI_SOWN_MAX + 1)
            moves->first[sown] = next;
        for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
            offsets[sown][pit] = next;
            next = (uint16_t)(next + counts[sown][pit]);
        }
    }
    for (uint32_t half = 0; half < count; half++)
        for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
            const wari_sowing sowing = sowings[half][pit];
            moves->move[offsets[wari_sowing_sown(sowing)][pit]++] =
                wari_sorted_move_of(half, sowing);
        }
}

/* Computes moves for each half of the board. This code was written from the rules and shares
 * nothing with other implementations of the moves. */
#include "verify/verify_columns.h"

#include <string.h>

#include "index/half.h"

/* Number of pits that receive seeds in one lap: all except the pit of origin. */
enum { LAP = WARI_PITS - 1 };

uint64_t wari_verify_columns_bytes(int seeds_max)
{
    uint64_t halves = 0;
    for (int seeds = 0; seeds <= seeds_max; seeds++)
        halves += wari_half_count(seeds);
    return halves * sizeof(struct wari_verify_column);
}

/* Sows the seeds of a pit into the eleven other pits: first the mover's pits after it, then the
 * opponent's pits, then the mover's pits before it. Returns the entry for sown[]. */
static uint8_t empty_pit(uint8_t pits[WARI_HALF_PITS], int pit)
{
    const int seeds = pits[pit];
    const int behind = WARI_HALF_PITS - 1 - pit;
    const int last = (seeds - 1) % LAP;
    int sown = seeds;

    for (int other = 0; other < WARI_HALF_PITS; other++) {
        const int place = other > pit ? other - pit - 1 : behind + WARI_HALF_PITS + other;
        const int dropped = seeds / LAP + (place < seeds % LAP);
        if (other == pit)
            continue;
        pits[other] = (uint8_t)(pits[other] + dropped);
        sown -= dropped;
    }
    pits[pit] = 0;
    const bool lands = last >= behind && last < behind + WARI_HALF_PITS;
    return (uint8_t)(lands ? sown | WARI_VERIFY_LANDS : sown);
}

void wari_verify_columns_fill(struct wari_verify_columns *columns, int seeds_max, void *memory)
{
    struct wari_verify_column *next = memory;
    for (int seeds = 0; seeds <= seeds_max; seeds++) {
        uint8_t half[WARI_HALF_PITS];
        wari_half_unrank(seeds, 0, half);
        columns->of[seeds] = next;
        do {
            memset(next->sown, WARI_VERIFY_NO_MOVE, sizeof next->sown);
            for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
                uint8_t after[WARI_HALF_PITS];
                memcpy(after, half, sizeof after);
                next->row[pit] = 0;
                if (half[pit] == 0)
                    continue;
                next->sown[pit] = empty_pit(after, pit);
                next->row[pit] = wari_row_rank(after);
            }
            next++;
        } while (wari_half_next(half));
    }
}

void wari_verify_sow(uint8_t pits[WARI_HALF_PITS], int t)
{
    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        pits[pit] = (uint8_t)(pits[pit] + t / WARI_HALF_PITS + (pit < t % WARI_HALF_PITS));
}

int wari_verify_capture(uint8_t pits[WARI_HALF_PITS], int t)
{
    int captured = 0;
    for (int pit = (t - 1) % WARI_HALF_PITS; pit >= 0; pit--) {
        if (pits[pit] != 2 && pits[pit] != 3)
            break;
        captured += pits[pit];
        pits[pit] = 0;
    }
    return captured;
}

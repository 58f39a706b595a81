/* Draws positions in which rare cases of the rules are frequent.
 *
 * In a third of the positions, seeds may be in all pits. In another third, the opponent's row has
 * few seeds, so that a slam could capture all of them. In the last third, the opponent's row is
 * empty. Most seeds are scattered over a random choice of the pits, so short rows and gaps are
 * common. The generator is SplitMix64 (Steele, Lea, Flood 2014), because it is short and works with
 * any seed. */
#include "random_positions.h"

#include <string.h>

enum { PITS = 12, ROW = 6, LEAST = 12, MOST = 48, LONGEST_SINGLE_LAP = 11 };
enum { WHOLE_BOARD = 0xfff, MOVER_ROW = 0x03f };

static uint64_t next_number(struct random_positions *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void random_positions_seed(struct random_positions *random, uint64_t seed)
{
    random->state = seed;
    random->drawn = 0;
}

uint32_t random_below(struct random_positions *random, uint32_t limit)
{
    return (uint32_t)(((next_number(random) >> 32) * limit) >> 32);
}

/* Lists the pits of `mask` that hold fewer than `cap` seeds. Returns their number. */
static int pits_with_room(const unsigned char pits[PITS], unsigned mask, int cap, int list[PITS])
{
    int count = 0;

    for (int pit = 0; pit < PITS; pit++)
        if ((mask >> pit & 1) && pits[pit] < cap)
            list[count++] = pit;
    return count;
}

/* Drops `seeds` seeds at random into the pits of the set `some`. When all of these pits hold `cap`
 * seeds, continues with the pits of the set `allowed`. */
static void scatter(struct random_positions *random, unsigned char pits[PITS], int seeds,
                    unsigned some, unsigned allowed, int cap)
{
    int list[PITS];
    int count = pits_with_room(pits, some, cap, list);

    while (seeds > 0) {
        uint32_t at;

        if (count == 0)
            count = pits_with_room(pits, allowed, cap, list);
        at = random_below(random, (uint32_t)count);
        pits[list[at]]++;
        seeds--;
        if (pits[list[at]] >= cap)
            list[at] = list[--count];
    }
}

/* Makes a row with 1 or 2 seeds in each of the first pits, up to a random pit. In a quarter of the
 * rows, adds one seed to a random pit. Returns the number of seeds. */
static int thin_row(struct random_positions *random, unsigned char row[ROW])
{
    int seeds = 0;
    uint32_t length = random_below(random, ROW + 1);

    for (uint32_t pit = 0; pit < length; pit++)
        row[pit] = (unsigned char)(1 + random_below(random, 2));
    if (random_below(random, 4) == 0)
        row[random_below(random, ROW)]++;
    for (int pit = 0; pit < ROW; pit++)
        seeds += row[pit];
    return seeds;
}

void random_position(struct random_positions *random, unsigned char pits[12])
{
    int heavy = (int)(random->drawn++ % 2);
    int left = LEAST + (int)random_below(random, MOST - LEAST + 1);
    unsigned allowed = WHOLE_BOARD;
    uint32_t shape = random_below(random, 3);

    memset(pits, 0, PITS);
    if (shape > 0)
        allowed = MOVER_ROW;
    if (heavy) {
        uint32_t pit = random_below(random, shape > 0 ? ROW : PITS);
        int more = (int)random_below(random, (uint32_t)(left - LEAST + 1));

        pits[pit] = (unsigned char)(LEAST + more);
        left -= pits[pit];
    }
    if (shape == 1) {
        unsigned char row[ROW] = {0};
        int seeds = thin_row(random, row);

        if (seeds <= left) {
            memcpy(pits + ROW, row, ROW);
            left -= seeds;
        }
    }
    scatter(random, pits, left, allowed & random_below(random, WHOLE_BOARD + 1), allowed,
            heavy ? MOST : LONGEST_SINGLE_LAP);
}

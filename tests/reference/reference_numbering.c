/* The numbering of all placements of n seeds in twelve pits.
 *
 * Let S(i) be the number of seeds in pits 0..i together. Then S(0) + 0 < S(1) + 1 < ... < S(10) +
 * 10 are eleven different numbers below n + 11, and they determine the placement. The number of the
 * placement is the rank of this choice in the combinatorial number system, the sum of C(S(i) + i, i
 * + 1). The next placement differs in few pits (ref_next()), so a loop over a level need not
 * convert numbers to placements. */
#include "reference.h"

#include <string.h>

void ref_numbering_fill(struct ref_numbering *numbering)
{
    /* Pascal's triangle: C(s+i, i+1) = C(s+i-1, i) + C(s+i-1, i+1). */
    for (int i = 0; i < REF_PITS - 1; i++) {
        numbering->below[i][0] = 0;
        for (int s = 1; s <= REF_ALL_SEEDS + 1; s++) {
            uint64_t above = i == 0 ? 1 : numbering->below[i - 1][s];

            numbering->below[i][s] = numbering->below[i][s - 1] + above;
        }
    }
}

uint64_t ref_count(const struct ref_numbering *numbering, int seeds)
{
    return numbering->below[REF_PITS - 2][seeds + 1];
}

uint64_t ref_rank(const struct ref_numbering *numbering, const unsigned char pits[REF_PITS])
{
    uint64_t number = 0;
    int sum = 0;

    for (int i = 0; i < REF_PITS - 1; i++) {
        sum += pits[i];
        number += numbering->below[i][sum];
    }
    return number;
}

void ref_first(int seeds, unsigned char pits[REF_PITS])
{
    memset(pits, 0, REF_PITS);
    pits[REF_PITS - 1] = (unsigned char)seeds;
}

int ref_next(unsigned char pits[REF_PITS])
{
    int from = 1;
    unsigned char first = pits[0];

    while (from < REF_PITS && pits[from] == 0)
        from++;
    if (from == REF_PITS)
        return 0;
    pits[0] = 0;
    pits[from]--;
    pits[from - 1] = (unsigned char)(first + 1);
    return 1;
}

/* Sowing and capturing in one half; see sow.h. */
#include "solver/rows/sow.h"

#include <string.h>

int wari_seeds_to_sow(int sown)
{
    return sown == 0 ? 0 : sown + 5 * ((sown - 1) / WARI_HALF_PITS);
}

wari_sowing wari_sow(uint8_t half[WARI_HALF_PITS], int pit)
{
    int left = half[pit], sown = 0;
    bool last = false;

    half[pit] = 0;
    for (int at = pit; left > 0;) {
        at = (at + 1) % WARI_PITS;
        if (at == pit)
            continue;
        last = at >= WARI_HALF_PITS;
        if (last)
            sown++;
        else
            half[at]++;
        left--;
    }
    return (uint32_t)last << 26 | (uint32_t)sown << 27;
}

struct wari_landing wari_land(const uint8_t half[WARI_HALF_PITS], int sown)
{
    struct wari_landing landing = {0, false, 0};
    uint8_t left[WARI_HALF_PITS];

    memcpy(left, half, sizeof left);
    for (int pit = (sown - 1) % WARI_HALF_PITS; pit >= 0 && (left[pit] == 2 || left[pit] == 3);
         pit--) {
        landing.captured += left[pit];
        left[pit] = 0;
    }
    if (landing.captured > 0) {
        landing.slam = wari_half_seeds(left) == 0;
        landing.column = wari_half_rank(left);
    }
    return landing;
}

void wari_drop(uint8_t half[WARI_HALF_PITS], int sown)
{
    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        half[pit] = (uint8_t)(half[pit] + (sown + WARI_HALF_PITS - 1 - pit) / WARI_HALF_PITS);
}

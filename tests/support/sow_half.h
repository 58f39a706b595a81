/* Sows one pit of a half, seed by seed. */
#ifndef TESTS_SUPPORT_SOW_HALF_H
#define TESTS_SUPPORT_SOW_HALF_H

#include <string.h>

#include "solver/rows/sow.h"

/* Returns the complete sowing, or WARI_NO_SOWING. */
static inline wari_sowing sow_half(const uint8_t half[WARI_HALF_PITS], int pit)
{
    uint8_t after[WARI_HALF_PITS];
    wari_sowing sowing;

    if (half[pit] == 0)
        return WARI_NO_SOWING;
    memcpy(after, half, sizeof after);
    sowing = wari_sow(after, pit);
    return sowing | wari_row_rank(after);
}

#endif

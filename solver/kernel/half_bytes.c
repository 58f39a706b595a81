/* Which codes become half bytes, and the way there and back without vectors, see half_bytes.h. */
#include "solver/kernel/half_bytes.h"

#include <string.h>

enum { GROUPS_COUNTED = 64 }; /* that is enough to know which codes are frequent */

void wari_choose_half_codes(const int8_t *cells, size_t groups, struct wari_half_codes *codes)
{
    const size_t step = groups / GROUPS_COUNTED + 1;
    uint32_t times[256] = {0};

    for (size_t group = 0; group < groups; group += step)
        for (size_t i = 0; i < WARI_HALVES_GROUP; i++)
            times[(uint8_t)cells[group * WARI_HALVES_GROUP + i]]++;
    memset(codes->half, WARI_HALF_CODES, sizeof codes->half);
    memset(codes->code, 0, sizeof codes->code);
    for (uint8_t half = 0; half < WARI_HALF_CODES; half++) {
        int most = 0;
        for (int code = 1; code < 256; code++)
            if (times[code] > times[most])
                most = code;
        if (times[most] == 0)
            return;
        codes->code[half] = (uint8_t)most;
        codes->half[most] = half;
        times[most] = 0;
    }
}

size_t wari_to_halves_portable(const int8_t *cells, size_t groups,
                               const struct wari_half_codes *codes, uint8_t *bytes, size_t room)
{
    uint8_t *halves = bytes + WARI_HALVES_HEAD;
    uint8_t *other = halves + groups * WARI_HALVES_GROUP / 2;
    const size_t least = (size_t)(other - bytes) + WARI_HALVES_GROUP + WARI_HALVES_AHEAD;

    if (room < least)
        return 0;
    memcpy(bytes, codes->code, WARI_HALVES_HEAD);
    for (const uint8_t *last = bytes + room - WARI_HALVES_GROUP - WARI_HALVES_AHEAD; groups > 0;
         groups--, cells += WARI_HALVES_GROUP, halves += WARI_HALVES_GROUP / 2) {
        if (other > last)
            return 0;
        for (int i = 0; i < WARI_HALVES_GROUP; i++) {
            const uint8_t code = (uint8_t)cells[i], half = codes->half[code];
            uint8_t *at = &halves[i % (WARI_HALVES_GROUP / 2)];
            *at = (uint8_t)(i < WARI_HALVES_GROUP / 2 ? half : *at | half << 4);
            *other = code;
            other += half == WARI_HALF_CODES;
        }
    }
    return (size_t)(other - bytes);
}

void wari_from_halves_portable(const uint8_t *bytes, size_t size, int8_t *cells, size_t groups)
{
    const uint8_t *halves = bytes + WARI_HALVES_HEAD, *end = bytes + size;
    const uint8_t *other = halves + groups * WARI_HALVES_GROUP / 2;

    for (; groups > 0; groups--, cells += WARI_HALVES_GROUP, halves += WARI_HALVES_GROUP / 2) {
        if (other > end)
            other = end;
        for (int i = 0; i < WARI_HALVES_GROUP; i++) {
            const uint8_t both = halves[i % (WARI_HALVES_GROUP / 2)];
            const uint8_t half = i < WARI_HALVES_GROUP / 2 ? both & 15 : both >> 4;
            cells[i] = (int8_t)(half == WARI_HALF_CODES ? *other : bytes[half]);
            other += half == WARI_HALF_CODES;
        }
    }
}

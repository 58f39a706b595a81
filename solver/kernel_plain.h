/* The parts of a kernel that plain C expresses well: the compiler vectorises them for whatever
 * instruction set the including function is compiled for. */
#ifndef SOLVER_KERNEL_PLAIN_H
#define SOLVER_KERNEL_PLAIN_H

#include <string.h>

#include "solver/kernel.h"

#define WARI_INLINE static inline __attribute__((always_inline))

WARI_INLINE int8_t wari_larger(int8_t a, int8_t b)
{
    return a > b ? a : b;
}

WARI_INLINE int8_t wari_smaller(int8_t a, int8_t b)
{
    return a < b ? a : b;
}

/* worst = min(worst, gathered) at the places whose bit is set, for 64 places. */
WARI_INLINE void wari_min_where(int8_t *restrict worst, const int8_t *restrict gathered,
                                uint64_t where)
{
    if (where == UINT64_MAX) {
        for (int i = 0; i < 64; i++)
            worst[i] = wari_smaller(worst[i], gathered[i]);
        return;
    }
    for (int byte = 0; byte < 8; byte++) {
        for (int bit = 0; bit < 8; bit++) {
            const int i = 8 * byte + bit;
            const int8_t least = where >> i & 1 ? INT8_MIN : WARI_NO_QUIET;
            worst[i] = wari_smaller(worst[i], wari_larger(gathered[i], least));
        }
    }
}

WARI_INLINE bool wari_news_plain(const struct wari_source *sources, int count, uint32_t segment)
{
    for (int i = 0; i < count; i++) {
        const struct wari_span span = sources[i].gather->span[segment];
        if (!sources[i].stamps)
            continue;
        for (uint32_t at = span.first; at <= span.last; at++)
            if (sources[i].stamps[at] >= sources[i].since)
                return true;
    }
    return false;
}

/* 8 by 8 bytes at a time: three rounds of swaps in eight 64-bit words. */
WARI_INLINE void wari_transpose_8x8(const int8_t *in, size_t in_pitch, int8_t *out,
                                    size_t out_pitch)
{
    uint64_t w[8];

    for (int i = 0; i < 8; i++)
        memcpy(&w[i], in + (size_t)i * in_pitch, 8);
    for (int half = 4; half > 0; half /= 2) {
        const uint64_t low = half == 4   ? UINT64_C(0x00000000ffffffff)
                             : half == 2 ? UINT64_C(0x0000ffff0000ffff)
                                         : UINT64_C(0x00ff00ff00ff00ff);
        for (int i = 0; i < 8; i++) {
            if (i & half)
                continue;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            const uint64_t swap = ((w[i] >> 8 * half) ^ w[i + half]) & low;
            w[i] ^= swap << 8 * half;
            w[i + half] ^= swap;
#else
            const uint64_t swap = ((w[i + half] >> 8 * half) ^ w[i]) & low;
            w[i + half] ^= swap << 8 * half;
            w[i] ^= swap;
#endif
        }
    }
    for (int i = 0; i < 8; i++)
        memcpy(out + (size_t)i * out_pitch, &w[i], 8);
}

WARI_INLINE void wari_transpose_plain(const int8_t *in, int8_t *out)
{
    for (int column = 0; column < WARI_GROUP; column += 8)
        for (int row = 0; row < WARI_GROUP; row += 8)
            wari_transpose_8x8(in + column * WARI_SEGMENT + row, WARI_SEGMENT,
                               out + row * WARI_GROUP + column, WARI_GROUP);
}

/* Shared by grow and shrink. `worst` is the turned patch. */
WARI_INLINE uint64_t wari_merge_plain(const struct wari_patch *patch, const int8_t *worst,
                                      bool shrink, uint64_t *changed)
{
    const int width = patch->width;
    int8_t keep[WARI_GROUP];
    uint64_t changed_rows = 0;

    for (int i = 0; i < WARI_GROUP; i++)
        keep[i] = patch->columns >> i & 1 ? 0 : -1;
    for (int row = 0; row < patch->rows; row++) {
        const size_t at = (size_t)row * patch->pitch;
        const int8_t surplus = (int8_t)patch->surplus;
        int8_t fresh[WARI_GROUP];
        int differ = 0;

        for (int i = 0; i < width; i++) {
            const int8_t old = patch->values[at + (size_t)i];
            int8_t best =
                wari_larger(patch->captures[at + (size_t)i], (int8_t)-worst[row * WARI_GROUP + i]);
            if (shrink) {
                const int8_t floor = patch->floor[at + (size_t)i];
                const int8_t high = floor >= 0 ? wari_larger(floor, surplus) : floor;
                const int8_t low = floor <= 0 ? wari_smaller(floor, surplus) : floor;
                best = wari_smaller(wari_larger(best, low), high);
            }
            fresh[i] = (int8_t)((best & ~keep[i]) | (old & keep[i]));
            differ += fresh[i] != old;
        }
        if (differ) {
            memcpy(patch->out + at, fresh, (size_t)width);
            changed_rows |= UINT64_C(1) << row;
            *changed += (uint64_t)differ;
        }
    }
    return changed_rows;
}

#endif

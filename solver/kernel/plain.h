/* The parts of a kernel that plain C expresses well: the compiler vectorises them for whatever
 * instruction set the including function is compiled for. */
#ifndef SOLVER_KERNEL_PLAIN_H
#define SOLVER_KERNEL_PLAIN_H

#include <string.h>

#include "solver/kernel/kernel.h"

#define WARI_INLINE static inline __attribute__((always_inline))

WARI_INLINE int8_t wari_larger(int8_t a, int8_t b)
{
    return a > b ? a : b;
}

WARI_INLINE int8_t wari_smaller(int8_t a, int8_t b)
{
    return a < b ? a : b;
}

/* A word whose first byte in memory is the lowest one. */
WARI_INLINE uint64_t wari_in_order(uint64_t word)
{
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* worst = min(worst, gathered) at the places whose bit is set, for 64 places. Others may not be
 * less than WARI_NO_QUIET, those whose bit is set not less than one more, which is -128. */
WARI_INLINE void wari_min_where(int8_t *restrict worst, int8_t *restrict gathered, uint64_t where)
{
    int8_t least[WARI_STRIP];

    if (where != UINT64_MAX) {
        for (int byte = 0; byte < 8; byte++) {
            const uint64_t eight = wari_in_order(wari_spread_bits((uint8_t)(where >> 8 * byte)) +
                                                 WARI_NO_QUIET * UINT64_C(0x0101010101010101));
            memcpy(least + 8 * byte, &eight, sizeof eight);
        }
        for (int i = 0; i < WARI_STRIP; i++)
            gathered[i] = wari_larger(gathered[i], least[i]);
    }
    for (int i = 0; i < WARI_STRIP; i++)
        worst[i] = wari_smaller(worst[i], gathered[i]);
}

/* How an instruction set takes the child columns of one strip out of a row. May write up to
 * WARI_GATHER_SLACK bytes behind the strip. */
enum { WARI_GATHER_SLACK = 64 };
typedef void wari_gather_strip(const struct wari_source *source, uint32_t strip, int8_t *out);

/* Strips of a block. */
struct wari_strips {
    uint32_t first, count;
};

WARI_INLINE uint64_t wari_worst_plain(const struct wari_source *sources, int count,
                                      struct wari_strips strips, int8_t *out, size_t pitch,
                                      wari_gather_strip *gather_strip)
{
    int8_t gathered[WARI_STRIP + WARI_GATHER_SLACK] = {0};
    uint64_t words = 0;

    for (uint32_t i = 0; i < strips.count; i++)
        memset(out + i * pitch, WARI_NO_QUIET, WARI_STRIP);
    for (int s = 0; s < count; s++) {
        const struct wari_gather *gather = sources[s].gather;
        for (uint32_t i = 0; i < strips.count; i++) {
            gather_strip(&sources[s], strips.first + i, gathered);
            wari_min_where(out + i * pitch, gathered,
                           sources[s].last ? gather->quiet[strips.first + i] : UINT64_MAX);
        }
        words += gather->first_word[strips.first + strips.count] - gather->first_word[strips.first];
    }
    return 64 * words;
}

WARI_INLINE uint64_t wari_worst_of_strip_plain(const struct wari_gather *gather, uint32_t strip,
                                               const struct wari_child *child, int count,
                                               int8_t *tile, wari_gather_strip *gather_strip)
{
    int8_t gathered[WARI_STRIP + WARI_GATHER_SLACK] = {0};

    for (int i = 0; i < count; i++) {
        const struct wari_source source = {.row = child[i].row, .gather = gather};
        gather_strip(&source, strip, gathered);
        wari_min_where(tile + child[i].column * WARI_STRIP, gathered,
                       child[i].last ? gather->quiet[strip] : UINT64_MAX);
    }
    return 64 * (uint64_t)count * (gather->first_word[strip + 1] - gather->first_word[strip]);
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
            wari_transpose_8x8(in + column * WARI_STRIP + row, WARI_STRIP,
                               out + row * WARI_GROUP + column, WARI_GROUP);
}

WARI_INLINE void wari_look_up_plain(const int8_t table[256], const int8_t *from, size_t count,
                                    int8_t *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = table[(uint8_t)from[i]];
}

WARI_INLINE void wari_nothing_merged(struct wari_merged *merged)
{
    merged->rows = merged->changed = 0;
    merged->asks = 0;
}

/* What becomes of a cell, by its smallest child. */
typedef int8_t wari_merge_cell(const struct wari_cells *codes, int8_t code, int8_t worst,
                               bool *ask);

/* Merges some cells of a row, one by one: those whose bit is set in `columns`, and all others stay
 * as they are. `worst`: the row's smallest children. */
WARI_INLINE void wari_merge_columns(const struct wari_patch *patch, int row, uint64_t columns,
                                    const int8_t *worst, wari_merge_cell *merge_cell,
                                    struct wari_merged *merged)
{
    int8_t *cells = patch->cells + (size_t)row * patch->pitch;
    uint64_t differ = 0;

    for (; columns != 0; columns &= columns - 1) {
        const int column = __builtin_ctzll(columns);
        bool ask = false;
        const int8_t code = merge_cell(patch->codes, cells[column], worst[column], &ask);
        if (ask)
            merged->ask[merged->asks++] =
                (struct wari_ask){(uint8_t)row, (uint8_t)column, worst[column]};
        differ |= (uint64_t)(code != cells[column]) << column;
        cells[column] = code;
    }
    if (differ == 0)
        return;
    merged->rows |= UINT64_C(1) << row;
    merged->differ[row] = differ;
    merged->changed += (uint64_t)__builtin_popcountll(differ);
}

/* Whether it changes, or asks: by two tables, which say what the smallest child must not be. */
WARI_INLINE bool wari_grows(const struct wari_cells *codes, int8_t code, int8_t worst)
{
    return (codes->rise[(uint8_t)worst] > code) | (worst > codes->hold[(uint8_t)code]);
}

WARI_INLINE bool wari_shrinks(const struct wari_cells *codes, int8_t code, int8_t worst)
{
    return (worst < codes->hope.least[(uint8_t)code]) | (worst > codes->hold[(uint8_t)code]);
}

typedef bool wari_cell_changes(const struct wari_cells *codes, int8_t code, int8_t worst);

/* Few cells change, and no branch predictor knows which. */
WARI_INLINE void wari_merge_plain(const struct wari_patch *patch, struct wari_merged *merged,
                                  wari_cell_changes *changes, wari_merge_cell *merge_cell)
{
    int8_t turned[WARI_PATCH];

    wari_nothing_merged(merged);
    wari_transpose_plain(patch->worst, turned);
    for (int row = 0; row < patch->rows; row++) {
        const int8_t *cells = patch->cells + (size_t)row * patch->pitch;
        const int8_t *worst = turned + row * WARI_GROUP;
        uint64_t columns = 0;

        for (int i = 0; i < patch->width; i++)
            columns |= (uint64_t)changes(patch->codes, cells[i], worst[i]) << i;
        if (columns != 0)
            wari_merge_columns(patch, row, columns, worst, merge_cell, merged);
    }
}

#endif

/* The parts of a kernel that plain C expresses well: the compiler vectorises them for whatever
 * instruction set the including function is compiled for. */
#ifndef SOLVER_KERNEL_PLAIN_H
#define SOLVER_KERNEL_PLAIN_H

#include <string.h>

#include "solver/kernel/kernel.h"

#define WARI_INLINE static inline __attribute__((always_inline))

/* Strips of a block. */
struct wari_strips {
    uint32_t first, count;
};

enum { WARI_SIXTEEN = 16 };

/* Where a machine has no vectors, the compiler makes plain code of them. */
typedef int8_t wari_sixteen __attribute__((vector_size(WARI_SIXTEEN)));

/* Takes the lower halves of two vectors, or the upper ones, in turn. */
#define WARI_ZIP(a, b, from)                                                                       \
    __builtin_shufflevector(a, b, from, from + 16, from + 1, from + 17, from + 2, from + 18,       \
                            from + 3, from + 19, from + 4, from + 20, from + 5, from + 21,         \
                            from + 6, from + 22, from + 7, from + 23)

/* 16 by 16 bytes. Each round zips vector i with i + 8, which is one bit of the index each time, so
 * after four rounds what was a column's place is the number of the vector. */
WARI_INLINE void wari_transpose_square(const int8_t *in, int8_t *out)
{
    wari_sixteen a[16], b[16];

    for (int i = 0; i < 16; i++)
        memcpy(&a[i], in + i * WARI_STRIP, sizeof a[i]);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 8; i++) {
            b[2 * i] = WARI_ZIP(a[i], a[i + 8], 0);
            b[2 * i + 1] = WARI_ZIP(a[i], a[i + 8], 8);
        }
        memcpy(a, b, sizeof a);
    }
    for (int i = 0; i < 16; i++)
        memcpy(out + i * WARI_ITEM_COLUMNS, &a[i], sizeof a[i]);
}

/* As many rows and columns as there are, rounded up to whole squares. */
WARI_INLINE void wari_transpose_plain(const int8_t *in, int8_t *out, int rows, int columns)
{
    for (int column = 0; column < columns; column += WARI_SIXTEEN)
        for (int row = 0; row < rows; row += WARI_SIXTEEN)
            wari_transpose_square(in + column * WARI_STRIP + row,
                                  out + row * WARI_ITEM_COLUMNS + column);
}

/* Eight codes at a time, out of a word. */
WARI_INLINE void wari_look_up_plain(const int8_t table[256], const int8_t *from, size_t count,
                                    int8_t *to)
{
    uint64_t eight;
    size_t i = 0;

    for (; i + 8 <= count; i += 8) {
        memcpy(&eight, from + i, sizeof eight);
        eight = wari_bits_ordered(eight);
        for (int j = 0; j < 8; j++)
            to[i + j] = table[eight >> 8 * j & 0xff];
    }
    for (; i < count; i++)
        to[i] = table[(uint8_t)from[i]];
}

WARI_INLINE void wari_nothing_merged(struct wari_merge_result *merged)
{
    merged->rows = merged->changed = 0;
    merged->query_count = 0;
}

/* What becomes of a cell, by its smallest child. */
typedef int8_t wari_merge_cell(const struct wari_cells *codes, int8_t code, int8_t worst,
                               bool *ask);

/* Merges some cells of a row, one by one: those whose bit is set in `columns`, and all others stay
 * as they are. `worst`: the row's smallest children. */
WARI_INLINE void wari_merge_columns(const struct wari_item_strip *patch, int row, uint64_t columns,
                                    const int8_t *worst, wari_merge_cell *merge_cell,
                                    struct wari_merge_result *merged)
{
    int8_t *cells = patch->cells + (size_t)row * patch->pitch;
    uint64_t differ = 0;

    for (; columns != 0; columns &= columns - 1) {
        const int column = __builtin_ctzll(columns);
        bool ask = false;
        const int8_t code = merge_cell(patch->codes, cells[column], worst[column], &ask);
        if (ask)
            merged->query[merged->query_count++] =
                (struct wari_capture_query){(uint8_t)row, (uint8_t)column, worst[column]};
        differ |= (uint64_t)(code != cells[column]) << column;
        cells[column] = code;
    }
    if (differ == 0)
        return;
    merged->rows |= UINT64_C(1) << row;
    merged->differ[row] = differ;
    merged->changed += (uint64_t)__builtin_popcountll(differ);
}

/* Cells that change, or ask, are found by the limit that each sets its smallest child, in a table
 * by its own code. */
WARI_INLINE void wari_grow_limits(const struct wari_cells *codes, int8_t limits[256])
{
    memcpy(limits, codes->hold, 256);
    for (int v = 1; codes->zero + v <= INT8_MAX; v++)
        limits[(codes->zero + v) & 0xff] = v <= codes->seeds ? codes->lift[v] : INT8_MIN;
}

WARI_INLINE void wari_shrink_limits(const struct wari_cells *codes, int8_t limits[256])
{
    memcpy(limits, codes->hold, 256);
    for (int code = INT8_MIN; code <= codes->zero; code++)
        limits[code & 0xff] = codes->upper_codes.least[code & 0xff];
}

typedef bool wari_cell_changes(const struct wari_cells *codes, int8_t code, int8_t worst,
                               int8_t limit);

/* A cell above 0 only rises. */
WARI_INLINE bool wari_grows(const struct wari_cells *codes, int8_t code, int8_t worst, int8_t limit)
{
    const bool above = code > codes->zero;

    return ((worst > limit) ^ above) | (!above & (worst <= codes->lift[0]));
}

/* Hopes above 0 only fall, and others only rise. */
WARI_INLINE bool wari_shrinks(const struct wari_cells *codes, int8_t code, int8_t worst,
                              int8_t limit)
{
    return code > codes->zero ? worst > limit : worst < limit;
}

/* Few cells change, and no branch predictor knows which: so nothing depends on it but what is done
 * to whole rows. */
WARI_INLINE void wari_merge_plain(const struct wari_item_strip *patch, const int8_t limits[256],
                                  struct wari_merge_result *merged, wari_cell_changes *changes,
                                  wari_merge_cell *merge_cell)
{
    const uint64_t inside = UINT64_MAX >> (WARI_ITEM_COLUMNS - patch->width);
    const size_t wanted = ((size_t)patch->width + 7) / 8 * 8;
    int8_t turned[WARI_ITEM_STRIP_CELLS], copy[WARI_ITEM_COLUMNS] = {0},
                                          limit[WARI_ITEM_COLUMNS] = {0};
    uint8_t found[WARI_ITEM_COLUMNS];

    wari_nothing_merged(merged);
    wari_transpose_plain(patch->worst, turned, patch->rows, patch->width);
    for (int row = 0; row < patch->rows; row++) {
        const int8_t *cells = patch->cells + (size_t)row * patch->pitch;
        const int8_t *worst = turned + row * WARI_ITEM_COLUMNS;
        uint64_t columns = 0, eight;

        if (patch->width < WARI_ITEM_COLUMNS)
            cells = memcpy(copy, cells, (size_t)patch->width);
        wari_look_up_plain(limits, cells, wanted, limit);
        for (int i = 0; i < WARI_ITEM_COLUMNS; i++)
            found[i] = changes(patch->codes, cells[i], worst[i], limit[i]);
        for (int i = 0; i < WARI_ITEM_COLUMNS; i += 8) {
            memcpy(&eight, found + i, sizeof eight);
            columns |= (wari_bits_ordered(eight) * UINT64_C(0x0102040810204080) >> 56) << i;
        }
        columns &= inside;
        if (columns != 0)
            wari_merge_columns(patch, row, columns, worst, merge_cell, merged);
    }
}

#endif

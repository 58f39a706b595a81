/* The functions of a kernel that plain C expresses well. The compiler vectorises them for the
 * instruction set of the function into which they are inlined. */
#ifndef SOLVER_KERNEL_PLAIN_H
#define SOLVER_KERNEL_PLAIN_H

#include <string.h>

#include "solver/kernel/kernel.h"

#define WARI_INLINE static inline __attribute__((always_inline))

/* A range of strips of a block. */
struct wari_strips {
    uint32_t first, count;
};

enum { WARI_SIXTEEN = 16 };

/* On machines without vector instructions the compiler generates scalar code for this type. */
typedef int8_t wari_sixteen __attribute__((vector_size(WARI_SIXTEEN)));

/* Interleaves the bytes of the lower halves of two vectors (from = 0), or of the upper halves (from
 * = 8). */
#define WARI_ZIP(a, b, from)                                                                       \
    __builtin_shufflevector(a, b, from, from + 16, from + 1, from + 17, from + 2, from + 18,       \
                            from + 3, from + 19, from + 4, from + 20, from + 5, from + 21,         \
                            from + 6, from + 22, from + 7, from + 23)

/* Transposes 16 by 16 bytes. Each round interleaves vector i with vector i + 8, which rotates the
 * combined index of vector and byte by one bit. After four rounds the number of the vector and the
 * position in it are exchanged. */
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

/* Transposes `rows` by `columns` bytes, both rounded up to multiples of 16. */
WARI_INLINE void wari_transpose_plain(const int8_t *in, int8_t *out, int rows, int columns)
{
    for (int column = 0; column < columns; column += WARI_SIXTEEN)
        for (int row = 0; row < rows; row += WARI_SIXTEEN)
            wari_transpose_square(in + column * WARI_STRIP + row,
                                  out + row * WARI_ITEM_COLUMNS + column);
}

/* Looks up eight codes at a time, which are loaded as one word of 64 bits. */
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

/* Returns the new code of a cell, given its smallest child: wari_cell_grown() or
 * wari_upper_shrunk(). */
typedef int8_t wari_merge_cell(const struct wari_cells *codes, int8_t code, int8_t worst,
                               bool *needs_capture);

/* Merges the cells of a row whose bit is set in `columns`, one by one; all other cells stay
 * unchanged. `worst` has the smallest children of the row. */
WARI_INLINE void wari_merge_columns(const struct wari_item_strip *strip, int row, uint64_t columns,
                                    const int8_t *worst, wari_merge_cell *merge_cell,
                                    struct wari_merge_result *merged)
{
    int8_t *cells = strip->cells + (size_t)row * strip->pitch;
    uint64_t differ = 0;

    for (; columns != 0; columns &= columns - 1) {
        const int column = __builtin_ctzll(columns);
        bool needs_capture = false;
        const int8_t code = merge_cell(strip->codes, cells[column], worst[column], &needs_capture);
        if (needs_capture)
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

/* Computes limits[code] for each code of a cell. wari_grows() compares the smallest child of the
 * cell with this limit, and returns true if the cell changes or if its best capture has to be
 * looked up. */
WARI_INLINE void wari_grow_limits(const struct wari_cells *codes, int8_t limits[256])
{
    memcpy(limits, codes->hold, 256);
    for (int v = 1; codes->zero + v <= INT8_MAX; v++)
        limits[(codes->zero + v) & 0xff] = v <= codes->seeds ? codes->lift[v] : INT8_MIN;
}

/* Computes a table of limits, by the code of a cell, for wari_shrinks(), which compares the
 * smallest child of the cell with the limit. */
WARI_INLINE void wari_shrink_limits(const struct wari_cells *codes, int8_t limits[256])
{
    memcpy(limits, codes->hold, 256);
    for (int code = INT8_MIN; code <= codes->zero; code++)
        limits[code & 0xff] = codes->upper_codes.least[code & 0xff];
}

/* The type of wari_grows() and wari_shrinks(). `limit` is the entry for the cell's code in the
 * table of limits. */
typedef bool wari_cell_changes(const struct wari_cells *codes, int8_t code, int8_t worst,
                               int8_t limit);

/* Returns true if the cell changes, or if its best capture has to be looked up. A cell above 0 can
 * only rise, and does so if its smallest child is not above the limit. Any other cell falls if its
 * smallest child is above the limit, and rises if the child is not above lift[0]. */
WARI_INLINE bool wari_grows(const struct wari_cells *codes, int8_t code, int8_t worst, int8_t limit)
{
    const bool above = code > codes->zero;

    return ((worst > limit) ^ above) | (!above & (worst <= codes->lift[0]));
}

/* Returns true if the upper bound of a cell changes, or if the best capture of the cell has to be
 * looked up. An upper bound above 0 can only fall. Any other upper bound can only rise. */
WARI_INLINE bool wari_shrinks(const struct wari_cells *codes, int8_t code, int8_t worst,
                              int8_t limit)
{
    return code > codes->zero ? worst > limit : worst < limit;
}

/* Merges an item strip. Few cells change, in an order that no branch predictor can learn, so all 64
 * columns of a row are tested without branches, and there is only one branch a row. */
WARI_INLINE void wari_merge_plain(const struct wari_item_strip *strip, const int8_t limits[256],
                                  struct wari_merge_result *merged, wari_cell_changes *changes,
                                  wari_merge_cell *merge_cell)
{
    const uint64_t inside = UINT64_MAX >> (WARI_ITEM_COLUMNS - strip->width);
    const size_t padded_width = ((size_t)strip->width + 7) / 8 * 8;
    int8_t transposed[WARI_ITEM_STRIP_CELLS], copy[WARI_ITEM_COLUMNS] = {0},
                                              limit[WARI_ITEM_COLUMNS] = {0};
    uint8_t found[WARI_ITEM_COLUMNS];

    wari_nothing_merged(merged);
    wari_transpose_plain(strip->worst, transposed, strip->rows, strip->width);
    for (int row = 0; row < strip->rows; row++) {
        const int8_t *cells = strip->cells + (size_t)row * strip->pitch;
        const int8_t *worst = transposed + row * WARI_ITEM_COLUMNS;
        uint64_t columns = 0, eight;

        if (strip->width < WARI_ITEM_COLUMNS)
            cells = memcpy(copy, cells, (size_t)strip->width);
        wari_look_up_plain(limits, cells, padded_width, limit);
        for (int i = 0; i < WARI_ITEM_COLUMNS; i++)
            found[i] = changes(strip->codes, cells[i], worst[i], limit[i]);
        for (int i = 0; i < WARI_ITEM_COLUMNS; i += 8) {
            memcpy(&eight, found + i, sizeof eight);
            columns |= (wari_bits_ordered(eight) * UINT64_C(0x0102040810204080) >> 56) << i;
        }
        columns &= inside;
        if (columns != 0)
            wari_merge_columns(strip, row, columns, worst, merge_cell, merged);
    }
}

#endif

/* The two inner loops of the codec, for vectors of KERNEL_CELLS cells. All kernels for these loops,
 * except wari_find_avx512vbmi(), are compiled from this file, so they give the same results.
 *
 * To compile the loops for an instruction set that not every processor has, a file defines the
 * following and then includes this file:
 *
 *     KERNEL_NAME(name)   the name of the kernel's function
 *     KERNEL_CELLS        the number of cells in a vector
 *     KERNEL_TARGET       the attribute that enables the instructions
 *
 * Without these definitions the loops are the portable ones.
 *
 * The first loop, locate, computes where the neighbours of each cell are. A neighbour counts if it
 * is decoded before the cell: if it is further back in the cell's own stream, or in an earlier
 * stream at a place that is not after the cell's place in the cell's own stream. A neighbour that
 * does not count is replaced by the first neighbour that counts, the last one that counts, or the
 * cell before. Three substitutes are used so that none of them dominates the sum.
 *
 * The second loop, find, computes the model's table for each cell of a row. First it copies the
 * neighbours by each pit into an array in the order of the cells. A cell whose pit is empty has no
 * such neighbour; the byte in its place is ignored. Then the loop loads the neighbours in vectors,
 * with the same substitutes as in locate, and computes the tables by arithmetic.
 */
#include <string.h>
#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "db/format/cell_tables.h"
#include "db/format/model.h"
#include "db/format/neighbours.h"

#ifndef KERNEL_NAME
#define KERNEL_NAME(name) name##_portable
#define KERNEL_CELLS 8 /* vectors of 16 bytes, which every processor with vectors supports */
#define KERNEL_TARGET
#endif

#define KERNEL_INLINE static inline __attribute__((always_inline)) KERNEL_TARGET

typedef uint8_t kernel_bytes __attribute__((vector_size(KERNEL_CELLS)));
typedef uint16_t kernel_words __attribute__((vector_size(2 * KERNEL_CELLS)));
/* A comparison of two vectors of the type kernel_cells gives -1 or 0 in each element. */
typedef int16_t kernel_cells __attribute__((vector_size(2 * KERNEL_CELLS)));

/* ---- Neighbours ----------------------------------------------------------------------------- */

/* Locates the neighbours of the cells in `range`. May write results for up to one vector of cells
 * after the range; the arrays have capacity for them. */
KERNEL_TARGET void KERNEL_NAME(wari_locate)(struct wari_neighbours *neighbours,
                                            const struct wari_row_cells *range, size_t length)
{
    const kernel_cells none = {0};
    const kernel_cells stream =
        none + (int16_t)(range->stream > 0 ? length : WARI_NO_EARLIER_STREAM);
    const kernel_cells above = none + range->above;
    kernel_cells done, before;

    for (int i = 0; i < KERNEL_CELLS; i++)
        done[i] = (int16_t)(range->at - range->stream + (size_t)i);
    before = done + (int16_t)range->stream;
    if (range->at == range->stream)
        before[0] = 0;

    for (uint32_t i = 0; i < range->cells; i += KERNEL_CELLS) {
        const kernel_cells next = done + (int16_t)(range->stream + 1);
        kernel_cells absent[WARI_NEIGHBOURS];
        kernel_cells found[WARI_NEIGHBOURS]; /* number of the neighbour + 1, or 0 if absent */
        kernel_cells first = before;
        kernel_cells last = before;
#pragma GCC unroll 5
        for (int k = 0; k < WARI_NEIGHBOURS; k++) {
            kernel_cells distance = above;
            if (k < WARI_NEIGHBOURS - 1)
                memcpy(&distance, neighbours->rows.columns.distance[k] + range->skip + i,
                       sizeof distance);
            absent[k] = distance - (stream & (distance >= stream)) > done;
            found[k] = (next - distance) & ~absent[k];
            last = found[k] | (last & absent[k]);
        }
#pragma GCC unroll 5
        for (int k = WARI_NEIGHBOURS - 1; k >= 0; k--)
            first = found[k] | (first & absent[k]);
        const kernel_cells substitute[WARI_NEIGHBOURS] = {first, last, before, first, last};
#pragma GCC unroll 5
        for (int k = 0; k < WARI_NEIGHBOURS; k++) {
            const kernel_cells target = found[k] | (substitute[k] & absent[k]);
            memcpy(neighbours->target[k] + range->at + i, &target, sizeof target);
        }
        done += KERNEL_CELLS;
        before = done + (int16_t)range->stream;
    }
}

/* ---- Tables of cells ------------------------------------------------------------------------- */

#if defined(__aarch64__) /* gcc would otherwise widen the eight bytes one by one */

KERNEL_INLINE kernel_cells load_bytes(const uint8_t *from)
{
    return (kernel_cells)vmovl_u8(vld1_u8(from));
}

KERNEL_INLINE kernel_cells load_values(const int8_t *from)
{
    return vmovl_s8(vld1_s8(from));
}

#else

KERNEL_INLINE kernel_cells load_bytes(const uint8_t *from)
{
    kernel_bytes bytes;
    memcpy(&bytes, from, sizeof bytes);
    return __builtin_convertvector(bytes, kernel_cells);
}

KERNEL_INLINE kernel_cells load_values(const int8_t *from)
{
    int8_t __attribute__((vector_size(KERNEL_CELLS))) values;
    memcpy(&values, from, sizeof values);
    return __builtin_convertvector(values, kernel_cells);
}

#endif

/* Copies `cells` bytes in steps of `step` bytes. The last step may copy up to `step` - 1 bytes
 * beyond them. */
KERNEL_INLINE void copy_cells(uint8_t *to, const uint8_t *from, size_t cells, size_t step)
{
    size_t i = 0;
    do {
        memcpy(to + i, from + i, step);
        i += step;
    } while (i < cells);
}

/* Computes the biased residues of a row: values minus captures, plus WARI_VALUE_BIAS. */
KERNEL_INLINE void bias_row(const int8_t *value, const uint8_t *capture, uint32_t cells,
                            uint8_t *biased)
{
    const kernel_bytes raised = (kernel_bytes){0} + WARI_VALUE_BIAS;
    for (uint32_t i = 0; i < cells; i += KERNEL_CELLS) {
        kernel_bytes v, m;
        memcpy(&v, value + i, sizeof v);
        memcpy(&m, capture + i, sizeof m);
        v = v - m + raised;
        memcpy(biased + i, &v, sizeof v);
    }
}

/* Copies the neighbours by pit D. Let s be the number of seeds in D, E and F together. There are s
 * - d + 1 cells with d seeds in D; the neighbour of each lies s - d + 1 cells before it, among the
 * cells with d - 1 seeds in D. */
KERNEL_INLINE void move_runs(const struct wari_cell_shifts *shifts, uint32_t skip, uint32_t cells,
                             const uint8_t *from, uint8_t *to)
{
    size_t i = 0;
    while (i + 1 < shifts->runs && shifts->run[i + 1].at <= (int32_t)skip)
        i++;
    for (; i < shifts->runs && shifts->run[i].at < (int32_t)(skip + cells); i++) {
        const ptrdiff_t most = shifts->run[i].seeds;
        ptrdiff_t at = (ptrdiff_t)shifts->run[i].at - (ptrdiff_t)skip + most + 1;
        for (ptrdiff_t few = most; few > 0; at += few--)
            copy_cells(to + at, from + at - few, (size_t)few, 16);
    }
}

/* Copies the neighbours by pit A, B or C. */
KERNEL_INLINE void move_shifts(const struct wari_cell_shift *shift, size_t shifts, uint32_t skip,
                               uint32_t cells, const uint8_t *from, uint8_t *to)
{
    const uint32_t end = skip + cells;
    size_t i = 0;
    while (i < shifts && (uint32_t)shift[i].at + shift[i].cells <= skip)
        i++;
    for (; i < shifts && shift[i].at < end; i++) {
        const uint32_t first = shift[i].at > skip ? shift[i].at : skip;
        const uint32_t last = (uint32_t)shift[i].at + shift[i].cells;
        const ptrdiff_t at = (ptrdiff_t)(first - skip);
        copy_cells(to + at, from + at - shift[i].cells, (last < end ? last : end) - first, 32);
    }
}

/* Computes, for each cell, the number of the model's table from the biased residues of its six
 * neighbours. The squares are those of the differences from the rounded-down mean, so that six
 * times the variance fits into 16 bits. */
KERNEL_INLINE kernel_words tables_of(const kernel_words near[6], kernel_cells capture, int seeds)
{
    const kernel_cells most = (kernel_cells){0} + (int16_t)(2 * seeds);
    const kernel_words sum = near[0] + near[1] + near[2] + near[3] + near[4] + near[5];
    const kernel_words mean = (sum >> 1) * 171 >> 9; /* divides by six, for sums up to 6 * 115 */
    const kernel_words rest = sum - mean * 6;
    kernel_words squares = -(rest * rest * 43 >> 8); /* divides by six, for squares up to 25 */
#pragma GCC unroll 6
    for (int k = 0; k < 6; k++)
        squares += (near[k] - mean) * (near[k] - mean);

    const kernel_cells variance = (kernel_cells)squares;
    kernel_cells class = (kernel_cells)mean - ((kernel_cells)rest >= 3) + capture +
                         (int16_t)(seeds - WARI_VALUE_BIAS);
    class &= class > 0;
    class = (class & (class <= most)) | (most & (class > most));
#pragma GCC unroll 5
    for (int spread = 1; spread < WARI_SPREADS; spread++)
        class += (variance >= (int16_t)wari_spread_from[spread]) & (int16_t)(2 * seeds + 1);
    return (kernel_words) class;
}

/* Collects the six neighbours of each cell: the cell before it and the five in `found`, with
 * substitutes for absent neighbours. */
KERNEL_INLINE void substitute(kernel_cells before, const kernel_cells absent[WARI_NEIGHBOURS],
                              const kernel_cells found[WARI_NEIGHBOURS], kernel_words near[6])
{
    kernel_cells first = before, last = before;
#pragma GCC unroll 5
    for (int k = 0; k < WARI_NEIGHBOURS; k++)
        last = found[k] | (last & absent[k]);
#pragma GCC unroll 5
    for (int k = WARI_NEIGHBOURS - 1; k >= 0; k--)
        first = found[k] | (first & absent[k]);
    near[0] = (kernel_words)before;
    near[1] = (kernel_words)(found[0] | (first & absent[0]));
    near[2] = (kernel_words)(found[1] | (last & absent[1]));
    near[3] = (kernel_words)(found[2] | (before & absent[2]));
    near[4] = (kernel_words)(found[3] | (first & absent[3]));
    near[5] = (kernel_words)(found[4] | (last & absent[4]));
}

/* Computes the entries for the cells of one row in one stream. May also compute entries for up to
 * one vector of cells after them, for which the arrays have capacity. */
KERNEL_INLINE void find_row_cells(struct wari_cell_tables *tables,
                                  const struct wari_row_cells *range, size_t length)
{
    const kernel_cells none = {0};
    const kernel_cells stream =
        none + (int16_t)(range->stream > 0 ? length : WARI_NO_EARLIER_STREAM);
    const kernel_cells above = none + range->above;
    const uint8_t *biased = tables->biased + WARI_CHUNK_POSITIONS + WARI_RUN_CAPACITY;
    const size_t row_back = range->above == WARI_NO_DISTANCE ? 0 : (size_t)range->above;
    const int seeds = tables->seeds;
    kernel_cells done;

    for (int i = 0; i < KERNEL_CELLS; i++)
        done[i] = (int16_t)(range->at - range->stream + (size_t)i);
    for (uint32_t i = 0; i < range->cells; i += KERNEL_CELLS) {
        const size_t at = range->at + i;
        kernel_cells before = load_bytes(biased + at - 1);
        kernel_cells absent[WARI_NEIGHBOURS];
        kernel_cells found[WARI_NEIGHBOURS]; /* 0 where absent */
        kernel_words near[6];
        if (at == range->stream)
            before[0] = WARI_VALUE_BIAS;
#pragma GCC unroll 5
        for (int k = 0; k < WARI_NEIGHBOURS; k++) {
            kernel_cells distance = above;
            if (k < WARI_NEIGHBOURS - 1)
                memcpy(&distance, tables->rows.columns.distance[k] + range->skip + i,
                       sizeof distance);
            absent[k] = distance - (stream & (distance >= stream)) > done;
            found[k] =
                load_bytes(k < WARI_NEIGHBOURS - 1 ? tables->moved[k] + WARI_RUN_CAPACITY + at
                                                   : biased + at - row_back) &
                ~absent[k];
        }
        substitute(before, absent, found, near);
        const kernel_words table = tables_of(near, load_bytes(tables->rows.capture + at), seeds);
        const kernel_words value = (kernel_words)load_values(tables->value + at);
        const kernel_words entry =
            table * (uint16_t)(2 * seeds + 2) + value + (uint16_t)(seeds + 1);
        memcpy(tables->entry + at, &entry, sizeof entry);
        done += KERNEL_CELLS;
    }
}

KERNEL_TARGET void KERNEL_NAME(wari_find)(struct wari_cell_tables *tables,
                                          const struct wari_row_iterator *row, size_t length)
{
    const struct wari_cell_shifts *shifts = &tables->shifts;
    uint8_t *biased = tables->biased + WARI_CHUNK_POSITIONS + WARI_RUN_CAPACITY + row->at;
    const size_t end = row->at + row->cells;

    bias_row(tables->value + row->at, tables->rows.capture + row->at, row->cells, biased);
    move_runs(shifts, row->skip, row->cells, biased,
              tables->moved[0] + WARI_RUN_CAPACITY + row->at);
    for (int k = 0; k < 3; k++)
        move_shifts(shifts->shift[k], shifts->shifts[k], row->skip, row->cells, biased,
                    tables->moved[k + 1] + WARI_RUN_CAPACITY + row->at);
    for (size_t stream = row->at / length * length; stream < end; stream += length) {
        const struct wari_row_cells range = wari_row_cells_of_stream(row, stream, length);
        find_row_cells(tables, &range, length);
    }
}

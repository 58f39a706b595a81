/* The loops that find the tables of a row's cells, for vectors of FIND_CELLS cells: every kernel is
 * made of it, so that all of them give the same. Those for instructions that not every processor
 * has define FIND_NAME, FIND_CELLS, and FIND_TARGET, an attribute. Without these it is the portable
 * one.
 *
 * First the neighbours by each pit are copied to where the cells are. Where a pit is empty, nothing
 * is: other bytes stand there, which do not count. Then they are taken in vectors, with stand-ins
 * for those that do not count, as in neighbours_aim_loop.h, and the tables follow by arithmetic.
 */
#include <string.h>
#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "db/format/cell_tables_find.h"
#include "db/format/model.h"

#ifndef FIND_NAME
#define FIND_NAME wari_find_portable
#define FIND_CELLS 8 /* what every processor with vectors has; plain code elsewhere */
#define FIND_TARGET
#endif

#define FIND_INLINE static inline __attribute__((always_inline)) FIND_TARGET

typedef uint8_t find_bytes __attribute__((vector_size(FIND_CELLS)));
typedef uint16_t find_words __attribute__((vector_size(2 * FIND_CELLS)));
typedef int16_t find_cells __attribute__((vector_size(2 * FIND_CELLS))); /* compared: -1 or 0 */

#if defined(__aarch64__) /* where gcc widens eight bytes one by one */

FIND_INLINE find_cells load_bytes(const uint8_t *from)
{
    return (find_cells)vmovl_u8(vld1_u8(from));
}

FIND_INLINE find_cells load_values(const int8_t *from)
{
    return vmovl_s8(vld1_s8(from));
}

#else

FIND_INLINE find_cells load_bytes(const uint8_t *from)
{
    find_bytes bytes;
    memcpy(&bytes, from, sizeof bytes);
    return __builtin_convertvector(bytes, find_cells);
}

FIND_INLINE find_cells load_values(const int8_t *from)
{
    int8_t __attribute__((vector_size(FIND_CELLS))) values;
    memcpy(&values, from, sizeof values);
    return __builtin_convertvector(values, find_cells);
}

#endif

/* Up to `step` - 1 bytes more than `cells`. */
FIND_INLINE void copy_cells(uint8_t *to, const uint8_t *from, size_t cells, size_t step)
{
    size_t i = 0;
    do {
        memcpy(to + i, from + i, step);
        i += step;
    } while (i < cells);
}

/* Values less captures, of a row. */
FIND_INLINE void lift_row(const int8_t *value, const uint8_t *capture, uint32_t cells,
                          uint8_t *lifted)
{
    const find_bytes raised = (find_bytes){0} + WARI_LIFTED;
    for (uint32_t i = 0; i < cells; i += FIND_CELLS) {
        find_bytes v, m;
        memcpy(&v, value + i, sizeof v);
        memcpy(&m, capture + i, sizeof m);
        v = v - m + raised;
        memcpy(lifted + i, &v, sizeof v);
    }
}

/* By pit D: with s seeds in D, E and F, those with d in D are s - d + 1 cells, and come as many
 * after those with d - 1. */
FIND_INLINE void move_runs(const struct wari_cell_shifts *shifts, uint32_t skip, uint32_t cells,
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

/* By another pit. */
FIND_INLINE void move_shifts(const struct wari_cell_shift *shift, size_t shifts, uint32_t skip,
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

/* The tables that six lifted neighbours give. Six times their variance is taken around the mean
 * rounded down, so that it stays within 16 bits. */
FIND_INLINE find_words tables_of(const find_words near[6], find_cells capture, int seeds)
{
    const find_cells most = (find_cells){0} + (int16_t)(2 * seeds);
    const find_words sum = near[0] + near[1] + near[2] + near[3] + near[4] + near[5];
    const find_words mean = (sum >> 1) * 171 >> 9; /* a sixth, of sums up to 6 * 115 */
    const find_words rest = sum - mean * 6;
    find_words squares = -(rest * rest * 43 >> 8); /* a sixth, of squares up to 25 */
#pragma GCC unroll 6
    for (int k = 0; k < 6; k++)
        squares += (near[k] - mean) * (near[k] - mean);

    const find_cells uneven = (find_cells)squares;
    find_cells class =
        (find_cells)mean - ((find_cells)rest >= 3) + capture + (int16_t)(seeds - WARI_LIFTED);
    class &= class > 0;
    class = (class & (class <= most)) | (most & (class > most));
#pragma GCC unroll 5
    for (int spread = 1; spread < WARI_SPREADS; spread++)
        class += (uneven >= (int16_t)wari_spread_from[spread]) & (int16_t)(2 * seeds + 1);
    return (find_words) class;
}

/* A cell's neighbours: the one before it, and those found, with stand-ins for what is absent. */
FIND_INLINE void stand_in(find_cells before, const find_cells absent[WARI_NEIGHBOURS],
                          const find_cells found[WARI_NEIGHBOURS], find_words near[6])
{
    find_cells first = before, last = before;
#pragma GCC unroll 5
    for (int k = 0; k < WARI_NEIGHBOURS; k++)
        last = found[k] | (last & absent[k]);
#pragma GCC unroll 5
    for (int k = WARI_NEIGHBOURS - 1; k >= 0; k--)
        first = found[k] | (first & absent[k]);
    near[0] = (find_words)before;
    near[1] = (find_words)(found[0] | (first & absent[0]));
    near[2] = (find_words)(found[1] | (last & absent[1]));
    near[3] = (find_words)(found[2] | (before & absent[2]));
    near[4] = (find_words)(found[3] | (first & absent[3]));
    near[5] = (find_words)(found[4] | (last & absent[4]));
}

/* Cells of one row in one lane; a vector's worth more at most, of which there is room. */
FIND_INLINE void find_part(struct wari_cell_tables *tables, const struct wari_part *part,
                           size_t length)
{
    const find_cells none = {0};
    const find_cells lane = none + (int16_t)(part->lane > 0 ? length : WARI_NO_LANE);
    const find_cells above = none + part->above;
    const uint8_t *lifted = tables->lifted + WARI_CHUNK_POSITIONS + WARI_RUN_ROOM;
    const size_t row_back = part->above == WARI_NO_DISTANCE ? 0 : (size_t)part->above;
    const int seeds = tables->seeds;
    find_cells done;

    for (int i = 0; i < FIND_CELLS; i++)
        done[i] = (int16_t)(part->at - part->lane + (size_t)i);
    for (uint32_t i = 0; i < part->cells; i += FIND_CELLS) {
        const size_t at = part->at + i;
        find_cells before = load_bytes(lifted + at - 1);
        find_cells absent[WARI_NEIGHBOURS];
        find_cells found[WARI_NEIGHBOURS]; /* 0 where absent */
        find_words near[6];
        if (at == part->lane)
            before[0] = WARI_LIFTED;
#pragma GCC unroll 5
        for (int k = 0; k < WARI_NEIGHBOURS; k++) {
            find_cells distance = above;
            if (k < WARI_NEIGHBOURS - 1)
                memcpy(&distance, tables->rows.columns.distance[k] + part->skip + i,
                       sizeof distance);
            absent[k] = distance - (lane & (distance >= lane)) > done;
            found[k] = load_bytes(k < WARI_NEIGHBOURS - 1 ? tables->moved[k] + WARI_RUN_ROOM + at
                                                          : lifted + at - row_back) &
                       ~absent[k];
        }
        stand_in(before, absent, found, near);
        const find_words table = tables_of(near, load_bytes(tables->rows.capture + at), seeds);
        const find_words value = (find_words)load_values(tables->value + at);
        const find_words slot = table * (uint16_t)(2 * seeds + 2) + value + (uint16_t)(seeds + 1);
        memcpy(tables->slot + at, &slot, sizeof slot);
        done += FIND_CELLS;
    }
}

FIND_TARGET void FIND_NAME(struct wari_cell_tables *tables, const struct wari_walk *row,
                           size_t length)
{
    const struct wari_cell_shifts *shifts = &tables->shifts;
    uint8_t *lifted = tables->lifted + WARI_CHUNK_POSITIONS + WARI_RUN_ROOM + row->at;
    const size_t end = row->at + row->cells;

    lift_row(tables->value + row->at, tables->rows.capture + row->at, row->cells, lifted);
    move_runs(shifts, row->skip, row->cells, lifted, tables->moved[0] + WARI_RUN_ROOM + row->at);
    for (int k = 0; k < 3; k++)
        move_shifts(shifts->shift[k], shifts->shifts[k], row->skip, row->cells, lifted,
                    tables->moved[k + 1] + WARI_RUN_ROOM + row->at);
    for (size_t lane = row->at / length * length; lane < end; lane += length) {
        const struct wari_part part = wari_row_part(row, lane, length);
        find_part(tables, &part, length);
    }
}

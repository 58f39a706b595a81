/* Goes through the rows of a chunk. For each cell, computes the distances to its neighbours and the
 * largest capture at hand (FORMAT.md, "Neighbours").
 *
 * The columns of a row are its mover halves A..F in lexicographic order, so they form runs: A, B
 * and C stay the same while D, E and F go through all ways to hold the remaining seeds. The
 * neighbours of a cell in its own row have one seed of a pit X in the next pit instead, and come
 * before the cell. Their distance, in cells, depends only on the seeds after X:
 *
 *     from E: 1      from D: E+F+1      from C: C(D+E+F+2, 2)      from B: C(C+D+E+F+3, 3) ...
 *
 * All cells of a run have the same distances from A, B and C. The distance from D changes from cell
 * to cell, but it does so in the same way in all runs with the same number of seeds in D, E and F.
 * Everything here is therefore computed one run at a time. Vectors may write a little beyond the
 * end of a run; the next run overwrites these bytes. All rows of a block have the same columns, so
 * runs and distances are kept from row to row.
 */
#include "db/format/rows.h"

#include <string.h>

#include "db/format/kernels.h"
#include "index/half.h"

enum {
    NONE = WARI_NO_DISTANCE,
    FIRST_PIT = WARI_HALF_PITS, /* the opponent's first pit */
};

/* Returns C(seeds + k, k), or NONE if that is at least the number of positions in a chunk. */
static int16_t far_distance(int seeds, int k)
{
    uint64_t cells = 1;
    for (int i = 1; i <= k; i++)
        cells = cells * (uint64_t)(seeds + i) / (uint64_t)i;
    return cells < WARI_CHUNK_POSITIONS ? (int16_t)cells : NONE;
}

/* Returns a bit mask with the opponent pit that the last seed of a sowing from `pit` falls into.
 * Returns 0 if it does not fall into an opponent pit, or if there are 12 seeds or more. */
static uint8_t reach_of(int pit, int seeds)
{
    const int last = pit + seeds;
    return (uint8_t)(last >= FIRST_PIT && last < WARI_PITS ? 1 << (last - FIRST_PIT) : 0);
}

/* A vector of eight cells, or sixteen bytes, which every processor with vector instructions
 * supports. For other processors, gcc and clang compile the code without vector instructions. A
 * comparison gives -1 or 0. */
typedef int16_t cells8 __attribute__((vector_size(16)));
typedef int8_t bytes16 __attribute__((vector_size(16)));

static inline bytes16 load16(const uint8_t *from)
{
    bytes16 bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

static inline cells8 all8(int16_t value)
{
    return (cells8){value, value, value, value, value, value, value, value};
}

static inline bytes16 all16(uint8_t value)
{
    return (bytes16){0} + (int8_t)value;
}

/* Computes the runs with up to `most` seeds, except those that were computed by earlier calls. */
static void make_runs(struct wari_rows *rows, int most)
{
    for (; rows->lengths <= most; rows->lengths++) {
        const int seeds = rows->lengths;
        uint32_t at = rows->first_of_run[seeds];
        for (int d = 0; d <= seeds; d++) {
            for (int e = 0; e <= seeds - d; e++, at++) {
                const int f = seeds - d - e;
                rows->from_d[at] = (int16_t)(d > 0 ? e + f + 1 : NONE);
                rows->reach_of_run[at] = reach_of(3, d) | reach_of(4, e) | reach_of(5, f);
            }
        }
        rows->first_of_run[seeds + 1] = at;
    }
}

void wari_rows_init(struct wari_rows *rows)
{
    rows->captures = wari_format_kernels_fastest().captures;
    rows->columns.seeds = -1;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
        for (int k = 2; k <= 4; k++)
            rows->far[k - 2][seeds] = far_distance(seeds, k);
    rows->lengths = 0;
    rows->first_of_run[0] = 0;
}

/* ---- Columns -------------------------------------------------------------------------------- */

/* Sets `count` cells. May also set up to seven cells after them, for which there is always
 * capacity. */
static inline void fill(int16_t *cells, size_t count, int16_t value)
{
    const cells8 eight = all8(value);
    for (size_t i = 0; i < count; i += 8)
        memcpy(cells + i, &eight, sizeof eight);
}

/* Copies `count` cells. May also copy up to seven cells after them. */
static inline void copy(int16_t *to, const int16_t *from, size_t count)
{
    for (size_t i = 0; i < count; i += 8)
        memcpy(to + i, from + i, sizeof(cells8));
}

/* Computes the reach, and the distances from D and C, of `half` and the halves after it in the same
 * run, but of at most `most` halves. Stores them in the columns from index `at` on. Returns the
 * number of columns. */
static inline uint32_t add_run(struct wari_rows *rows, uint32_t at,
                               const uint8_t half[WARI_HALF_PITS], uint32_t most)
{
    struct wari_columns *columns = &rows->columns;
    const int d = half[3];
    const int seeds = d + half[4] + half[5];
    const uint32_t skip = (uint32_t)(d * (seeds + 1) - d * (d - 1) / 2 + half[4]);
    const uint32_t left = (uint32_t)((seeds + 2) * (seeds + 1) / 2) - skip;
    const uint32_t cells = left < most ? left : most;
    const uint8_t others = reach_of(0, half[0]) | reach_of(1, half[1]) | reach_of(2, half[2]);
    const uint8_t *from = rows->reach_of_run + rows->first_of_run[seeds] + skip;
    uint8_t *reach = columns->reach + at;

    copy(columns->distance[0] + at, rows->from_d + rows->first_of_run[seeds] + skip, cells);
    fill(columns->distance[1] + at, cells, half[2] ? rows->far[0][seeds] : NONE);
    for (uint32_t i = 0; i < cells; i += 16) {
        const bytes16 bits = all16(others) | load16(from + i);
        memcpy(reach + i, &bits, sizeof bits);
    }
    return cells;
}

/* Adds the distance for one pit to all columns from `at` on for which this distance is the same.
 * The pit is followed by `pits` + 1 other pits, which have `after` seeds together. The distance may
 * also be written to some columns after these; they are overwritten later. */
static void add_far(struct wari_rows *rows, int pits, uint32_t at, int own, int after,
                    uint32_t most)
{
    const int16_t cells = rows->far[pits - 2][after];
    fill(rows->columns.distance[pits - 1] + at, (uint32_t)cells < most ? (uint32_t)cells : most,
         own > 0 ? cells : NONE);
}

/* Computes columns first .. first + count - 1 of the rows whose mover half has `seeds` seeds. */
static void make_columns(struct wari_rows *rows, int seeds, uint32_t first, uint32_t count)
{
    struct wari_columns *columns = &rows->columns;
    uint8_t half[WARI_HALF_PITS];
    uint32_t at = 0;
    columns->seeds = seeds;
    columns->first = first;
    columns->count = count;
    wari_half_unrank(seeds, first, half);
    while (at < count) {
        const int after_a = seeds - half[0];
        if (at == 0 || (half[1] == 0 && half[2] == 0))
            add_far(rows, 4, at, half[0], after_a, count - at);
        if (at == 0 || half[2] == 0)
            add_far(rows, 3, at, half[1], after_a - half[1], count - at);
        at += add_run(rows, at, half, count - at);
        half[3] = (uint8_t)(half[3] + half[4] + half[5]);
        half[4] = half[5] = 0;
        if (!wari_half_next(half))
            break;
    }
}

/* Ensures that rows->columns contains the given columns of a row of `width` columns. If the whole
 * row fits, computes all its columns, since the next row probably needs them. */
static void need_columns(struct wari_rows *rows, int seeds, uint32_t width, uint32_t first,
                         uint32_t count)
{
    const struct wari_columns *columns = &rows->columns;
    if (width <= WARI_CHUNK_POSITIONS) {
        first = 0;
        count = width;
    }
    if (columns->seeds != seeds || columns->first != first || columns->count < count)
        make_columns(rows, seeds, first, count);
}

/* ---- Captures ------------------------------------------------------------------------------- */

/* Computes, for each opponent pit, the number of seeds that a sowing of at most 11 seeds
 * captures if its last seed falls into this pit. The number is 0 if the sowing would capture all
 * of the opponent's seeds. */
static void captures_by_last_pit(const uint8_t opponent[WARI_HALF_PITS],
                                 uint8_t taken[WARI_HALF_PITS])
{
    const int seeds = wari_half_seeds(opponent);
    int run = 0;
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        const int after = opponent[pit] + 1;
        run = after == 2 || after == 3 ? run + after : 0;
        taken[pit] = (uint8_t)(run == seeds + pit + 1 ? 0 : run);
    }
}

/* ---- Iterating ----------------------------------------------------------------------------------
 */

void wari_row_begin(struct wari_row_iterator *iterator, struct wari_rows *rows,
                    const struct wari_chunk_range *range)
{
    const struct wari_layout *layout = range->layout;
    int s = 0;
    while (range->first >= layout->block_offset[s + 1])
        s++;
    const uint64_t cell = range->first - layout->block_offset[s];
    *iterator = (struct wari_row_iterator){
        .rows = rows,
        .layout = layout,
        .count = range->count,
        .steps = range->steps,
        .block = s,
        .row = (uint32_t)(cell / layout->columns[s]),
        .column = (uint32_t)(cell % layout->columns[s]),
    };
    make_runs(rows, layout->seeds);
    wari_row_unrank(s, iterator->row, iterator->opponent);
}

/* Moves to the next row of the level. */
static void step(struct wari_row_iterator *iterator)
{
    iterator->column = 0;
    if (++iterator->row == iterator->layout->rows[iterator->block]) {
        iterator->row = 0;
        wari_row_unrank(++iterator->block, 0, iterator->opponent);
        return;
    }
    do
        wari_half_next(iterator->opponent);
    while (wari_half_full(iterator->opponent));
}

/* Moves to the cells after those of the current row; returns false if there are none. */
static bool next_row(struct wari_row_iterator *iterator)
{
    iterator->at += iterator->cells;
    if (iterator->at == iterator->count)
        return false;
    if (iterator->cells > 0)
        step(iterator);
    const uint32_t left = iterator->layout->columns[iterator->block] - iterator->column;
    iterator->cells =
        left < iterator->count - iterator->at ? left : (uint32_t)(iterator->count - iterator->at);
    return true;
}

/* Returns true if no cell of the current row is requested: the row begins after the requested cells
 * of a stream and ends before the next stream. */
static bool is_skipped(const struct wari_row_iterator *iterator)
{
    const size_t length = wari_stream_cells(iterator->count);
    const size_t place = iterator->at % length;
    return place >= iterator->steps && place + iterator->cells <= length;
}

bool wari_row_next(struct wari_row_iterator *iterator)
{
    do {
        if (!next_row(iterator))
            return false;
    } while (is_skipped(iterator));

    struct wari_rows *rows = iterator->rows;
    const size_t length = wari_stream_cells(iterator->count);
    const size_t end = iterator->at + iterator->cells;
    const uint32_t width = iterator->layout->columns[iterator->block];
    uint8_t taken[WARI_HALF_PITS];
    need_columns(rows, iterator->layout->seeds - iterator->block, width, iterator->column,
                 iterator->cells);
    iterator->skip = iterator->column - rows->columns.first;
    iterator->above =
        iterator->row > 0 && width < WARI_CHUNK_POSITIONS ? (int16_t)width : (int16_t)NONE;
    captures_by_last_pit(iterator->opponent, taken);
    if (iterator->steps >= length) {
        rows->captures(rows->columns.reach + iterator->skip, taken, iterator->cells,
                       rows->capture + iterator->at);
        return true;
    }
    for (size_t stream = iterator->at / length * length; stream < end; stream += length) {
        const size_t from = stream > iterator->at ? stream : iterator->at;
        const size_t to = stream + iterator->steps < end ? stream + iterator->steps : end;
        if (from < to)
            rows->captures(rows->columns.reach + iterator->skip + (from - iterator->at), taken,
                           to - from, rows->capture + from);
    }
    return true;
}

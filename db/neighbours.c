/* Neighbours and captures of the cells of a chunk.
 *
 * A row's columns are its mover halves A..F in lexicographic order, so they fall into runs: A, B
 * and C stay while D, E and F go through all ways to hold the seeds that are left to them. Moving a
 * seed from pit X to the pit after it leads back by a number of cells that only the seeds behind X
 * decide:
 *
 *     from E: 1      from D: E+F+1      from C: C(D+E+F+2, 2)      from B: C(C+D+E+F+3, 3) ...
 *
 * which is the same for all cells of a run, except from D; and that is the same for all runs with
 * as many seeds. Everything here is therefore done a run at a time, in vectors that may write a
 * little beyond its end, where the next run follows; and as all rows of a block have the same
 * columns, runs and distances are kept from row to row.
 */
#include "db/neighbours.h"

#include <string.h>

#include "db/neighbours_aim.h"
#include "index/half.h"

enum {
    NONE = WARI_NO_DISTANCE,
    FIRST_PIT = WARI_HALF_PITS, /* of the opponent */
};

/* C(seeds + k, k), or NONE beyond a chunk. */
static int16_t far_distance(int seeds, int k)
{
    uint64_t cells = 1;
    for (int i = 1; i <= k; i++)
        cells = cells * (uint64_t)(seeds + i) / (uint64_t)i;
    return cells < WARI_CHUNK_POSITIONS ? (int16_t)cells : NONE;
}

/* The opponent pit that a pit's last seed falls into, as a bit; 0 for none, and for 12 seeds or
 * more. */
static uint8_t reach_of(int pit, int seeds)
{
    const int last = pit + seeds;
    return (uint8_t)(last >= FIRST_PIT && last < WARI_PITS ? 1 << (last - FIRST_PIT) : 0);
}

/* Eight cells, or sixteen bytes, at a time: what every processor with vectors has. gcc and clang
 * make plain code of it elsewhere. A comparison gives -1 or 0. */
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

static inline bytes16 larger16(bytes16 a, bytes16 b)
{
    const bytes16 mask = a > b;
    return (mask & a) | (~mask & b);
}

/* All (D, E, F) with the same number of seeds, in order, for every number of seeds up to `most`. */
static void make_runs(struct wari_neighbours *neighbours, int most)
{
    for (; neighbours->runs <= most; neighbours->runs++) {
        const int seeds = neighbours->runs;
        uint32_t at = neighbours->first_of_run[seeds];
        for (int d = 0; d <= seeds; d++) {
            for (int e = 0; e <= seeds - d; e++, at++) {
                const int f = seeds - d - e;
                neighbours->from_d[at] = (int16_t)(d > 0 ? e + f + 1 : NONE);
                neighbours->reach_of_run[at] = reach_of(3, d) | reach_of(4, e) | reach_of(5, f);
            }
        }
        neighbours->first_of_run[seeds + 1] = at;
    }
}

static wari_aim *fastest_aim(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw"))
        return wari_aim_avx512;
    if (__builtin_cpu_supports("avx2"))
        return wari_aim_avx2;
#endif
    return wari_aim_portable;
}

void wari_neighbours_init(struct wari_neighbours *neighbours)
{
    neighbours->aim = fastest_aim();
    neighbours->columns.seeds = -1;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
        for (int k = 2; k <= 4; k++)
            neighbours->far[k - 2][seeds] = far_distance(seeds, k);
    neighbours->runs = 0;
    neighbours->first_of_run[0] = 0;
}

size_t wari_lane_cells(size_t count)
{
    return (count + WARI_LANES - 1) / WARI_LANES;
}

/* ---- Columns -------------------------------------------------------------------------------- */

/* Up to fifteen cells more than `count`, of which there is always room. */
static inline void fill(int16_t *cells, size_t count, int16_t value)
{
    const cells8 eight = all8(value);
    for (size_t i = 0; i < count; i += 8)
        memcpy(cells + i, &eight, sizeof eight);
}

/* Up to seven cells more than `count`. */
static inline void copy(int16_t *to, const int16_t *from, size_t count)
{
    for (size_t i = 0; i < count; i += 8)
        memcpy(to + i, from + i, sizeof(cells8));
}

/* The run that `half` is in, from there to its end or to `most` cells. Returns its cells. */
static inline uint32_t add_run(struct wari_neighbours *neighbours, uint32_t at,
                               const uint8_t half[WARI_HALF_PITS], uint32_t most)
{
    struct wari_columns *columns = &neighbours->columns;
    const int d = half[3];
    const int seeds = d + half[4] + half[5];
    const uint32_t skip = (uint32_t)(d * (seeds + 1) - d * (d - 1) / 2 + half[4]);
    const uint32_t left = (uint32_t)((seeds + 2) * (seeds + 1) / 2) - skip;
    const uint32_t cells = left < most ? left : most;
    const uint8_t others = reach_of(0, half[0]) | reach_of(1, half[1]) | reach_of(2, half[2]);
    const uint8_t *from = neighbours->reach_of_run + neighbours->first_of_run[seeds] + skip;
    uint8_t *reach = columns->reach + at;

    copy(columns->distance[0] + at, neighbours->from_d + neighbours->first_of_run[seeds] + skip,
         cells);
    fill(columns->distance[1] + at, cells, half[2] ? neighbours->far[0][seeds] : NONE);
    for (uint32_t i = 0; i < cells; i += 16) {
        const bytes16 bits = all16(others) | load16(from + i);
        memcpy(reach + i, &bits, sizeof bits);
    }
    return cells;
}

/* The distance for a pit in front of others with `behind` seeds, in all columns from `at` on in
 * which it stays the same, and perhaps in some after these. The next ones follow. */
static void add_far(struct wari_neighbours *neighbours, int pits, uint32_t at, int own, int behind,
                    uint32_t most)
{
    const int16_t cells = neighbours->far[pits - 2][behind];
    fill(neighbours->columns.distance[pits - 1] + at,
         (uint32_t)cells < most ? (uint32_t)cells : most, own > 0 ? cells : NONE);
}

/* Columns first .. first + count - 1 of the rows whose mover half has `seeds` seeds. */
static void make_columns(struct wari_neighbours *neighbours, int seeds, uint32_t first,
                         uint32_t count)
{
    struct wari_columns *columns = &neighbours->columns;
    uint8_t half[WARI_HALF_PITS];
    uint32_t at = 0;
    columns->seeds = seeds;
    columns->first = first;
    columns->count = count;
    wari_half_unrank(seeds, first, half);
    while (at < count) {
        const int behind_a = seeds - half[0];
        if (at == 0 || (half[1] == 0 && half[2] == 0))
            add_far(neighbours, 4, at, half[0], behind_a, count - at);
        if (at == 0 || half[2] == 0)
            add_far(neighbours, 3, at, half[1], behind_a - half[1], count - at);
        at += add_run(neighbours, at, half, count - at);
        half[3] = (uint8_t)(half[3] + half[4] + half[5]);
        half[4] = half[5] = 0;
        if (!wari_half_next(half))
            break;
    }
}

/* Whole rows where they fit, so that the next row finds them again. */
static void need_columns(struct wari_neighbours *neighbours, int seeds, uint32_t width,
                         uint32_t first, uint32_t count)
{
    const struct wari_columns *columns = &neighbours->columns;
    if (width <= WARI_CHUNK_POSITIONS) {
        first = 0;
        count = width;
    }
    if (columns->seeds != seeds || columns->first != first || columns->count < count)
        make_columns(neighbours, seeds, first, count);
}

/* ---- Captures ------------------------------------------------------------------------------- */

/* Seeds captured by a sowing of at most 11 seeds whose last one falls into each opponent pit; 0
 * where it would take all. */
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

/* The largest capture of each cell of a row. */
static void fill_captures(const uint8_t *reach, const uint8_t opponent[WARI_HALF_PITS],
                          uint32_t cells, uint8_t *capture)
{
    uint8_t taken[WARI_HALF_PITS];
    captures_by_last_pit(opponent, taken);
    for (uint32_t i = 0; i < cells; i += 16) {
        const bytes16 reached = load16(reach + i);
        bytes16 most = {0};
        for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
            if (taken[pit] == 0)
                continue; /* four of six times, and the same all along the row */
            const bytes16 bit = all16((uint8_t)(1 << pit));
            most = larger16(most, ((reached & bit) == bit) & all16(taken[pit]));
        }
        memcpy(capture + i, &most, sizeof most);
    }
}

/* ---- Targets -------------------------------------------------------------------------------- */

/* A row's part of a chunk, lane by lane. */
static void aim_row(struct wari_neighbours *neighbours, size_t at, uint32_t skip, uint32_t cells,
                    int16_t above, size_t length)
{
    const size_t end = at + cells;
    for (size_t lane = at / length * length; lane < end; lane += length) {
        const size_t from = lane > at ? lane : at;
        const size_t to = lane + length < end ? lane + length : end;
        const struct wari_part part = {
            .at = from,
            .lane = lane,
            .cells = (uint32_t)(to - from),
            .skip = skip + (uint32_t)(from - at),
            .above = above,
        };
        neighbours->aim(neighbours, &part, length);
    }
}

void wari_neighbours_of(struct wari_neighbours *neighbours, const struct wari_layout *layout,
                        uint64_t first, size_t count)
{
    const size_t lane = wari_lane_cells(count);
    uint8_t opponent[WARI_HALF_PITS];
    int s = 0;
    while (first >= layout->block_offset[s + 1])
        s++;
    uint64_t cell = first - layout->block_offset[s];
    uint32_t row = (uint32_t)(cell / layout->columns[s]);
    uint32_t column = (uint32_t)(cell % layout->columns[s]);

    make_runs(neighbours, layout->seeds);
    wari_row_unrank(s, row, opponent);
    for (size_t at = 0; at < count;) {
        uint32_t width = layout->columns[s];
        uint32_t cells = width - column;
        if (cells > count - at)
            cells = (uint32_t)(count - at);
        need_columns(neighbours, layout->seeds - s, width, column, cells);
        const uint32_t skip = column - neighbours->columns.first;
        fill_captures(neighbours->columns.reach + skip, opponent, cells, neighbours->capture + at);
        aim_row(neighbours, at, skip, cells,
                row > 0 && width < WARI_CHUNK_POSITIONS ? (int16_t)width : (int16_t)NONE, lane);
        at += cells;
        column = 0;
        if (at == count)
            break;
        if (++row == layout->rows[s]) {
            row = 0;
            wari_row_unrank(++s, 0, opponent);
        } else {
            do
                wari_half_next(opponent);
            while (wari_half_full(opponent));
        }
    }
}

/* Upper bounds of the cycle rule `own`: finds the surplus that can be kept for ever.
 *
 * Let D be the seeds in the mover's row minus the seeds in the opponent's row. D is the same for
 * all positions of a block. The first upper bound of each position is D, if D is on the same side
 * of 0 as its value v and further from 0; otherwise it is v. Then upper bounds shrink, by sweeps,
 * to the greatest fixed point of "the best of its moves, no further from 0 than D, no nearer to 0
 * than v". An upper bound at this fixed point is a surplus that its owner can keep at every
 * position of an endless play, so it becomes the value. Upper bounds replace the values in memory:
 * upper_bound.h explains why one byte is enough for both.
 *
 * If D < 0 and the best capture c is better than D, the first upper bound is c. An upper bound of D
 * would rise to c in the first sweep anyway, and it never falls below c later. With this start,
 * sweeps do not have to know c. (Positions without a move start with an upper bound, too, if D > 0;
 * the first sweep removes it.)
 *
 * The sum of all values above 0 shows if the upper bounds changed any value. Values below 0 need no
 * such sum: if a side can keep a surplus for ever from a position where the opponent is to move,
 * the side can also keep this surplus from the following position, where the side itself is to move
 * and the value is above 0.
 */
#include "solver/memory/memory.h"

#include <string.h>

#include "solver/level/captures.h"

/* A conversion of all cells from values to upper bounds, or back. */
struct conversion {
    struct wari_cells codes;               /* the new codes */
    int8_t table[WARI_SEEDS_MAX + 1][256]; /* [block][old code]: new code; -128 if the best
                                            * capture has to be looked up */
    atomic_uint_fast64_t sum;              /* sum of all old values above 0; if upper bounds are
                                            * converted back, sum of all old bounds above 0 */
};

/* Returns the sum of all values that are above 0; value[code] is the value of a cell with this
 * code. */
static uint64_t sum_above_0(const int8_t value[256], const int8_t *cells, uint32_t count)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        const int8_t now = value[(uint8_t)cells[i]];
        sum += (uint64_t)(now > 0 ? now : 0);
    }
    return sum;
}

/* Looks up the best capture of a cell in a block with D < 0, and returns the code of its first
 * upper bound. */
static int8_t first_upper_bound(struct wari_level *level, struct wari_worker *worker, int block,
                                uint32_t row, uint32_t column, const struct wari_cells *upper)
{
    int best;

    if (!wari_best_capture_at(level, worker, block, row, column,
                              &best) || /* the workers have failed */
        best == WARI_NO_CAPTURE)
        best = upper->none;
    return wari_upper_initial(upper, level->layout.seeds - 2 * block, best);
}

static void convert_rows(struct wari_level *level, struct wari_worker *worker, void *context,
                         const struct wari_row_range *rows)
{
    struct conversion *conversion = context;
    const uint32_t columns = level->layout.columns[rows->block];
    uint64_t sum = 0;

    for (uint32_t i = 0; i < rows->count; i++) {
        int8_t *cells = rows->cells + (size_t)i * rows->pitch;
        const int8_t *unknown = cells;
        sum += sum_above_0(level->codes.value, cells, columns);
        level->kernel->look_up(conversion->table[rows->block], cells, columns, cells);
        while (
            (unknown = memchr(unknown, (uint8_t)INT8_MIN, (size_t)(cells + columns - unknown)))) {
            const uint32_t column = (uint32_t)(unknown - cells);
            cells[column] = first_upper_bound(level, worker, rows->block, rows->first + i, column,
                                              &conversion->codes);
        }
    }
    atomic_fetch_add_explicit(&conversion->sum, sum, memory_order_relaxed);
}

/* Converts all cells from values to upper bounds, or back if `upper` is false. Returns the sum of
 * all values, or of all upper bounds, that were above 0 before the conversion. */
static uint64_t convert_level(struct wari_level *level, bool upper)
{
    const int seeds = level->layout.seeds;
    struct conversion conversion = {.codes = level->codes};

    wari_cells_for_upper_bounds(&conversion.codes, upper);
    for (int block = 0; block <= seeds; block++)
        if (upper)
            wari_upper_from_values(&level->codes, &conversion.codes, seeds - 2 * block,
                                   conversion.table[block]);
        else
            wari_values_from_upper(&level->codes, &conversion.codes, conversion.table[block]);
    atomic_init(&conversion.sum, 0);
    level->backend->each_rows(level, WARI_CHANGES, convert_rows, &conversion);
    wari_level_release_readers(level);
    level->codes = conversion.codes;
    return wari_level_sum(level, atomic_load_explicit(&conversion.sum, memory_order_relaxed));
}

void wari_upper_bounds_begin(struct wari_level *level)
{
    level->progress.won = convert_level(level, true);
}

uint64_t wari_upper_bounds_commit(struct wari_level *level)
{
    return convert_level(level, false) - level->progress.won;
}

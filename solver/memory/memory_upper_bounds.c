/* The shrink step of cycle rule `own`: what surplus can be kept for ever?
 *
 * Let D be the seeds in the mover's row minus those in the opponent's: constant on a block. Every
 * position hopes for D where that is further from 0 than its value v on the same side; then hopes
 * are swept down to the greatest fixed point of "the best of its moves, no further from 0 than D,
 * no nearer than v". A hope that survives is a surplus that its owner can keep at every position of
 * an endless play, so it becomes the value. Hopes stand where the values were: upper_bound.h says
 * how one byte is enough for both.
 *
 * A hope D < 0 begins at the best capture c where that is better: it would rise to c in the first
 * sweep, and having begun there it never falls below, so sweeps need not know c. (Positions without
 * a move start with a hope, too, if they are ahead; the first sweep takes it away.)
 *
 * Whether any hope survived shows in the sum of all that is above 0, which only hopes can have made
 * larger: what a side can keep for ever it can also keep where it is to move.
 */
#include "solver/memory/memory.h"

#include <string.h>

#include "solver/level/captures.h"

/* One way or the other. */
struct change {
    struct wari_cells codes;               /* what cells become */
    int8_t table[WARI_SEEDS_MAX + 1][256]; /* [block]: by what they are; -128: has to ask */
    atomic_uint_fast64_t sum;              /* of what is above 0, before */
};

/* All that is above 0. `value`: of codes. */
static uint64_t sum_above_0(const int8_t value[256], const int8_t *cells, uint32_t count)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        const int8_t now = value[(uint8_t)cells[i]];
        sum += (uint64_t)(now > 0 ? now : 0);
    }
    return sum;
}

/* The hope of a cell of a block that is behind and does not know its best capture. */
static int8_t ask(struct wari_level *level, struct wari_worker *worker, int block, uint32_t row,
                  uint32_t column, const struct wari_cells *hopes)
{
    int best;

    if (!wari_best_capture_at(level, worker, block, row, column, &best) || /* the team has failed */
        best == WARI_NO_CAPTURE)
        best = hopes->none;
    return wari_upper_initial(hopes, level->layout.seeds - 2 * block, best);
}

static void change_rows(struct wari_level *level, struct wari_worker *worker, void *context,
                        const struct wari_row_range *rows)
{
    struct change *change = context;
    const uint32_t columns = level->layout.columns[rows->block];
    uint64_t sum = 0;

    for (uint32_t i = 0; i < rows->count; i++) {
        int8_t *cells = rows->cells + (size_t)i * rows->pitch;
        const int8_t *asks = cells;
        sum += sum_above_0(level->codes.value, cells, columns);
        level->kernel->look_up(change->table[rows->block], cells, columns, cells);
        while ((asks = memchr(asks, (uint8_t)INT8_MIN, (size_t)(cells + columns - asks)))) {
            const uint32_t column = (uint32_t)(asks - cells);
            cells[column] =
                ask(level, worker, rows->block, rows->first + i, column, &change->codes);
        }
    }
    atomic_fetch_add_explicit(&change->sum, sum, memory_order_relaxed);
}

/* To hopes, or to values. Returns the sum of what was above 0. */
static uint64_t change_level(struct wari_level *level, bool hopes)
{
    const int seeds = level->layout.seeds;
    struct change change = {.codes = level->codes};

    wari_cells_for_upper_bounds(&change.codes, hopes);
    for (int block = 0; block <= seeds; block++)
        if (hopes)
            wari_upper_from_values(&level->codes, &change.codes, seeds - 2 * block,
                                   change.table[block]);
        else
            wari_values_from_upper(&level->codes, &change.codes, change.table[block]);
    atomic_init(&change.sum, 0);
    level->backend->each_rows(level, WARI_CHANGES, change_rows, &change);
    wari_level_release_readers(level);
    level->codes = change.codes;
    return wari_level_sum(level, atomic_load_explicit(&change.sum, memory_order_relaxed));
}

void wari_upper_bounds_begin(struct wari_level *level)
{
    level->progress.won = change_level(level, true);
}

uint64_t wari_upper_bounds_commit(struct wari_level *level)
{
    return change_level(level, false) - level->progress.won;
}

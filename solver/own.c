/* The shrink step of cycle rule `own`: what surplus can be held for ever?
 *
 * Let D be the seeds in the mover's row minus those in the opponent's: constant on a block. Every
 * position hopes for D where that is further from 0 than its value v on the same side; then hopes
 * are swept down to the greatest fixed point of "the best of its moves, no further from 0 than D,
 * no nearer than v". A hope that survives is a surplus that its owner can keep at every position of
 * an endless play, so it becomes the value. (Positions without a move start with a hope, too; the
 * first sweep is dense and takes it away, since their `captures` entry is all they have.)
 */
#include "solver/level.h"

#include <string.h>

static int8_t hope(int8_t value, int surplus)
{
    if (surplus > 0 && value >= 0 && value < surplus)
        return (int8_t)surplus;
    if (surplus < 0 && value <= 0 && value > surplus)
        return (int8_t)surplus;
    return value;
}

/* Keeps the values as the floor and writes hopes in their place. */
static void raise_hopes(struct wari_level *level)
{
#pragma omp parallel num_threads(level->threads)
    for (int block = 0; block <= level->layout.seeds; block++) {
        const int surplus = level->layout.seeds - 2 * block;
#pragma omp for schedule(static) nowait
        for (uint64_t i = level->offset[block]; i < level->offset[block + 1]; i++) {
            level->floor[i] = level->values[i];
            level->values[i] = hope(level->floor[i], surplus);
        }
    }
}

bool wari_shrink(struct wari_level *level, wari_sweep_report *report, void *context)
{
    uint64_t raised = 0;

    raise_hopes(level);
    wari_sweep_to_fixed_point(level, WARI_SHRINK, report, context);
#pragma omp parallel num_threads(level->threads) reduction(+ : raised)
    for (int block = 0; block <= level->layout.seeds; block++) {
        const uint64_t end = level->offset[block + 1] - WARI_BLOCK_PADDING;
#pragma omp for schedule(static) nowait
        for (uint64_t i = level->offset[block]; i < end; i++)
            raised += level->values[i] != level->floor[i];
    }
    return raised != 0;
}

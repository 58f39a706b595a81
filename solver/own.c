/* The shrink step of cycle rule `own`: what surplus can be held for ever?
 *
 * Let D be the seeds in the mover's row minus those in the opponent's: constant on a block. Every
 * position hopes for D where that is further from 0 than its value v on the same side; then hopes
 * are swept down to the greatest fixed point of "the best of its moves, no further from 0 than D,
 * no nearer than v". A hope that survives is a surplus that its owner can keep at every position of
 * an endless play, so it becomes the value.
 *
 * A hope D < 0 begins at the best capture c where that is better: it would rise to c in the first
 * sweep, and having begun there it never falls below, so sweeps need not know c. (Positions without
 * a move start with a hope, too, if they are ahead; the first sweep takes it away.)
 */
#include <omp.h>
#include <string.h>

#include "solver/level.h"

/* The best capture or end of a cell with v <= 0, or codes.none. */
static int floor_of(const struct wari_level *level, struct wari_worker *worker, int block,
                    uint32_t row, uint32_t column, int8_t code)
{
    const int floor = level->codes.floor[(uint8_t)code];
    int best;

    if (floor != WARI_FLOOR_ASK)
        return floor;
    if (!wari_best_capture_at(level, worker, block, row, column, &best))
        return level->codes.none; /* the team has failed, nothing comes of it */
    return best == WARI_NO_CAPTURE ? level->codes.none : best;
}

static void hope_for_row(struct wari_level *level, struct wari_worker *worker, int block,
                         uint32_t row)
{
    const int surplus = level->layout.seeds - 2 * block;
    const uint64_t at = wari_level_place(level, block, row);

    for (uint32_t column = 0; column < level->layout.columns[block]; column++) {
        const int8_t code = level->cells[at + column];
        const int value = wari_cell_value(&level->codes, code);
        int hope = value;
        if (surplus > 0 && value >= 0 && value < surplus) {
            hope = surplus;
        } else if (surplus < 0 && value <= 0 && value > surplus) {
            const int floor = floor_of(level, worker, block, row, column, code);
            hope = floor > surplus ? floor : surplus;
        }
        level->hopes[at + column] = (int8_t)hope;
    }
}

/* Makes hopes that survived the values; returns how many are new. */
static uint64_t raise_row(struct wari_level *level, struct wari_worker *worker, int block,
                          uint32_t row)
{
    const uint64_t at = wari_level_place(level, block, row);
    uint64_t raised = 0;

    for (uint32_t column = 0; column < level->layout.columns[block]; column++) {
        int8_t *code = &level->cells[at + column];
        const int hope = level->hopes[at + column];
        if (hope == wari_cell_value(&level->codes, *code))
            continue;
        *code = hope > 0 ? wari_cell_code(&level->codes, hope, hope)
                         : wari_cell_low(&level->codes, hope,
                                         floor_of(level, worker, block, row, column, *code));
        raised++;
    }
    return raised;
}

void wari_hopes_begin(struct wari_level *level)
{
#pragma omp parallel num_threads(level->team->threads)
    {
        struct wari_worker *worker = &level->team->worker[omp_get_thread_num()];
        for (int block = 0; block <= level->layout.seeds; block++) {
#pragma omp for schedule(dynamic, 16) nowait
            for (uint32_t i = 0; i < level->share.rows[block]; i++)
                if (!wari_level_stopped(level))
                    hope_for_row(level, worker, block, level->share.first_row[block] + i);
        }
        wari_reader_release(worker->reader);
    }
}

uint64_t wari_hopes_end(struct wari_level *level)
{
    uint64_t raised = 0;

#pragma omp parallel num_threads(level->team->threads) reduction(+ : raised)
    {
        struct wari_worker *worker = &level->team->worker[omp_get_thread_num()];
        for (int block = 0; block <= level->layout.seeds; block++) {
#pragma omp for schedule(dynamic, 16) nowait
            for (uint32_t i = 0; i < level->share.rows[block]; i++)
                if (!wari_level_stopped(level))
                    raised += raise_row(level, worker, block, level->share.first_row[block] + i);
        }
        wari_reader_release(worker->reader);
    }
    return raised;
}

bool wari_shrink(struct wari_level *level, wari_sweep_report *report, void *context)
{
    wari_hopes_begin(level);
    level->swept = level->hopes;
    wari_sweep_to_fixed_point(level, WARI_SHRINK, report, context);
    level->swept = level->cells;
    return !wari_level_stopped(level) && wari_hopes_end(level) != 0;
}

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

#include "solver/stream.h"

/* The best capture or end of a cell with v <= 0, or codes.none. Where the code has a bound for it
 * only, and that is not above `enough`, the bound. */
static int floor_of(const struct wari_level *level, struct wari_worker *worker, int block,
                    uint32_t row, uint32_t column, int8_t code, int enough)
{
    const int floor = level->codes.floor[(uint8_t)code];
    int best;

    if (floor >= level->codes.none)
        return floor;
    if (floor - WARI_FLOOR_BELOW <= enough)
        return floor - WARI_FLOOR_BELOW;
    if (!wari_best_capture_at(level, worker, block, row, column, &best))
        return level->codes.none; /* the team has failed, nothing comes of it */
    return best == WARI_NO_CAPTURE ? level->codes.none : best;
}

static void hope_for_row(struct wari_level *level, struct wari_worker *worker, int block,
                         uint32_t row, const int8_t *codes, int8_t *hopes)
{
    const int surplus = level->layout.seeds - 2 * block;

    for (uint32_t column = 0; column < level->layout.columns[block]; column++) {
        const int8_t code = codes[column];
        const int value = wari_cell_value(&level->codes, code);
        int hope = value;
        if (surplus > 0 && value >= 0 && value < surplus) {
            hope = surplus;
        } else if (surplus < 0 && value <= 0 && value > surplus) {
            const int floor = floor_of(level, worker, block, row, column, code, surplus);
            hope = floor > surplus ? floor : surplus;
        }
        hopes[column] = (int8_t)hope;
    }
}

/* Makes hopes that survived the values; returns how many are new. */
static uint64_t raise_row(struct wari_level *level, struct wari_worker *worker, int block,
                          uint32_t row, int8_t *codes, const int8_t *hopes)
{
    uint64_t raised = 0;

    for (uint32_t column = 0; column < level->layout.columns[block]; column++) {
        int8_t *code = &codes[column];
        const int hope = hopes[column];
        if (hope == wari_cell_value(&level->codes, *code))
            continue;
        *code = hope > 0
                    ? wari_cell_code(&level->codes, hope, hope)
                    : wari_cell_low(&level->codes, hope,
                                    floor_of(level, worker, block, row, column, *code, hope - 1));
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
                if (!wari_level_stopped(level)) {
                    const uint32_t row = level->share.first_row[block] + i;
                    const uint64_t at = wari_level_place(level, block, row);
                    hope_for_row(level, worker, block, row, level->cells + at, level->hopes + at);
                }
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
                if (!wari_level_stopped(level)) {
                    const uint32_t row = level->share.first_row[block] + i;
                    const uint64_t at = wari_level_place(level, block, row);
                    raised +=
                        raise_row(level, worker, block, row, level->cells + at, level->hopes + at);
                }
        }
        wari_reader_release(worker->reader);
    }
    return raised;
}

/* ---- Streamed levels ------------------------------------------------------------------------ */

static bool reads_codes(const struct wari_level *level, uint32_t piece)
{
    return piece < level->stream->pieces.count;
}

static void hope_for_piece(struct wari_level *level, struct wari_worker *worker, void *context,
                           uint32_t piece)
{
    struct wari_pieces *pieces = &level->stream->pieces;
    const int block = wari_piece_block(pieces, piece);
    const uint32_t first = wari_piece_row(pieces, block, piece);

    (void)context;
    for (uint32_t row = first; row < first + wari_piece_rows(pieces, block, piece); row++)
        hope_for_row(level, worker, block, row, wari_pieces_row(pieces, 0, block, row),
                     wari_pieces_row(pieces, 1, block, row));
    wari_pieces_written(pieces, piece + pieces->count);
}

static void raise_piece(struct wari_level *level, struct wari_worker *worker, void *context,
                        uint32_t piece)
{
    struct wari_pieces *pieces = &level->stream->pieces;
    const int block = wari_piece_block(pieces, piece);
    const uint32_t first = wari_piece_row(pieces, block, piece);
    uint64_t raised = 0;

    for (uint32_t row = first; row < first + wari_piece_rows(pieces, block, piece); row++)
        raised += raise_row(level, worker, block, row, wari_pieces_row(pieces, 0, block, row),
                            wari_pieces_row(pieces, 1, block, row));
    if (raised != 0)
        wari_pieces_written(pieces, piece);
    atomic_fetch_add_explicit((atomic_uint_fast64_t *)context, raised, memory_order_relaxed);
}

static void stream_hopes(struct wari_level *level)
{
    struct wari_stream_each each = {.count = wari_stream_list_all(level),
                                    .both = true,
                                    .read = reads_codes,
                                    .job = hope_for_piece};

    wari_stream_each(level, &each);
    for (int i = 0; i < level->team->threads; i++)
        wari_reader_release(level->team->worker[i].reader);
}

static uint64_t stream_raised(struct wari_level *level)
{
    atomic_uint_fast64_t raised;
    struct wari_stream_each each = {
        .count = wari_stream_list_all(level), .both = true, .job = raise_piece, .context = &raised};

    atomic_init(&raised, 0);
    wari_stream_each(level, &each);
    for (int i = 0; i < level->team->threads; i++)
        wari_reader_release(level->team->worker[i].reader);
    return atomic_load_explicit(&raised, memory_order_relaxed);
}

bool wari_shrink(struct wari_level *level, bool begun, wari_sweep_report *report, void *context)
{
    if (!begun && level->stream)
        stream_hopes(level);
    else if (!begun)
        wari_hopes_begin(level);
    level->swept = level->hopes;
    wari_sweep_to_fixed_point(level, WARI_SHRINK, report, context);
    level->swept = level->cells;
    if (wari_level_stopped(level))
        return false;
    return (level->stream ? stream_raised(level) : wari_hopes_end(level)) != 0;
}

/* Snapshots of what is decided, and how they become codes.
 *
 * What a threshold has decided stays decided for all thresholds below it. So in some snapshots,
 * from the highest threshold to the lowest, a cell's bit is 0 and then 1; how often it is 1 tells
 * by which threshold the cell was decided, and the planes still notify which way, whatever
 * threshold they are at now.
 *
 * Snapshots are written in long stretches, and read in short ones that begin anywhere: so each unit
 * of transfer has a sum in memory (system/sum.h). */
#include <string.h>

#include "solver/bits/bits.h"
#include "solver/bits/scratch.h"
#include "solver/level/histogram.h"
#include "system/sum.h"

/* ---- Taking ---------------------------------------------------------------------------------- */

/* One after the other, in the place of the stripes of captures: behind the ranges. */
static uint64_t place_of(const struct wari_bits *bits, const struct wari_bits_snapshots *snapshots,
                         int i)
{
    return wari_division_file_bytes(&wari_scratch_of(bits->level)->row_ranges.division) +
           (uint64_t)((snapshots->first + i) % WARI_BITS_SNAPSHOTS_STORED) *
               wari_align_transfer(bits->planes.offset[bits->level->layout.seeds + 1]);
}

/* The sum of a unit at `place`, and where that is in memory. */
static uint32_t sum_of(const uint8_t *unit, uint64_t place)
{
    return (uint32_t)wari_sum(unit, WARI_TRANSFER_ALIGN, place);
}

static uint32_t *sum_at(const struct wari_bits *bits, uint64_t place)
{
    return &bits->fold.sum[(place - wari_division_file_bytes(
                                        &wari_scratch_of(bits->level)->row_ranges.division)) /
                           WARI_TRANSFER_ALIGN];
}

static void put_sums(struct wari_bits *bits, uint64_t place, const uint8_t *units, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += WARI_TRANSFER_ALIGN)
        *sum_at(bits, place + i) = sum_of(units + i, place + i);
}

static enum wari_status check_sums(const struct wari_bits *bits, uint64_t place,
                                   const uint8_t *units, size_t bytes, struct wari_error *error)
{
    for (size_t i = 0; i < bytes; i += WARI_TRANSFER_ALIGN)
        if (*sum_at(bits, place + i) != sum_of(units + i, place + i))
            return wari_sum_is_wrong(error, wari_scratch_of(bits->level)->file.path, place + i,
                                     WARI_TRANSFER_ALIGN);
    return WARI_OK;
}

static void write_stretch(struct wari_bits *bits, uint64_t from, size_t bytes)
{
    uint8_t *room = wari_bits_transfer_buffer(wari_bits_worker(bits)->worker);
    const uint8_t *won = bits->planes.won + from, *lost = bits->planes.lost + from;
    const uint64_t place = place_of(bits, &bits->fold.waiting, bits->fold.waiting.count) + from;
    const size_t whole = (size_t)wari_align_transfer(bytes);
    struct wari_error error;

    for (size_t i = 0; i < bytes; i++)
        room[i] = won[i] ^ lost[i];
    memset(room + bytes, 0, whole - bytes);
    put_sums(bits, place, room, whole);
    if (wari_scratch_file_transfer(&wari_scratch_of(bits->level)->file, room, whole, place, true,
                                   &error) != WARI_OK)
        wari_workers_fail(bits->level->workers, &error);
}

void wari_bits_write_snapshot(struct wari_bits *bits)
{
    enum { STRETCH = 256 << 10 };
    struct wari_level *level = bits->level;
    const uint64_t all = bits->planes.offset[level->layout.seeds + 1];
    const uint64_t stretches = (all + STRETCH - 1) / STRETCH;

    _Static_assert((int)STRETCH <= (int)WARI_BITS_TRANSFER_BYTES, "a stretch fits into a tile");
    if (bits->fold.folding.count + bits->fold.waiting.count == WARI_BITS_SNAPSHOTS_STORED)
        wari_bits_wait_for_fold(bits);
#pragma omp parallel for num_threads(level->workers->count) schedule(dynamic)
    for (uint64_t i = 0; i < stretches; i++) {
        const uint64_t left = all - i * STRETCH;
        if (!wari_level_stopped(level))
            write_stretch(bits, i * STRETCH, (size_t)(left < STRETCH ? left : STRETCH));
    }
    bits->fold.waiting.threshold[bits->fold.waiting.count++] = bits->threshold;
    if (bits->fold.waiting.count == (int)wari_bits_of(level)->shape.snapshots)
        wari_bits_start_fold(bits);
}

/* ---- Settling -------------------------------------------------------------------------------- */

/* A cell that was decided before these snapshots keeps its code: its value is beyond their
 * thresholds, or below 0, where first codes have none. */
static void choose_codes(struct wari_bits *bits)
{
    struct wari_settling *settling = &bits->fold.codes;
    const struct wari_cells *codes = &bits->level->codes;
    const int count = bits->fold.folding.count, highest = bits->fold.folding.threshold[0];

    settling->snapshots = count;
    for (int code = 0; code < 256; code++) {
        const int value = codes->value[code], floor = codes->floor[code];
        settling->code[0][code] = settling->code[WARI_BITS_WON_CODES][code] = (int8_t)code;
        for (int times = 1; times < WARI_BITS_WON_CODES; times++) {
            const int threshold = bits->fold.folding.threshold[times < count ? count - times : 0];
            settling->code[times][code] = value != 0 || (floor > -threshold && floor != codes->none)
                                              ? (int8_t)code
                                              : wari_cell_low(codes, -threshold, floor);
            settling->code[WARI_BITS_WON_CODES + times][code] =
                value > highest ? (int8_t)code : wari_cell_code(codes, threshold, 0);
        }
    }
}

/* A stretch of the planes, and of the snapshots. */
struct stretch {
    uint64_t from, bytes;
    const uint8_t *snapshot[WARI_BITS_SNAPSHOTS];
};

/* Reads the snapshots of a stretch, one after the other into `room`: transfers are of whole units.
 */
static enum wari_status read_stretch(const struct wari_bits *bits, struct stretch *stretch,
                                     uint8_t *room, struct wari_error *error)
{
    const uint64_t first = stretch->from / WARI_TRANSFER_ALIGN * WARI_TRANSFER_ALIGN;
    const size_t bytes = (size_t)wari_align_transfer(stretch->from + stretch->bytes - first);
    enum wari_status status = WARI_OK;

    for (int i = 0; i < bits->fold.folding.count && status == WARI_OK; i++, room += bytes) {
        const uint64_t place = place_of(bits, &bits->fold.folding, i) + first;
        stretch->snapshot[i] = room + (stretch->from - first);
        status = wari_scratch_file_transfer(&wari_scratch_of(bits->level)->file, room, bytes, place,
                                            false, error);
        if (status == WARI_OK)
            status = check_sums(bits, place, room, bytes, error);
    }
    return status;
}

/* The longest stretch whose snapshots fit into a frame wherever it begins. */
static uint64_t longest_stretch(const struct wari_bits *bits)
{
    const uint64_t units =
        bits->shape.scratch.buffer_bytes / bits->shape.snapshots / WARI_TRANSFER_ALIGN;

    return (units - 1) * WARI_TRANSFER_ALIGN;
}

/* The cells of a stretch, which begins at a place in a row and may end within one; whether any
 * changed. */
static bool fold_stretch(const struct wari_bits *bits, const struct stretch *stretch,
                         const struct wari_row_range *rows, uint32_t *row, uint32_t *column)
{
    const struct wari_level *level = bits->level;
    const uint32_t columns = level->layout.columns[rows->block];
    bool changed = false;

    for (uint64_t at = 0; at < stretch->bytes;) {
        const uint64_t cells = wari_least(columns - *column, 8 * (stretch->bytes - at));
        struct wari_bit_stretch here = {
            .won = bits->planes.won + stretch->from + at,
            .cells = rows->cells + (size_t)*row * rows->pitch + *column,
            .count = (uint32_t)cells,
        };
        for (int i = 0; i < bits->fold.folding.count; i++)
            here.snapshot[i] = stretch->snapshot[i] + at;
        changed |= level->kernel->bits_fold(&bits->fold.codes, &here);
        at += (cells + 7) / 8;
        *column += here.count;
        if (*column == columns) {
            *column = 0;
            ++*row;
        }
    }
    return changed;
}

/* Whether any cell of some rows changed. */
static bool fold_rows(const struct wari_bits *bits, const struct wari_row_range *rows,
                      uint8_t *room)
{
    const uint64_t longest = longest_stretch(bits);
    uint32_t row = 0, column = 0;
    uint64_t from = wari_bits_offset(bits, rows->block, rows->first, 0);
    const uint64_t end = from + (uint64_t)rows->count * bits->planes.pitch[rows->block];
    bool changed = false;

    while (from < end) {
        struct stretch stretch = {.from = from, .bytes = wari_least(end - from, longest)};
        struct wari_error error;
        if (read_stretch(bits, &stretch, room, &error) != WARI_OK) {
            wari_workers_fail(bits->level->workers, &error);
            return false;
        }
        changed |= fold_stretch(bits, &stretch, rows, &row, &column);
        from += stretch.bytes;
    }
    return changed;
}

static bool fold_piece(struct wari_level *level, const struct wari_io_buffers *buffers,
                       void *context, uint32_t range)
{
    const struct wari_row_range rows = wari_scratch_row_range(level, range, buffers->cells);
    struct wari_bits *bits = context;
    const bool changed = fold_rows(bits, &rows, buffers->packed);

    if (bits->fold.count)
        wari_count_rows(level, NULL, bits->fold.histogram, &rows);
    return changed;
}

static void *fold_all(void *context)
{
    struct wari_bits *bits = context;
    const struct wari_ranges *ranges = &wari_scratch_of(bits->level)->row_ranges;
    const struct wari_scratch_pass pass = {.from = ranges,
                                           .to = ranges,
                                           .end = ranges->division.count,
                                           .job = fold_piece,
                                           .context = bits};

    wari_scratch_run_pass(bits->level, &pass);
    bits->fold.counted = bits->fold.count;
    return NULL;
}

void wari_bits_start_fold(struct wari_bits *bits)
{
    wari_bits_wait_for_fold(bits);
    if (bits->fold.waiting.count == 0)
        return;
    bits->fold.folding = bits->fold.waiting;
    bits->fold.waiting = (struct wari_bits_snapshots){
        .first =
            (bits->fold.folding.first + bits->fold.folding.count) % WARI_BITS_SNAPSHOTS_STORED};
    choose_codes(bits);
    bits->fold.running = pthread_create(&bits->fold.thread, NULL, fold_all, bits) == 0;
    if (bits->fold.running)
        return;
    (void)fold_all(bits); /* then at once */
    bits->fold.folding.count = 0;
}

void wari_bits_wait_for_fold(struct wari_bits *bits)
{
    if (!bits->fold.running)
        return;
    (void)pthread_join(bits->fold.thread, NULL);
    bits->fold.running = false;
    bits->fold.folding.count = 0;
}

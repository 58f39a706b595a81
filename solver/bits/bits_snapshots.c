/* Writes snapshots of the decided cells, and folds them into the codes.
 *
 * A cell that is decided (won or lost) at a threshold is also decided at all lower thresholds. So
 * in the snapshots from the highest threshold to the lowest, the bit of a cell is first 0 and
 * then 1. The number of ones gives the threshold at which the cell was decided. The planes show if
 * the cell is won or lost; this does not change at lower thresholds.
 *
 * Snapshots are written in large parts, and read in smaller ranges that may begin anywhere. So
 * there is a checksum in memory for each page of the file (system/sum.h). */
#include <string.h>

#include "solver/bits/bits.h"
#include "solver/bits/scratch.h"
#include "solver/level/histogram.h"
#include "system/sum.h"

/* ---- Writing --------------------------------------------------------------------------------- */

/* Returns the offset of a snapshot in the file. Snapshots replace the ranges of columns, which
 * follow the ranges of rows and are needed only while captures are computed. */
static uint64_t snapshot_offset(const struct wari_bits *bits,
                                const struct wari_bits_snapshots *snapshots, int i)
{
    return wari_division_file_bytes(&wari_scratch_of(bits->level)->row_ranges.division) +
           (uint64_t)((snapshots->first + i) % WARI_BITS_SNAPSHOTS_STORED) *
               wari_align_transfer(bits->planes.offset[bits->level->layout.seeds + 1]);
}

/* Returns the checksum of a page at `offset` of the file. */
static uint32_t page_sum(const uint8_t *data, uint64_t offset)
{
    return (uint32_t)wari_sum(data, WARI_TRANSFER_ALIGN, offset);
}

static uint32_t *sum_at(const struct wari_bits *bits, uint64_t offset)
{
    return &bits->fold.sum[(offset - wari_division_file_bytes(
                                         &wari_scratch_of(bits->level)->row_ranges.division)) /
                           WARI_TRANSFER_ALIGN];
}

static void store_sums(struct wari_bits *bits, uint64_t offset, const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += WARI_TRANSFER_ALIGN)
        *sum_at(bits, offset + i) = page_sum(data + i, offset + i);
}

static enum wari_status check_sums(const struct wari_bits *bits, uint64_t offset,
                                   const uint8_t *data, size_t bytes, struct wari_error *error)
{
    for (size_t i = 0; i < bytes; i += WARI_TRANSFER_ALIGN)
        if (*sum_at(bits, offset + i) != page_sum(data + i, offset + i))
            return wari_sum_is_wrong(error, wari_scratch_of(bits->level)->file.temporary.path,
                                     offset + i, WARI_TRANSFER_ALIGN);
    return WARI_OK;
}

static void write_range(struct wari_bits *bits, uint64_t from, size_t bytes)
{
    uint8_t *buffer = wari_bits_transfer_buffer(wari_bits_worker(bits)->worker);
    const uint8_t *won = bits->planes.won + from, *lost = bits->planes.lost + from;
    const uint64_t offset =
        snapshot_offset(bits, &bits->fold.waiting, bits->fold.waiting.count) + from;
    const size_t whole = (size_t)wari_align_transfer(bytes);
    struct wari_error error;

    for (size_t i = 0; i < bytes; i++)
        buffer[i] = won[i] ^ lost[i];
    memset(buffer + bytes, 0, whole - bytes);
    store_sums(bits, offset, buffer, whole);
    if (wari_scratch_file_transfer(&wari_scratch_of(bits->level)->file, buffer, whole, offset, true,
                                   &error) != WARI_OK)
        wari_workers_fail(bits->level->workers, &error);
}

void wari_bits_write_snapshot(struct wari_bits *bits)
{
    enum { PART_BYTES = 256 << 10 };
    struct wari_level *level = bits->level;
    const uint64_t all = bits->planes.offset[level->layout.seeds + 1];
    const uint64_t parts = (all + PART_BYTES - 1) / PART_BYTES;

    _Static_assert((int)PART_BYTES <= (int)WARI_BITS_TRANSFER_BYTES, "a range fits into a tile");
    if (bits->fold.folding.count + bits->fold.waiting.count == WARI_BITS_SNAPSHOTS_STORED)
        wari_bits_wait_for_fold(bits);
#pragma omp parallel for num_threads(level->workers->count) schedule(dynamic)
    for (uint64_t i = 0; i < parts; i++) {
        const uint64_t left = all - i * PART_BYTES;
        if (!wari_level_stopped(level))
            write_range(bits, i * PART_BYTES, (size_t)(left < PART_BYTES ? left : PART_BYTES));
    }
    bits->fold.waiting.threshold[bits->fold.waiting.count++] = bits->threshold;
    if (bits->fold.waiting.count == (int)wari_bits_of(level)->shape.snapshots)
        wari_bits_start_fold(bits);
}

/* ---- Folding --------------------------------------------------------------------------------- */

/* Computes the tables of new codes. A cell that was decided before the snapshots to be folded keeps
 * its code. Such a cell is recognised by its value: it is greater than the highest threshold of the
 * snapshots, or negative. (The capture pass gives no cell a negative value; see `start` in
 * rows/cell.h.) */
static void choose_codes(struct wari_bits *bits)
{
    struct wari_fold_tables *tables = &bits->fold.codes;
    const struct wari_cells *codes = &bits->level->codes;
    const int count = bits->fold.folding.count, highest = bits->fold.folding.threshold[0];

    tables->snapshots = count;
    for (int code = 0; code < 256; code++) {
        const int value = codes->value[code], floor = codes->floor[code];
        tables->code[0][code] = tables->code[WARI_BITS_WON_CODES][code] = (int8_t)code;
        for (int times = 1; times < WARI_BITS_WON_CODES; times++) {
            const int threshold = bits->fold.folding.threshold[times < count ? count - times : 0];
            tables->code[times][code] = value != 0 || (floor > -threshold && floor != codes->none)
                                            ? (int8_t)code
                                            : wari_cell_low(codes, -threshold, floor);
            tables->code[WARI_BITS_WON_CODES + times][code] =
                value > highest ? (int8_t)code : wari_cell_code(codes, threshold, 0);
        }
    }
}

/* A range of bytes of the planes, and the bytes at the same offsets in all snapshots. */
struct plane_range {
    uint64_t from, bytes;
    const uint8_t *snapshot[WARI_BITS_SNAPSHOTS];
};

/* Reads the bytes of a range from each snapshot into `buffer`, one snapshot after the other. Whole
 * pages are read, since each page has one checksum. */
static enum wari_status read_range(const struct wari_bits *bits, struct plane_range *range,
                                   uint8_t *buffer, struct wari_error *error)
{
    const uint64_t first = range->from / WARI_TRANSFER_ALIGN * WARI_TRANSFER_ALIGN;
    const size_t bytes = (size_t)wari_align_transfer(range->from + range->bytes - first);
    enum wari_status status = WARI_OK;

    for (int i = 0; i < bits->fold.folding.count && status == WARI_OK; i++, buffer += bytes) {
        const uint64_t offset = snapshot_offset(bits, &bits->fold.folding, i) + first;
        range->snapshot[i] = buffer + (range->from - first);
        status = wari_scratch_file_transfer(&wari_scratch_of(bits->level)->file, buffer, bytes,
                                            offset, false, error);
        if (status == WARI_OK)
            status = check_sums(bits, offset, buffer, bytes, error);
    }
    return status;
}

/* Returns the length of the longest range whose bytes in all snapshots that are folded together fit
 * into a buffer. It is one page less than the buffer's share of a snapshot, because whole pages are
 * read, and a range may begin and end within a page. */
static uint64_t longest_range(const struct wari_bits *bits)
{
    const uint64_t pages =
        bits->shape.scratch.buffer_bytes / bits->shape.snapshots / WARI_TRANSFER_ALIGN;

    return (pages - 1) * WARI_TRANSFER_ALIGN;
}

/* Folds the cells of a range, which begins at *row and *column and may end within a row. Advances
 * *row and *column to the end of the range. Returns true if any code changed. */
static bool fold_range(const struct wari_bits *bits, const struct plane_range *range,
                       const struct wari_row_range *rows, uint32_t *row, uint32_t *column)
{
    const struct wari_level *level = bits->level;
    const uint32_t columns = level->layout.columns[rows->block];
    bool changed = false;

    for (uint64_t at = 0; at < range->bytes;) {
        const uint64_t cells = wari_least(columns - *column, 8 * (range->bytes - at));
        struct wari_fold_range here = {
            .won = bits->planes.won + range->from + at,
            .cells = rows->cells + (size_t)*row * rows->pitch + *column,
            .count = (uint32_t)cells,
        };
        for (int i = 0; i < bits->fold.folding.count; i++)
            here.snapshot[i] = range->snapshot[i] + at;
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

/* Folds some rows. Returns true if any code changed. */
static bool fold_rows(const struct wari_bits *bits, const struct wari_row_range *rows,
                      uint8_t *buffer)
{
    const uint64_t longest = longest_range(bits);
    uint32_t row = 0, column = 0;
    uint64_t from = wari_bits_offset(bits, rows->block, rows->first, 0);
    const uint64_t end = from + (uint64_t)rows->count * bits->planes.pitch[rows->block];
    bool changed = false;

    while (from < end) {
        struct plane_range range = {.from = from, .bytes = wari_least(end - from, longest)};
        struct wari_error error;
        if (read_range(bits, &range, buffer, &error) != WARI_OK) {
            wari_workers_fail(bits->level->workers, &error);
            return false;
        }
        changed |= fold_range(bits, &range, rows, &row, &column);
        from += range.bytes;
    }
    return changed;
}

static bool fold_scratch_range(struct wari_level *level, const struct wari_io_buffers *buffers,
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
                                           .job = fold_scratch_range,
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
    (void)fold_all(bits); /* no thread could be started, so fold at once */
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

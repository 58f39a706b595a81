/* The scratch file, and the ranges of a level in it. */
#include "solver/bits/scratch_file.h"

#include <string.h>

#include "solver/kernel/kernel.h"
#include "solver/level/item.h"
#include "solver/level/size.h"
#include "system/sum.h"

enum wari_status wari_scratch_file_open(struct wari_scratch_file *file,
                                        const struct wari_host *host, const char *folder,
                                        const char *name, struct wari_error *error)
{
    atomic_init(&file->bytes_read, 0);
    atomic_init(&file->bytes_written, 0);
    return wari_temporary_file_open(&file->temporary, host, folder, name, error);
}

void wari_scratch_file_close(struct wari_scratch_file *file)
{
    wari_temporary_file_close(&file->temporary);
}

enum wari_status wari_scratch_file_transfer(struct wari_scratch_file *file, void *memory,
                                            size_t bytes, uint64_t offset, bool write,
                                            struct wari_error *error)
{
    const struct wari_host *host = file->temporary.host;
    const char *path = file->temporary.path;

    atomic_fetch_add_explicit(write ? &file->bytes_written : &file->bytes_read, bytes,
                              memory_order_relaxed);
    const enum wari_status status =
        write ? wari_write_at(host, file->temporary.fd, path, memory, bytes, offset, error)
              : wari_read_at(host, file->temporary.fd, path, memory, bytes, offset, error);
    /* WARI_CORRUPT means that the file is too short, because another process truncated it. */
    return status == WARI_CORRUPT ? wari_sum_is_wrong(error, path, offset, bytes) : status;
}

/* ---- Divisions ------------------------------------------------------------------------------- */

/* Returns the distance between the beginnings of two ranges of a block in the file, in bytes. */
static uint64_t stride(const struct wari_division *division, int block)
{
    return wari_align_transfer((uint64_t)division->rows[block] * division->pitch[block]);
}

/* Computes `count`, `first` and `offset` of a division from all other fields. */
static void division_finish(struct wari_division *division)
{
    uint64_t offset = 0;

    division->count = 0;
    for (int s = 0; s <= division->seeds; s++) {
        const uint32_t ranges =
            (division->block_rows[s] + division->rows[s] - 1) / division->rows[s];
        division->first[s] = division->count;
        division->offset[s] = offset;
        division->count += ranges;
        offset += ranges * stride(division, s);
    }
    division->first[division->seeds + 1] = division->count;
    division->offset[division->seeds + 1] = offset;
}

void wari_divide_into_rows(struct wari_division *division, const struct wari_layout *layout,
                           size_t buffer_bytes)
{
    *division = (struct wari_division){.seeds = layout->seeds};
    for (int s = 0; s <= layout->seeds; s++) {
        division->pitch[s] = wari_level_pitch(layout->columns[s]);
        const uint32_t rows = (uint32_t)((buffer_bytes - WARI_RANGE_PADDING) / division->pitch[s]);
        division->block_rows[s] = layout->rows[s];
        division->rows[s] = rows < layout->rows[s] ? rows : layout->rows[s];
    }
    division_finish(division);
}

uint64_t wari_division_file_bytes(const struct wari_division *division)
{
    return division->offset[division->seeds + 1];
}

int wari_range_block(const struct wari_division *division, uint32_t range)
{
    int block = 0;

    while (range >= division->first[block + 1])
        block++;
    return block;
}

uint32_t wari_range_first_row(const struct wari_division *division, int block, uint32_t range)
{
    return (range - division->first[block]) * division->rows[block];
}

uint32_t wari_range_row_count(const struct wari_division *division, int block, uint32_t range)
{
    const uint32_t left =
        division->block_rows[block] - wari_range_first_row(division, block, range);

    return left < division->rows[block] ? left : division->rows[block];
}

/* ---- Tables ---------------------------------------------------------------------------------- */

uint64_t wari_division_table_bytes(const struct wari_division *division)
{
    return (uint64_t)division->count * (sizeof(uint64_t) + 2 * sizeof(uint32_t)) + sizeof(uint32_t);
}

enum wari_status wari_ranges_open(struct wari_ranges *ranges, struct wari_error *error)
{
    const size_t bytes = (size_t)wari_division_table_bytes(&ranges->division);
    void *memory;
    const enum wari_status status =
        wari_allocate(ranges->file->temporary.host, bytes, "the list of ranges in a scratch file",
                      &memory, error);

    if (status != WARI_OK)
        return status;
    memset(memory, 0, bytes);
    ranges->sum = memory;
    ranges->packed_bytes = (void *)(ranges->sum + ranges->division.count);
    ranges->start = ranges->packed_bytes + ranges->division.count;
    return WARI_OK;
}

void wari_ranges_begin(struct wari_ranges *ranges)
{
    ranges->start[ranges->division.count] = 0;
}

void wari_ranges_close(struct wari_ranges *ranges)
{
    if (ranges->sum)
        wari_release(ranges->file->temporary.host, ranges->sum);
    ranges->sum = NULL;
}

/* ---- Transfers ------------------------------------------------------------------------------- */

/* The offset of a range in the file, and its size in memory, where a cell takes one byte. */
struct location {
    uint64_t offset;
    size_t bytes;
};

static struct location locate(const struct wari_ranges *ranges, uint32_t range)
{
    const struct wari_division *division = &ranges->division;
    const int block = wari_range_block(division, range);
    const uint64_t offset =
        ranges->sequential
            ? (uint64_t)ranges->start[range] * WARI_TRANSFER_ALIGN
            : division->offset[block] + (range - division->first[block]) * stride(division, block);

    return (struct location){ranges->base + offset,
                             (size_t)wari_range_row_count(division, block, range) *
                                 division->pitch[block]};
}

static uint32_t allocate_pages(const struct wari_ranges *ranges, size_t size)
{
    return __atomic_fetch_add(&ranges->start[ranges->division.count],
                              (uint32_t)(wari_align_transfer(size) / WARI_TRANSFER_ALIGN),
                              __ATOMIC_RELAXED);
}

enum wari_status wari_range_write(const struct wari_ranges *ranges, uint32_t range, int8_t *cells,
                                  uint8_t *packed, struct wari_error *error)
{
    struct location location = locate(ranges, range);
    const size_t batches = wari_half_byte_batches(location.bytes);
    struct wari_half_codes codes;
    size_t size;

    wari_choose_half_codes(cells, batches, &codes);
    size = ranges->kernel->to_halves(cells, batches, &codes, packed, ranges->buffer_bytes);
    if (wari_align_transfer(size) >= wari_align_transfer(location.bytes))
        size = 0;
    ranges->packed_bytes[range] = (uint32_t)size;
    void *written = size > 0 ? (void *)packed : cells;
    if (size == 0)
        size = location.bytes;
    if (ranges->sequential) {
        ranges->start[range] = allocate_pages(ranges, size);
        location = locate(ranges, range);
    }
    ranges->sum[range] = wari_sum(written, size, location.offset);
    return wari_scratch_file_transfer(ranges->file, written, (size_t)wari_align_transfer(size),
                                      location.offset, true, error);
}

enum wari_status wari_range_read(const struct wari_ranges *ranges, uint32_t range, int8_t *cells,
                                 uint8_t *packed, struct wari_error *error)
{
    const struct location location = locate(ranges, range);
    const size_t packed_size = ranges->packed_bytes[range],
                 size = packed_size > 0 ? packed_size : location.bytes;
    void *memory = packed_size > 0 ? (void *)packed : cells;
    const enum wari_status status = wari_scratch_file_transfer(
        ranges->file, memory, (size_t)wari_align_transfer(size), location.offset, false, error);

    if (status != WARI_OK)
        return status;
    if (ranges->sum[range] != 0 && wari_sum(memory, size, location.offset) != ranges->sum[range])
        return wari_sum_is_wrong(error, ranges->file->temporary.path, location.offset, size);
    if (packed_size > 0)
        ranges->kernel->from_halves(packed, packed_size, cells,
                                    wari_half_byte_batches(location.bytes));
    return WARI_OK;
}

/* ---- Ranges of columns ----------------------------------------------------------------------- */

/* Maximal width of a column set, in items. Level 24 in 128 MB has 63,359 chunks of lower levels.
 * The number of chunks that it decodes was 80,200 with a width of 1, 80,500 with a width of at most
 * 4, and 88,100 with as many items as fit into a buffer. With a width of 1 most transfers had only
 * 4 KB. */
enum { SET_ITEMS_MAX = 4 };

struct wari_column_sets wari_column_sets_of(const struct wari_layout *layout, int block,
                                            size_t buffer_bytes)
{
    const uint32_t rows = layout->rows[block], columns = layout->columns[block];
    const uint64_t fit = (buffer_bytes - WARI_RANGE_PADDING) / rows / WARI_ITEM_COLUMNS;
    const uint32_t wide =
        (uint32_t)wari_least((columns + WARI_ITEM_COLUMNS - 1) / WARI_ITEM_COLUMNS, SET_ITEMS_MAX);
    const uint32_t items = fit > 1 ? (uint32_t)wari_least(fit, wide) : 1;
    const uint32_t width = (uint32_t)wari_least(columns, (uint64_t)items * WARI_ITEM_COLUMNS);
    const uint64_t rows_max = (buffer_bytes - WARI_RANGE_PADDING) / width;
    /* If possible, the number of rows is a multiple of WARI_BAND_ROWS, the number of rows whose
     * captures are looked up together. */
    const uint64_t whole = rows_max / WARI_BAND_ROWS * WARI_BAND_ROWS;
    struct wari_column_sets sets = {
        .count = (columns + width - 1) / width, .items = items, .width = width, .rows = rows};

    if (rows > rows_max)
        sets.rows = (uint32_t)(whole > 0 ? whole : rows_max / WARI_STRIP * WARI_STRIP);
    sets.ranges = (rows + sets.rows - 1) / sets.rows;
    return sets;
}

void wari_divide_into_columns(struct wari_division *division, const struct wari_layout *layout,
                              size_t buffer_bytes)
{
    *division = (struct wari_division){.seeds = layout->seeds};
    for (int block = 0; block <= layout->seeds; block++) {
        const struct wari_column_sets sets = wari_column_sets_of(layout, block, buffer_bytes);
        division->rows[block] = 1;
        division->block_rows[block] = sets.count * sets.ranges;
        division->pitch[block] = sets.rows * sets.width;
    }
    division_finish(division);
}

struct wari_column_range wari_column_range_of(const struct wari_division *division,
                                              const struct wari_layout *layout, size_t buffer_bytes,
                                              uint32_t range)
{
    const int block = wari_range_block(division, range);
    const struct wari_column_sets sets = wari_column_sets_of(layout, block, buffer_bytes);
    const uint32_t number = range - division->first[block];
    const uint32_t column = number / sets.ranges * sets.width;
    const uint32_t row = number % sets.ranges * sets.rows;

    return (struct wari_column_range){
        .block = block,
        .first_column = column,
        .columns = (uint32_t)wari_least(sets.width, layout->columns[block] - column),
        .first_row = row,
        .rows = (uint32_t)wari_least(sets.rows, layout->rows[block] - row),
        .width = sets.width};
}

void wari_column_range_walk_begin(struct wari_column_range_walk *walk,
                                  const struct wari_layout *layout, size_t buffer_bytes, int first,
                                  bool all)
{
    walk->columns.layout = layout;
    for (int block = 0; block <= layout->seeds; block++) {
        const struct wari_column_sets sets = wari_column_sets_of(layout, block, buffer_bytes);
        walk->items[block] = sets.items;
        walk->ranges[block] = sets.ranges;
        walk->columns.items[block] = block < first ? 0 : all ? walk->ranges[block] : 1;
    }
    wari_column_walk_begin(&walk->columns);
}

uint32_t wari_column_range_walk_next(struct wari_column_range_walk *walk,
                                     const struct wari_division *division)
{
    uint32_t number;
    int block;

    do { /* the inner walk returns every item of a column set; skip all but the first */
        if (!wari_column_walk_next(&walk->columns, &block, &number))
            return WARI_NO_RANGE;
    } while (number % walk->items[block] != 0);
    return division->first[block] +
           number / walk->items[block] * (walk->ranges[block] / walk->columns.items[block]);
}

/* Saves and reads the best captures of positions with a full opponent half (full_halves.h). The
 * capture pass looks them up and writes them to a file; the pass that counts values reads the file.
 *
 * Items that write captures and items that read them may divide a block in different ways. So the
 * checksums of all columns that are written are added up, and those of all columns that are read
 * are subtracted: in the end the result has to be 0. Wrong bytes are detected only at the end, so
 * counting must stay within its arrays whatever the bytes are.
 *
 * The file is written and read 64 KB at a time. These transfers take little time compared with the
 * sweeps of the level, which read and write some hundred times as many bytes. */
#include "solver/level/full_captures.h"

#include "solver/level/captures.h"
#include "system/sum.h"

uint64_t wari_full_captures_offset(const struct wari_level *level, const struct wari_item *item,
                                   uint32_t band)
{
    const uint32_t before = item->first_column % WARI_ITEM_COLUMNS; /* columns of the item before */
    const uint32_t first_column = item->first_column - before;
    const uint32_t left = level->layout.columns[item->block] - first_column;
    const uint32_t columns = left < WARI_ITEM_COLUMNS ? left : WARI_ITEM_COLUMNS;

    return level->full_halves.offset[item->block] + (uint64_t)first_column * item->rows +
           (uint64_t)band * WARI_BAND_ROWS * columns +
           (uint64_t)before * wari_band_rows(item, band);
}

/* Looks up the captures of a band of rows (rows/tables.h), and stores them in the order
 * captures[column][row]. wari_best_captures() writes whole strips, so it also writes bytes after
 * the last row of a column. The next column overwrites these bytes. After the last column, fewer
 * than WARI_STRIP bytes remain that do not belong to the result. */
static bool find_captures(struct wari_level *level, struct wari_worker *worker,
                          const struct wari_item *item, uint32_t band, int8_t *captures)
{
    const uint32_t rows = wari_band_rows(item, band);

    for (uint32_t column = 0; column < item->columns; column++)
        if (!wari_best_captures(level, worker, item, column, band, captures + column * rows))
            return false;
    return true;
}

/* Returns the sum of the checksums of all columns in a band. */
static uint64_t sum_of(const struct wari_level *level, const struct wari_item *item, uint32_t band,
                       const int8_t *captures)
{
    const uint32_t rows = wari_band_rows(item, band);
    const uint64_t offset = wari_full_captures_offset(level, item, band);
    uint64_t sum = 0;

    for (uint32_t column = 0; column < item->columns; column++)
        sum += wari_sum(captures + (size_t)column * rows, rows, offset + (uint64_t)column * rows);
    return sum;
}

/* Writes or reads the captures of a band. Returns false if the workers have failed. */
static bool transfer(struct wari_level *level, const struct wari_item *item, uint32_t band,
                     bool write, int8_t *captures)
{
    struct wari_full_halves *full = &level->full_halves;
    const size_t bytes = (size_t)wari_band_rows(item, band) * item->columns;
    const uint64_t offset = wari_full_captures_offset(level, item, band);
    struct wari_error error;
    enum wari_status status =
        write ? wari_write_at(full->temporary.host, full->temporary.fd, full->temporary.path,
                              captures, bytes, offset, &error)
              : wari_read_at(full->temporary.host, full->temporary.fd, full->temporary.path,
                             captures, bytes, offset, &error);

    atomic_fetch_add_explicit(write ? &full->bytes_written : &full->bytes_read, bytes,
                              memory_order_relaxed);
    if (status == WARI_CORRUPT) /* the file is too short */
        status = wari_sum_is_wrong(&error, full->temporary.path, offset, bytes);
    if (status != WARI_OK) {
        wari_workers_fail(level->workers, &error);
        return false;
    }
    const uint64_t sum = sum_of(level, item, band, captures);
    atomic_fetch_add_explicit(&full->sum, write ? sum : -sum, memory_order_relaxed);
    return true;
}

void wari_full_captures_begin(struct wari_level *level)
{
    level->full_halves.complete = false;
    atomic_store_explicit(&level->full_halves.sum, 0, memory_order_relaxed);
}

void wari_full_captures_write(struct wari_level *level, struct wari_worker *worker,
                              const struct wari_item *item)
{
    const struct wari_item halves =
        wari_item_of_full(level, item->block, item->first_column, item->columns);
    const uint64_t bands = (halves.rows + WARI_BAND_ROWS - 1) / WARI_BAND_ROWS;
    const uint64_t strips = (item->rows + WARI_STRIP - 1) / WARI_STRIP;
    const uint32_t first = (uint32_t)(bands * item->first_strip / strips);
    const uint32_t end = (uint32_t)(bands * (item->first_strip + item->strips) / strips);

    if (!level->full_halves.temporary.host)
        return;
    for (uint32_t band = first; band < end && !wari_level_stopped(level); band++)
        if (!find_captures(level, worker, &halves, band, worker->tile) ||
            !transfer(level, &halves, band, true, worker->tile))
            return;
}

void wari_full_captures_written(struct wari_level *level)
{
    level->full_halves.complete = level->full_halves.temporary.host && !wari_level_stopped(level);
}

bool wari_full_captures_read(struct wari_level *level, const struct wari_item *item,
                             int8_t *captures)
{
    return transfer(level, item, item->first_strip / WARI_BAND_STRIPS, false, captures);
}

void wari_full_captures_check(struct wari_level *level)
{
    const struct wari_full_halves *full = &level->full_halves;
    struct wari_error error;

    if (!full->complete || wari_level_stopped(level) ||
        atomic_load_explicit(&full->sum, memory_order_relaxed) == 0)
        return;
    (void)wari_sum_is_wrong(&error, full->temporary.path, full->offset[0],
                            wari_full_halves_bytes(&level->layout));
    wari_workers_fail(level->workers, &error);
}

/* Captures of full halves: found where the capture pass is, read where the count is.
 *
 * Items that write and items that read may cut a group's columns in different ways. So the sums of
 * what is written, column by column, are added up, and those of what is read taken off again: in
 * the end nothing is left. Whatever the bytes are until then, counting stays within its arrays.
 *
 * The file is written and read 64 KB at a time by those who need them: a byte for each of a few
 * hundred that the sweeps of such a level transfer. */
#include "solver/level/full_captures.h"

#include "solver/level/captures.h"
#include "system/sum.h"

uint64_t wari_full_captures_offset(const struct wari_level *level, const struct wari_item *item,
                                   uint32_t segment)
{
    const uint32_t before = item->first_column % WARI_ITEM_COLUMNS; /* columns of the group */
    const uint32_t group = item->first_column - before;
    const uint32_t left = level->layout.columns[item->block] - group;
    const uint32_t columns = left < WARI_ITEM_COLUMNS ? left : WARI_ITEM_COLUMNS;

    return level->full_halves.offset[item->block] + (uint64_t)group * item->rows +
           (uint64_t)segment * WARI_RANGE_ROWS * columns +
           (uint64_t)before * wari_range_rows(item, segment);
}

/* Finds a segment's captures: captures[column][place]. What is behind the last place of a column
 * falls to the next one, and behind the last column up to a strip is written to. */
static bool find_captures(struct wari_level *level, struct wari_worker *worker,
                          const struct wari_item *item, uint32_t segment, int8_t *captures)
{
    const uint32_t places = wari_range_rows(item, segment);

    for (uint32_t column = 0; column < item->columns; column++)
        if (!wari_best_captures(level, worker, item, column, segment, captures + column * places))
            return false;
    return true;
}

/* The sums of a segment's columns, captures[column][place]. */
static uint64_t sum_of(const struct wari_level *level, const struct wari_item *item,
                       uint32_t segment, const int8_t *captures)
{
    const uint32_t places = wari_range_rows(item, segment);
    const uint64_t place = wari_full_captures_offset(level, item, segment);
    uint64_t sum = 0;

    for (uint32_t column = 0; column < item->columns; column++)
        sum +=
            wari_sum(captures + (size_t)column * places, places, place + (uint64_t)column * places);
    return sum;
}

/* Writes a segment's captures to their place in the file, or reads them. False: the team has
 * failed.
 */
static bool transfer(struct wari_level *level, const struct wari_item *item, uint32_t segment,
                     bool write, int8_t *captures)
{
    struct wari_full_halves *full = &level->full_halves;
    const size_t bytes = (size_t)wari_range_rows(item, segment) * item->columns;
    const uint64_t place = wari_full_captures_offset(level, item, segment);
    struct wari_error error;
    enum wari_status status =
        write ? wari_write_at(full->host, full->fd, full->path, captures, bytes, place, &error)
              : wari_read_at(full->host, full->fd, full->path, captures, bytes, place, &error);

    atomic_fetch_add_explicit(write ? &full->bytes_written : &full->bytes_read, bytes,
                              memory_order_relaxed);
    if (status == WARI_CORRUPT) /* it ends too early: somebody cut it */
        status = wari_sum_is_wrong(&error, full->path, place, bytes);
    if (status != WARI_OK) {
        wari_workers_fail(level->workers, &error);
        return false;
    }
    const uint64_t sum = sum_of(level, item, segment, captures);
    atomic_fetch_add_explicit(&full->sum, write ? sum : -sum, memory_order_relaxed);
    return true;
}

void wari_full_captures_begin(struct wari_level *level)
{
    level->full_halves.whole = false;
    atomic_store_explicit(&level->full_halves.sum, 0, memory_order_relaxed);
}

void wari_full_captures_write(struct wari_level *level, struct wari_worker *worker,
                              const struct wari_item *item)
{
    const struct wari_item halves =
        wari_item_of_full(level, item->block, item->first_column, item->columns);
    const uint64_t segments = (halves.rows + WARI_RANGE_ROWS - 1) / WARI_RANGE_ROWS;
    const uint64_t strips = (item->rows + WARI_STRIP - 1) / WARI_STRIP;
    const uint32_t first = (uint32_t)(segments * item->first_strip / strips);
    const uint32_t end = (uint32_t)(segments * (item->first_strip + item->strips) / strips);

    if (!level->full_halves.host)
        return;
    for (uint32_t segment = first; segment < end && !wari_level_stopped(level); segment++)
        if (!find_captures(level, worker, &halves, segment, worker->tile) ||
            !transfer(level, &halves, segment, true, worker->tile))
            return;
}

void wari_full_captures_written(struct wari_level *level)
{
    level->full_halves.whole = level->full_halves.host && !wari_level_stopped(level);
}

bool wari_full_captures_read(struct wari_level *level, const struct wari_item *item,
                             int8_t *captures)
{
    return transfer(level, item, item->first_strip / WARI_RANGE_STRIPS, false, captures);
}

void wari_full_captures_check(struct wari_level *level)
{
    const struct wari_full_halves *full = &level->full_halves;
    struct wari_error error;

    if (!full->whole || wari_level_stopped(level) ||
        atomic_load_explicit(&full->sum, memory_order_relaxed) == 0)
        return;
    (void)wari_sum_is_wrong(&error, full->path, full->offset[0],
                            wari_full_halves_bytes(&level->layout));
    wari_workers_fail(level->workers, &error);
}

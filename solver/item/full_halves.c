/* The file of what full opponent halves are worth by their captures, see full_halves.h. It is
 * written and read through the page cache, 64 KB at a time by whoever needs them: a byte for each
 * of a few hundred that the sweeps of such a level transfer.
 *
 * Items that write and items that read may cut a group's columns in different ways. So the sums of
 * what is written, column by column, are added up, and those of what is read taken off again: in
 * the end nothing is left. Whatever the bytes are until then, counting stays within its arrays. */
#include "solver/item/full_halves.h"

#include <fcntl.h>
#include <stdio.h>

#include "solver/item/captures.h"
#include "solver/system/sum.h"

static uint32_t full_halves_of(const struct wari_layout *layout, int block)
{
    return wari_half_count(block) - layout->rows[block];
}

uint64_t wari_full_halves_bytes(const struct wari_layout *layout)
{
    uint64_t bytes = 0;

    for (int block = 0; block <= layout->seeds; block++)
        bytes += (uint64_t)full_halves_of(layout, block) * layout->columns[block];
    return bytes;
}

/* Nothing is in the file yet. */
static void begin(struct wari_level *level, uint64_t base)
{
    struct wari_full_halves *full = &level->full_halves;
    uint64_t offset = base;

    full->host = level->host;
    full->whole = false;
    atomic_init(&full->bytes_read, 0);
    atomic_init(&full->bytes_written, 0);
    atomic_init(&full->sum, 0);
    for (int block = 0; block <= level->layout.seeds; block++) {
        full->offset[block] = offset;
        offset += (uint64_t)full_halves_of(&level->layout, block) * level->layout.columns[block];
    }
}

void wari_full_halves_share(struct wari_level *level, int fd, const char *path, uint64_t base)
{
    struct wari_full_halves *full = &level->full_halves;

    begin(level, base);
    snprintf(full->path, sizeof full->path, "%s", path);
    full->fd = fd;
    full->own = false;
}

enum wari_status wari_full_halves_open(struct wari_level *level, const char *folder,
                                       const char *name, struct wari_error *error)
{
    const struct wari_host *host = level->host;
    struct wari_full_halves *full = &level->full_halves;
    const enum wari_status status =
        wari_create_nameless(host, folder, name, full->path, &full->fd, error);

    if (status != WARI_OK)
        return status;
    begin(level, 0);
    full->own = true;
    return WARI_OK;
}

/* Nothing in the file is needed any more: a close that fails loses nothing. */
void wari_full_halves_close(struct wari_level *level)
{
    struct wari_full_halves *full = &level->full_halves;

    if (full->host && full->own)
        (void)full->host->close(full->host->context, full->fd);
    full->host = NULL;
    full->whole = false;
}

struct wari_item wari_full_item(const struct wari_level *level, int block, uint32_t first_column,
                                uint32_t columns)
{
    const struct wari_gather *gather = &level->tables->gather[WARI_PARENTS_FULL][block][0];

    return (struct wari_item){.parents = WARI_PARENTS_FULL,
                              .block = block,
                              .first_column = first_column,
                              .columns = columns,
                              .strips = gather->strips,
                              .rows = gather->parents};
}

/* Places of a segment. */
static uint32_t places_of(const struct wari_item *item, uint32_t segment)
{
    const uint32_t left = item->rows - segment * WARI_SEGMENT;

    return left < WARI_SEGMENT ? left : WARI_SEGMENT;
}

uint64_t wari_full_halves_place(const struct wari_level *level, const struct wari_item *item,
                                uint32_t segment)
{
    const uint32_t before = item->first_column % WARI_GROUP; /* columns of the group */
    const uint32_t group = item->first_column - before;
    const uint32_t left = level->layout.columns[item->block] - group;
    const uint32_t columns = left < WARI_GROUP ? left : WARI_GROUP;

    return level->full_halves.offset[item->block] + (uint64_t)group * item->rows +
           (uint64_t)segment * WARI_SEGMENT * columns + (uint64_t)before * places_of(item, segment);
}

/* Finds a segment's captures: captures[column][place]. What is behind the last place of a column
 * falls to the next one, and behind the last column up to a strip is written to. */
static bool find_captures(struct wari_level *level, struct wari_worker *worker,
                          const struct wari_item *item, uint32_t segment, int8_t *captures)
{
    const uint32_t places = places_of(item, segment);

    for (uint32_t column = 0; column < item->columns; column++)
        if (!wari_best_captures(level, worker, item, column, segment, captures + column * places))
            return false;
    return true;
}

/* The sums of a segment's columns, captures[column][place]. */
static uint64_t sum_of(const struct wari_level *level, const struct wari_item *item,
                       uint32_t segment, const int8_t *captures)
{
    const uint32_t places = places_of(item, segment);
    const uint64_t place = wari_full_halves_place(level, item, segment);
    uint64_t sum = 0;

    for (uint32_t column = 0; column < item->columns; column++)
        sum +=
            wari_sum(captures + (size_t)column * places, places, place + (uint64_t)column * places);
    return sum;
}

void wari_full_halves_write(struct wari_level *level, struct wari_worker *worker,
                            const struct wari_item *item)
{
    struct wari_full_halves *full = &level->full_halves;
    const struct wari_item halves =
        wari_full_item(level, item->block, item->first_column, item->columns);
    const uint64_t segments = (halves.rows + WARI_SEGMENT - 1) / WARI_SEGMENT;
    const uint64_t strips = (item->rows + WARI_STRIP - 1) / WARI_STRIP;
    const uint32_t first = (uint32_t)(segments * item->first_strip / strips);
    const uint32_t end = (uint32_t)(segments * (item->first_strip + item->strips) / strips);
    struct wari_error error;

    if (!full->host)
        return;
    for (uint32_t segment = first; segment < end && !wari_level_stopped(level); segment++) {
        const size_t bytes = (size_t)places_of(&halves, segment) * halves.columns;
        if (!find_captures(level, worker, &halves, segment, worker->tile))
            return;
        if (wari_write_at(full->host, full->fd, full->path, worker->tile, bytes,
                          wari_full_halves_place(level, &halves, segment), &error) != WARI_OK)
            wari_team_fail(level->team, &error);
        atomic_fetch_add_explicit(&full->bytes_written, bytes, memory_order_relaxed);
        atomic_fetch_add_explicit(&full->sum, sum_of(level, &halves, segment, worker->tile),
                                  memory_order_relaxed);
    }
}

void wari_full_halves_begin(struct wari_level *level)
{
    level->full_halves.whole = false;
    atomic_store_explicit(&level->full_halves.sum, 0, memory_order_relaxed);
}

void wari_full_halves_written(struct wari_level *level)
{
    level->full_halves.whole = level->full_halves.host && !wari_level_stopped(level);
}

void wari_full_halves_check(struct wari_level *level)
{
    const struct wari_full_halves *full = &level->full_halves;
    struct wari_error error;

    if (!full->whole || wari_level_stopped(level) ||
        atomic_load_explicit(&full->sum, memory_order_relaxed) == 0)
        return;
    (void)wari_sum_is_wrong(&error, full->path, full->offset[0],
                            wari_full_halves_bytes(&level->layout));
    wari_team_fail(level->team, &error);
}

bool wari_full_halves_kept(const struct wari_level *level)
{
    return level->full_halves.whole;
}

bool wari_full_halves_read(struct wari_level *level, const struct wari_item *item, int8_t *captures)
{
    struct wari_full_halves *full = &level->full_halves;
    const uint32_t segment = item->first_strip / WARI_SEGMENT_STRIPS;
    const size_t bytes = (size_t)places_of(item, segment) * item->columns;
    struct wari_error error;

    const uint64_t place = wari_full_halves_place(level, item, segment);
    const enum wari_status status =
        wari_read_at(full->host, full->fd, full->path, captures, bytes, place, &error);

    if (status != WARI_OK) {
        if (status == WARI_CORRUPT) /* it ends too early: somebody cut it */
            (void)wari_sum_is_wrong(&error, full->path, place, bytes);
        wari_team_fail(level->team, &error);
        return false;
    }
    atomic_fetch_add_explicit(&full->bytes_read, bytes, memory_order_relaxed);
    atomic_fetch_sub_explicit(&full->sum, sum_of(level, item, segment, captures),
                              memory_order_relaxed);
    return true;
}

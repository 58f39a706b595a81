/* Reads final codes through a cache of ranges. If the cache is full, the least recently used range
 * that is not pinned is replaced. */
#include "solver/bits/scratch.h"

#include "solver/bits/scratch_file.h"
#include "solver/level/full_captures.h"
#include "solver/level/histogram.h"

uint32_t wari_scratch_pins_max(const struct wari_scratch *scratch)
{
    return scratch->cache.capacity / (uint32_t)scratch->shape.io_threads;
}

void wari_scratch_start_reading(struct wari_level *level, uint64_t pool_bytes)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    struct wari_range_cache *cache = &scratch->cache;

    cache->capacity =
        (uint32_t)((scratch->shape.reserved + pool_bytes) / scratch->shape.buffer_bytes);
    for (uint32_t i = 0; i < cache->capacity; i++)
        cache->entry[i] = (struct wari_cached_range){.range = WARI_NO_RANGE};
    for (uint32_t range = 0; range < scratch->row_ranges.division.count; range++)
        cache->index[range] = UINT32_MAX;
}

void wari_scratch_stop_reading(struct wari_level *level)
{
    wari_scratch_of(level)->cache.capacity = 0;
}

/* ---- The cache ------------------------------------------------------------------------------- */

static int8_t *cells_of(const struct wari_scratch *scratch, uint32_t entry)
{
    return (int8_t *)scratch->memory.reserved + entry * scratch->shape.buffer_bytes;
}

/* Returns the entry to be replaced. Some entry is always free to be replaced, since each thread
 * pins at most wari_scratch_pins_max() ranges. */
static struct wari_cached_range *oldest_entry(const struct wari_range_cache *cache)
{
    struct wari_cached_range *oldest = NULL;

    for (uint32_t i = 0; i < cache->capacity; i++) {
        struct wari_cached_range *entry = &cache->entry[i];
        if (entry->users == 0 && (!oldest || entry->last_used < oldest->last_used))
            oldest = entry;
    }
    return oldest;
}

static void read_into(const struct wari_level *level, struct wari_cached_range *entry,
                      uint32_t range, uint8_t *packed)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    struct wari_range_cache *cache = &scratch->cache;
    const uint32_t number = (uint32_t)(entry - cache->entry);
    struct wari_error error;

    if (entry->range != WARI_NO_RANGE)
        cache->index[entry->range] = UINT32_MAX;
    *entry = (struct wari_cached_range){.range = range, .users = 1};
    cache->index[range] = number;
    pthread_mutex_unlock(&scratch->lock);
    if (wari_range_read(&scratch->row_ranges, range, cells_of(scratch, number), packed, &error) !=
        WARI_OK)
        wari_workers_fail(level->workers, &error);
    pthread_mutex_lock(&scratch->lock);
    entry->loaded = true;
    pthread_cond_broadcast(&cache->loaded);
}

bool wari_scratch_pin(const struct wari_level *level, uint32_t range, uint8_t *packed)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    struct wari_range_cache *cache = &scratch->cache;
    struct wari_cached_range *entry;

    pthread_mutex_lock(&scratch->lock);
    if (cache->index[range] < cache->capacity) {
        entry = &cache->entry[cache->index[range]];
        entry->users++;
        while (!entry->loaded)
            pthread_cond_wait(&cache->loaded, &scratch->lock);
    } else {
        entry = oldest_entry(cache);
        read_into(level, entry, range, packed);
    }
    entry->last_used = ++cache->uses;
    pthread_mutex_unlock(&scratch->lock);
    if (!wari_level_stopped(level))
        return true;
    wari_scratch_unpin(level, range);
    return false;
}

void wari_scratch_unpin(const struct wari_level *level, uint32_t range)
{
    struct wari_scratch *scratch = wari_scratch_of(level);

    pthread_mutex_lock(&scratch->lock);
    scratch->cache.entry[scratch->cache.index[range]].users--;
    pthread_mutex_unlock(&scratch->lock);
}

const int8_t *wari_scratch_row(const struct wari_level *level, int block, uint32_t row)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_division *division = &scratch->row_ranges.division;
    const uint32_t range = wari_range_of(division, block, row);

    return cells_of(scratch, scratch->cache.index[range]) +
           (size_t)(row - wari_range_first_row(division, block, range)) * division->pitch[block];
}

/* ---- Values ---------------------------------------------------------------------------------- */

static bool is_cached(const struct wari_range_cache *cache, uint32_t range)
{
    return cache->index[range] < cache->capacity;
}

/* A sequence of ranges that all I/O threads read into the cache. */
struct fetching {
    const struct wari_level *level;
    _Atomic uint32_t next;
    uint32_t end;
};

static void fetch_ranges(int thread, void *context)
{
    struct fetching *fetching = context;
    uint8_t *packed = wari_scratch_of(fetching->level)->buffers[thread].packed;
    uint32_t range;

    while (!wari_level_stopped(fetching->level) &&
           (range = atomic_fetch_add(&fetching->next, 1)) < fetching->end)
        if (wari_scratch_pin(fetching->level, range, packed))
            wari_scratch_unpin(fetching->level, range);
}

/* Returns a row of codes, and reads its range if necessary. If the range before is cached, the
 * level is probably read in order, so the following ranges are read at the same time, one by each
 * I/O thread. Returns NULL if the level is stopped. */
static const int8_t *fetch_row(const struct wari_level *level, int block, uint32_t row)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_division *division = &scratch->row_ranges.division;
    const uint32_t range = wari_range_of(division, block, row);
    const uint32_t left = division->count - range, threads = (uint32_t)scratch->shape.io_threads;
    const bool sequential = range > 0 && is_cached(&scratch->cache, range - 1);
    struct fetching fetching = {.level = level, .end = range + 1};

    if (sequential)
        fetching.end = range + (left < threads ? left : threads);
    atomic_init(&fetching.next, range);
    if (!is_cached(&scratch->cache, range))
        wari_thread_pool_run(scratch->thread_pool, fetch_ranges, &fetching);
    return wari_level_stopped(level) ? NULL : wari_scratch_row(level, block, row);
}

void wari_scratch_values(const struct wari_level *level, uint64_t first, size_t count,
                         int8_t *values)
{
    struct wari_range_cache *cache = &wari_scratch_of(level)->cache;

    pthread_mutex_lock(&cache->values);
    wari_level_values(level, fetch_row, first, count, values);
    pthread_mutex_unlock(&cache->values);
}

/* ---- Full halves ----------------------------------------------------------------------------
 *
 * Positions with full opponent halves are not stored. To count their values, their moves are
 * examined. All blocks with full halves are processed together, in the order in which captures are
 * computed. So each row of this level is used for all blocks at about the same time. The same is
 * true for the rows of lower levels that have to be read once more. */

struct counting {
    struct wari_column_range_walk walk;
    uint64_t *histogram;
};

/* The ranges of rows that contain the children of some columns. */
struct children {
    uint32_t count, capacity;
    uint32_t range[WARI_ITEM_COLUMNS * WARI_HALF_PITS];
};

static bool contains(const struct children *children, uint32_t range)
{
    for (uint32_t i = children->count; i-- > 0;)
        if (children->range[i] == range)
            return true;
    return false;
}

/* Adds to `children` the ranges that contain the children of one more column, whose moves are in
 * `sowing`. If the capacity is not sufficient, adds no range and returns false. */
static bool add_column(const struct wari_level *level, int movers,
                       const wari_sowing sowing[WARI_HALF_PITS], struct children *children)
{
    const uint32_t before = children->count;

    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        if (sowing[pit] == WARI_NO_SOWING)
            continue;
        const uint32_t range =
            wari_range_of(&wari_scratch_of(level)->row_ranges.division,
                          movers - wari_sowing_sown(sowing[pit]), wari_sowing_row(sowing[pit]));
        if (contains(children, range))
            continue;
        if (children->count == children->capacity) {
            children->count = before;
            return false;
        }
        children->range[children->count++] = range;
    }
    return true;
}

/* Collects the ranges that contain the children of consecutive columns, beginning with column
 * `first`. Ends after `columns` columns, which is at most the width of an item, or earlier if the
 * ranges of the next column would exceed children->capacity. Returns the number of columns, which
 * is at least 1. */
static uint32_t find_children(const struct wari_level *level, int movers, uint32_t first,
                              uint32_t columns, struct children *children)
{
    wari_sowing sowings[WARI_ITEM_COLUMNS][WARI_HALF_PITS];
    uint32_t column = 0;

    children->count = 0;
    wari_sow_halves(&level->tables->halves, movers, first, columns, sowings);
    while (column < columns && add_column(level, movers, sowings[column], children))
        column++;
    return column;
}

/* Pins the ranges in order until one cannot be pinned. Returns the number of pinned ranges. */
static uint32_t pin_all(struct wari_level *level, const struct children *children, uint8_t *packed)
{
    uint32_t pinned = 0;

    while (pinned < children->count && wari_scratch_pin(level, children->range[pinned], packed))
        pinned++;
    return pinned;
}

static const int8_t *pinned_row(const struct wari_level *level, const struct wari_item *item,
                                int child, uint32_t row)
{
    (void)item;
    return wari_scratch_row(level, child, row);
}

static void count_columns(struct wari_level *level, const struct wari_item *item,
                          uint64_t *histogram)
{
    struct wari_worker *worker = wari_scratch_take_worker(level);

    wari_count_full(level, worker, item, pinned_row, histogram);
    wari_scratch_release_worker(level, worker);
}

static bool count_column_set(struct wari_level *level, const struct wari_io_buffers *buffers,
                             void *context, uint32_t number)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct counting *counting = context;
    const struct wari_column_range columns = wari_column_range_of(
        &scratch->column_ranges.division, &level->layout, scratch->shape.buffer_bytes, number);
    const uint32_t share = wari_scratch_pins_max(scratch),
                   most = WARI_ITEM_COLUMNS * WARI_HALF_PITS;
    struct children children = {.capacity = share < most ? share : most};
    const uint32_t end = columns.first_column + columns.columns;

    for (uint32_t column = columns.first_column; column < end && !wari_level_stopped(level);) {
        const uint32_t group = WARI_ITEM_COLUMNS - column % WARI_ITEM_COLUMNS, left = end - column;
        const uint32_t width = find_children(level, level->layout.seeds - columns.block, column,
                                             left < group ? left : group, &children);
        const struct wari_item item = wari_item_of_full(level, columns.block, column, width);
        uint32_t pinned = pin_all(level, &children, buffers->packed);
        if (pinned == children.count)
            count_columns(level, &item, counting->histogram);
        while (pinned > 0)
            wari_scratch_unpin(level, children.range[--pinned]);
        column += width;
    }
    return false;
}

static uint32_t next_column_set(struct wari_level *level, void *context, uint32_t i)
{
    struct counting *counting = context;

    (void)i;
    return wari_column_range_walk_next(&counting->walk,
                                       &wari_scratch_of(level)->column_ranges.division);
}

/* Returns the number of bytes of the pool that can be lent to the lower-level cache because the
 * cache of ranges does not need them. It is at most half of the pool. */
static uint64_t lendable_bytes(const struct wari_scratch_shape *shape)
{
    const uint64_t least = wari_scratch_cache_least(shape->io_threads) * shape->buffer_bytes;
    const uint64_t more = shape->reserved + shape->pool - least;

    return (more < shape->pool / 2 ? more : shape->pool / 2) / WARI_TRANSFER_ALIGN *
           WARI_TRANSFER_ALIGN;
}

void wari_scratch_count_full(struct wari_level *level, uint64_t *histogram)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_scratch_shape *shape = &scratch->shape;
    const uint64_t lent = level->full_halves.complete ? 0 : lendable_bytes(shape);
    struct counting counting = {.histogram = histogram};
    const struct wari_scratch_pass pass = {
        .next = next_column_set, .job = count_column_set, .context = &counting};

    if (level->layout.seeds < WARI_HALF_PITS)
        return;
    wari_scratch_start_reading(level, shape->pool - lent);
    if (lent > 0)
        wari_lower_cache_lend(level->lower_cache, scratch->memory.pool + shape->pool - lent, lent);
    wari_column_range_walk_begin(&counting.walk, &level->layout, shape->buffer_bytes,
                                 WARI_HALF_PITS, false);
    wari_scratch_run_pass(level, &pass);
    wari_level_release_readers(level);
    if (lent > 0)
        wari_lower_cache_return(level->lower_cache);
}

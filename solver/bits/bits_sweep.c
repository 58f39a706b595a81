/* Sweeps over all cells for one threshold, in items of 512 columns by 2048 rows. The order of
 * blocks is that of level.c. Cells are changed in place, so threads need not wait for each other
 * between blocks. At 22 seeds, on a machine with other load, sweeps without this wait take 0.84
 * times the processor time of sweeps with the wait.
 */

#include "solver/bits/bits.h"

static void prefetch(const uint8_t *row, uint32_t from, uint32_t to)
{
    for (uintptr_t at = (uintptr_t)(row + from) / 64 * 64; at < (uintptr_t)(row + to); at += 64)
        __builtin_prefetch((const void *)at);
}

/* Finds the moves of a column that capture nothing, and the bits from which their children are
 * gathered. Returns the number of moves. */
static int find_sources(const struct wari_bits *bits, const struct wari_bits_item *item,
                        const wari_sowing sowing[WARI_HALF_PITS],
                        struct wari_bit_source sources[WARI_HALF_PITS])
{
    const struct wari_level *level = bits->level;
    const uint32_t run = item->first_strip / WARI_BITS_STRIPS;
    int count = 0;

    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        const int sown = wari_sowing_sown(sowing[pit]);
        if (sowing[pit] == WARI_NO_SOWING || (sown == 0 && item->block == 0))
            continue; /* if the opponent's row is empty, a move must sow into it */
        struct wari_bit_source *source = &sources[count++];
        const struct wari_bit_gather *gather = &bits->gather[item->block][sown];
        const int child = level->layout.seeds - item->block - sown;
        const uint64_t row = wari_bits_offset(bits, child, wari_sowing_row(sowing[pit]), 0);
        *source = (struct wari_bit_source){
            .word = gather->word + gather->first_word[run],
            .end = gather->word + gather->first_word[run + 1],
            .quiet = wari_sowing_last(sowing[pit])
                         ? level->tables->gather[WARI_PARENTS_ROWS][item->block][sown].quiet +
                               item->first_strip
                         : NULL,
        };
        bits->ops->find_rows(bits, item->block, child, row, source);
    }
    return count;
}

/* Prefetches the children of a column. */
static void prefetch_children(const struct wari_bit_source *sources, int count)
{
    for (int i = 0; i < count; i++) {
        const uint32_t from = sources[i].word->byte, to = sources[i].end[-1].byte + 8;
        prefetch(sources[i].won, from, to);
        prefetch(sources[i].lost, from, to);
    }
}

static void compute_children(struct wari_bits *bits, const struct wari_bits_item *item,
                             struct wari_bits_worker *worker)
{
    struct wari_bits_tile *tile = wari_bits_tile(worker);
    struct wari_bit_source sources[2][WARI_HALF_PITS];
    int count[2];

    wari_sow_halves(&bits->level->tables->halves, bits->level->layout.seeds - item->block,
                    item->first_column, item->columns, tile->sowing);
    count[0] = find_sources(bits, item, tile->sowing[0], sources[0]);
    for (uint32_t column = 0; column < item->columns; column++) {
        const int here = column % 2, next = 1 - here;
        if (column + 1 < item->columns) {
            count[next] = find_sources(bits, item, tile->sowing[column + 1], sources[next]);
            prefetch_children(sources[next], count[next]);
        }
        bits->level->kernel->bits_of_column(sources[here], count[here], item->strips,
                                            tile->lost_child + column, tile->open_child + column,
                                            WARI_BITS_PITCH);
    }
}

/* Makes those cells of a row whose bits are set in `fresh` won or lost, as `notification` says, and
 * pushes the cells that this changes to the worklist. Bit 0 of `fresh` is the first column of the
 * item. Other threads may change the same cells at the same time; each changed cell is pushed by
 * exactly one thread. Returns the number of cells that this call changed. */
static uint64_t change_and_push(struct wari_bits *bits, struct wari_bits_worker *worker,
                                const struct wari_bits_item *item, uint32_t row,
                                enum wari_bits_notification notification, const uint64_t *fresh)
{
    uint64_t changed = 0;

    for (uint32_t i = 0; 64 * i < item->columns; i++) {
        for (uint64_t rest = fresh[i]; rest != 0; rest &= rest - 1) {
            const uint32_t column = item->first_column + 64 * i + (uint32_t)__builtin_ctzll(rest);
            const uint64_t offset = wari_bits_offset(bits, item->block, row, column);
            const uint8_t bit = wari_bits_bit(column);
            if (!(notification == WARI_BITS_NOTIFY_WON ? wari_bits_win(bits, offset, bit)
                                                       : wari_bits_lose(bits, offset, bit)))
                continue;
            wari_bits_push(bits, worker, notification, item->block, row, column);
            changed++;
        }
    }
    return changed;
}

/* Prefetches the bits of one strip (rows/tables.h) of an item, row by row, since most rows of the
 * strip are in different cache lines. */
static void prefetch_strip(const struct wari_bits *bits, const struct wari_bits_item *item,
                           uint32_t strip)
{
    const struct wari_layout *layout = &bits->level->layout;
    const uint32_t row = (item->first_strip + strip) * WARI_STRIP;
    const uint32_t left = layout->rows[item->block] - row;
    const uint64_t offset = wari_bits_offset(bits, item->block, row, item->first_column);

    for (uint32_t i = 0; strip < item->strips && i < (left < WARI_STRIP ? left : WARI_STRIP); i++) {
        const uint64_t from = offset + (uint64_t)i * bits->planes.pitch[item->block];
        prefetch(bits->planes.won + from, 0, (item->columns + 7) / 8);
        prefetch(bits->planes.lost + from, 0, (item->columns + 7) / 8);
    }
}

static uint64_t decide(struct wari_bits *bits, struct wari_bits_worker *worker,
                       const struct wari_bits_item *item, bool notify)
{
    const struct wari_level *level = bits->level;
    struct wari_bits_tile *tile = wari_bits_tile(worker);
    struct wari_bits_decided *decided = notify ? &tile->decided : NULL;
    uint64_t changed = 0;

    prefetch_strip(bits, item, 0);
    for (uint32_t strip = 0; strip < item->strips; strip++) {
        const uint32_t first_row = (item->first_strip + strip) * WARI_STRIP;
        const uint32_t left = level->layout.rows[item->block] - first_row;
        const uint64_t offset = wari_bits_offset(bits, item->block, first_row, item->first_column);
        const struct wari_bit_item_strip area = {
            .lost_child = tile->lost_child + strip * WARI_BITS_PITCH,
            .open_child = tile->open_child + strip * WARI_BITS_PITCH,
            .won = bits->planes.won + offset,
            .lost = bits->planes.lost + offset,
            .pitch = bits->planes.pitch[item->block],
            .rows = left < WARI_STRIP ? left : WARI_STRIP,
            .columns = item->columns,
        };
        prefetch_strip(bits, item, strip + 1);
        changed += level->kernel->bits_decide(&area, decided);
        for (uint64_t rows = notify ? decided->rows : 0; rows != 0; rows &= rows - 1) {
            const uint32_t row = (uint32_t)__builtin_ctzll(rows);
            changed += change_and_push(bits, worker, item, first_row + row, WARI_BITS_NOTIFY_WON,
                                       decided->won[row]);
            changed += change_and_push(bits, worker, item, first_row + row, WARI_BITS_NOTIFY_LOST,
                                       decided->lost[row]);
        }
    }
    return changed;
}

static bool applies_to(const struct wari_bits *bits, int block)
{
    (void)bits, (void)block;
    return true;
}

static void find_rows(const struct wari_bits *bits, int block, int child, uint64_t offset,
                      struct wari_bit_source *source)
{
    (void)block, (void)child;
    source->won = bits->planes.won + offset;
    source->lost = bits->planes.lost + offset;
}

const struct wari_bits_ops wari_bits_grow_ops = {applies_to, find_rows, decide,
                                                 wari_bits_decide_parents};

static uint64_t sweep_item(struct wari_bits *bits, int block, uint64_t number, bool notify)
{
    const struct wari_level *level = bits->level;
    struct wari_bits_worker *worker = wari_bits_worker(bits);
    const uint32_t strips = wari_bits_strips(&level->layout, block);
    const uint32_t runs = wari_bits_runs(&level->layout, block);
    const uint32_t first_column = (uint32_t)(number / runs) * WARI_BITS_COLUMNS;
    const uint32_t first_strip = (uint32_t)(number % runs) * WARI_BITS_STRIPS;
    const uint32_t columns = level->layout.columns[block] - first_column;
    const struct wari_bits_item item = {
        .block = block,
        .first_column = first_column,
        .columns = columns < WARI_BITS_COLUMNS ? columns : WARI_BITS_COLUMNS,
        .first_strip = first_strip,
        .strips = strips - first_strip < WARI_BITS_STRIPS ? strips - first_strip : WARI_BITS_STRIPS,
    };
    uint64_t changed;

    compute_children(bits, &item, worker);
    changed = bits->ops->decide(bits, worker, &item, notify);
    if (notify)
        changed += wari_bits_drain(bits, worker);
    return changed;
}

static uint64_t items_of(const struct wari_level *level, int block)
{
    return (uint64_t)wari_bits_runs(&level->layout, block) *
           ((level->layout.columns[block] + WARI_BITS_COLUMNS - 1) / WARI_BITS_COLUMNS);
}

uint64_t wari_bits_sweep(struct wari_bits *bits, bool notify)
{
    struct wari_level *level = bits->level;
    uint64_t changed = 0;

    atomic_store_explicit(&bits->worklist.overflow, false, memory_order_relaxed);
#pragma omp parallel num_threads(level->workers->count) reduction(+ : changed)
    for (int turn = 0; turn <= level->layout.seeds; turn++) {
        const int block = level->block_order[turn];
        const uint64_t items = bits->ops->applies_to(bits, block) ? items_of(level, block) : 0;
#pragma omp for schedule(dynamic) nowait
        for (uint64_t i = 0; i < items; i++)
            if (!wari_level_stopped(level))
                changed += sweep_item(bits, block, i, notify);
    }
    return changed;
}

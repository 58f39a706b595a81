/* Divides the memory of a level into its arrays, and a level into items of work. */
#include "verify/verify_level.h"

#include <stdlib.h>
#include <string.h>

#include "index/half.h"

enum { HALF_BYTE = 15 };

static uint64_t full_rows(int block)
{
    return block < WARI_HALF_PITS ? 0 : wari_half_count(block - WARI_HALF_PITS);
}

static uint64_t items_of(uint64_t rows)
{
    return (rows + WARI_VERIFY_ROWS - 1) / WARI_VERIFY_ROWS;
}

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Computes the offsets of the bounds. Returns their size in bytes. */
static uint64_t lay_out_bounds(struct wari_verify_bounds *bounds, const struct wari_layout *layout)
{
    bounds->offset[0] = 0;
    for (int s = 0; s <= layout->seeds; s++) {
        const int lead = abs(layout->seeds - 2 * s);
        bounds->wide[s] = lead > HALF_BYTE;
        bounds->row_bytes[s] = lead == 0         ? 0
                               : bounds->wide[s] ? layout->columns[s]
                                                 : (layout->columns[s] + 1) / 2;
        bounds->offset[s + 1] =
            bounds->offset[s] + (uint64_t)layout->rows[s] * bounds->row_bytes[s];
    }
    return bounds->offset[layout->seeds + 1];
}

struct wari_verify_level_sizes wari_verify_level_sizes(int seeds, enum wari_cycle cycle,
                                                       bool proves_all)
{
    struct wari_verify_level_sizes sizes = {0};
    struct wari_verify_bounds bounds;
    struct wari_layout layout;
    uint64_t items = 0, words = 0;

    wari_layout_init(&layout, seeds);
    sizes.cells = round_up(wari_level_positions(seeds));
    for (int s = 0; s <= seeds; s++) {
        sizes.full += full_rows(s) * layout.columns[s];
        items += items_of(layout.rows[s]) + items_of(full_rows(s));
        words += items_of(layout.rows[s]) * layout.columns[s];
    }
    sizes.full = round_up(sizes.full);
    sizes.items = round_up(items * sizeof(struct wari_verify_item));
    sizes.pending = round_up(words * sizeof(wari_verify_word));
    if (cycle == WARI_OWN && proves_all) {
        sizes.bounds = round_up(lay_out_bounds(&bounds, &layout));
        if (sizes.bounds < sizes.pending)
            sizes.bounds = sizes.pending; /* level->candidates shares this memory */
    }
    return sizes;
}

static void add_items(struct wari_verify_level *level, int block, uint64_t rows, bool full)
{
    for (uint64_t first = 0; first < rows; first += WARI_VERIFY_ROWS) {
        const uint64_t left = rows - first;
        level->items[level->item_count++] = (struct wari_verify_item){
            .block = (uint8_t)block,
            .full = full,
            .rows = (uint16_t)(left < WARI_VERIFY_ROWS ? left : WARI_VERIFY_ROWS),
            .first = (uint32_t)first,
            .first_word = level->pending_offset[block] +
                          first / WARI_VERIFY_ROWS * level->layout.columns[block],
        };
    }
}

/* Returns the block that is processed at a turn. The turns go from the last and first blocks to the
 * middle: n, 0, n-1, 1, ... A move leads from block s to block n-s or a little below it, so the
 * positions that a position depends on are often in the block of the turn before. With this order,
 * a fixed point is reached in fewer sweeps; the fixed point itself does not depend on the order. */
static int block_of_turn(int seeds, int turn)
{
    return turn % 2 == 0 ? seeds - turn / 2 : turn / 2;
}

void wari_verify_level_begin(struct wari_verify_level *level, struct wari_verify_proof *proof,
                             int seeds, void *memory)
{
    const bool proves_all = proof->verify->mode == WARI_VERIFY_FULL;
    const struct wari_verify_level_sizes sizes =
        wari_verify_level_sizes(seeds, proof->verify->variant.cycle, proves_all);
    char *next = memory;

    memset(level, 0, sizeof *level);
    level->proof = proof;
    wari_layout_init(&level->layout, seeds);
    level->cells = (wari_verify_cell *)next;
    next += sizes.cells;
    level->candidates = sizes.bounds ? (wari_verify_word *)(void *)next : NULL;
    next += sizes.bounds;
    level->items = (struct wari_verify_item *)(void *)next;
    next += sizes.items;
    level->full = (wari_verify_cell *)next;
    level->pending = (wari_verify_word *)(void *)next;
    level->reached = level->pending;

    for (int s = 0; s <= seeds; s++) {
        const uint64_t full = full_rows(s);
        level->full_offset[s + 1] = level->full_offset[s] + full * level->layout.columns[s];
        level->pending_offset[s + 1] =
            level->pending_offset[s] + items_of(level->layout.rows[s]) * level->layout.columns[s];
    }
    for (int turn = 0; turn <= seeds; turn++) {
        const int s = block_of_turn(seeds, turn);
        add_items(level, s, level->layout.rows[s], false);
        add_items(level, s, full_rows(s), true);
    }
}

void wari_verify_bounds_begin(struct wari_verify_level *level)
{
    struct wari_verify_bounds *bounds = &level->bounds;

    bounds->bytes = (wari_verify_cell *)(void *)level->candidates;
    level->candidates = NULL;
    lay_out_bounds(bounds, &level->layout);
    for (int s = 0; s <= level->layout.seeds; s++) {
        const int lead = abs(wari_verify_lead(level, s));
        memset((void *)(bounds->bytes + bounds->offset[s]), bounds->wide[s] ? lead : lead * 17,
               bounds->offset[s + 1] - bounds->offset[s]);
    }
}

bool wari_verify_reduce_bound(wari_verify_cell *row, bool wide, uint32_t column, int bound)
{
    wari_verify_cell *cell = wide ? &row[column] : &row[column / 2];
    const int shift = wide ? 0 : (int)(column % 2) * 4;
    const int mask = wide ? 0xff : HALF_BYTE << shift;
    uint8_t before = wari_verify_read(cell);

    while ((before & mask) >> shift > bound) {
        const uint8_t after = (uint8_t)((before & ~mask) | bound << shift);
        if (atomic_compare_exchange_weak_explicit(cell, &before, after, memory_order_relaxed,
                                                  memory_order_relaxed))
            return true;
    }
    return false;
}

/* Captures limit the bounds of positions whose mover has fewer seeds in its row: the mover can end
 * the other side's surplus by a capture if the capture costs less than the surplus. */
struct wari_verify_row wari_verify_row(struct wari_verify_level *level, int block,
                                       const uint8_t pits[WARI_HALF_PITS])
{
    const uint32_t columns = level->layout.columns[block];
    struct wari_verify_row row = {.full = wari_half_full(pits)};

    if (row.full) {
        uint8_t less[WARI_HALF_PITS];
        for (int pit = 0; pit < WARI_HALF_PITS; pit++)
            less[pit] = (uint8_t)(pits[pit] - 1);
        row.first = level->full_offset[block] + (uint64_t)wari_half_rank(less) * columns;
        row.cells = level->full + row.first;
        return row;
    }
    const uint32_t number = wari_row_rank(pits);
    row.first = level->layout.block_offset[block] + (uint64_t)number * columns;
    row.cells = level->cells + row.first;
    if (level->bounds.bytes && wari_verify_lead(level, block) < 0) {
        row.bounds = wari_verify_bound_row(&level->bounds, block, number);
        row.wide = level->bounds.wide[block];
    }
    return row;
}

void wari_verify_exceed(struct wari_verify_level *level, uint64_t cell)
{
    if (level->wrong)
        wari_verify_set_add(level->wrong, cell);
    else
        atomic_store_explicit(&level->exceeded, true, memory_order_relaxed);
}

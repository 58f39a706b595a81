/* Cycle rule `own`: computes which surplus a side can keep for ever.
 *
 * D, the number of seeds in the mover's row minus the number in the opponent's row, is the same for
 * all cells of a block. When the values of a threshold b have grown to their fixed point, begin
 * with the largest sets of cells that might be kept:
 *
 *     H   all won cells, and in blocks with D >= b all cells that are not lost
 *     G   all lost cells, and in blocks with D <= -b all open cells
 *
 * Then remove cells until nothing changes. From H, remove cells that are not won and have no child
 * in G. From G, remove cells that are not lost and have a child outside H. The remaining sets are
 * closed under play: from a cell in H that is not won the mover can move into G, and all replies
 * lead back into H, where the mover has a surplus of b or more. So the side that moves in H keeps
 * the surplus for ever, or gets b or more when the game ends. Therefore all cells in H are won, and
 * all cells in G are lost. After that, values may grow again.
 *
 *     kept   the third plane: H in blocks with D >= b, G in blocks with D <= -b. In all other
 *            blocks H is the set of won cells and G the set of lost cells, so nothing is stored
 *            there.
 *
 * If a cell is removed from H, its parents are treated like those of a cell that becomes lost while
 * values grow: they are removed from G at once. If a cell is removed from G, its parents are
 * treated like those of a cell that becomes won: each of the parents is removed from H if no other
 * child of the parent is in G. So the notifications are those of growing values (enum
 * wari_bits_notification). Bits of `kept` only change from 1 to 0. So any number of threads may
 * remove cells at the same time, and the result does not depend on the order.
 */
#include <string.h>

#include "db/host/bytes.h"
#include "solver/bits/bits.h"

static int surplus_of(const struct wari_bits *bits, int block)
{
    return bits->level->layout.seeds - 2 * block;
}

static bool may_be_kept(const struct wari_bits *bits, int block)
{
    const int surplus = surplus_of(bits, block);

    return surplus >= bits->threshold || surplus <= -bits->threshold;
}

/* Returns a mask for 64 columns of a row that has `columns` columns: bit i is set if column `first`
 * + i exists. */
static uint64_t columns_from(uint32_t columns, uint32_t first)
{
    return columns - first >= 64 ? UINT64_MAX : (UINT64_C(1) << (columns - first)) - 1;
}

static uint32_t bytes_from(uint32_t pitch, uint32_t at)
{
    return pitch - at < 8 ? pitch - at : 8;
}

static void store(uint8_t *bytes, uint32_t count, uint64_t word)
{
    uint8_t eight[8];

    wari_store64(eight, word);
    memcpy(bytes, eight, count);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* An operation on a row of a block with a surplus that might be kept. */
typedef uint64_t for_row(struct wari_bits *bits, struct wari_bits_worker *worker, int block,
                         uint32_t row, bool notify);

/* Calls `change` for each row of all blocks with a surplus that might be kept. If `notify` is true,
 * also processes the worklist. Returns the sum of the results. */
static uint64_t each_row(struct wari_bits *bits, for_row *change, bool notify)
{
    struct wari_level *level = bits->level;
    uint64_t sum = 0;

#pragma omp parallel num_threads(level->workers->count) reduction(+ : sum)
    {
        struct wari_bits_worker *worker = wari_bits_worker(bits);
        for (int block = 0; block <= level->layout.seeds; block++) {
            if (!may_be_kept(bits, block))
                continue;
#pragma omp for schedule(dynamic, 64) nowait
            for (uint32_t row = 0; row < level->layout.rows[block]; row++)
                if (!wari_level_stopped(level))
                    sum += change(bits, worker, block, row, notify);
        }
        if (notify)
            sum += wari_bits_drain(bits, worker);
    }
    return sum;
}

/* Sets the bits `kept` of a row: 1 for the cells that might be kept. Returns the number of these
 * cells that are neither won nor lost. */
static uint64_t begin_row(struct wari_bits *bits, struct wari_bits_worker *worker, int block,
                          uint32_t row, bool notify)
{
    const uint32_t columns = bits->level->layout.columns[block], pitch = bits->planes.pitch[block];
    const bool positive = surplus_of(bits, block) > 0;
    const uint64_t offset = wari_bits_offset(bits, block, row, 0);
    uint64_t candidates = 0;

    (void)worker, (void)notify;
    for (uint32_t at = 0; at < pitch; at += 8) {
        const uint32_t bytes = bytes_from(pitch, at);
        const uint64_t won = wari_load64(bits->planes.won + offset + at);
        const uint64_t lost = wari_load64(bits->planes.lost + offset + at);
        const uint64_t kept = (positive ? won | ~lost : ~won) & columns_from(columns, 8 * at);
        store(bits->planes.kept + offset + at, bytes, kept);
        candidates += (uint64_t)__builtin_popcountll(kept & ~(positive ? won & ~lost : lost));
    }
    return candidates;
}

/* Returns the bits of the cells in a byte that are kept, but neither won nor lost. */
static unsigned candidates_of(const struct wari_bits *bits, uint64_t offset)
{
    const uint8_t won = __atomic_load_n(&bits->planes.won[offset], __ATOMIC_RELAXED);
    const uint8_t lost = __atomic_load_n(&bits->planes.lost[offset], __ATOMIC_RELAXED);

    return __atomic_load_n(&bits->planes.kept[offset], __ATOMIC_RELAXED) & ~(unsigned)(won ^ lost);
}

/* Marks the remaining candidates of a row as won or lost. If `notify` is true, also pushes them to
 * the worklist. Returns the number of cells that changed. */
static uint64_t commit_row(struct wari_bits *bits, struct wari_bits_worker *worker, int block,
                           uint32_t row, bool notify)
{
    const uint32_t pitch = bits->planes.pitch[block];
    const bool positive = surplus_of(bits, block) > 0;
    const uint64_t first = wari_bits_offset(bits, block, row, 0);
    uint64_t raised = 0;

    for (uint32_t at = 0; at < pitch; at++) {
        const uint64_t offset = first + at;
        unsigned left = candidates_of(bits, offset);
        for (; left != 0; left &= left - 1) {
            const uint32_t column = 8 * at + (uint32_t)__builtin_ctz(left);
            const uint8_t bit = wari_bits_bit(column);
            if (!(positive ? wari_bits_win(bits, offset, bit) : wari_bits_lose(bits, offset, bit)))
                continue;
            raised++;
            if (notify)
                wari_bits_push(bits, worker,
                               positive ? WARI_BITS_NOTIFY_WON : WARI_BITS_NOTIFY_LOST, block, row,
                               column);
        }
    }
    if (notify && wari_bits_pending(bits, worker) >= WARI_BITS_BATCH)
        raised += wari_bits_drain(bits, worker);
    return raised;
}

static uint64_t recheck_row(struct wari_bits *bits, struct wari_bits_worker *worker, int block,
                            uint32_t row, bool notify)
{
    const uint64_t first = wari_bits_offset(bits, block, row, 0);
    uint64_t changed = 0;

    (void)notify;
    for (uint32_t at = 0; at < bits->planes.pitch[block]; at++)
        for (unsigned left = candidates_of(bits, first + at); left != 0; left &= left - 1) {
            wari_bits_push(bits, worker, WARI_BITS_NOTIFY_OPEN, block, row,
                           8 * at + (uint32_t)__builtin_ctz(left));
            if (wari_bits_pending(bits, worker) >= WARI_BITS_BATCH)
                changed += wari_bits_drain(bits, worker);
        }
    return changed;
}

uint64_t wari_bits_recheck_all(struct wari_bits *bits)
{
    atomic_store_explicit(&bits->worklist.overflow, false, memory_order_relaxed);
    return each_row(bits, recheck_row, true);
}

uint64_t wari_bits_begin_upper_bounds(struct wari_bits *bits)
{
    return each_row(bits, begin_row, false);
}

uint64_t wari_bits_commit_upper_bounds(struct wari_bits *bits, bool notify)
{
    atomic_store_explicit(&bits->worklist.overflow, false, memory_order_relaxed);
    return each_row(bits, commit_row, notify);
}

/* ---- Sweeps ---------------------------------------------------------------------------------- */

/* Sets *source to the planes from which the children of `block` in the block `child` are read, from
 * `offset` on. If the children's block stores H or G, that set is read from the plane `kept`: the
 * cells in H count as won, or the cells in G as lost, and no cell has the other state. Otherwise
 * the children are read from the planes `won` and `lost`. */
static void find_rows(const struct wari_bits *bits, int block, int child, uint64_t offset,
                      struct wari_bit_source *source)
{
    source->won = bits->planes.won + offset;
    source->lost = bits->planes.lost + offset;
    /* If the mover has fewer seeds, the other side's surplus is at least as large in all children.
     */
    if (surplus_of(bits, block) < 0) {
        source->won = bits->planes.kept + offset;
        source->lost = bits->planes.zeros;
    } else if (surplus_of(bits, child) <= -bits->threshold) {
        source->won = bits->planes.zeros;
        source->lost = bits->planes.kept + offset;
    }
}

/* Removes a cell from `kept`. If several threads call it for the same cell, exactly one call
 * returns true. */
static bool remove_cell(const struct wari_bits *bits, uint64_t offset, uint8_t bit)
{
    return (__atomic_fetch_and(&bits->planes.kept[offset], (uint8_t)~bit, __ATOMIC_SEQ_CST) &
            bit) != 0;
}

/* Removes cells of a row from `kept` and pushes them to the worklist. Bit i of `out` is set if the
 * i-th of the 64 cells from `cell` on, whose first byte is at `offset`, has to be removed. */
static uint64_t remove_cells(struct wari_bits *bits, struct wari_bits_worker *worker,
                             struct wari_coordinates cell, uint64_t offset, uint64_t out)
{
    const enum wari_bits_notification notification =
        surplus_of(bits, cell.block) > 0 ? WARI_BITS_NOTIFY_LOST : WARI_BITS_NOTIFY_WON;
    uint64_t changed = 0;

    for (; out != 0; out &= out - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(out);
        if (!remove_cell(bits, offset + i / 8, wari_bits_bit(i)))
            continue;
        wari_bits_push(bits, worker, notification, cell.block, cell.row, cell.column + i);
        changed++;
    }
    return changed;
}

/* Decides the cells of a strip in 64 columns. The tile has one word of 64 bits for each column. */
static WARI_BITS_RACY uint64_t decide_strip(struct wari_bits *bits, struct wari_bits_worker *worker,
                                            const struct wari_bits_item *item, uint32_t strip,
                                            uint32_t first_column, bool notify)
{
    struct wari_bits_tile *tile = wari_bits_tile(worker);
    const bool positive = surplus_of(bits, item->block) > 0;
    const uint32_t pitch = bits->planes.pitch[item->block];
    const uint32_t first_row = (item->first_strip + strip) * WARI_STRIP;
    const uint32_t rows = bits->level->layout.rows[item->block] - first_row;
    const uint64_t *child = positive ? tile->lost_child : tile->open_child;
    struct wari_coordinates cell = {item->block, first_row, item->first_column + first_column};
    uint64_t word[64], changed = 0,
                       offset = wari_bits_offset(bits, cell.block, first_row, cell.column);
    const uint64_t columns = columns_from(item->columns, first_column);

    wari_transpose_bits_plain(child + strip * WARI_BITS_PITCH + first_column, word);
    for (uint32_t row = 0; row < (rows < WARI_STRIP ? rows : WARI_STRIP); row++, offset += pitch) {
        const uint64_t won = wari_bits_word(bits->planes.won + offset);
        const uint64_t lost = wari_bits_word(bits->planes.lost + offset);
        const uint64_t candidates =
            wari_bits_word(bits->planes.kept + offset) & ~(positive ? won & ~lost : lost) & columns;
        const uint64_t out = candidates & (positive ? ~word[row] : word[row]);
        if (out == 0)
            continue;
        cell.row = first_row + row;
        if (notify) {
            changed += remove_cells(bits, worker, cell, offset, out);
        } else {
            wari_bits_change(bits->planes.kept + offset, 0, out);
            changed += (uint64_t)__builtin_popcountll(out);
        }
    }
    return changed;
}

static uint64_t decide(struct wari_bits *bits, struct wari_bits_worker *worker,
                       const struct wari_bits_item *item, bool notify)
{
    uint64_t changed = 0;

    for (uint32_t strip = 0; strip < item->strips; strip++)
        for (uint32_t column = 0; column < item->columns; column += 64)
            changed += decide_strip(bits, worker, item, strip, column, notify);
    return changed;
}

/* ---- Single cells ---------------------------------------------------------------------------- */

/* Returns true if a cell is kept, but neither won nor lost. */
static bool is_candidate(const struct wari_bits *bits, int block, uint64_t offset, uint8_t bit)
{
    const enum wari_bits_state state = wari_bits_state(bits, offset, bit);

    return may_be_kept(bits, block) && state != WARI_BITS_WON && state != WARI_BITS_LOST &&
           (__atomic_load_n(&bits->planes.kept[offset], __ATOMIC_SEQ_CST) & bit) != 0;
}

/* Returns true if a child is in the set that its parent needs: in G for a parent with a positive
 * surplus, in H for a parent with a negative surplus. */
static bool supports(const struct wari_bits *bits, bool positive, int child, uint64_t offset,
                     uint8_t bit)
{
    if (!positive || surplus_of(bits, child) <= -bits->threshold)
        return (__atomic_load_n(&bits->planes.kept[offset], __ATOMIC_SEQ_CST) & bit) != 0;
    return wari_bits_state(bits, offset, bit) == WARI_BITS_LOST;
}

/* Returns true if a cell can still be kept: if a cell with a positive surplus has a child in G, or
 * if all children of a cell with a negative surplus are in H. */
static bool is_supported(const struct wari_bits *bits, const struct wari_bits_parent *parent)
{
    const struct wari_level *level = bits->level;
    const bool positive = surplus_of(bits, parent->cell.block) > 0;
    struct wari_coordinates child;

    for (int pit = 0;
         (pit = wari_next_child_of_board(level->tables, level->layout.seeds, parent->cell.block,
                                         &parent->board, pit, &child)) < WARI_HALF_PITS;
         pit++)
        if (positive == supports(bits, positive, child.block,
                                 wari_bits_offset(bits, child.block, child.row, child.column),
                                 wari_bits_bit(child.column)))
            return positive;
    return !positive;
}

static uint64_t decide_parents(struct wari_bits *bits, struct wari_bits_worker *worker,
                               uint32_t parents)
{
    const struct wari_bits_tile *tile = wari_bits_tile(worker);
    uint64_t changed = 0;

    for (uint32_t i = 0; i < parents; i++) {
        const struct wari_bits_parent *parent = &tile->parent[i];
        const bool positive = surplus_of(bits, parent->cell.block) > 0;
        const bool has_to_be_examined = positive || parent->cause == WARI_BITS_NOTIFY_OPEN;
        /* A child that left H removes its parents from G. A child that left G removes a parent from
         * H only if no other child is in G. */
        if (parent->cause == (positive ? WARI_BITS_NOTIFY_LOST : WARI_BITS_NOTIFY_WON) ||
            !is_candidate(bits, parent->cell.block, parent->offset, parent->bit) ||
            (has_to_be_examined && is_supported(bits, parent)) ||
            !remove_cell(bits, parent->offset, parent->bit))
            continue;
        wari_bits_push(bits, worker, positive ? WARI_BITS_NOTIFY_LOST : WARI_BITS_NOTIFY_WON,
                       parent->cell.block, parent->cell.row, parent->cell.column);
        changed++;
    }
    return changed;
}

const struct wari_bits_ops wari_bits_shrink_ops = {may_be_kept, find_rows, decide, decide_parents};

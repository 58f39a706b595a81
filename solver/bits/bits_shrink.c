/* Cycle rule `own`: what surplus can be kept for ever?
 *
 * D, the seeds in the mover's row minus those in the opponent's, is constant on a block. Once a
 * threshold b has been grown to its fixed point, take for granted as much as could be:
 *
 *     H   all that is won, and in blocks with D >= b whatever is not lost
 *     G   all that is lost, and in blocks with D <= -b whatever is open
 *
 * and take out again what does not stand up: of H what is not won and has no child in G, of G what
 * is not lost and has a child outside H. What is left when nothing more goes is closed under play:
 * who is in H and not won moves into G, and all replies lead back into H, where each position has a
 * surplus of b or more. So that side keeps it for ever, or gets b by an end. So H is won, and G is
 * lost; and then there may be more to grow.
 *
 *     kept   H in blocks with D >= b, G in those with D <= -b: a third plane. Elsewhere both are
 *            what is won and what is lost, so nothing is needed there.
 *
 * To its parents a cell that went out of H is what a lost one is while values grow, and one that
 * went out of G what a won one is: those of the first go at once, those of the second if no other
 * child keeps them. So they travel as the same news (bits.h). Bits of `kept` only go from 1 to 0:
 * any number of threads may take cells out under each other's eyes, and none of it depends on the
 * order.
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

/* Of eight bytes, the bits that are columns of a row. */
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

/* Does something to each row of each block that may be kept; returns the sum of what that returns.
 */
typedef uint64_t for_row(struct wari_bits *bits, struct wari_bits_worker *worker, int block,
                         uint32_t row, bool notify);

/* `notify`: all that follows from it, too. */
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

/* Takes for granted what could be; returns how much of that is neither won nor lost. */
static uint64_t hope_for_row(struct wari_bits *bits, struct wari_bits_worker *worker, int block,
                             uint32_t row, bool notify)
{
    const uint32_t columns = bits->level->layout.columns[block], pitch = bits->planes.pitch[block];
    const bool ahead = surplus_of(bits, block) > 0;
    const uint64_t place = wari_bits_offset(bits, block, row, 0);
    uint64_t candidates = 0;

    (void)worker, (void)notify;
    for (uint32_t at = 0; at < pitch; at += 8) {
        const uint32_t bytes = bytes_from(pitch, at);
        const uint64_t won = wari_load64(bits->planes.won + place + at);
        const uint64_t lost = wari_load64(bits->planes.lost + place + at);
        const uint64_t kept = (ahead ? won | ~lost : ~won) & columns_from(columns, 8 * at);
        store(bits->planes.kept + place + at, bytes, kept);
        candidates += (uint64_t)__builtin_popcountll(kept & ~(ahead ? won & ~lost : lost));
    }
    return candidates;
}

/* Cells of a row that are kept, but neither won nor lost: of a byte. */
static unsigned hopes_of(const struct wari_bits *bits, uint64_t place)
{
    const uint8_t won = __atomic_load_n(&bits->planes.won[place], __ATOMIC_RELAXED);
    const uint8_t lost = __atomic_load_n(&bits->planes.lost[place], __ATOMIC_RELAXED);

    return __atomic_load_n(&bits->planes.kept[place], __ATOMIC_RELAXED) & ~(unsigned)(won ^ lost);
}

/* What is left of candidates is won, or lost. */
static uint64_t believe_row(struct wari_bits *bits, struct wari_bits_worker *worker, int block,
                            uint32_t row, bool notify)
{
    const uint32_t pitch = bits->planes.pitch[block];
    const bool ahead = surplus_of(bits, block) > 0;
    const uint64_t first = wari_bits_offset(bits, block, row, 0);
    uint64_t raised = 0;

    for (uint32_t at = 0; at < pitch; at++) {
        const uint64_t place = first + at;
        unsigned left = hopes_of(bits, place);
        for (; left != 0; left &= left - 1) {
            const uint32_t column = 8 * at + (uint32_t)__builtin_ctz(left);
            const uint8_t bit = wari_bits_bit(column);
            if (!(ahead ? wari_bits_win(bits, place, bit) : wari_bits_lose(bits, place, bit)))
                continue;
            raised++;
            if (notify)
                wari_bits_push(bits, worker, ahead ? WARI_BITS_NOTIFY_WON : WARI_BITS_NOTIFY_LOST,
                               block, row, column);
        }
    }
    if (notify && wari_bits_pending(bits, worker) >= WARI_BITS_BATCH)
        raised += wari_bits_drain(bits, worker);
    return raised;
}

static uint64_t doubt_row(struct wari_bits *bits, struct wari_bits_worker *worker, int block,
                          uint32_t row, bool notify)
{
    const uint64_t first = wari_bits_offset(bits, block, row, 0);
    uint64_t changed = 0;

    (void)notify;
    for (uint32_t at = 0; at < bits->planes.pitch[block]; at++)
        for (unsigned left = hopes_of(bits, first + at); left != 0; left &= left - 1) {
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
    return each_row(bits, doubt_row, true);
}

uint64_t wari_bits_begin_upper_bounds(struct wari_bits *bits)
{
    return each_row(bits, hope_for_row, false);
}

uint64_t wari_bits_commit_upper_bounds(struct wari_bits *bits, bool notify)
{
    atomic_store_explicit(&bits->worklist.overflow, false, memory_order_relaxed);
    return each_row(bits, believe_row, notify);
}

/* ---- Sweeps ---------------------------------------------------------------------------------- */

/* Where a parent's children are looked up. */
static void find_rows(const struct wari_bits *bits, int block, int child, uint64_t place,
                      struct wari_bit_source *source)
{
    source->won = bits->planes.won + place;
    source->lost = bits->planes.lost + place;
    if (surplus_of(bits, block) < 0) { /* a child has as large a surplus, or a larger one */
        source->won = bits->planes.kept + place;
        source->lost = bits->planes.zeros;
    } else if (surplus_of(bits, child) <= -bits->threshold) {
        source->won = bits->planes.zeros;
        source->lost = bits->planes.kept + place;
    }
}

/* Takes a cell out; true for the one caller of several who did. */
static bool take_out(const struct wari_bits *bits, uint64_t place, uint8_t bit)
{
    return (__atomic_fetch_and(&bits->planes.kept[place], (uint8_t)~bit, __ATOMIC_SEQ_CST) & bit) !=
           0;
}

/* Takes cells of a row out, those of a word from place `place` on. */
static uint64_t take_out_word(struct wari_bits *bits, struct wari_bits_worker *worker,
                              struct wari_coordinates cell, uint64_t place, uint64_t out)
{
    const enum wari_bits_notification news =
        surplus_of(bits, cell.block) > 0 ? WARI_BITS_NOTIFY_LOST : WARI_BITS_NOTIFY_WON;
    uint64_t changed = 0;

    for (; out != 0; out &= out - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(out);
        if (!take_out(bits, place + i / 8, wari_bits_bit(i)))
            continue;
        wari_bits_push(bits, worker, news, cell.block, cell.row, cell.column + i);
        changed++;
    }
    return changed;
}

/* The rows of a strip by 64 columns, of which children are known: `child` has a word a column. */
static WARI_BITS_RACY uint64_t decide_patch(struct wari_bits *bits, struct wari_bits_worker *worker,
                                            const struct wari_bits_item *item, uint32_t strip,
                                            uint32_t first_column, bool notify)
{
    struct wari_bits_tile *tile = wari_bits_tile(worker);
    const bool ahead = surplus_of(bits, item->block) > 0;
    const uint32_t pitch = bits->planes.pitch[item->block];
    const uint32_t first_row = (item->first_strip + strip) * WARI_STRIP;
    const uint32_t rows = bits->level->layout.rows[item->block] - first_row;
    const uint64_t *child = ahead ? tile->lost_child : tile->open_child;
    struct wari_coordinates cell = {item->block, first_row, item->first_column + first_column};
    uint64_t word[64], changed = 0,
                       place = wari_bits_offset(bits, cell.block, first_row, cell.column);
    const uint64_t wanted = columns_from(item->columns, first_column);

    wari_turn_bits_plain(child + strip * WARI_BITS_PITCH + first_column, word);
    for (uint32_t row = 0; row < (rows < WARI_STRIP ? rows : WARI_STRIP); row++, place += pitch) {
        const uint64_t won = wari_bits_word(bits->planes.won + place);
        const uint64_t lost = wari_bits_word(bits->planes.lost + place);
        const uint64_t candidates =
            wari_bits_word(bits->planes.kept + place) & ~(ahead ? won & ~lost : lost) & wanted;
        const uint64_t out = candidates & (ahead ? ~word[row] : word[row]);
        if (out == 0)
            continue;
        cell.row = first_row + row;
        if (notify) {
            changed += take_out_word(bits, worker, cell, place, out);
        } else {
            wari_bits_change(bits->planes.kept + place, 0, out);
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
            changed += decide_patch(bits, worker, item, strip, column, notify);
    return changed;
}

/* ---- Single cells ---------------------------------------------------------------------------- */

/* Whether a cell is kept, but neither won nor lost. */
static bool is_hope(const struct wari_bits *bits, int block, uint64_t place, uint8_t bit)
{
    const enum wari_bits_state state = wari_bits_state(bits, place, bit);

    return may_be_kept(bits, block) && state != WARI_BITS_WON && state != WARI_BITS_LOST &&
           (__atomic_load_n(&bits->planes.kept[place], __ATOMIC_SEQ_CST) & bit) != 0;
}

/* Whether a child of a cell that is ahead is in G; of one that is behind, in H. */
static bool supports(const struct wari_bits *bits, bool ahead, int child, uint64_t place,
                     uint8_t bit)
{
    if (!ahead || surplus_of(bits, child) <= -bits->threshold)
        return (__atomic_load_n(&bits->planes.kept[place], __ATOMIC_SEQ_CST) & bit) != 0;
    return wari_bits_state(bits, place, bit) == WARI_BITS_LOST;
}

/* Whether a cell that is ahead still has a child in G, or one that is behind all of them in H. */
static bool stands_up(const struct wari_bits *bits, const struct wari_bits_parent *parent)
{
    const struct wari_level *level = bits->level;
    const bool ahead = surplus_of(bits, parent->cell.block) > 0;
    struct wari_coordinates child;

    for (int pit = 0;
         (pit = wari_next_child_of_board(level->tables, level->layout.seeds, parent->cell.block,
                                         &parent->board, pit, &child)) < WARI_HALF_PITS;
         pit++)
        if (ahead == supports(bits, ahead, child.block,
                              wari_bits_offset(bits, child.block, child.row, child.column),
                              wari_bits_bit(child.column)))
            return ahead;
    return !ahead;
}

static uint64_t follow(struct wari_bits *bits, struct wari_bits_worker *worker, uint32_t parents)
{
    const struct wari_bits_tile *tile = wari_bits_tile(worker);
    uint64_t changed = 0;

    for (uint32_t i = 0; i < parents; i++) {
        const struct wari_bits_parent *parent = &tile->parent[i];
        const bool ahead = surplus_of(bits, parent->cell.block) > 0;
        const bool asks = ahead || parent->cause == WARI_BITS_NOTIFY_OPEN;
        /* a child outside H takes those behind with it, one outside G may have kept one ahead */
        if (parent->cause == (ahead ? WARI_BITS_NOTIFY_LOST : WARI_BITS_NOTIFY_WON) ||
            !is_hope(bits, parent->cell.block, parent->offset, parent->bit) ||
            (asks && stands_up(bits, parent)) || !take_out(bits, parent->offset, parent->bit))
            continue;
        wari_bits_push(bits, worker, ahead ? WARI_BITS_NOTIFY_LOST : WARI_BITS_NOTIFY_WON,
                       parent->cell.block, parent->cell.row, parent->cell.column);
        changed++;
    }
    return changed;
}

const struct wari_bits_ops wari_bits_shrink_ops = {may_be_kept, find_rows, decide, follow};

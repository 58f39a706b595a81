/* Step (c), which only `own` cycles need. Step (b) has proved that every value other than 0 can be
 * forced (verify_grounding.c); this step proves that no value can be exceeded.
 *
 * The leader of a position is the player with more seeds in its row. This step computes an upper
 * bound of the surplus that the leader can hold for ever. At first the bound is the leader's
 * surplus, or less if captures limit it (wari_verify_enter()). Then the bounds are reduced to what
 * the quiet moves allow under the bounds of the other positions, until nothing changes. A bound
 * that is not above the value (as the leader sees it) is set to 0. If some bound is above 0 at the
 * end, the leader can hold a surplus for ever that is larger than the value in the table.
 *
 * The quiet moves allow the following bounds.
 *
 * - If the leader is to move: the largest bound of a position that a quiet move reaches and in
 *   which the leader still leads. The leader's other moves need not be considered. They are
 *   captures, and quiet moves to positions in which the leader does not lead or whose bound is 0.
 *   By step (a), such moves bring the leader no more than the value.
 * - If the other side is to move: the smallest of the amounts that its quiet moves leave to the
 *   leader. A quiet move leaves the bound of the position reached, or the value of that position if
 *   its bound is 0.
 *
 * Invariants: bounds only fall, so they reach the greatest fixed point in any order of visits. A
 * bound of 0 never rises again. */
#include "verify/verify_steps.h"

#include <string.h>

#include "index/half.h"
#include "verify/verify_neighbours.h"
#include "verify/verify_pass.h"
#include "verify/verify_strip.h"
#include "verify/verify_sweep.h"

/* Returns the value of a position as the leader sees it: negative if it favours the other side.
 * `lead` is the mover's surplus of seeds. */
static int worth_to_leader(uint8_t code, int lead)
{
    return lead > 0 ? wari_verify_value(code) : -wari_verify_value(code);
}

/* ---- The first bounds ---- */

/* Clears the bounds that do not exceed the value of their position. Before this pass, the bound of
 * a position is its surplus, or less if captures limit the bound. After this pass, the positions
 * whose bound is not 0 are pending. */
static void set_first_bounds(struct wari_verify_level *level, const void *context, uint64_t number,
                             struct wari_verify_pass_result *result)
{
    const struct wari_verify_item *item = &level->items[number];
    const int block = item->block, lead = wari_verify_lead(level, block);
    const uint32_t columns = level->layout.columns[block];
    const bool wide = level->bounds.wide[block];

    (void)context;
    (void)result;
    if (item->full)
        return;
    memset((void *)(level->pending + item->first_word), 0, columns * sizeof *level->pending);
    if (lead == 0)
        return;
    for (uint32_t row = item->first; row < item->first + item->rows; row++) {
        const uint64_t bit = UINT64_C(1) << (row - item->first);
        const wari_verify_cell *cells =
            level->cells + level->layout.block_offset[block] + (uint64_t)row * columns;
        wari_verify_cell *bounds = wari_verify_bound_row(&level->bounds, block, row);
        for (uint32_t column = 0; column < columns; column++) {
            const int worth = worth_to_leader(wari_verify_read(&cells[column]), lead);
            if (worth < 0 || wari_verify_bound(bounds, wide, column) <= worth)
                wari_verify_reduce_bound(bounds, wide, column, 0);
            else
                atomic_fetch_or_explicit(&level->pending[item->first_word + column], bit,
                                         memory_order_relaxed);
        }
    }
}

/* ---- Reducing the bounds ---- */

/* Computes the bounds that the quiet moves of a column allow, for each row. */
static void bounds_of_moves(const struct wari_verify_strip *strip, uint32_t column, int lead,
                            uint8_t allowed[WARI_VERIFY_ROWS])
{
    memset(allowed, lead > 0 ? 0 : UINT8_MAX, WARI_VERIFY_ROWS);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        uint8_t bounds[WARI_VERIFY_ROWS], reached[WARI_VERIFY_ROWS];
        struct wari_verify_strip_move move;
        if (!wari_verify_strip_find_move(strip, &strip->moves[column], pit, &move))
            continue;
        /* After the move the other side is to move. The bound of the position reached belongs to
         * the leader only if the leader still has more seeds in its row. */
        if (lead > 0 && 2 * move.t >= lead)
            continue;
        wari_verify_strip_bounds(strip, &move, bounds);
        if (lead > 0) {
            for (int row = 0; row < WARI_VERIFY_ROWS; row++)
                allowed[row] = bounds[row] > allowed[row] ? bounds[row] : allowed[row];
            continue;
        }
        strip->kernel->reach(strip, &move, reached);
        for (int row = 0; row < WARI_VERIFY_ROWS; row++) {
            /* `worth` is not negative, because otherwise the move would be better than the value
             * of the position. */
            const uint8_t worth = (uint8_t)(WARI_VERIFY_MIDDLE - (reached[row] >> 1));
            const uint8_t most = worth > bounds[row] ? worth : bounds[row];
            allowed[row] = most < allowed[row] ? most : allowed[row];
        }
    }
}

static uint64_t reduce_strip(struct wari_verify_level *level, const struct wari_verify_strip *strip,
                             uint32_t column, uint64_t pending)
{
    const int lead = wari_verify_lead(level, strip->block);
    const bool wide = level->bounds.wide[strip->block];
    uint8_t codes[WARI_VERIFY_ROWS], allowed[WARI_VERIFY_ROWS];
    uint64_t changed = 0, finished = 0;

    strip->kernel->read(strip, column, codes);
    bounds_of_moves(strip, column, lead, allowed);
    for (; pending != 0; pending &= pending - 1) {
        const int row = __builtin_ctzll(pending);
        const int worth = worth_to_leader(codes[row], lead);
        const int bound = allowed[row] > worth ? allowed[row] : 0;
        if (wari_verify_reduce_bound(
                wari_verify_bound_row(&level->bounds, strip->block, strip->row[row]), wide, column,
                bound))
            changed |= UINT64_C(1) << row;
        if (bound == 0)
            finished |= UINT64_C(1) << row;
    }
    if (finished != 0)
        wari_verify_finish(&strip->pending[column], finished);
    return changed;
}

/* Returns the leader's bound that the quiet moves of a position allow. */
static int bound_of_moves(const struct wari_verify_level *level,
                          const struct wari_verify_children *children, int lead)
{
    int allowed = lead > 0 ? 0 : UINT8_MAX;

    for (int i = 0; i < children->count; i++) {
        const struct wari_verify_child *child = &children->child[i];
        const int block = child->block;
        const int bound =
            level->bounds.row_bytes[block] == 0
                ? 0
                : wari_verify_bound(wari_verify_bound_row(&level->bounds, block, child->row),
                                    level->bounds.wide[block], child->column);
        if (lead > 0) {
            allowed = wari_verify_lead(level, block) < 0 && bound > allowed ? bound : allowed;
            continue;
        }
        const int worth = wari_verify_value(wari_verify_read(child->cell));
        const int most = worth > bound ? worth : bound;
        allowed = most < allowed ? most : allowed;
    }
    return allowed;
}

static bool reduce_position(struct wari_verify_level *level, const struct wari_verify_place *place,
                            const struct wari_verify_children *children)
{
    const int lead = wari_verify_lead(level, place->block);
    const uint8_t code = wari_verify_read(&level->cells[wari_verify_place_cell(level, place)]);
    const int worth = worth_to_leader(code, lead);
    const int allowed = bound_of_moves(level, children, lead);

    if (allowed <= worth) {
        const struct wari_verify_bit bit =
            wari_verify_pending(level, place->block, place->row, place->column);
        wari_verify_finish(bit.word, bit.mask);
    }
    return wari_verify_reduce_bound(wari_verify_bound_row(&level->bounds, place->block, place->row),
                                    level->bounds.wide[place->block], place->column,
                                    allowed > worth ? allowed : 0);
}

/* ---- Entry point ---- */

static void collect_differences(struct wari_verify_level *level, const void *context,
                                uint64_t number, struct wari_verify_pass_result *result)
{
    const struct wari_verify_item *item = &level->items[number];
    const int block = item->block, lead = wari_verify_lead(level, block);
    const uint32_t columns = level->layout.columns[block];

    (void)context;
    if (item->full || lead == 0)
        return;
    for (uint32_t row = item->first; row < item->first + item->rows; row++) {
        const wari_verify_cell *bounds = wari_verify_bound_row(&level->bounds, block, row);
        for (uint32_t column = 0; column < columns; column++) {
            const int bound = wari_verify_bound(bounds, level->bounds.wide[block], column);
            const uint64_t cell =
                level->layout.block_offset[block] + (uint64_t)row * columns + column;
            if (bound > 0)
                wari_verify_add_difference(
                    &result->found,
                    (struct wari_verify_difference){
                        cell, wari_verify_value(wari_verify_read(&level->cells[cell])),
                        lead > 0 ? bound : -bound, false});
        }
    }
}

enum wari_status wari_verify_upper(struct wari_verify_level *level,
                                   struct wari_verify_differences *found)
{
    static const struct wari_verify_task task = {
        .phase = "upper bounds", .strip = reduce_strip, .one = reduce_position};
    struct wari_verify_pass_result total = {0};
    enum wari_status status =
        wari_verify_pass(level, set_first_bounds, NULL, level->item_count, NULL, &total);
    if (status == WARI_OK)
        status = wari_verify_sweep(level, &task);
    if (status == WARI_OK)
        status =
            wari_verify_pass(level, collect_differences, NULL, level->item_count, NULL, &total);
    if (status == WARI_OK)
        wari_verify_merge_differences(found, &total.found);
    return status;
}

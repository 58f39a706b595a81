/* A table may pass (a) and still be wrong: the positions of a cycle may justify each other's values
 * although no end and no capture justifies them. So the first step proves positions backwards from
 * ends and captures until nothing more can be proved. The result is the least set that contains
 *
 * - a position with a positive value if one of the moves that attain the value ends the game,
 *   captures (the lower levels are verified already) or leads into the set;
 * - a position with a negative value if all of its moves end the game, capture or lead into the
 *   set.
 *
 * For `even` cycles this is all, since endless play is worth 0. Positions outside of the set are
 * marked.
 *
 * For `own` cycles endless play is worth the surplus that a side holds for ever. When the set
 * does not grow any more, a second step therefore adds the greatest set of unproved positions in
 * which the leading player holds a surplus of at least the value and can keep the play inside
 * that set (or in proved positions). Then the first step continues, and both steps alternate
 * until neither of them adds anything. Along such play the value never falls for the leading
 * player, so the surplus is sufficient at every position.
 *
 * The pending positions of the first step are the unproved ones. The pending positions of the
 * second step are the candidates for its set, which are unmarked while they are candidates.
 *
 * Invariant: both steps are monotone, so the result depends neither on the order of the visits
 * nor on the threads. */
#include "verify/verify_steps.h"

#include <string.h>

#include "index/half.h"
#include "verify/verify_neighbours.h"
#include "verify/verify_pass.h"
#include "verify/verify_strip.h"
#include "verify/verify_sweep.h"

/* Computes for one position what kernel->supported() computes for the rows of a strip. */
static bool is_supported(uint8_t code, const struct wari_verify_children *children)
{
    const uint8_t required = wari_verify_opposite(code);

    for (int i = 0; i < children->count; i++) {
        const uint8_t reached = wari_verify_read(children->child[i].cell);
        if (code < WARI_VERIFY_ZERO ? reached == required : reached & WARI_VERIFY_MARK)
            return code < WARI_VERIFY_ZERO;
    }
    return code > WARI_VERIFY_ZERO;
}

static bool is_pending(const struct wari_verify_level *level, int block, uint32_t row,
                       uint32_t column)
{
    const struct wari_verify_bit bit = wari_verify_pending(level, block, row, column);
    return atomic_load_explicit(bit.word, memory_order_relaxed) & bit.mask;
}

/* Removes a position from the pending ones. Returns false if it was not pending. */
static bool finish_place(const struct wari_verify_level *level,
                         const struct wari_verify_place *place)
{
    const struct wari_verify_bit bit =
        wari_verify_pending(level, place->block, place->row, place->column);
    return wari_verify_finish(bit.word, bit.mask) != 0;
}

/* ---- Proved from the ends backwards ---- */

static uint64_t prove_strip(struct wari_verify_level *level, const struct wari_verify_strip *strip,
                            uint32_t column, uint64_t pending)
{
    uint8_t codes[WARI_VERIFY_ROWS];
    (void)strip->kernel->read(strip, column, codes);
    const uint64_t proved = pending & strip->kernel->supported(strip, column, codes);
    if (proved == 0)
        return 0;
    for (uint64_t rows = proved; rows != 0; rows &= rows - 1)
        wari_verify_unmark(&level->cells[strip->first[__builtin_ctzll(rows)] + column]);
    return wari_verify_finish(&strip->pending[column], proved);
}

/* Returns false if the position at `place` cannot have become provable when a child with the code
 * `reached` was proved. A positive value can be proved now only by the move to that child, and only
 * if the move attains the value. A negative value depends on all moves, so every child matters. */
static bool is_proof_possible(const struct wari_verify_level *level,
                              const struct wari_verify_place *place, uint8_t reached)
{
    const uint8_t code = wari_verify_read(&level->cells[wari_verify_place_cell(level, place)]);
    return code > WARI_VERIFY_ZERO || reached == wari_verify_opposite(code);
}

/* Called only if is_proof_possible() has returned true. So a positive value is proved, and a
 * negative value is proved if no move leads to an unproved position, that is, to a pending one. */
static bool prove_position(struct wari_verify_level *level, const struct wari_verify_place *place,
                           const struct wari_verify_children *children)
{
    wari_verify_cell *cell = &level->cells[wari_verify_place_cell(level, place)];
    if (wari_verify_read(cell) > WARI_VERIFY_ZERO) {
        for (int i = 0; i < children->count; i++) {
            const struct wari_verify_child *child = &children->child[i];
            if (is_pending(level, child->block, child->row, child->column))
                return false;
        }
    }
    wari_verify_unmark(cell);
    return finish_place(level, place);
}

/* ---- Surplus held for ever ---- */

/* Makes an unproved position a candidate if the surplus of the leading player in it is at least the
 * value for this player. All other positions are no longer pending. */
static void assume_surplus(struct wari_verify_level *level, const void *context, uint64_t number,
                           struct wari_verify_pass_result *result)
{
    const struct wari_verify_item *item = &level->items[number];
    const uint32_t columns = level->layout.columns[item->block];
    const uint64_t first =
        level->layout.block_offset[item->block] + (uint64_t)item->first * columns;
    const int lead = wari_verify_lead(level, item->block);

    (void)context;
    (void)result;
    if (item->full)
        return;
    for (uint32_t column = 0; column < columns; column++) {
        wari_verify_word *word = &level->pending[item->first_word + column];
        uint64_t others = 0;
        for (uint64_t rows = atomic_load_explicit(word, memory_order_relaxed); rows != 0;
             rows &= rows - 1) {
            const unsigned row = (unsigned)__builtin_ctzll(rows);
            wari_verify_cell *cell = &level->cells[first + (uint64_t)row * columns + column];
            const int value = wari_verify_value(wari_verify_read(cell));
            if (value > 0 ? lead < value : lead > value)
                others |= UINT64_C(1) << row;
            else
                wari_verify_unmark(cell);
        }
        if (others != 0)
            wari_verify_finish(word, others);
    }
}

/* Removes the candidates of a column from which the play cannot stay in the set. */
static uint64_t remove_from_strip(struct wari_verify_level *level,
                                  const struct wari_verify_strip *strip, uint32_t column,
                                  uint64_t pending)
{
    uint8_t codes[WARI_VERIFY_ROWS];
    (void)strip->kernel->read(strip, column, codes);
    const uint64_t dropped = pending & ~strip->kernel->supported(strip, column, codes);
    if (dropped == 0)
        return 0;
    for (uint64_t rows = dropped; rows != 0; rows &= rows - 1)
        wari_verify_mark(&level->cells[strip->first[__builtin_ctzll(rows)] + column]);
    return wari_verify_finish(&strip->pending[column], dropped);
}

static bool remove_position(struct wari_verify_level *level, const struct wari_verify_place *place,
                            const struct wari_verify_children *children)
{
    wari_verify_cell *cell = &level->cells[wari_verify_place_cell(level, place)];
    if (is_supported(wari_verify_read(cell), children))
        return false;
    wari_verify_mark(cell);
    return finish_place(level, place);
}

/* Proves the greatest set of unproved positions whose surplus can be held for ever. Sets *added
 * to true if that set is not empty; the unproved positions are then pending again. */
static enum wari_status prove_surplus(struct wari_verify_level *level, bool *added)
{
    static const struct wari_verify_task task = {
        .phase = "surplus", .strip = remove_from_strip, .one = remove_position};
    struct wari_verify_pass_result total = {0};
    uint64_t pending = 0;

    *added = false;
    enum wari_status status =
        wari_verify_pass(level, assume_surplus, NULL, level->item_count, NULL, &total);
    if (status == WARI_OK)
        status = wari_verify_sweep(level, &task);
    if (status == WARI_OK)
        status = wari_verify_count_pending(level, &pending);
    *added = pending > 0;
    if (status == WARI_OK && *added)
        status = wari_verify_set_pending(level);
    return status;
}

/* ---- Entry point ---- */

static void collect_differences(struct wari_verify_level *level, const void *context,
                                uint64_t number, struct wari_verify_pass_result *result)
{
    const struct wari_verify_item *item = &level->items[number];
    const uint32_t columns = level->layout.columns[item->block];
    const uint64_t first =
        level->layout.block_offset[item->block] + (uint64_t)item->first * columns;

    (void)context;
    if (item->full)
        return;
    for (uint64_t cell = first; cell < first + (uint64_t)item->rows * columns; cell++) {
        const uint8_t code = wari_verify_read(&level->cells[cell]);
        const int value = wari_verify_value(code);
        if (code & WARI_VERIFY_MARK)
            wari_verify_add_difference(&result->found,
                                       (struct wari_verify_difference){cell, value, value, true});
    }
}

enum wari_status wari_verify_grounding(struct wari_verify_level *level,
                                       struct wari_verify_differences *found)
{
    static const struct wari_verify_task task = {.phase = "grounding",
                                                 .reads_pending = true,
                                                 .strip = prove_strip,
                                                 .is_affected = is_proof_possible,
                                                 .one = prove_position};
    struct wari_verify_pass_result total = {0};
    bool added = false;
    enum wari_status status = wari_verify_set_pending(level);
    if (status != WARI_OK)
        return status;
    do {
        status = wari_verify_sweep(level, &task);
        if (status == WARI_OK && level->proof->verify->variant.cycle == WARI_OWN)
            status = prove_surplus(level, &added);
        if (status != WARI_OK)
            return status;
    } while (added);
    status = wari_verify_pass(level, collect_differences, NULL, level->item_count, NULL, &total);
    if (status == WARI_OK)
        wari_verify_merge_differences(found, &total.found);
    return status;
}

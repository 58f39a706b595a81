/* A table may pass (a) and still be wrong: the positions of a cycle may justify each other's values
 * although no end and no capture justifies them. So positions are proved backwards from ends and
 * captures until nothing more can be proved. The result is the least set that contains
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
 * does not grow any more, the verifier therefore adds the greatest set of unproved positions in
 * which the leading player holds a surplus of at least the value and can keep the play inside
 * that set (or in proved positions). Then the first step continues, and both steps alternate
 * until neither of them adds anything. Along such play the value never falls for the leading
 * player, so the surplus is sufficient at every position. The candidates for this set are in
 * level->kept and are unmarked while they are in it.
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
static bool is_supported(const struct wari_verify_level *level, uint8_t code,
                         const struct wari_position *position)
{
    const uint8_t required = wari_verify_opposite(code);
    struct wari_verify_children children;

    wari_verify_children_begin(&children, level, position);
    while (wari_verify_children_next(&children)) {
        const uint8_t reached = wari_verify_child(&children);
        if (code < WARI_VERIFY_ZERO ? reached == required : reached & WARI_VERIFY_MARK)
            return code < WARI_VERIFY_ZERO;
    }
    return code > WARI_VERIFY_ZERO;
}

/* ---- Proved from the ends backwards ---- */

static uint64_t prove_strip(struct wari_verify_level *level, const struct wari_verify_strip *strip,
                            uint32_t column)
{
    uint8_t codes[WARI_VERIFY_ROWS];
    const uint64_t open = strip->kernel->read(strip, column, codes);
    if (open == 0)
        return 0;
    const uint64_t proved = open & strip->kernel->supported(strip, column, codes);
    for (uint64_t rows = proved; rows != 0; rows &= rows - 1)
        wari_verify_unmark(&level->cells[strip->first[__builtin_ctzll(rows)] + column]);
    return proved;
}

/* Called because the position with code `reached` has changed. If the value is positive, only the
 * move to this position can newly support it. */
static bool prove_position(struct wari_verify_level *level, uint64_t cell,
                           const struct wari_position *position, uint8_t reached)
{
    const uint8_t code = wari_verify_read(&level->cells[cell]);
    if (!(code & WARI_VERIFY_MARK))
        return false;
    if (code < WARI_VERIFY_ZERO ? reached != wari_verify_opposite(code)
                                : !is_supported(level, code, position))
        return false;
    return wari_verify_unmark(&level->cells[cell]);
}

/* ---- Surplus held for ever ---- */

/* Adds all unproved positions in which the leading player holds a sufficient surplus to
 * level->kept. */
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
    for (uint64_t cell = first; cell < first + (uint64_t)item->rows * columns; cell++) {
        const uint8_t code = wari_verify_read(&level->cells[cell]);
        const int value = wari_verify_value(code);
        if (!(code & WARI_VERIFY_MARK) || (value > 0 ? lead < value : lead > value))
            continue;
        wari_verify_set_add(level->kept, cell);
        wari_verify_unmark(&level->cells[cell]);
    }
}

/* Removes from level->kept the positions of a column from which the play cannot stay in the set. */
static uint64_t remove_from_strip(struct wari_verify_level *level,
                                  const struct wari_verify_strip *strip, uint32_t column)
{
    uint8_t codes[WARI_VERIFY_ROWS];
    uint64_t kept = 0, dropped = 0;

    for (int row = 0; row < strip->rows; row++)
        kept |= (uint64_t)wari_verify_set_has(level->kept, strip->first[row] + column) << row;
    if (kept == 0)
        return 0;
    strip->kernel->read(strip, column, codes);
    kept &= ~strip->kernel->supported(strip, column, codes);
    for (; kept != 0; kept &= kept - 1) {
        const int row = __builtin_ctzll(kept);
        const uint64_t cell = strip->first[row] + column;
        if (wari_verify_set_remove(level->kept, cell)) {
            wari_verify_mark(&level->cells[cell]);
            dropped |= UINT64_C(1) << row;
        }
    }
    return dropped;
}

static bool remove_position(struct wari_verify_level *level, uint64_t cell,
                            const struct wari_position *position, uint8_t reached)
{
    (void)reached;
    if (!wari_verify_set_has(level->kept, cell) ||
        is_supported(level, wari_verify_read(&level->cells[cell]), position) ||
        !wari_verify_set_remove(level->kept, cell))
        return false;
    wari_verify_mark(&level->cells[cell]);
    return true;
}

/* Proves the greatest set of unproved positions whose surplus can be held for ever. Sets *added
 * to true if that set is not empty. */
static enum wari_status prove_surplus(struct wari_verify_level *level, bool *added)
{
    static const struct wari_verify_task task = {"surplus", remove_from_strip, remove_position};
    const uint64_t bytes = (wari_level_positions(level->layout.seeds) + 7) / 8;
    struct wari_verify_pass_result total = {0};

    memset((void *)level->kept, 0, bytes);
    enum wari_status status =
        wari_verify_pass(level, assume_surplus, NULL, level->item_count, NULL, &total);
    if (status == WARI_OK)
        status = wari_verify_sweep(level, &task);
    *added = false;
    for (uint64_t i = 0; status == WARI_OK && i < bytes && !*added; i++)
        *added = wari_verify_read(&level->kept[i]) != 0;
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
    static const struct wari_verify_task task = {"grounding", prove_strip, prove_position};
    struct wari_verify_pass_result total = {0};
    bool added = false;
    enum wari_status status;
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

/* Grounding shows that every value can be reached; here we see that none can be exceeded. Every
 * position whose surplus lies beyond its value (further from 0, on the same side) hopes for the
 * whole surplus. Hopes sink to the best of the moves under the hopes of the others, never below the
 * value itself, until they rest. Then a hope still above its value is a set of positions where play
 * can be kept with a surplus the table does not credit.
 *
 * Let the leader, who has more seeds in its row, hope for h > 0. If it is to move, a capture gets
 * it no more than its value, by (a), and nor does a quiet move to a position that leaves it no
 * hope: h is the largest hope that it reaches. If the other side is to move, it is the smallest,
 * with what captures cost that side (which was entered with the captures) and, where there is no
 * hope, the value.
 *
 * What always holds: hopes only sink, so they rest at the greatest fixed point whatever the order
 * of visits. A hope that is not above the value is 0 and never rises again.
 */
#include "verify/verify_upper.h"

#include <string.h>

#include "index/half.h"
#include "verify/verify_children.h"
#include "verify/verify_look.h"
#include "verify/verify_pass.h"
#include "verify/verify_sweep.h"

/* How much a value says for the leader, who has more seeds in its row, `lead` of them to the mover:
 * less than 0 where it speaks for the other one. */
static int worth_to_leader(uint8_t code, int lead)
{
    return lead > 0 ? wari_verify_value(code) : -wari_verify_value(code);
}

/* ---- The first hopes ---- */

/* So far they are the surplus, or what captures leave of it. */
static void begin_piece(struct wari_verify_level *level, const void *context, uint64_t number,
                        struct wari_verify_tally *tally)
{
    const struct wari_verify_piece *piece = &level->pieces[number];
    const int block = piece->block, lead = wari_verify_lead(level, block);
    const uint32_t columns = level->layout.columns[block];
    const bool whole = level->hopes.whole[block];

    (void)context;
    (void)tally;
    if (piece->full || lead == 0)
        return;
    for (uint32_t row = piece->first; row < piece->first + piece->rows; row++) {
        const wari_verify_cell *cells =
            level->cells + level->layout.block_offset[block] + (uint64_t)row * columns;
        wari_verify_cell *hopes = wari_verify_hope_row(&level->hopes, block, row);
        for (uint32_t column = 0; column < columns; column++) {
            const int worth = worth_to_leader(wari_verify_read(&cells[column]), lead);
            if (worth < 0 || wari_verify_hope(hopes, whole, column) <= worth)
                wari_verify_lower(hopes, whole, column, 0);
        }
    }
}

/* ---- Sinking ---- */

/* The hope that a row's quiet moves leave. */
static void sink_column(const struct wari_verify_strip *strip, uint32_t column, int lead,
                        uint8_t left[WARI_VERIFY_ROWS])
{
    memset(left, lead > 0 ? 0 : UINT8_MAX, WARI_VERIFY_ROWS);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        uint8_t hopes[WARI_VERIFY_ROWS], reached[WARI_VERIFY_ROWS];
        struct wari_verify_step step;
        if (!wari_verify_strip_step(strip, &strip->moves[column], pit, &step))
            continue;
        /* The leader's, if it still leads: the other side is to move there. */
        if (lead > 0 && 2 * step.t >= lead)
            continue;
        wari_verify_strip_hopes(strip, &step, hopes);
        if (lead > 0) {
            for (int row = 0; row < WARI_VERIFY_ROWS; row++)
                left[row] = hopes[row] > left[row] ? hopes[row] : left[row];
            continue;
        }
        strip->look->reach(strip, &step, reached);
        for (int row = 0; row < WARI_VERIFY_ROWS; row++) {
            /* Not negative: else the move would be better than the value. */
            const uint8_t worth = (uint8_t)(WARI_VERIFY_MIDDLE - (reached[row] >> 1));
            const uint8_t most = worth > hopes[row] ? worth : hopes[row];
            left[row] = most < left[row] ? most : left[row];
        }
    }
}

static uint64_t sink_strip(struct wari_verify_level *level, const struct wari_verify_strip *strip,
                           uint32_t column)
{
    const int lead = wari_verify_lead(level, strip->block);
    const bool whole = level->hopes.whole[strip->block];
    uint8_t hopes[WARI_VERIFY_ROWS], codes[WARI_VERIFY_ROWS], left[WARI_VERIFY_ROWS];
    uint64_t changed = 0;
    bool any = false;

    if (lead == 0)
        return 0;
    for (int row = 0; row < strip->rows; row++) {
        hopes[row] = (uint8_t)wari_verify_hope(
            wari_verify_hope_row(&level->hopes, strip->block, strip->row[row]), whole, column);
        any |= hopes[row] != 0;
    }
    if (!any)
        return 0;
    strip->look->read(strip, column, codes);
    sink_column(strip, column, lead, left);
    for (int row = 0; row < strip->rows; row++) {
        const int worth = worth_to_leader(codes[row], lead);
        const int hope = left[row] > worth ? left[row] : 0;
        if (hope < hopes[row] &&
            wari_verify_lower(wari_verify_hope_row(&level->hopes, strip->block, strip->row[row]),
                              whole, column, hope))
            changed |= UINT64_C(1) << row;
    }
    return changed;
}

/* The hope of a stored position, and its value for the leader if that is more. */
static int read_hope(const struct wari_verify_level *level, const struct wari_position *position)
{
    const uint8_t *opponent = position->pits + WARI_HALF_PITS;
    const int block = wari_half_seeds(opponent);
    if (level->hopes.row_bytes[block] == 0)
        return 0;
    return wari_verify_hope(wari_verify_hope_row(&level->hopes, block, wari_row_rank(opponent)),
                            level->hopes.whole[block], wari_half_rank(position->pits));
}

/* What the quiet moves of a position leave of the leader's hope. */
static int sink_position(const struct wari_verify_level *level,
                         const struct wari_position *position, int lead)
{
    int left = lead > 0 ? 0 : UINT8_MAX;
    struct wari_verify_children children;

    wari_verify_children_begin(&children, level, position);
    while (wari_verify_children_next(&children)) {
        const int block = children.block;
        const int hope =
            level->hopes.row_bytes[block] == 0
                ? 0
                : wari_verify_hope(wari_verify_hope_row(&level->hopes, block, children.row),
                                   level->hopes.whole[block], children.column);
        if (lead > 0) {
            left = wari_verify_lead(level, block) < 0 && hope > left ? hope : left;
            continue;
        }
        const int worth = wari_verify_value(wari_verify_child(&children));
        const int most = worth > hope ? worth : hope;
        left = most < left ? most : left;
    }
    return left;
}

static bool sink_one(struct wari_verify_level *level, uint64_t cell,
                     const struct wari_position *position, uint8_t reached)
{
    (void)reached;
    const uint8_t *opponent = position->pits + WARI_HALF_PITS;
    const int block = wari_half_seeds(opponent), lead = wari_verify_lead(level, block);
    if (lead == 0 || read_hope(level, position) == 0)
        return false;
    const int worth = worth_to_leader(wari_verify_read(&level->cells[cell]), lead);
    const int left = sink_position(level, position, lead);
    return wari_verify_lower(wari_verify_hope_row(&level->hopes, block, wari_row_rank(opponent)),
                             level->hopes.whole[block], wari_half_rank(position->pits),
                             left > worth ? left : 0);
}

/* ---- The whole ---- */

static void note_piece(struct wari_verify_level *level, const void *context, uint64_t number,
                       struct wari_verify_tally *tally)
{
    const struct wari_verify_piece *piece = &level->pieces[number];
    const int block = piece->block, lead = wari_verify_lead(level, block);
    const uint32_t columns = level->layout.columns[block];

    (void)context;
    if (piece->full || lead == 0)
        return;
    for (uint32_t row = piece->first; row < piece->first + piece->rows; row++) {
        const wari_verify_cell *hopes = wari_verify_hope_row(&level->hopes, block, row);
        for (uint32_t column = 0; column < columns; column++) {
            const int hope = wari_verify_hope(hopes, level->hopes.whole[block], column);
            const uint64_t cell =
                level->layout.block_offset[block] + (uint64_t)row * columns + column;
            if (hope > 0)
                wari_verify_note(&tally->found,
                                 (struct wari_verify_difference){
                                     cell, wari_verify_value(wari_verify_read(&level->cells[cell])),
                                     lead > 0 ? hope : -hope, false});
        }
    }
}

enum wari_status wari_verify_upper(struct wari_verify_level *level, struct wari_verify_found *found)
{
    static const struct wari_verify_task task = {"upper bounds", sink_strip, sink_one};
    struct wari_verify_tally total = {0};
    enum wari_status status =
        wari_verify_pass(level, begin_piece, NULL, level->piece_count, NULL, &total);
    if (status == WARI_OK)
        status = wari_verify_sweep(level, &task);
    if (status == WARI_OK)
        status = wari_verify_pass(level, note_piece, NULL, level->piece_count, NULL, &total);
    if (status == WARI_OK)
        wari_verify_merge(found, &total.found);
    return status;
}

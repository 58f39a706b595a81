/* A table may pass (a) and still be wrong: positions of a cycle that lean on each other's values
 * and on nothing else. So positions are proved from the ends and captures backwards, until nothing
 * more can be: the least set that holds a positive value if one of the moves that attain it ends
 * the game, captures (lower levels are verified already) or leads into the set, and a negative one
 * if all moves do. With `even` cycles this is all, for endless play is worth 0. Positions outside
 * of the set are marked.
 *
 * With `own` cycles endless play is worth a surplus that is held for ever. So when the set grows no
 * more, the greatest set of unproved positions is added in which the player who is ahead holds
 * a surplus of at least the value and play can be kept there (or in what is proved); then the
 * first step goes on, and so in turns until neither adds anything. Along such play the value never
 * sinks for the player who is ahead, so the surplus held is enough at every position. Positions
 * that are hoped for so are in level->kept, and unmarked for as long as they are.
 *
 * What always holds: both steps are monotone, so the result depends neither on the order of visits
 * nor on threads.
 */
#include "verify/verify_grounding.h"

#include <string.h>

#include "index/half.h"
#include "verify/verify_children.h"
#include "verify/verify_look.h"
#include "verify/verify_pass.h"
#include "verify/verify_sweep.h"

/* What look->supported() says of rows, for one position. */
static bool is_supported(const struct wari_verify_level *level, uint8_t code,
                         const struct wari_position *position)
{
    const uint8_t wanted = wari_verify_opposite(code);
    struct wari_verify_children children;

    wari_verify_children_begin(&children, level, position);
    while (wari_verify_children_next(&children)) {
        const uint8_t reached = wari_verify_child(&children);
        if (code < WARI_VERIFY_ZERO ? reached == wanted : reached & WARI_VERIFY_MARK)
            return code < WARI_VERIFY_ZERO;
    }
    return code > WARI_VERIFY_ZERO;
}

/* ---- Proved from the ends backwards ---- */

static uint64_t prove_strip(struct wari_verify_level *level, const struct wari_verify_strip *strip,
                            uint32_t column)
{
    uint8_t codes[WARI_VERIFY_ROWS];
    const uint64_t open = strip->look->read(strip, column, codes);
    if (open == 0)
        return 0;
    const uint64_t proved = open & strip->look->supported(strip, column, codes);
    for (uint64_t rows = proved; rows != 0; rows &= rows - 1)
        wari_verify_unmark(&level->cells[strip->first[__builtin_ctzll(rows)] + column]);
    return proved;
}

/* A value above 0 rests on the very move that leads to `reached`, or on none that is new. */
static bool prove_one(struct wari_verify_level *level, uint64_t cell,
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

/* ---- Kept for ever ---- */

/* All open positions in which the player who is ahead holds enough are hoped for. */
static void hope_piece(struct wari_verify_level *level, const void *context, uint64_t number,
                       struct wari_verify_tally *tally)
{
    const struct wari_verify_piece *piece = &level->pieces[number];
    const uint32_t columns = level->layout.columns[piece->block];
    const uint64_t first =
        level->layout.block_offset[piece->block] + (uint64_t)piece->first * columns;
    const int lead = wari_verify_lead(level, piece->block);

    (void)context;
    (void)tally;
    if (piece->full)
        return;
    for (uint64_t cell = first; cell < first + (uint64_t)piece->rows * columns; cell++) {
        const uint8_t code = wari_verify_read(&level->cells[cell]);
        const int value = wari_verify_value(code);
        if (!(code & WARI_VERIFY_MARK) || (value > 0 ? lead < value : lead > value))
            continue;
        wari_verify_add(level->kept, cell);
        wari_verify_unmark(&level->cells[cell]);
    }
}

/* Takes out positions from which play cannot be kept in the set. */
static uint64_t drop_strip(struct wari_verify_level *level, const struct wari_verify_strip *strip,
                           uint32_t column)
{
    uint8_t codes[WARI_VERIFY_ROWS];
    uint64_t kept = 0, dropped = 0;

    for (int row = 0; row < strip->rows; row++)
        kept |= (uint64_t)wari_verify_has(level->kept, strip->first[row] + column) << row;
    if (kept == 0)
        return 0;
    strip->look->read(strip, column, codes);
    kept &= ~strip->look->supported(strip, column, codes);
    for (; kept != 0; kept &= kept - 1) {
        const int row = __builtin_ctzll(kept);
        const uint64_t cell = strip->first[row] + column;
        if (wari_verify_take(level->kept, cell)) {
            wari_verify_mark(&level->cells[cell]);
            dropped |= UINT64_C(1) << row;
        }
    }
    return dropped;
}

static bool drop_one(struct wari_verify_level *level, uint64_t cell,
                     const struct wari_position *position, uint8_t reached)
{
    (void)reached;
    if (!wari_verify_has(level->kept, cell) ||
        is_supported(level, wari_verify_read(&level->cells[cell]), position) ||
        !wari_verify_take(level->kept, cell))
        return false;
    wari_verify_mark(&level->cells[cell]);
    return true;
}

/* Proves the greatest set of open positions whose surplus can be kept; *added: there are some. */
static enum wari_status add_kept(struct wari_verify_level *level, bool *added)
{
    static const struct wari_verify_task task = {"surplus", drop_strip, drop_one};
    const uint64_t bytes = (wari_level_positions(level->layout.seeds) + 7) / 8;
    struct wari_verify_tally total = {0};

    memset((void *)level->kept, 0, bytes);
    enum wari_status status =
        wari_verify_pass(level, hope_piece, NULL, level->piece_count, NULL, &total);
    if (status == WARI_OK)
        status = wari_verify_sweep(level, &task);
    *added = false;
    for (uint64_t i = 0; status == WARI_OK && i < bytes && !*added; i++)
        *added = wari_verify_read(&level->kept[i]) != 0;
    return status;
}

/* ---- The whole ---- */

static void note_piece(struct wari_verify_level *level, const void *context, uint64_t number,
                       struct wari_verify_tally *tally)
{
    const struct wari_verify_piece *piece = &level->pieces[number];
    const uint32_t columns = level->layout.columns[piece->block];
    const uint64_t first =
        level->layout.block_offset[piece->block] + (uint64_t)piece->first * columns;

    (void)context;
    if (piece->full)
        return;
    for (uint64_t cell = first; cell < first + (uint64_t)piece->rows * columns; cell++) {
        const uint8_t code = wari_verify_read(&level->cells[cell]);
        const int value = wari_verify_value(code);
        if (code & WARI_VERIFY_MARK)
            wari_verify_note(&tally->found,
                             (struct wari_verify_difference){cell, value, value, true});
    }
}

enum wari_status wari_verify_grounding(struct wari_verify_level *level,
                                       struct wari_verify_found *found)
{
    static const struct wari_verify_task task = {"grounding", prove_strip, prove_one};
    struct wari_verify_tally total = {0};
    bool added = false;
    enum wari_status status;
    do {
        status = wari_verify_sweep(level, &task);
        if (status == WARI_OK && level->run->verify->variant.cycle == WARI_OWN)
            status = add_kept(level, &added);
        if (status != WARI_OK)
            return status;
    } while (added);
    status = wari_verify_pass(level, note_piece, NULL, level->piece_count, NULL, &total);
    if (status == WARI_OK)
        wari_verify_merge(found, &total.found);
    return status;
}

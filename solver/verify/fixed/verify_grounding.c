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
 * sinks for the player who is ahead, so the surplus he holds is enough at every position. Positions
 * that are hoped for so are in level->kept, and unmarked for as long as they are.
 *
 * What always holds: both steps are monotone, so the result depends neither on the order of visits
 * nor on threads.
 */
#include "solver/verify/fixed/verify_grounding.h"

#include <string.h>

#include "index/half.h"
#include "solver/verify/fixed/verify_sweep.h"
#include "solver/verify/level/verify_pass.h"

/* A position of value 0 has this byte; those of larger values have smaller ones. */
enum { ZERO = 2 * WARI_VERIFY_MIDDLE };

/* The byte of an unmarked position whose value is that of `code`, with the other sign. */
static uint8_t opposite(uint8_t code)
{
    return (uint8_t)(2 * ZERO - (code & ~WARI_VERIFY_MARK));
}

/* What the quiet moves of a column say of each row: 0xff in `attained` where one that attains the
 * value leads to an unmarked position, the mark in `open` where one leads to a marked one. */
static void look_ahead(const struct wari_verify_level *level, const struct wari_verify_strip *strip,
                       uint32_t column, const uint8_t codes[WARI_VERIFY_ROWS],
                       uint8_t supported[WARI_VERIFY_ROWS])
{
    const struct wari_verify_column *moves =
        &level->run->columns.of[level->layout.seeds - strip->block][column];
    uint8_t attained[WARI_VERIFY_ROWS] = {0}, open[WARI_VERIFY_ROWS] = {0};
    uint8_t wanted[WARI_VERIFY_ROWS];

    for (int row = 0; row < WARI_VERIFY_ROWS; row++)
        wanted[row] = opposite(codes[row]);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        uint8_t reached[WARI_VERIFY_ROWS];
        struct wari_verify_step step;
        if (!wari_verify_strip_step(strip, moves, pit, &step))
            continue;
        wari_verify_strip_reach(strip, &step, reached);
        for (int row = 0; row < WARI_VERIFY_ROWS; row++) {
            attained[row] |= reached[row] == wanted[row];
            open[row] |= reached[row];
        }
    }
    for (int row = 0; row < WARI_VERIFY_ROWS; row++)
        supported[row] = codes[row] < ZERO ? attained[row] : ~open[row] & WARI_VERIFY_MARK;
}

/* The same for one position, by the moves that game/ makes. */
static bool is_supported(const struct wari_verify_level *level, uint8_t code,
                         const struct wari_position *position)
{
    const uint8_t wanted = opposite(code);
    struct wari_moves moves;

    wari_moves(level->run->verify->variant.rules, position, &moves);
    for (int i = 0; i < moves.count; i++) {
        const struct wari_move *move = &moves.list[i];
        if (move->ends || move->captured > 0)
            continue;
        const uint8_t reached =
            wari_verify_read(&level->cells[wari_layout_rank(&level->layout, &move->next)]);
        if (code < ZERO ? reached == wanted : reached & WARI_VERIFY_MARK)
            return code < ZERO;
    }
    return code > ZERO;
}

/* ---- Proved from the ends backwards ---- */

static int prove_strip(struct wari_verify_level *level, const struct wari_verify_strip *strip,
                       uint32_t column, uint8_t changed[WARI_VERIFY_ROWS])
{
    uint8_t codes[WARI_VERIFY_ROWS], supported[WARI_VERIFY_ROWS];
    unsigned open = 0;
    int count = 0;

    wari_verify_strip_read(strip, column, codes);
    for (int row = 0; row < WARI_VERIFY_ROWS; row++)
        open |= codes[row];
    if (!(open & WARI_VERIFY_MARK))
        return 0;
    look_ahead(level, strip, column, codes, supported);
    for (int row = 0; row < strip->rows; row++) {
        if (codes[row] & supported[row] &&
            wari_verify_unmark(&level->cells[strip->first[row] + column]))
            changed[count++] = (uint8_t)row;
    }
    return count;
}

static bool prove_one(struct wari_verify_level *level, uint64_t cell,
                      const struct wari_position *position, uint8_t reached)
{
    const uint8_t code = wari_verify_read(&level->cells[cell]);
    return code & WARI_VERIFY_MARK && (code > ZERO || reached == opposite(code)) &&
           is_supported(level, code, position) && wari_verify_unmark(&level->cells[cell]);
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
static int drop_strip(struct wari_verify_level *level, const struct wari_verify_strip *strip,
                      uint32_t column, uint8_t changed[WARI_VERIFY_ROWS])
{
    uint8_t codes[WARI_VERIFY_ROWS], supported[WARI_VERIFY_ROWS];
    bool kept[WARI_VERIFY_ROWS], any = false;
    int count = 0;

    for (int row = 0; row < strip->rows; row++)
        any |= kept[row] = wari_verify_has(level->kept, strip->first[row] + column);
    if (!any)
        return 0;
    wari_verify_strip_read(strip, column, codes);
    look_ahead(level, strip, column, codes, supported);
    for (int row = 0; row < strip->rows; row++) {
        const uint64_t cell = strip->first[row] + column;
        if (kept[row] && !supported[row] && wari_verify_take(level->kept, cell)) {
            wari_verify_mark(&level->cells[cell]);
            changed[count++] = (uint8_t)row;
        }
    }
    return count;
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

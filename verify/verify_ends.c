/* What rule sets differ in, and so game/ is asked, position by position. That is only where such a
 * thing can be: where a row is empty, and in the rows that some number of seeds would slam. These
 * are a few hundred rows in all, 3 % of the positions with 20 seeds.
 */
#include "verify/verify_ends.h"

#include <string.h>

#include "index/half.h"
#include "verify/verify_pass.h"
#include "verify/verify_read.h"
#include "verify/verify_strip.h"
#include "verify/verify_worth.h"

enum {
    SLAM_SEEDS_MAX = 12
}; /* that a half can be slammed with: each pit gets a seed at least and
    * has 3 at most after it */

/* Whether some move slams this half. */
static bool may_be_slammed(const uint8_t pits[WARI_HALF_PITS], int sown_max)
{
    if (wari_half_seeds(pits) > SLAM_SEEDS_MAX)
        return false;
    for (int t = 1; t <= sown_max && t <= 3 * WARI_HALF_PITS; t++) {
        uint8_t after[WARI_HALF_PITS];
        memcpy(after, pits, sizeof after);
        wari_verify_sow(after, t);
        if (wari_verify_capture(after, t) > 0 && wari_half_seeds(after) == 0)
            return true;
    }
    return false;
}

/* Positions whose opponent half is empty, of the levels below: what a slam leads to after which the
 * same player moves again. */
struct emptied {
    const int8_t *values[WARI_SEEDS_MAX + 1];
};

static void enter_position(struct wari_verify_level *level, const struct emptied *emptied,
                           const struct wari_verify_row *row, uint32_t column,
                           const struct wari_position *position)
{
    struct wari_moves moves;

    wari_moves(level->run->verify->variant.rules, position, &moves);
    if (moves.count == 0)
        wari_verify_enter(level, row, column, moves.end_value);
    for (int i = 0; i < moves.count; i++) {
        const struct wari_move *move = &moves.list[i];
        int next = 0;
        if (!move->ends && !move->again)
            continue;
        if (move->again)
            next =
                emptied
                    ->values[level->layout.seeds - move->captured][wari_half_rank(move->next.pits)];
        wari_verify_enter(level, row, column, wari_move_value(move, next));
    }
}

static void do_piece(struct wari_verify_level *level, const void *context, uint64_t number,
                     struct wari_verify_tally *tally)
{
    const struct wari_verify_piece *piece = &level->pieces[number];
    const int own = level->layout.seeds - piece->block;
    const bool slams = level->run->slam != WARI_SLAM_NO_CAPTURE;
    struct wari_verify_strip strip;

    (void)tally;
    if (own > 0 && piece->block > (slams ? SLAM_SEEDS_MAX : 0))
        return;
    wari_verify_strip_fill(&strip, level, piece);
    for (int i = 0; i < strip.rows; i++) {
        if (own > 0 && piece->block > 0 && !may_be_slammed(strip.pits[i], own))
            continue;
        const struct wari_verify_row row = wari_verify_row(level, piece->block, strip.pits[i]);
        struct wari_position position;
        uint32_t column = 0;
        memcpy(position.pits + WARI_HALF_PITS, strip.pits[i], WARI_HALF_PITS);
        wari_half_unrank(own, 0, position.pits);
        do
            enter_position(level, context, &row, column++, &position);
        while (wari_half_next(position.pits));
    }
}

/* Reads what slams lead to; `memory`: room for all of it. */
static enum wari_status read_emptied(struct wari_verify_level *level, struct emptied *emptied)
{
    int8_t *next = level->run->below;

    for (int seeds = 0; seeds + 2 <= level->layout.seeds; seeds++) {
        const uint64_t count = wari_half_count(seeds);
        struct wari_level_reader *reader;
        enum wari_status status = wari_verify_open(level->run, seeds, &reader);
        if (status != WARI_OK)
            return status;
        status = wari_verify_read_below(level->run, reader, seeds, 0, count, next);
        wari_level_reader_close(reader);
        if (status != WARI_OK)
            return status;
        emptied->values[seeds] = next;
        next += count;
    }
    return WARI_OK;
}

enum wari_status wari_verify_ends(struct wari_verify_level *level)
{
    struct emptied emptied = {{NULL}};
    struct wari_verify_tally tally = {0};
    enum wari_status status = WARI_OK;

    if (level->run->slam == WARI_SLAM_MOVES_AGAIN)
        status = read_emptied(level, &emptied);
    if (status == WARI_OK)
        status = wari_verify_pass(level, do_piece, &emptied, level->piece_count, NULL, &tally);
    return status;
}

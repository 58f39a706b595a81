/* Checks ends of the game and grand slams. The rule sets differ in these moves, so this step calls
 * the move generator of game/ for single positions. It visits only positions where an end or a slam
 * is possible: positions with an empty half, and positions whose opponent half can be slammed by
 * some number of seeds. These positions are 3 % of all positions with 20 seeds and lie in a few
 * hundred rows. */
#include "verify/verify_steps.h"

#include <string.h>

#include "index/half.h"
#include "verify/verify_level.h"
#include "verify/verify_pass.h"
#include "verify/verify_read.h"
#include "verify/verify_strip.h"

/* Largest half that can be slammed: each pit gets at least one seed and holds at most 3
 * afterwards. */
enum { SLAM_SEEDS_MAX = 12 };

/* Returns true if some number of seeds up to sown_max slams this half. */
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

/* Values of the positions of the lower levels whose opponent half is empty: a slam leads to such
 * a position if the same player moves again. */
struct emptied {
    const int8_t *values[WARI_SEEDS_MAX + 1];
};

static void enter_position(struct wari_verify_level *level, const struct emptied *emptied,
                           const struct wari_verify_row *row, uint32_t column,
                           const struct wari_position *position)
{
    struct wari_moves moves;

    wari_find_moves(level->proof->verify->variant.rules, position, &moves);
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

static void process_item(struct wari_verify_level *level, const void *context, uint64_t number,
                         struct wari_verify_pass_result *result)
{
    const struct wari_verify_item *item = &level->items[number];
    const int own = level->layout.seeds - item->block;
    const bool slams = level->proof->slam != WARI_SLAM_NO_CAPTURE;
    struct wari_verify_strip strip;

    (void)result;
    if (own > 0 && item->block > (slams ? SLAM_SEEDS_MAX : 0))
        return;
    wari_verify_strip_fill(&strip, level, item);
    for (int i = 0; i < strip.rows; i++) {
        if (own > 0 && item->block > 0 && !may_be_slammed(strip.pits[i], own))
            continue;
        const struct wari_verify_row row = wari_verify_row(level, item->block, strip.pits[i]);
        struct wari_position position;
        uint32_t column = 0;
        memcpy(position.pits + WARI_HALF_PITS, strip.pits[i], WARI_HALF_PITS);
        wari_half_unrank(own, 0, position.pits);
        do
            enter_position(level, context, &row, column++, &position);
        while (wari_half_next(position.pits));
    }
}

/* Reads the values of all positions that a slam may lead to into the buffer of the lower levels. */
static enum wari_status read_emptied(struct wari_verify_level *level, struct emptied *emptied)
{
    int8_t *next = level->proof->lower_values;

    for (int seeds = 0; seeds + 2 <= level->layout.seeds; seeds++) {
        const uint64_t count = wari_half_count(seeds);
        struct wari_level_reader *reader;
        enum wari_status status = wari_verify_open(level->proof, seeds, &reader);
        if (status != WARI_OK)
            return status;
        status = wari_verify_read_lower(level->proof, reader, seeds, 0, count, next);
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
    struct wari_verify_pass_result result = {0};
    enum wari_status status = WARI_OK;

    if (level->proof->slam == WARI_SLAM_MOVES_AGAIN)
        status = read_emptied(level, &emptied);
    if (status == WARI_OK)
        status = wari_verify_pass(level, process_item, &emptied, level->item_count, NULL, &result);
    return status;
}

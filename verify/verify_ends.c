/* Checks ends of the game and grand slams. The rule sets differ in these moves, so this step calls
 * the move generator of game/ for single positions. It visits only positions where an end or a slam
 * is possible: positions with an empty half, and positions with a move that slams the opponent
 * half. (If no half is empty, every pit with seeds has a legal move unless that move is a slam.) */
#include "verify/verify_steps.h"

#include <string.h>

#include "index/half.h"
#include "verify/verify_level.h"
#include "verify/verify_pass.h"
#include "verify/verify_read.h"
#include "verify/verify_strip.h"

enum {
    SLAM_SEEDS_MAX = 12, /* seeds of the largest half that can be slammed: each pit gets at least
                          * one seed and holds at most 3 afterwards */
    SLAM_DROP_MAX = 18,  /* the most seeds that a slam can drop into the opponent's half: 3 seeds
                          * into each of six empty pits */
};

/* Returns the set of numbers t, up to sown_max, such that dropping t seeds into this half slams it
 * (captures all of its seeds). Bit t of the result stands for t. */
static uint32_t slamming_drops(const uint8_t pits[WARI_HALF_PITS], int sown_max)
{
    uint32_t drops = 0;
    if (wari_half_seeds(pits) > SLAM_SEEDS_MAX)
        return 0;
    for (int t = 1; t <= sown_max && t <= SLAM_DROP_MAX; t++) {
        uint8_t after[WARI_HALF_PITS];
        memcpy(after, pits, sizeof after);
        wari_verify_sow(after, t);
        if (wari_verify_capture(after, t) > 0 && wari_half_seeds(after) == 0)
            drops |= UINT32_C(1) << t;
    }
    return drops;
}

/* Returns true if a move of the column ends in the opponent's row and the number of seeds that it
 * drops there is in `drops`, a set like the result of slamming_drops(). */
static bool has_move(const struct wari_verify_column *column, uint32_t drops)
{
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        const int sown = column->sown[pit], t = sown & ~WARI_VERIFY_LANDS;
        if (sown != WARI_VERIFY_NO_MOVE && sown & WARI_VERIFY_LANDS && t <= SLAM_DROP_MAX &&
            drops >> t & 1)
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
        const bool every = own == 0 || item->block == 0;
        const uint32_t drops = every ? 0 : slamming_drops(strip.pits[i], own);
        if (!every && drops == 0)
            continue;
        const struct wari_verify_row row = wari_verify_row(level, item->block, strip.pits[i]);
        struct wari_position position;
        uint32_t column = 0;
        memcpy(position.pits + WARI_HALF_PITS, strip.pits[i], WARI_HALF_PITS);
        wari_half_unrank(own, 0, position.pits);
        do {
            if (every || has_move(&strip.moves[column], drops))
                enter_position(level, context, &row, column, &position);
            column++;
        } while (wari_half_next(position.pits));
    }
}

/* Fills in *emptied. The values are read into the buffer of the lower levels. */
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

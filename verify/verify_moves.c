/* One pass over all rows, stored and full. */
#include "verify/verify_moves.h"

#include <inttypes.h>
#include <stdio.h>

#include "index/half.h"
#include "verify/verify_choice.h"
#include "verify/verify_pass.h"

enum { MIDDLE = WARI_VERIFY_MIDDLE };

static void check_column(struct wari_verify_level *level, const struct wari_verify_strip *strip,
                         uint32_t column, const uint8_t best[WARI_VERIFY_ROWS],
                         struct wari_verify_tally *tally)
{
    for (int row = 0; row < strip->rows; row++) {
        const uint64_t number = strip->first[row] + column;
        wari_verify_cell *cell = &level->cells[number];
        const uint8_t code = wari_verify_read(cell);
        const bool attained = code & WARI_VERIFY_MARK;
        const int value = wari_verify_value(code);

        tally->histogram[value + MIDDLE]++;
        if (best[row] > value + MIDDLE || (!attained && best[row] != value + MIDDLE) ||
            (level->wrong && wari_verify_has(level->wrong, number)))
            wari_verify_note(&tally->found,
                             (struct wari_verify_difference){number, value, 0, false});
        const bool open = value < 0 || (value > 0 && !attained);
        wari_verify_write(cell, (uint8_t)(wari_verify_code(value) | open));
    }
}

static void count_column(const struct wari_verify_level *level,
                         const struct wari_verify_strip *strip, uint32_t column,
                         const uint8_t best[WARI_VERIFY_ROWS], struct wari_verify_tally *tally)
{
    for (int row = 0; row < strip->rows; row++) {
        const uint8_t other = wari_verify_read(&level->full[strip->first[row] + column]);
        tally->histogram[other > best[row] ? other : best[row]]++;
    }
}

static void do_piece(struct wari_verify_level *level, const void *context, uint64_t number,
                     struct wari_verify_tally *tally)
{
    const struct wari_verify_piece *piece = &level->pieces[number];
    const uint32_t columns = level->layout.columns[piece->block];
    struct wari_verify_strip strip;

    (void)context;
    wari_verify_look_at(&strip, level, piece);
    for (uint32_t i = 0; i < columns; i++) {
        uint8_t best[WARI_VERIFY_ROWS];
        strip.look->best(&strip, i, best);
        if (piece->full)
            count_column(level, &strip, i, best, tally);
        else
            check_column(level, &strip, i, best, tally);
    }
}

static void compare_histogram(const struct wari_verify_level *level, const uint64_t *counted,
                              char *text, size_t size)
{
    const int seeds = level->layout.seeds;
    const uint64_t *expected = level->run->catalogue.level[seeds].histogram;
    for (int value = -WARI_SEEDS_MAX; value <= WARI_SEEDS_MAX; value++) {
        const uint64_t count = counted[value + MIDDLE];
        if (count == expected[value + WARI_SEEDS_MAX])
            continue;
        snprintf(text, size,
                 "level %d: %" PRIu64 " placements are worth %d, the catalogue counts %" PRIu64,
                 seeds, count, value, expected[value + WARI_SEEDS_MAX]);
        return;
    }
}

enum wari_status wari_verify_moves(struct wari_verify_level *level, struct wari_verify_found *found,
                                   char *text, size_t size)
{
    struct wari_verify_tally total = {0};
    enum wari_status status =
        wari_verify_pass(level, do_piece, NULL, level->piece_count, "moves", &total);
    if (status != WARI_OK)
        return status;
    wari_verify_merge(found, &total.found);
    if (text[0] == 0)
        compare_histogram(level, total.histogram, text, size);
    return WARI_OK;
}

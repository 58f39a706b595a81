/* Checks the quiet moves in one pass over all rows, stored and full. */
#include "verify/verify_steps.h"

#include <inttypes.h>
#include <stdio.h>

#include "index/half.h"
#include "verify/verify_pass.h"
#include "verify/verify_strip.h"

enum { MIDDLE = WARI_VERIFY_MIDDLE };

static void check_column(struct wari_verify_level *level, const struct wari_verify_strip *strip,
                         uint32_t column, const uint8_t best[WARI_VERIFY_ROWS],
                         struct wari_verify_pass_result *result)
{
    for (int row = 0; row < strip->rows; row++) {
        const uint64_t number = strip->first[row] + column;
        wari_verify_cell *cell = &level->cells[number];
        const uint8_t code = wari_verify_read(cell);
        const bool attained = code & WARI_VERIFY_MARK;
        const int value = wari_verify_value(code);

        result->histogram[value + MIDDLE]++;
        if (best[row] > value + MIDDLE || (!attained && best[row] != value + MIDDLE) ||
            (level->wrong && wari_verify_set_has(level->wrong, number)))
            wari_verify_add_difference(&result->found,
                                       (struct wari_verify_difference){number, value, 0, false});
        const bool open = value < 0 || (value > 0 && !attained);
        wari_verify_write(cell, (uint8_t)(wari_verify_code(value) | open));
    }
}

static void count_column(const struct wari_verify_level *level,
                         const struct wari_verify_strip *strip, uint32_t column,
                         const uint8_t best[WARI_VERIFY_ROWS],
                         struct wari_verify_pass_result *result)
{
    for (int row = 0; row < strip->rows; row++) {
        const uint8_t other = wari_verify_read(&level->full[strip->first[row] + column]);
        result->histogram[other > best[row] ? other : best[row]]++;
    }
}

static void process_item(struct wari_verify_level *level, const void *context, uint64_t number,
                         struct wari_verify_pass_result *result)
{
    const struct wari_verify_item *item = &level->items[number];
    const uint32_t columns = level->layout.columns[item->block];
    struct wari_verify_strip strip;

    (void)context;
    wari_verify_strip_begin(&strip, level, item);
    for (uint32_t i = 0; i < columns; i++) {
        uint8_t best[WARI_VERIFY_ROWS];
        strip.kernel->best(&strip, i, best);
        if (item->full)
            count_column(level, &strip, i, best, result);
        else
            check_column(level, &strip, i, best, result);
    }
}

static void compare_histogram(const struct wari_verify_level *level, const uint64_t *counted,
                              char *text, size_t size)
{
    const int seeds = level->layout.seeds;
    const uint64_t *expected = level->proof->catalogue.level[seeds].histogram;
    for (int value = -WARI_SEEDS_MAX; value <= WARI_SEEDS_MAX; value++) {
        const uint64_t count = counted[value + MIDDLE];
        if (count == expected[value + WARI_SEEDS_MAX])
            continue;
        snprintf(text, size,
                 "level %d: %" PRIu64
                 " placements have the value %d, but the catalogue counts %" PRIu64,
                 seeds, count, value, expected[value + WARI_SEEDS_MAX]);
        return;
    }
}

enum wari_status wari_verify_moves(struct wari_verify_level *level,
                                   struct wari_verify_differences *found, char *text, size_t size)
{
    struct wari_verify_pass_result total = {0};
    enum wari_status status =
        wari_verify_pass(level, process_item, NULL, level->item_count, "moves", &total);
    if (status != WARI_OK)
        return status;
    wari_verify_merge_differences(found, &total.found);
    if (text[0] == 0)
        compare_histogram(level, total.histogram, text, size);
    return WARI_OK;
}

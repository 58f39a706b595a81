/* Checks the quiet moves in two passes. The first pass processes the full rows (opponent halves
 * without an empty pit), whose values only have to be counted. The second pass processes the stored
 * rows. It also collects the positions that moves reach (level->reached), which saves
 * verify_cycles.c its first pass. It comes second because level->reached shares the memory of
 * level->full. */
#include "verify/verify_steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "index/half.h"
#include "verify/verify_pass.h"
#include "verify/verify_strip.h"

enum { MIDDLE = WARI_VERIFY_MIDDLE };

/* Number of histograms that are filled in turn. With one histogram, the increments for equal values
 * of neighbouring cells would have to wait for each other. */
enum { HISTOGRAMS = 4 };

struct counts {
    uint32_t of[HISTOGRAMS][2 * WARI_VERIFY_MIDDLE + 1]; /* [value + MIDDLE] */
};

static void add_counts(const struct counts *counts, struct wari_verify_pass_result *result)
{
    for (int i = 0; i < HISTOGRAMS; i++) {
        for (int value = 0; value < 2 * MIDDLE; value++)
            result->histogram[value] += counts->of[i][value];
    }
}

/* ---- Stored rows ---- */

static void add_wrong(struct wari_verify_level *level, const struct wari_verify_strip *strip,
                      uint32_t column, uint64_t wrong, struct wari_verify_pass_result *result)
{
    for (int row = 0; row < strip->rows; row++) {
        const uint64_t number = strip->first[row] + column;
        const int value = wari_verify_value(wari_verify_read(&level->cells[number]));
        if (wrong >> row & 1 || (level->wrong && wari_verify_set_has(level->wrong, number)))
            wari_verify_add_difference(&result->found,
                                       (struct wari_verify_difference){number, value, 0, false});
    }
}

/* Returns the rows from which the short proof of (c) starts (verify_cycles.c). The marks still say
 * that a capture or an end attains the value. */
static uint64_t find_candidates(const struct wari_verify_strip *strip,
                                const uint8_t codes[WARI_VERIFY_ROWS])
{
    const int lead = wari_verify_lead(strip->level, strip->block);

    if (lead > 0)
        return strip->kernel->between(codes, wari_verify_code(lead - 1),
                                      WARI_VERIFY_ZERO | WARI_VERIFY_MARK);
    if (lead < 0)
        return strip->kernel->between(codes, WARI_VERIFY_ZERO,
                                      wari_verify_code(lead + 1) | WARI_VERIFY_MARK) &
               ~strip->kernel->marked(codes);
    return 0;
}

static void check_column(struct wari_verify_level *level, const struct wari_verify_strip *strip,
                         uint32_t column, uint8_t codes[WARI_VERIFY_ROWS], struct counts *counts,
                         struct wari_verify_pass_result *result)
{
    const uint64_t rows = UINT64_MAX >> (WARI_VERIFY_ROWS - strip->rows);
    struct wari_verify_edges edges;
    uint8_t best[WARI_VERIFY_ROWS];
    for (int row = 0; row < strip->rows; row++)
        counts->of[row % HISTOGRAMS][2 * MIDDLE - (codes[row] >> 1)]++;
    if (level->candidates)
        atomic_store_explicit(&level->candidates[strip->pending - level->pending + column],
                              find_candidates(strip, codes), memory_order_relaxed);
    strip->kernel->best_edges(strip, column, codes, best, &edges);
    const struct wari_verify_checked checked = strip->kernel->check(best, codes);
    if (checked.wrong & rows || level->wrong)
        add_wrong(level, strip, column, checked.wrong & rows, result);
    if (level->proof->verify->mode == WARI_VERIFY_FULL)
        strip->kernel->reach_all(strip, &edges, checked.open & rows);
}

static void check_item(struct wari_verify_level *level, const void *context, uint64_t number,
                       struct wari_verify_pass_result *result)
{
    const struct wari_verify_item *item = &level->items[number];
    struct wari_verify_strip strip;
    struct counts counts = {{{0}}};

    (void)context;
    if (item->full)
        return;
    wari_verify_strip_begin(&strip, level, item);
    for (uint32_t first = 0; first < strip.columns; first += WARI_VERIFY_TILE) {
        struct wari_verify_tile tile;
        strip.kernel->load(&strip, first, &tile);
        for (uint32_t i = 0; i < WARI_VERIFY_TILE && first + i < strip.columns; i++)
            check_column(level, &strip, first + i, tile.codes[i], &counts, result);
        strip.kernel->store(&strip, first, &tile);
    }
    add_counts(&counts, result);
}

/* ---- Full rows ---- */

static void count_item(struct wari_verify_level *level, const void *context, uint64_t number,
                       struct wari_verify_pass_result *result)
{
    const struct wari_verify_item *item = &level->items[number];
    struct wari_verify_strip strip;
    struct counts counts = {{{0}}};

    (void)context;
    if (!item->full)
        return;
    wari_verify_strip_begin(&strip, level, item);
    for (uint32_t column = 0; column < strip.columns; column++) {
        uint8_t best[WARI_VERIFY_ROWS];
        strip.kernel->best(&strip, column, best);
        for (int row = 0; row < strip.rows; row++) {
            const uint8_t other = wari_verify_read(&level->full[strip.first[row] + column]);
            counts.of[row % HISTOGRAMS][other > best[row] ? other : best[row]]++;
        }
    }
    add_counts(&counts, result);
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
        wari_verify_pass(level, count_item, NULL, level->item_count, "moves", &total);
    memset((void *)level->reached, 0, wari_verify_reached_words(level) * sizeof *level->reached);
    if (status == WARI_OK)
        status = wari_verify_pass(level, check_item, NULL, level->item_count, "moves", &total);
    if (status != WARI_OK)
        return status;
    wari_verify_merge_differences(found, &total.found);
    if (text[0] == 0)
        compare_histogram(level, total.histogram, text, size);
    return WARI_OK;
}

/* Tests the kernel functions that merge the smallest children into the cells of their parents, and
 * those that transpose cells and look codes up. Each kernel that runs on this machine is compared
 * with plain loops written here from the contracts of solver/kernel/kernel.h and from the list of
 * codes in support/cell_model.h, on random cells. Therefore the kernels also agree with each other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cell_model.h"
#include "tests/support/each_kernel.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

enum { READ_AFTER = 64 }; /* bytes after the last cell, which a kernel may read but not write */

/* ---- Expected results ------------------------------------------------------------------------ */

/* One merge: a strip of an item with its arrays, and the expected result. */
struct merge {
    struct wari_item_strip about;
    struct wari_cells codes;
    struct upper_model upper_model; /* contains a model of the codes of values, too */
    const struct cell_model *model;
    int8_t *worst; /* aligned as the kernels require */
    int8_t *cells;
    size_t bytes;
    int8_t *expected;
    uint64_t queries[WARI_STRIP]; /* expected queries of each row, one bit for each column */
};

static int8_t expected_cell(struct merge *merge, bool shrink, int row, int column)
{
    const int8_t worst = merge->worst[column * WARI_STRIP + row];
    const int8_t cell = merge->cells[(size_t)row * merge->about.pitch + (size_t)column];
    int quiet = MODEL_NONE;
    int8_t code;
    bool queries;

    if (shrink && worst != WARI_NO_QUIET)
        quiet = -upper_meaning_of(&merge->upper_model, worst)->bound;
    else if (worst != WARI_NO_QUIET)
        quiet = -cell_meaning_of(merge->model, worst)->value;
    queries =
        shrink ? upper_model_shrink(&merge->upper_model,
                                    upper_meaning_of(&merge->upper_model, cell), quiet, &code)
               : cell_model_grow(merge->model, cell_meaning_of(merge->model, cell), quiet, &code);
    if (queries)
        merge->queries[row] |= UINT64_C(1) << column;
    return code;
}

/* Fills in merge->queries and merge->expected, which begins as a copy of the cells. */
static void expect(struct merge *merge, bool shrink, struct wari_merge_result *merged)
{
    *merged = (struct wari_merge_result){0};
    memset(merge->queries, 0, sizeof merge->queries);
    for (int row = 0; row < merge->about.rows; row++) {
        const size_t at = (size_t)row * merge->about.pitch;
        for (int column = 0; column < merge->about.width; column++) {
            int8_t *cell = &merge->expected[at + (size_t)column];
            *cell = expected_cell(merge, shrink, row, column);
            if (*cell == merge->cells[at + (size_t)column])
                continue;
            merged->differ[row] |= UINT64_C(1) << column;
            merged->rows |= UINT64_C(1) << row;
            merged->changed++;
        }
    }
}

/* ---- Random cells ---------------------------------------------------------------------------- */

static int8_t random_code(const struct merge *merge, bool shrink, struct random_positions *random)
{
    if (shrink)
        return merge->upper_model.list[random_below(random, (uint32_t)merge->upper_model.count)]
            .code;
    return merge->model->list[random_below(random, (uint32_t)merge->model->count)].code;
}

/* Returns the code of a random worst child. A parent without captures has a quiet move. In a
 * calm merge, nearly all children leave their parents unchanged. */
static int8_t random_worst(const struct merge *merge, bool shrink, bool calm, size_t at,
                           struct random_positions *random)
{
    const bool none = random_below(random, 40) == 0;

    if (calm && random_below(random, 300) != 0)
        return merge->codes.zero;
    if (none && (shrink ? upper_meaning_of(&merge->upper_model, merge->cells[at])->floor
                        : cell_meaning_of(merge->model, merge->cells[at])->floor) != MODEL_NONE)
        return WARI_NO_QUIET;
    return random_code(merge, shrink, random);
}

/* Returns the code of a cell for a calm merge, in which hardly any cell changes. The value or upper
 * bound of the cell is at least 0 and equals its best capture. So a child worth 0, which nearly
 * every cell of such a merge has, leaves the cell unchanged. */
static int8_t calm_code(const struct merge *merge, bool shrink, struct random_positions *random)
{
    const int value = (int)random_below(random, (uint32_t)merge->model->seeds + 1);

    return shrink ? upper_model_code(&merge->upper_model, value, value, value)
                  : cell_model_code(merge->model, value, value);
}

static void fill_merge(struct merge *merge, bool shrink, struct random_positions *random)
{
    const bool calm = random_below(random, 2);

    for (size_t i = 0; i < merge->bytes; i++)
        merge->cells[i] =
            calm ? calm_code(merge, shrink, random) : random_code(merge, shrink, random);
    for (int column = 0; column < WARI_ITEM_COLUMNS; column++)
        for (int row = 0; row < WARI_STRIP; row++) {
            const bool inside = column < merge->about.width && row < merge->about.rows;
            const size_t at = inside ? (size_t)row * merge->about.pitch + (size_t)column : 0;
            merge->worst[column * WARI_STRIP + row] =
                inside ? random_worst(merge, shrink, calm, at, random) : random_cell(random, 127);
        }
}

/* Chooses the codes of a level: codes of upper bounds for `shrink`, which needs cycle rule `own`,
 * or codes of values for growing, with either cycle rule. */
static void choose_codes(struct merge *merge, int seeds, bool with_upper_bounds, bool shrink)
{
    upper_model_init(&merge->upper_model, seeds);
    if (!with_upper_bounds)
        cell_model_init(&merge->upper_model.values, seeds, false);
    merge->model = &merge->upper_model.values;
    wari_cells_init(&merge->codes, seeds, with_upper_bounds ? WARI_OWN : WARI_EVEN);
    if (shrink)
        wari_cells_for_upper_bounds(&merge->codes, true);
}

static void make_merge(struct merge *merge, bool shrink, int rows, int width,
                       struct random_positions *random)
{
    const size_t pitch = (size_t)width + random_below(random, 80);
    const int seeds = (int)random_below(random, WARI_SEEDS_MAX + 1);

    choose_codes(merge, seeds, shrink || random_below(random, 2), shrink);
    merge->bytes = (size_t)(rows - 1) * pitch + (size_t)width + READ_AFTER;
    merge->worst = aligned_alloc(64, WARI_ITEM_STRIP_CELLS);
    assert_non_null(merge->worst);
    merge->cells = random_cells(random, merge->bytes, 127);
    merge->expected = random_cells(random, merge->bytes, 127);
    merge->about = (struct wari_item_strip){
        .codes = &merge->codes,
        .worst = merge->worst,
        .cells = merge->cells,
        .pitch = pitch,
        .rows = rows,
        .width = width,
    };
    fill_merge(merge, shrink, random);
}

static void free_merge(struct merge *merge)
{
    free(merge->worst);
    free(merge->cells);
    free(merge->expected);
}

/* ---- Growing and shrinking ------------------------------------------------------------------- */

struct tally {
    uint64_t rows[2]; /* number of rows that stay unchanged, and number of rows that change */
    uint64_t queries;
};

/* Checks that each expected query occurs once, and that it has the code of the worst child of its
 * cell. */
static void check_queries(const struct merge *merge, const struct wari_merge_result *merged)
{
    uint64_t left[WARI_STRIP];

    memcpy(left, merge->queries, sizeof left);
    for (int i = 0; i < merged->query_count; i++) {
        const struct wari_capture_query *query = &merged->query[i];
        assert_true(query->row < WARI_STRIP && query->column < WARI_ITEM_COLUMNS);
        assert_true(left[query->row] >> query->column & 1);
        left[query->row] &= ~(UINT64_C(1) << query->column);
        assert_int_equal(query->worst, merge->worst[query->column * WARI_STRIP + query->row]);
    }
    for (int row = 0; row < WARI_STRIP; row++)
        assert_true(left[row] == 0);
}

static void run_merge(const struct wari_kernel_ops *kernel, bool shrink, struct merge *merge,
                      struct tally *tally)
{
    static struct wari_merge_result merged, expected; /* too large for the stack of some systems */

    memcpy(merge->expected, merge->cells, merge->bytes);
    memset(&merged, 0x55, sizeof merged); /* the old contents do not matter */
    expect(merge, shrink, &expected);
    if (shrink)
        kernel->shrink(&merge->about, &merged);
    else
        kernel->grow(&merge->about, &merged);
    assert_memory_equal(merge->cells, merge->expected, merge->bytes);
    assert_true(merged.rows == expected.rows);
    assert_true(merged.changed == expected.changed);
    for (int row = 0; row < merge->about.rows; row++) {
        if (expected.rows >> row & 1)
            assert_true(merged.differ[row] == expected.differ[row]);
        tally->rows[expected.rows >> row & 1]++;
    }
    check_queries(merge, &merged);
    tally->queries += (uint64_t)merged.query_count;
}

/* Every number of rows and every width occurs in some merge. */
static void grow_and_shrink(const struct wari_kernel_ops *kernel, struct random_positions *random)
{
    const int rounds = test_scale(8, 1);
    struct tally tally[2] = {{{0, 0}, 0}, {{0, 0}, 0}};

    for (int round = 0; round < rounds; round++)
        for (int width = 1; width <= WARI_ITEM_COLUMNS; width++)
            for (int kind = 0; kind < 4; kind++) {
                const int rows = (width + round * 8 + kind * 16 + kind) % WARI_STRIP + 1;
                const bool shrink = kind % 2;
                struct merge merge;
                make_merge(&merge, shrink, rows, width, random);
                run_merge(kernel, shrink, &merge, &tally[shrink]);
                free_merge(&merge);
            }
    for (int shrink = 0; shrink < 2; shrink++)
        assert_true(tally[shrink].rows[0] > 100 && tally[shrink].rows[1] > 100);
    assert_true(tally[0].queries > 100 && tally[1].queries > 100);
}

static void grow_and_shrink_are_those_of_plain_loops(void **state)
{
    (void)state;
    for_each_kernel(grow_and_shrink);
}

/* codes of values with each of the two cycle rules, and codes of upper bounds */
enum { MERGE_KINDS = 3 };

static int8_t nth_code(const struct merge *merge, bool shrink, int i)
{
    return shrink ? merge->upper_model.list[i % merge->upper_model.count].code
                  : merge->model->list[i % merge->model->count].code;
}

/* Merges all pairs of a code of a parent and a code of a child, for every level, 64 by 64 at a
 * time. */
static void merge_all_pairs(const struct wari_kernel_ops *kernel, struct random_positions *random)
{
    const int step = test_scale(1, 7);
    struct tally tally[MERGE_KINDS] = {{{0, 0}, 0}};

    for (int i = 0; i < (WARI_SEEDS_MAX + 1) * MERGE_KINDS; i += step) {
        const bool shrink = i % MERGE_KINDS == 2;
        struct merge merge;
        make_merge(&merge, shrink, WARI_STRIP, WARI_ITEM_COLUMNS, random);
        choose_codes(&merge, i / MERGE_KINDS, i % MERGE_KINDS > 0, shrink);
        const int count = shrink ? merge.upper_model.count : merge.model->count;
        for (int cell = 0; cell < count; cell += WARI_STRIP)
            for (int child = 0; child < count; child += WARI_ITEM_COLUMNS) {
                for (int row = 0; row < WARI_STRIP; row++)
                    for (int column = 0; column < WARI_ITEM_COLUMNS; column++) {
                        merge.cells[(size_t)row * merge.about.pitch + (size_t)column] =
                            nth_code(&merge, shrink, cell + row);
                        merge.worst[column * WARI_STRIP + row] =
                            nth_code(&merge, shrink, child + column);
                    }
                run_merge(kernel, shrink, &merge, &tally[i % MERGE_KINDS]);
            }
        free_merge(&merge);
    }
    for (int kind = 0; kind < MERGE_KINDS; kind++)
        assert_true(tally[kind].queries > 100);
}

static void grow_and_shrink_are_those_of_plain_loops_for_all_pairs_of_codes(void **state)
{
    (void)state;
    for_each_kernel(merge_all_pairs);
}

/* ---- Transpose ------------------------------------------------------------------------------- */

static void transpose(const struct wari_kernel_ops *kernel, struct random_positions *random)
{
    int8_t *in = random_cells(random, WARI_ITEM_STRIP_CELLS, 127);
    int8_t *out = random_cells(random, WARI_ITEM_STRIP_CELLS, 127);

    kernel->transpose(in, out);
    for (int row = 0; row < WARI_STRIP; row++)
        for (int column = 0; column < WARI_ITEM_COLUMNS; column++)
            assert_int_equal(out[row * WARI_ITEM_COLUMNS + column], in[column * WARI_STRIP + row]);
    free(in);
    free(out);
}

static void transpose_turns_rows_and_columns(void **state)
{
    (void)state;
    for_each_kernel(transpose);
}

/* ---- Table look-up --------------------------------------------------------------------------- */

/* Looks up 0 to 299 codes at an odd address, and checks that no byte after the results is written.
 * Source and result may be the same array. */
static void look_up(const struct wari_kernel_ops *kernel, struct random_positions *random)
{
    enum { BEHIND = 99 };
    int8_t *table = random_cells(random, 256, INT8_MAX);
    int8_t found[300];

    for (size_t count = 0; count < sizeof found; count++) {
        int8_t *cells = random_cells(random, count + 1, INT8_MAX);
        memset(found, BEHIND, sizeof found);
        kernel->look_up(table, cells + 1, count, found);
        for (size_t i = 0; i < sizeof found; i++)
            assert_int_equal(found[i], i < count ? table[(uint8_t)cells[1 + i]] : BEHIND);
        kernel->look_up(table, cells + 1, count, cells + 1);
        assert_memory_equal(cells + 1, found, count);
        free(cells);
    }
    free(table);
}

static void looked_up_codes_are_those_of_the_table(void **state)
{
    (void)state;
    for_each_kernel(look_up);
}

TEST_GROUP(test_solver_merging)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grow_and_shrink_are_those_of_plain_loops),
        cmocka_unit_test(grow_and_shrink_are_those_of_plain_loops_for_all_pairs_of_codes),
        cmocka_unit_test(transpose_turns_rows_and_columns),
        cmocka_unit_test(looked_up_codes_are_those_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

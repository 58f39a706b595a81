/* The kernels' second half, merging what was computed into the parents' cells: each kernel that
 * runs on this machine against plain loops written here from the contracts of
 * solver/kernel/kernel.h and the list of codes in support/cell_model.h, on random cells. Then they
 * agree with each other as well. */
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

enum { READ_BEHIND = 64 }; /* bytes behind the last cell that may be read, and are not written */

/* ---- What is expected ------------------------------------------------------------------------ */

/* A patch, all its arrays, and what is to become of it. */
struct patch {
    struct wari_item_strip about;
    struct wari_cells codes;
    struct upper_model upper_model; /* and values */
    const struct cell_model *model;
    int8_t *worst; /* aligned, as kernels want it */
    int8_t *cells;
    size_t bytes;
    int8_t *expected;
    uint64_t queries[WARI_STRIP]; /* of each row, as bits */
};

static int8_t expected_cell(struct patch *patch, bool shrink, int row, int column)
{
    const int8_t worst = patch->worst[column * WARI_STRIP + row];
    const int8_t cell = patch->cells[(size_t)row * patch->about.pitch + (size_t)column];
    int quiet = MODEL_NONE;
    int8_t code;
    bool queries;

    if (shrink && worst != WARI_NO_QUIET)
        quiet = -upper_meaning_of(&patch->upper_model, worst)->bound;
    else if (worst != WARI_NO_QUIET)
        quiet = -cell_meaning_of(patch->model, worst)->value;
    queries =
        shrink ? upper_model_shrink(&patch->upper_model,
                                    upper_meaning_of(&patch->upper_model, cell), quiet, &code)
               : cell_model_grow(patch->model, cell_meaning_of(patch->model, cell), quiet, &code);
    if (queries)
        patch->queries[row] |= UINT64_C(1) << column;
    return code;
}

/* Fills patch->expected (which begins as the cells) and patch->asks. */
static void expect(struct patch *patch, bool shrink, struct wari_merge_result *merged)
{
    *merged = (struct wari_merge_result){0};
    memset(patch->queries, 0, sizeof patch->queries);
    for (int row = 0; row < patch->about.rows; row++) {
        const size_t at = (size_t)row * patch->about.pitch;
        for (int column = 0; column < patch->about.width; column++) {
            int8_t *cell = &patch->expected[at + (size_t)column];
            *cell = expected_cell(patch, shrink, row, column);
            if (*cell == patch->cells[at + (size_t)column])
                continue;
            merged->differ[row] |= UINT64_C(1) << column;
            merged->rows |= UINT64_C(1) << row;
            merged->changed++;
        }
    }
}

/* ---- Random patches -------------------------------------------------------------------------- */

static int8_t random_code(const struct patch *patch, bool shrink, struct random_positions *random)
{
    if (shrink)
        return patch->upper_model.list[random_below(random, (uint32_t)patch->upper_model.count)]
            .code;
    return patch->model->list[random_below(random, (uint32_t)patch->model->count)].code;
}

/* Children. Where the parent has no capture there is a quiet move. In calm patches nearly all are
 * such that the parent stays what it is. */
static int8_t random_worst(const struct patch *patch, bool shrink, bool calm, size_t at,
                           struct random_positions *random)
{
    const bool none = random_below(random, 40) == 0;

    if (calm && random_below(random, 300) != 0)
        return patch->codes.zero;
    if (none && (shrink ? upper_meaning_of(&patch->upper_model, patch->cells[at])->floor
                        : cell_meaning_of(patch->model, patch->cells[at])->floor) != MODEL_NONE)
        return WARI_NO_QUIET;
    return random_code(patch, shrink, random);
}

/* A cell of a calm patch: held at 0 or above it, so that children worth 0 change nothing. */
static int8_t calm_code(const struct patch *patch, bool shrink, struct random_positions *random)
{
    const int value = (int)random_below(random, (uint32_t)patch->model->seeds + 1);

    return shrink ? upper_model_code(&patch->upper_model, value, value, value)
                  : cell_model_code(patch->model, value, value);
}

static void fill_patch(struct patch *patch, bool shrink, struct random_positions *random)
{
    const bool calm = random_below(random, 2);

    for (size_t i = 0; i < patch->bytes; i++)
        patch->cells[i] =
            calm ? calm_code(patch, shrink, random) : random_code(patch, shrink, random);
    for (int column = 0; column < WARI_ITEM_COLUMNS; column++)
        for (int row = 0; row < WARI_STRIP; row++) {
            const bool inside = column < patch->about.width && row < patch->about.rows;
            const size_t at = inside ? (size_t)row * patch->about.pitch + (size_t)column : 0;
            patch->worst[column * WARI_STRIP + row] =
                inside ? random_worst(patch, shrink, calm, at, random) : random_cell(random, 127);
        }
}

/* The codes of a level: with cycle rule `own` to shrink, and to grow every other time. */
static void choose_codes(struct patch *patch, int seeds, bool with_upper_bounds, bool shrink)
{
    upper_model_init(&patch->upper_model, seeds);
    if (!with_upper_bounds)
        cell_model_init(&patch->upper_model.values, seeds, false);
    patch->model = &patch->upper_model.values;
    wari_cells_init(&patch->codes, seeds, with_upper_bounds ? WARI_OWN : WARI_EVEN);
    if (shrink)
        wari_cells_for_upper_bounds(&patch->codes, true);
}

static void make_patch(struct patch *patch, bool shrink, int rows, int width,
                       struct random_positions *random)
{
    const size_t pitch = (size_t)width + random_below(random, 80);
    const int seeds = (int)random_below(random, WARI_SEEDS_MAX + 1);

    choose_codes(patch, seeds, shrink || random_below(random, 2), shrink);
    patch->bytes = (size_t)(rows - 1) * pitch + (size_t)width + READ_BEHIND;
    patch->worst = aligned_alloc(64, WARI_ITEM_STRIP_CELLS);
    assert_non_null(patch->worst);
    patch->cells = random_cells(random, patch->bytes, 127);
    patch->expected = random_cells(random, patch->bytes, 127);
    patch->about = (struct wari_item_strip){
        .codes = &patch->codes,
        .worst = patch->worst,
        .cells = patch->cells,
        .pitch = pitch,
        .rows = rows,
        .width = width,
    };
    fill_patch(patch, shrink, random);
}

static void free_patch(struct patch *patch)
{
    free(patch->worst);
    free(patch->cells);
    free(patch->expected);
}

/* ---- Grow and shrink ------------------------------------------------------------------------- */

struct tally {
    uint64_t rows[2]; /* that stay, that change */
    uint64_t queries;
};

/* Each ask once, with the child that it is about. */
static void check_queries(const struct patch *patch, const struct wari_merge_result *merged)
{
    uint64_t left[WARI_STRIP];

    memcpy(left, patch->queries, sizeof left);
    for (int i = 0; i < merged->query_count; i++) {
        const struct wari_capture_query *query = &merged->query[i];
        assert_true(query->row < WARI_STRIP && query->column < WARI_ITEM_COLUMNS);
        assert_true(left[query->row] >> query->column & 1);
        left[query->row] &= ~(UINT64_C(1) << query->column);
        assert_int_equal(query->worst, patch->worst[query->column * WARI_STRIP + query->row]);
    }
    for (int row = 0; row < WARI_STRIP; row++)
        assert_true(left[row] == 0);
}

static void merge_patch(const struct wari_kernel_ops *kernel, bool shrink, struct patch *patch,
                        struct tally *tally)
{
    static struct wari_merge_result merged, expected; /* too large for some stacks */

    memcpy(patch->expected, patch->cells, patch->bytes);
    memset(&merged, 0x55, sizeof merged); /* what was there does not matter */
    expect(patch, shrink, &expected);
    if (shrink)
        kernel->shrink(&patch->about, &merged);
    else
        kernel->grow(&patch->about, &merged);
    assert_memory_equal(patch->cells, patch->expected, patch->bytes);
    assert_true(merged.rows == expected.rows);
    assert_true(merged.changed == expected.changed);
    for (int row = 0; row < patch->about.rows; row++) {
        if (expected.rows >> row & 1)
            assert_true(merged.differ[row] == expected.differ[row]);
        tally->rows[expected.rows >> row & 1]++;
    }
    check_queries(patch, &merged);
    tally->queries += (uint64_t)merged.query_count;
}

/* Every number of rows and every width, each in some patch. */
static void grow_and_shrink(const struct wari_kernel_ops *kernel, struct random_positions *random)
{
    const int rounds = test_scale(8, 1);
    struct tally tally[2] = {{{0, 0}, 0}, {{0, 0}, 0}};

    for (int round = 0; round < rounds; round++)
        for (int width = 1; width <= WARI_ITEM_COLUMNS; width++)
            for (int way = 0; way < 4; way++) {
                const int rows = (width + round * 8 + way * 16 + way) % WARI_STRIP + 1;
                const bool shrink = way % 2;
                struct patch patch;
                make_patch(&patch, shrink, rows, width, random);
                merge_patch(kernel, shrink, &patch, &tally[shrink]);
                free_patch(&patch);
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

/* Of a level: values with either cycle rule, and hopes. */
enum { WAYS = 3 };

static int8_t nth_code(const struct patch *patch, bool shrink, int i)
{
    return shrink ? patch->upper_model.list[i % patch->upper_model.count].code
                  : patch->model->list[i % patch->model->count].code;
}

/* All pairs of a parent's code and a child's, for every level: 64 by 64 at a time. */
static void merge_all_pairs(const struct wari_kernel_ops *kernel, struct random_positions *random)
{
    const int step = test_scale(1, 7);
    struct tally tally[WAYS] = {{{0, 0}, 0}};

    for (int i = 0; i < (WARI_SEEDS_MAX + 1) * WAYS; i += step) {
        const bool shrink = i % WAYS == 2;
        struct patch patch;
        make_patch(&patch, shrink, WARI_STRIP, WARI_ITEM_COLUMNS, random);
        choose_codes(&patch, i / WAYS, i % WAYS > 0, shrink);
        const int count = shrink ? patch.upper_model.count : patch.model->count;
        for (int cell = 0; cell < count; cell += WARI_STRIP)
            for (int child = 0; child < count; child += WARI_ITEM_COLUMNS) {
                for (int row = 0; row < WARI_STRIP; row++)
                    for (int column = 0; column < WARI_ITEM_COLUMNS; column++) {
                        patch.cells[(size_t)row * patch.about.pitch + (size_t)column] =
                            nth_code(&patch, shrink, cell + row);
                        patch.worst[column * WARI_STRIP + row] =
                            nth_code(&patch, shrink, child + column);
                    }
                merge_patch(kernel, shrink, &patch, &tally[i % WAYS]);
            }
        free_patch(&patch);
    }
    for (int way = 0; way < WAYS; way++)
        assert_true(tally[way].queries > 100);
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

/* ---- Looking up ------------------------------------------------------------------------------ */

/* From any place on, as many as there may be in a row and none beyond; in place, too. */
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

static void what_is_looked_up_stands_in_the_table(void **state)
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
        cmocka_unit_test(what_is_looked_up_stands_in_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

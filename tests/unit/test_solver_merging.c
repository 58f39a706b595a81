/* The kernels' second half, merging what was computed into the parents' cells: each kernel that
 * runs on this machine against plain loops written here from the contracts of solver/kernel.h, on
 * random cells. Then they agree with each other as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/each_kernel.h"
#include "tests/support/scale.h"

static uint64_t random_bits(struct random_positions *random)
{
    uint64_t bits = (uint64_t)random_below(random, UINT32_MAX) << 32;
    return bits | random_below(random, UINT32_MAX);
}

/* ---- Grow and shrink ------------------------------------------------------------------------- */

/* A hope: no further from 0 than the surplus, no nearer than the floor, which wins. */
static int held(int best, int floor, int surplus)
{
    int nearest = floor, furthest = floor;

    if (floor >= 0 && surplus > furthest)
        furthest = surplus;
    if (floor <= 0 && surplus < nearest)
        nearest = surplus;
    return best < nearest ? nearest : best > furthest ? furthest : best;
}

/* What becomes of a patch; the same layout as the patch's `out`. */
static uint64_t expected_patch(const struct wari_patch *patch, bool shrink, int8_t *out,
                               uint64_t *changed)
{
    uint64_t rows = 0;

    for (int row = 0; row < patch->rows; row++) {
        int8_t fresh[WARI_GROUP];
        const size_t at = (size_t)row * patch->pitch;
        uint64_t differ = 0;
        for (int column = 0; column < patch->width; column++) {
            const size_t cell = at + (size_t)column;
            int best = -patch->worst[column * WARI_SEGMENT + row];
            best = patch->captures[cell] > best ? patch->captures[cell] : best;
            if (shrink)
                best = held(best, patch->floor[cell], patch->surplus);
            fresh[column] = patch->columns >> column & 1 ? (int8_t)best : patch->values[cell];
            differ += fresh[column] != patch->values[cell];
        }
        if (differ == 0)
            continue;
        memcpy(out + at, fresh, (size_t)patch->width);
        rows |= UINT64_C(1) << row;
        *changed += differ;
    }
    return rows;
}

/* A patch and all its arrays. */
struct patch {
    struct wari_patch about;
    int8_t worst[WARI_GROUP * WARI_SEGMENT];
    int8_t *values, *captures, *floor, *out;
    size_t cells;
};

/* Half of the patches are calm: in most rows everything stays as it is. */
static void make_patch(struct patch *patch, int rows, int width, struct random_positions *random)
{
    const size_t pitch = (size_t)width + random_below(random, 80);
    const int seeds = 1 + (int)random_below(random, WARI_SEEDS_MAX);
    const bool calm = random_below(random, 2);

    patch->cells = (size_t)(rows - 1) * pitch + (size_t)width;
    patch->values = random_cells(random, patch->cells, seeds);
    patch->captures = random_cells(random, patch->cells, seeds);
    patch->floor = random_cells(random, patch->cells, seeds);
    patch->out = random_cells(random, patch->cells, seeds);
    for (size_t i = 0; i < patch->cells; i++) {
        if (calm)
            patch->captures[i] = patch->floor[i] = patch->values[i];
        else if (random_below(random, 2))
            patch->captures[i] = -128;
    }
    for (int i = 0; i < WARI_GROUP * WARI_SEGMENT; i++)
        patch->worst[i] = random_below(random, 50) == 0 || !calm ? random_cell(random, seeds)
                                                                 : (int8_t)WARI_NO_QUIET;
    for (int i = 0; i < 100; i++)
        patch->worst[random_below(random, WARI_GROUP * WARI_SEGMENT)] = WARI_NO_QUIET;
    patch->about = (struct wari_patch){
        .worst = patch->worst,
        .values = patch->values,
        .captures = patch->captures,
        .floor = patch->floor,
        .pitch = pitch,
        .rows = rows,
        .width = width,
        .columns =
            (random_below(random, 3) ? random_bits(random) : UINT64_MAX) >> (WARI_GROUP - width),
        .surplus = random_cell(random, seeds),
    };
}

static void free_patch(struct patch *patch)
{
    free(patch->values);
    free(patch->captures);
    free(patch->floor);
    free(patch->out);
}

static void merge_patch(const struct wari_kernel_ops *kernel, bool shrink, bool in_place,
                        struct patch *patch, int counts[2])
{
    int8_t *out = in_place ? patch->values : patch->out;
    int8_t *expected = malloc(patch->cells);
    uint64_t changed = 7, expected_changed = 7; /* added to what is there */

    assert_non_null(expected);
    memcpy(expected, out, patch->cells);
    const uint64_t expected_rows =
        expected_patch(&patch->about, shrink, expected, &expected_changed);
    patch->about.out = out;
    const uint64_t rows =
        shrink ? kernel->shrink(&patch->about, &changed) : kernel->grow(&patch->about, &changed);
    assert_int_equal(rows, expected_rows);
    assert_int_equal(changed, expected_changed);
    assert_memory_equal(out, expected, patch->cells);
    for (int row = 0; row < patch->about.rows; row++)
        counts[rows >> row & 1]++;
    free(expected);
}

/* Every number of rows and every width, each in some patch. */
static void grow_and_shrink(const struct wari_kernel_ops *kernel, struct random_positions *random)
{
    const int rounds = test_scale(8, 1);
    int counts[2] = {0, 0}; /* rows that stay, rows that change */

    for (int round = 0; round < rounds; round++)
        for (int width = 1; width <= WARI_GROUP; width++)
            for (int way = 0; way < 4; way++) {
                const int rows = (width + round * 8 + way * 16 + way) % WARI_GROUP + 1;
                struct patch patch;
                make_patch(&patch, rows, width, random);
                merge_patch(kernel, way & 1, way & 2, &patch, counts);
                free_patch(&patch);
            }
    assert_true(counts[0] > 100 && counts[1] > 100);
}

static void grow_and_shrink_are_those_of_plain_loops(void **state)
{
    (void)state;
    for_each_kernel(grow_and_shrink);
}

/* ---- Transpose ------------------------------------------------------------------------------- */

static void transpose(const struct wari_kernel_ops *kernel, struct random_positions *random)
{
    const size_t bytes = (WARI_GROUP - 1) * WARI_SEGMENT + WARI_GROUP;
    int8_t *in = random_cells(random, bytes, 127);
    int8_t *out = random_cells(random, WARI_GROUP * WARI_GROUP, 127);

    kernel->transpose(in, out);
    for (int row = 0; row < WARI_GROUP; row++)
        for (int column = 0; column < WARI_GROUP; column++)
            assert_int_equal(out[row * WARI_GROUP + column], in[column * WARI_SEGMENT + row]);
    free(in);
    free(out);
}

static void transpose_turns_rows_and_columns(void **state)
{
    (void)state;
    for_each_kernel(transpose);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grow_and_shrink_are_those_of_plain_loops),
        cmocka_unit_test(transpose_turns_rows_and_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The layout of levels in a scratch file, including levels that are too large to be solved in a
 * test. Every cell must have an offset in the file, and must fit into a buffer in memory together
 * with its range. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "solver/bits/bits_backend.h"
#include "solver/bits/scratch_file.h"
#include "solver/level/item.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

enum { THREADS = 3 };

static uint64_t least_of(int seeds)
{
    return wari_bits_bytes_needed(seeds, WARI_EVEN, UINT64_C(1) << 50, 0, THREADS);
}

/* Returns the shape for `times` times the least memory that the level needs. */
static struct wari_scratch_shape shape_of(int seeds, uint64_t times)
{
    struct wari_bits_shape shape;

    assert_true(wari_bits_shape_for(seeds, WARI_EVEN, times * least_of(seeds), 0, THREADS, &shape));
    return shape.scratch;
}

/* Every cell belongs to exactly one column range, and no column range is larger than a buffer. */
static void column_ranges_cover_all_levels(void **state)
{
    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
        for (uint64_t times = 1; times <= 40; times += 39) {
            const struct wari_scratch_shape shape = shape_of(seeds, times);
            struct wari_division cut;
            struct wari_layout layout;
            wari_layout_init(&layout, seeds);
            wari_divide_into_columns(&cut, &layout, shape.buffer_bytes);
            for (int block = 0; block <= seeds; block++) {
                const struct wari_column_sets sets =
                    wari_column_sets_of(&layout, block, shape.buffer_bytes);
                assert_true((uint64_t)sets.rows * sets.width + WARI_RANGE_PADDING <=
                            shape.buffer_bytes);
                assert_true((uint64_t)sets.count * sets.width >= layout.columns[block]);
                assert_true((uint64_t)(sets.count - 1) * sets.width < layout.columns[block]);
                assert_true(sets.width == (sets.count > 1 ? sets.items * WARI_ITEM_COLUMNS
                                                          : layout.columns[block]));
                assert_true(sets.items == 1 || sets.ranges == 1);
                /* a column set has four items of columns, or all columns of the block, or as many
                 * items as fit into a buffer */
                assert_true(sets.items <= 4);
                assert_true(sets.items == 4 || sets.count == 1 ||
                            (uint64_t)layout.rows[block] * (sets.items + 1) * WARI_ITEM_COLUMNS +
                                    WARI_RANGE_PADDING >
                                shape.buffer_bytes);
                assert_true((uint64_t)sets.rows * sets.ranges >= layout.rows[block]);
                assert_true((uint64_t)sets.rows * (sets.ranges - 1) < layout.rows[block]);
                assert_true(sets.ranges == 1 || sets.rows % WARI_STRIP == 0);
                assert_int_equal(cut.first[block + 1] - cut.first[block], sets.count * sets.ranges);
            }
            assert_true(wari_division_file_bytes(&cut) < shape.file);
        }
}

/* Checks that a column range begins where the previous range of its block ended. */
static void check_column_range(const struct wari_layout *layout,
                               const struct wari_column_range *range, uint32_t column, uint32_t row)
{
    assert_int_equal(range->first_column, column);
    assert_int_equal(range->first_row, row);
    assert_true(range->columns > 0 && range->columns <= range->width && range->rows > 0);
    assert_true(range->width <= WARI_ITEM_COLUMNS || range->rows == layout->rows[range->block]);
    assert_true(range->first_column + range->columns <= layout->columns[range->block]);
    assert_true(range->first_row + range->rows <= layout->rows[range->block]);
}

/* Returns the first three pits of a mover half. */
static uint32_t first_pits(int seeds, uint32_t column)
{
    uint8_t half[WARI_HALF_PITS];

    wari_half_unrank(seeds, column, half);
    return (uint32_t)half[0] << 16 | (uint32_t)half[1] << 8 | half[2];
}

/* A walk visits all cells of all blocks once, in the order of the first pits of the mover
 * halves. If `all` is false, the walk visits only the column sets. */
static void columns_are_visited_in_order(void **state)
{
    (void)state;
    for (int seeds = 0; seeds <= test_scale(19, 14); seeds++)
        for (int all = 0; all < 2; all++) {
            const size_t buffer_bytes = shape_of(seeds, 1).buffer_bytes;
            uint32_t column[WARI_SEEDS_MAX + 1] = {0}, row[WARI_SEEDS_MAX + 1] = {0}, number;
            struct wari_division cut;
            struct wari_layout layout;
            struct wari_column_range_walk walk;
            uint32_t last = 0;
            wari_layout_init(&layout, seeds);
            wari_divide_into_columns(&cut, &layout, buffer_bytes);
            wari_column_range_walk_begin(&walk, &layout, buffer_bytes, seeds / 3, all);
            while ((number = wari_column_range_walk_next(&walk, &cut)) != WARI_NO_RANGE) {
                const struct wari_column_range range =
                    wari_column_range_of(&cut, &layout, buffer_bytes, number);
                const int block = range.block;
                const uint32_t key = first_pits(seeds - block, range.first_column);
                assert_true(key >= last);
                last = key;
                check_column_range(&layout, &range, column[block], row[block]);
                row[block] = all ? range.first_row + range.rows : layout.rows[block];
                if (row[block] == layout.rows[block]) {
                    row[block] = 0;
                    column[block] += range.columns;
                }
            }
            for (int block = 0; block <= seeds; block++)
                assert_int_equal(column[block], block < seeds / 3 ? 0 : layout.columns[block]);
        }
}

/* Every row range has an offset of its own in the file, and every row is found in its range, for
 * all ranges and rows of all levels. */
static void row_ranges_cover_all_levels(void **state)
{
    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        const struct wari_scratch_shape shape = shape_of(seeds, 2);
        struct wari_division cut;
        struct wari_layout layout;
        uint64_t end = 0;
        wari_layout_init(&layout, seeds);
        wari_divide_into_rows(&cut, &layout, shape.buffer_bytes);
        for (int block = 0; block <= seeds; block++) {
            const uint64_t bytes =
                (uint64_t)cut.rows[block] * wari_level_pitch(layout.columns[block]);
            const uint32_t count = cut.first[block + 1] - cut.first[block];
            assert_int_equal(cut.offset[block], end);
            assert_true(bytes + WARI_RANGE_PADDING <= shape.buffer_bytes);
            end += count * wari_align_transfer(bytes);
            for (uint32_t row = 0; row < layout.rows[block]; row += (uint32_t)test_scale(1, 97)) {
                const uint32_t range = wari_range_of(&cut, block, row);
                const uint32_t first = wari_range_first_row(&cut, block, range);
                if (row < first || row >= first + wari_range_row_count(&cut, block, range))
                    fail_msg("level %d, block %d, row %u", seeds, block, row);
            }
            assert_int_equal(wari_range_block(&cut, cut.first[block]), block);
            assert_int_equal(wari_range_block(&cut, cut.first[block + 1] - 1), block);
        }
        assert_int_equal(wari_division_file_bytes(&cut), end);
        assert_true(end <= shape.append_at);
    }
}

/* wari_bits_shape_for() never assigns more memory than it is given, for any amount of memory from
 * the minimum on. */
static void shapes_stay_within_their_memory(void **state)
{
    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        const uint64_t least = least_of(seeds);
        struct wari_bits_shape shape;
        assert_false(wari_bits_shape_for(seeds, WARI_EVEN, least - 4096, 0, THREADS, &shape));
        for (uint64_t bytes = least; bytes < least * 100; bytes += bytes / 5)
            for (uint64_t idle = 0; idle < 2 * least; idle += least) {
                assert_true(wari_bits_shape_for(seeds, WARI_EVEN, bytes, idle, THREADS, &shape));
                const struct wari_scratch_shape *scratch = &shape.scratch;
                assert_true(scratch->bytes <= bytes);
                assert_true(idle > 0 || scratch->bytes + shape.table_bytes <= bytes);
                assert_int_equal(scratch->bytes,
                                 2 * (uint64_t)scratch->io_threads * scratch->buffer_bytes +
                                     scratch->reserved + scratch->pool + scratch->tables);
                /* The pool has space for at least one buffer. */
                assert_true(scratch->pool >= scratch->buffer_bytes);
                assert_true(scratch->reserved + scratch->pool >=
                            wari_scratch_cache_least(scratch->io_threads) * scratch->buffer_bytes);
            }
    }
}

TEST_GROUP(test_solver_storage)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_ranges_cover_all_levels),
        cmocka_unit_test(column_ranges_cover_all_levels),
        cmocka_unit_test(columns_are_visited_in_order),
        cmocka_unit_test(shapes_stay_within_their_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

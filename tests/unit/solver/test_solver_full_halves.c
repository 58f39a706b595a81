/* Tests the count of positions whose opponent half is full. The count uses the best captures that
 * the capture pass has saved (solver/level/full_halves.h). However a level is divided into items
 * and bands, the count must be the same as if these captures were looked up in the lower levels
 * again, and it must read no lower level. test_solver_bounded.c tests the files of levels that the
 * bit backend solves, and of levels with a small cache. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "index/half.h"
#include "solver/bits/bits_backend.h"
#include "solver/level/full_captures.h"
#include "solver/memory/memory.h"
#include "solver/solve.h"
#include "tests/support/builds.h"
#include "tests/support/fault_host.h"
#include "tests/support/level_bench.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

static const struct wari_variant variant = {WARI_AWARI, WARI_EVEN};

/* Creates the level in memory, or with the bit backend, which then has `more` bytes beyond its
 * minimum. */
static void make_level(struct bench_run *run, bool by_bits, uint64_t more)
{
    const int seeds = run->bench->seeds;
    struct wari_error error = {WARI_OK, ""};
    enum wari_status status;

    if (by_bits) {
        const uint64_t least =
            wari_bits_bytes_needed(seeds, WARI_EVEN, 64 << 20, 0, run->workers.count);
        const struct wari_bits_limits limits = {.bytes = least + more,
                                                .location = {folder, "level.scratch"}};
        status = wari_bits_open(&run->level, seeds, WARI_EVEN, &limits, &error);
    } else {
        status = wari_memory_open(&run->level, seeds, WARI_EVEN, UINT64_MAX, &error);
        if (status == WARI_OK)
            status = wari_full_halves_open(&run->level.full_halves, run->level.host,
                                           &run->level.layout, folder, "level.full", &error);
    }
    if (status != WARI_OK)
        fail_msg("%s", error.text);
}

/* The first count uses the recorded values and discards them, so the second count looks them up
 * again. */
static void count_twice(const struct bench *bench, int threads, bool by_bits, uint64_t more)
{
    uint64_t recorded[2 * WARI_SEEDS_MAX + 1], looked_up[2 * WARI_SEEDS_MAX + 1], placements = 0;
    struct bench_run run;

    bench_begin(&run, bench, threads);
    make_level(&run, by_bits, more);
    assert_false(run.level.full_halves.complete);
    wari_solve_captures(&run.level);
    assert_true(run.level.full_halves.complete);
    const uint64_t decoded = wari_lower_cache_chunks_read(run.lower_cache);
    wari_solve_count(&run.level, recorded);
    assert_int_equal(wari_lower_cache_chunks_read(run.lower_cache), decoded);
    assert_int_equal(run.level.full_halves.bytes_read, wari_level_placements(bench->seeds - 6));
    assert_int_equal(run.level.full_halves.bytes_written, wari_level_placements(bench->seeds - 6));
    assert_false(run.level.full_halves.complete);
    wari_solve_count(&run.level, looked_up);
    assert_memory_equal(recorded, looked_up, sizeof recorded);
    for (int i = 0; i <= 2 * WARI_SEEDS_MAX; i++)
        placements += recorded[i];
    assert_int_equal(placements, wari_level_placements(bench->seeds));
    bench_check(&run);
    bench_end(&run);
}

/* With 15 seeds, block 14 has several columns, and more full opponent halves than a band has rows.
 * From 10 seeds on, block 6 has more columns than an item, so it is divided into several items. */
static void recorded_full_halves_count_like_looked_up_ones(void **state)
{
    struct bench bench = bench_open(variant, test_scale(15, 10));

    (void)state;
    count_twice(&bench, 1, false, 0);
    count_twice(&bench, 3, false, 0);
    count_twice(&bench, 2, true, 0); /* bands of many strips */
    count_twice(&bench, 2, true, 4 << 20);
    bench_free(&bench);
}

/* Checks the offsets in the file of full halves, for one block. Divides each group of
 * WARI_ITEM_COLUMNS columns into two items of full halves. For each band of rows (rows/tables.h),
 * the captures of the first item must begin where the previous captures end, and those of the
 * second item must follow. `at` is the expected offset of the first captures. Returns the offset
 * after the last ones. */
static uint64_t check_block(const struct wari_level *level, int block, uint64_t at)
{
    const uint32_t halves = wari_half_count(block) - level->layout.rows[block];
    const uint32_t all = level->layout.columns[block];

    for (uint32_t group = 0; halves > 0 && group < all; group += WARI_ITEM_COLUMNS) {
        const uint32_t columns = all - group < WARI_ITEM_COLUMNS ? all - group : WARI_ITEM_COLUMNS;
        const uint32_t cut = columns > 20 ? 20 : columns;
        for (uint32_t band = 0; band * WARI_BAND_ROWS < halves; band++) {
            const uint32_t left = halves - band * WARI_BAND_ROWS;
            struct wari_item item = {.parents = WARI_PARENTS_FULL,
                                     .block = block,
                                     .first_column = group,
                                     .columns = cut,
                                     .rows = halves};
            if (wari_full_captures_offset(level, &item, band) != at)
                fail_msg("block %d, column %u, band %u", block, group, band);
            at += (uint64_t)cut * (left < WARI_BAND_ROWS ? left : WARI_BAND_ROWS);
            item.first_column += cut;
            item.columns = columns - cut;
            if (columns > cut && wari_full_captures_offset(level, &item, band) != at)
                fail_msg("block %d, column %u, band %u", block, item.first_column, band);
            at += (uint64_t)item.columns * (left < WARI_BAND_ROWS ? left : WARI_BAND_ROWS);
        }
    }
    return at;
}

/* Every placement of a level is either a stored position or has a byte of its own in the file of
 * full halves. */
static void there_is_a_byte_for_each_full_half(void **state)
{
    struct wari_level level = {0};

    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds += test_scale(1, 7)) {
        uint64_t at = 0;
        wari_layout_init(&level.layout, seeds);
        assert_int_equal(wari_full_halves_open(&level.full_halves, wari_host_system(),
                                               &level.layout, folder, "level.full", NULL),
                         WARI_OK);
        for (int block = 0; block <= seeds; block++)
            at = check_block(&level, block, at);
        wari_full_halves_close(&level.full_halves);
        assert_int_equal(at, wari_level_placements(seeds) - wari_level_positions(seeds));
        assert_int_equal(at, wari_full_halves_bytes(&level.layout));
    }
}

/* ---- Failures -------------------------------------------------------------------------------- */

/* Lets the first call of the given kind fail. */
static void fail_first(const struct bench *bench, int kind, bool opens)
{
    uint64_t histogram[2 * WARI_SEEDS_MAX + 1];
    struct wari_error error = {WARI_OK, ""};
    struct fault_host fault;
    struct bench_run run;

    fault_host_init(&fault, kind, 1);
    bench_begin(&run, bench, 2);
    run.level.host = &fault.host;
    assert_int_equal(wari_memory_open(&run.level, bench->seeds, WARI_EVEN, UINT64_MAX, &error),
                     WARI_OK);
    const enum wari_status opened = wari_full_halves_open(
        &run.level.full_halves, &fault.host, &run.level.layout, folder, "level.full", &error);
    assert_int_equal(opened, opens ? WARI_OK : WARI_IO);
    if (opens) {
        wari_solve_captures(&run.level);
        assert_true(run.level.full_halves.complete == (kind == FAULT_READ));
        wari_solve_count(&run.level, histogram);
        assert_int_equal(wari_workers_failure(&run.workers, &error), WARI_IO);
    }
    assert_true(fault_host_fired(&fault));
    assert_non_null(strstr(error.text, "level.full"));
    assert_non_null(strstr(error.text, strerror(EIO)));
    bench_end(&run);
    assert_true(fault_host_clean(&fault));
}

static void a_failure_stops_all_threads(void **state)
{
    struct bench bench = bench_open(variant, 8);

    (void)state;
    fail_first(&bench, FAULT_OPEN, false);
    fail_first(&bench, FAULT_WRITE, true);
    fail_first(&bench, FAULT_READ, true);
    bench_free(&bench);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

TEST_GROUP(test_solver_full_halves)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(recorded_full_halves_count_like_looked_up_ones),
        IN_FOLDER(there_is_a_byte_for_each_full_half),
        IN_FOLDER(a_failure_stops_all_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

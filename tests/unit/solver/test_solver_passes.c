/* Tests passes over a scratch file, and reads from it: each range contains the bytes that the
 * previous pass wrote, in any of the buffers, and a reader that pins the range reads the same
 * bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <string.h>

#include "solver/bits/scratch.h"
#include "tests/reference/random_positions.h"
#include "tests/support/builds.h"
#include "tests/support/level_bench.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

enum { RANGES_MAX = 400 /* upper limit */ };

/* The number of times that each range was written back, and the ranges chosen for a pass. */
struct visits {
    uint32_t times[RANGES_MAX];
    uint32_t count, chosen[RANGES_MAX];
};

static uint32_t next_chosen(struct wari_level *level, void *context, uint32_t i)
{
    const struct visits *visits = context;

    (void)level;
    return i < visits->count ? visits->chosen[i] : WARI_NO_RANGE;
}

/* Checks that the range has the number with which it was last written back, if it ever was. Then
 * fills the range with a number for this visit, and returns true if the range is to be written
 * back. Otherwise the next visit must still find the older number. */
static bool visit(struct wari_level *level, const struct wari_io_buffers *buffers, void *context,
                  uint32_t range)
{
    struct visits *visits = context;
    const struct wari_row_range rows = wari_scratch_row_range(level, range, buffers->cells);
    const size_t bytes = (size_t)rows.count * rows.pitch;
    const bool writes = range % 5 != 0 || visits->times[range] == 0;

    for (size_t i = 0; i < bytes && visits->times[range] > 0; i += 97)
        if ((uint8_t)rows.cells[i] != (uint8_t)(visits->times[range] + range))
            fail_msg("range %u, byte %zu", range, i);
    visits->times[range] += writes;
    memset(rows.cells, (uint8_t)(visits->times[range] + range + !writes), bytes);
    return writes;
}

/* Chooses about three quarters of the ranges, each once. */
static void choose(struct visits *visits, uint32_t ranges, struct random_positions *random)
{
    visits->count = 0;
    for (uint32_t range = 0; range < ranges; range++)
        if (random_below(random, 4) > 0)
            visits->chosen[visits->count++] = range;
}

static void pass_over(struct wari_level *level, struct visits *visits, bool first, bool chosen)
{
    const struct wari_ranges *ranges = &wari_scratch_of(level)->row_ranges;
    const struct wari_scratch_pass pass = {.from = first ? NULL : ranges,
                                           .to = ranges,
                                           .end = ranges->division.count,
                                           .next = chosen ? next_chosen : NULL,
                                           .job = visit,
                                           .context = visits};

    wari_scratch_run_pass(level, &pass);
}

static bool check_pinned(struct wari_level *level, const struct wari_io_buffers *buffers,
                         void *context, uint32_t range)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct visits *visits = context;
    const uint32_t ranges = scratch->row_ranges.division.count,
                   pins = wari_scratch_pins_max(scratch);
    uint32_t pinned[RANGES_MAX], count = 0;

    for (; count < pins && count < ranges; count++) {
        pinned[count] = (range * 7 + count * count) % ranges;
        assert_true(wari_scratch_pin(level, pinned[count], buffers->packed));
    }
    while (count-- > 0) {
        const int block = wari_range_block(&scratch->row_ranges.division, pinned[count]);
        const uint32_t row =
            wari_range_first_row(&scratch->row_ranges.division, block, pinned[count]);
        assert_int_equal((uint8_t)*wari_scratch_row(level, block, row),
                         (uint8_t)(visits->times[pinned[count]] + pinned[count]));
        wari_scratch_unpin(level, pinned[count]);
    }
    return false;
}

static void read_all(struct wari_level *level, struct visits *visits)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_scratch_pass pass = {
        .end = scratch->row_ranges.division.count, .job = check_pinned, .context = visits};

    wari_scratch_start_reading(level, scratch->shape.pool);
    assert_in_range(scratch->cache.capacity, wari_scratch_cache_least(scratch->shape.io_threads),
                    scratch->row_ranges.division.count - 1);
    wari_scratch_run_pass(level, &pass);
    for (uint32_t i = 0; i < scratch->cache.capacity; i++)
        assert_int_equal(scratch->cache.entry[i].users, 0);
}

static void jobs_find_what_was_left(void **state)
{
    struct bench bench =
        bench_open((struct wari_variant){WARI_AWARI, WARI_EVEN}, test_scale(12, 10));
    struct random_positions random;

    (void)state;
    random_positions_seed(&random, 12);
    for (int threads = 1; threads <= 3; threads++) {
        static struct visits visits;
        struct bench_run run;
        bench_begin_by_bits(&run, &bench, threads, 0);
        const uint32_t ranges = wari_scratch_of(&run.level)->row_ranges.division.count;
        assert_in_range(ranges, 2, RANGES_MAX);
        memset(&visits, 0, sizeof visits);
        pass_over(&run.level, &visits, true, false);
        for (int i = 0; i < test_scale(40, 8); i++) {
            choose(&visits, ranges, &random);
            pass_over(&run.level, &visits, false, i % 3 > 0);
            if (i % 4 == 0)
                read_all(&run.level, &visits);
        }
        bench_check(&run);
        bench_end(&run);
    }
    bench_free(&bench);
}

TEST_GROUP(test_solver_passes)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jobs_find_what_was_left)};

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

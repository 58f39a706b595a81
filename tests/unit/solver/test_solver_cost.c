/* The cost model and its calibration: speeds that the test makes up are recovered from the times of
 * levels, costs add up, and a calibration that fails reports the error and leaves no files.
 *
 * Expected values: made-up speeds, sums that the test computes itself, and the plan of a build. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "index/half.h"
#include "index/level.h"
#include "solver/calibrate.h"
#include "solver/cluster/ranks.h"
#include "solver/level/level.h"
#include "tests/support/builds.h"
#include "tests/support/fault_host.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"
#include "tools/mpi/mpi.h"

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-6 * fabs(b)))
        fail_msg("%.9g is not %.9g", a, b);
}

/* ---- Speeds ---------------------------------------------------------------------------------- */

/* Returns the statistics of a level with `seeds` seeds that two threads solve with these speeds,
 * without any other delay. */
static struct wari_level_statistics made_up_statistics(int seeds, const struct wari_speed *speed)
{
    enum { DENSE = 20 };
    struct wari_level_statistics level = {.seeds = seeds, .dense_work = DENSE, .sweeps = 50};
    const double sowings = 6.0 * seeds / (seeds + 11);
    double columns = 0;

    level.positions = wari_level_positions(seeds);
    const double positions = (double)level.positions, half_ns = 0.5e-9;
    for (int s = 0; s <= seeds; s++)
        columns += wari_half_count(s);
    level.work = DENSE + 0.05;
    level.seconds.captures = speed->capture * positions * half_ns;
    level.seconds.dense =
        DENSE * sowings * (speed->sowing * positions + speed->column * columns) * half_ns;
    level.seconds.sweeps = level.seconds.dense + speed->event * 0.05 * positions * half_ns;
    level.seconds.count = speed->count * positions * half_ns;
    level.seconds.encode = speed->encode * positions * half_ns;
    return level;
}

static void speeds_are_recovered_from_made_up_levels(void **state)
{
    const struct wari_speed speed = {
        .capture = 3, .sowing = 0.64, .column = 28, .event = 70, .count = 2, .encode = 15};
    struct wari_level_statistics level[18];
    struct wari_speed fitted = {0};

    (void)state;
    for (int seeds = 0; seeds < 18; seeds++)
        level[seeds] = made_up_statistics(seeds, &speed);
    wari_speed_fit(level, 18, 2, &fitted);
    assert_near(fitted.capture, speed.capture);
    assert_near(fitted.sowing, speed.sowing);
    assert_near(fitted.column, speed.column);
    assert_near(fitted.event, speed.event);
    assert_near(fitted.count, speed.count);
    assert_near(fitted.encode, speed.encode);
}

/* On this made-up machine, a column takes three times as long as wari_speed_noted() says. Even so,
 * the fitted speeds give the measured time of all dense sweeps together. */
static void sweeps_of_another_machine_take_what_they_took(void **state)
{
    const struct wari_speed speed = {.sowing = 0.32, .column = 42, .event = 70};
    struct wari_level_statistics level[18];
    struct wari_speed fitted = {0};
    double taken = 0, expected = 0;

    (void)state;
    for (int seeds = 0; seeds < 18; seeds++)
        level[seeds] = made_up_statistics(seeds, &speed);
    wari_speed_fit(level, 18, 2, &fitted);
    for (int seeds = 8; seeds < 18; seeds++) {
        taken += level[seeds].seconds.dense;
        expected += made_up_statistics(seeds, &fitted).seconds.dense;
    }
    assert_near(expected, taken);
}

/* ---- Costs ----------------------------------------------------------------------------------- */

static struct wari_cost cost_of(int seeds, uint64_t memory, int ranks, enum wari_cycle cycle)
{
    const struct wari_sharing sharing = {ranks, wari_ranks_bytes};
    const struct wari_build build = {.variant = {WARI_AWARI, cycle},
                                     .seeds = seeds,
                                     .threads = 2,
                                     .memory = memory,
                                     .sharing = ranks > 1 ? &sharing : NULL};
    struct wari_build_plan plan;
    struct wari_cost cost;
    const struct wari_cost_request request = {
        .build = &build, .plan = &plan, .speed = wari_speed_noted(), .sent = wari_bytes_sent};

    assert_int_equal(wari_build_plan(&build, &plan, NULL), WARI_OK);
    assert_int_equal(wari_plan_check(&build, &plan, NULL), WARI_OK);
    wari_cost_of(&request, &cost);
    if (ranks == 1) {
        assert_int_equal(cost.all.memory_bytes, plan.memory_bytes);
        assert_int_equal(cost.cache_bytes, plan.cache_bytes);
        assert_int_equal(cost.all.scratch_bytes, plan.scratch_bytes);
    }
    assert_int_equal(cost.all.positions, plan.positions);
    assert_int_equal(cost.all.file_bytes, plan.disk_bytes);
    return cost;
}

static void memory_is_that_of_the_plan_to_48_seeds(void **state)
{
    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        const uint64_t positions = wari_level_positions(seeds);
        if (seeds == 47)
            continue;
        for (int cycle = 0; cycle < WARI_CYCLE_COUNT; cycle++) {
            const struct wari_cost cost = cost_of(seeds, 0, 1, (enum wari_cycle)cycle);
            assert_int_equal(cost.all.scratch_bytes, 0);
            assert_true(cost.all.total_seconds > 0);
            if (seeds >= 20) /* below 20 seeds, all levels together are no larger than the smallest
                              * cache */
                (void)cost_of(seeds, cost.all.memory_bytes - cost.cache_bytes / 2, 1,
                              (enum wari_cycle)cycle);
            if (seeds < 40)
                continue;
            /* The bit backend solves the level in half of its memory. The scratch file has one byte
             * for each position and one more for the captures, and one for each full half; in
             * addition it has padding after rows and after ranges of column sets, and lists of
             * captures. */
            const uint64_t memory = wari_level_bytes(seeds) / 2;
            const struct wari_cost by_bits = cost_of(seeds, memory, 1, (enum wari_cycle)cycle);
            assert_true(by_bits.all.memory_bytes <= memory);
            const uint64_t least = positions + wari_level_placements(seeds);
            assert_true(by_bits.all.scratch_bytes >= least + positions * 7 / 10);
            assert_true(by_bits.all.scratch_bytes <= least + least / 10 + positions * 9 / 10);
            assert_true(by_bits.all.disk_read > cost.all.disk_read);
            assert_true(by_bits.all.total_seconds > cost.all.total_seconds);
        }
    }
}

/* At 36 seeds with cycle rule `own`, more than one cell in ten has an upper bound above 14, and
 * such a cell has to look up its best capture. If there is hardly any cache, each of these look-ups
 * reads the disk. If all lower levels are in memory, none of them does. */
static void queries_of_upper_bounds_read_lower_levels(void **state)
{
    const uint64_t memory = UINT64_C(18500000000); /* the level takes 17.4 GB */
    const struct wari_cost even = cost_of(36, memory, 1, WARI_EVEN);
    const struct wari_cost own = cost_of(36, memory, 1, WARI_OWN);

    (void)state;
    assert_int_equal(even.level[36].scratch_bytes + own.level[36].scratch_bytes, 0);
    assert_true(own.level[36].disk_read > 3 * even.level[36].disk_read);
    assert_true(cost_of(36, 0, 1, WARI_OWN).level[36].disk_read <
                2 * cost_of(36, 0, 1, WARI_EVEN).level[36].disk_read + 1);
}

static void ranks_share_the_work(void **state)
{
    const struct wari_cost one = cost_of(36, 0, 1, WARI_EVEN), two = cost_of(36, 0, 2, WARI_EVEN);

    (void)state;
    /* A single process sweeps in patches (memory/memory_dense.c), so it moves fewer bytes than two
     * processes together. */
    assert_true(two.all.memory_moved * 2 > one.all.memory_moved);
    for (int ranks = 2; ranks <= 1024; ranks *= 2) {
        const struct wari_cost cost = cost_of(36, 0, ranks, WARI_EVEN);
        assert_true(cost.level[36].memory_bytes - cost.cache_bytes <
                    one.level[36].memory_bytes - one.cache_bytes);
        assert_near(cost.all.memory_moved * ranks, two.all.memory_moved * 2);
        assert_true(cost.all.total_seconds < one.all.total_seconds);
        assert_true(cost.all.sent > 0);
    }
    assert_true(one.all.sent <= 0);
}

/* ---- Calibration ----------------------------------------------------------------------------- */

static struct wari_build calibration_in(const char *path, const struct wari_host *host)
{
    return (struct wari_build){.folder = path,
                               .variant = {WARI_ABAPA, WARI_EVEN},
                               .threads = BUILD_THREADS,
                               .seeds = WARI_CALIBRATION_LEAST,
                               .host = host};
}

static const double seconds = 0.1;

static void assert_empty(const char *path)
{
    struct folder_image image = folder_load(path);

    assert_int_equal(image.count, 0);
    folder_free(&image);
}

/* Repeats the calibration. Each time, the k-th of the calls that allocate, open, read, write or
 * sync fails, until there is no k-th call. To save time, k grows in ever larger steps. */
static void failed_calibration_reports_the_error_and_leaves_no_files(void **state)
{
    const int kinds = FAULT_ALLOCATE | FAULT_OPEN | FAULT_READ | FAULT_WRITE | FAULT_SYNC;
    bool fired = true;

    (void)state;
    for (long k = 1; fired; k += 1 + k / test_scale(3, 1)) {
        struct fault_host fault;
        struct wari_speed speed = {.network = 5}, untouched = speed;
        struct wari_error error = {WARI_OK, ""};
        fault_host_init(&fault, kinds, k);
        const struct wari_build build = calibration_in(folder, &fault.host);
        const enum wari_status status = wari_calibrate(&build, seconds, true, &speed, &error);
        fired = fault_host_fired(&fault);
        assert_true(fault_host_clean(&fault));
        assert_empty(folder);
        if (fired) {
            assert_true(status == WARI_NO_MEMORY || status == WARI_IO);
            assert_true(error.text[0] != '\0');
            assert_memory_equal(&speed, &untouched, sizeof speed);
        } else {
            assert_int_equal(status, WARI_OK);
            assert_true(speed.capture > 0 && speed.decode > 0 && speed.memory > 0);
            assert_true(speed.disk > 0 && speed.network >= 5 && speed.network <= 5);
        }
    }
}

/* On this disk no file may have more than 4 MiB. */
static ssize_t write_to_full_disk(void *context, int fd, const void *buffer, size_t bytes,
                                  int64_t offset)
{
    (void)context;
    if (offset + (int64_t)bytes <= 4 << 20)
        return pwrite(fd, buffer, bytes, offset);
    errno = ENOSPC;
    return -1;
}

/* Fixed bug: `wari plan` failed on a disk with less than 512 MiB of free space. */
static void a_full_disk_limits_what_the_calibration_writes(void **state)
{
    struct wari_host host = *wari_host_system();
    struct wari_build build = calibration_in(folder, &host);
    struct wari_speed speed = {0};

    (void)state;
    host.pwrite = write_to_full_disk;
    assert_int_equal(wari_calibrate(&build, seconds, true, &speed, NULL), WARI_OK);
    assert_true(speed.disk > 0);
    assert_empty(folder);
}

static void calibration_stops_on_request(void **state)
{
    atomic_bool stop;
    struct wari_build build = calibration_in(folder, NULL);
    struct wari_speed speed = {0};

    (void)state;
    atomic_init(&stop, true);
    build.stop = &stop;
    assert_int_equal(wari_calibrate(&build, seconds, true, &speed, NULL), WARI_INTERRUPTED);
    assert_empty(folder);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

TEST_GROUP(test_solver_cost)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speeds_are_recovered_from_made_up_levels),
        cmocka_unit_test(sweeps_of_another_machine_take_what_they_took),
        cmocka_unit_test(memory_is_that_of_the_plan_to_48_seeds),
        cmocka_unit_test(queries_of_upper_bounds_read_lower_levels),
        cmocka_unit_test(ranks_share_the_work),
        IN_FOLDER(failed_calibration_reports_the_error_and_leaves_no_files),
        IN_FOLDER(calibration_stops_on_request),
        IN_FOLDER(a_full_disk_limits_what_the_calibration_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

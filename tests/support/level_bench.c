/* Solves one level, from the capture pass to the comparison with the reference, for tests of the
 * different ways of solving. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "db/catalogue/catalogue_file.h"
#include "solver/bits/bits_backend.h"
#include "solver/memory/memory.h"
#include "solver/solve.h"
#include "tests/support/builds.h"
#include "tests/support/level_bench.h"
#include "tests/support/own_folder.h"

struct bench bench_open(struct wari_variant variant, int seeds)
{
    struct bench bench = {.variant = variant, .seeds = seeds};

    assert_int_equal(
        wari_tables_create(&bench.tables, wari_host_system(), variant.rules, seeds, 2, NULL),
        WARI_OK);
    build_database(folder, variant, seeds - 1);
    return bench;
}

struct bench bench_create(struct wari_variant variant, int seeds)
{
    struct bench bench = bench_open(variant, seeds);

    bench.reference = reference_of(variant, seeds);
    assert_non_null(bench.reference);
    return bench;
}

void bench_free(struct bench *bench)
{
    wari_tables_destroy(bench->tables);
}

void bench_begin(struct bench_run *run, const struct bench *bench, int threads)
{
    const struct wari_host *host = wari_host_system();
    struct wari_catalogue catalogue;

    run->bench = bench;
    run->statistics = (struct wari_level_statistics){.seeds = bench->seeds};
    assert_int_equal(wari_catalogue_read(&catalogue, host, folder, bench->variant, NULL), WARI_OK);
    assert_int_equal(wari_lower_cache_create(
                         &run->lower_cache, host,
                         &(struct wari_lower_cache_files){folder, bench->variant, bench->seeds},
                         wari_lower_cache_bytes_min(threads), NULL),
                     WARI_OK);
    for (int seeds = 0; seeds < bench->seeds; seeds++)
        assert_int_equal(
            wari_lower_cache_add(run->lower_cache, seeds, &catalogue.level[seeds], NULL), WARI_OK);
    assert_int_equal(wari_workers_create(&run->workers, host, run->lower_cache, threads, NULL),
                     WARI_OK);
    run->level = (struct wari_level){.tables = bench->tables,
                                     .kernel = wari_kernel_ops(WARI_KERNEL_AUTO),
                                     .host = host,
                                     .lower_cache = run->lower_cache,
                                     .workers = &run->workers,
                                     .progress.statistics = &run->statistics};
}

void bench_begin_by_bits(struct bench_run *run, const struct bench *bench, int threads,
                         uint64_t more)
{
    const enum wari_cycle cycle = bench->variant.cycle;
    struct wari_error error = {WARI_OK, ""};
    const struct wari_bits_limits limits = {
        .bytes = wari_bits_bytes_needed(bench->seeds, cycle, 64 << 20, 0, threads) + more,
        .location = {folder, "level.scratch"}};

    bench_begin(run, bench, threads);
    if (wari_bits_open(&run->level, bench->seeds, cycle, &limits, &error) != WARI_OK)
        fail_msg("%s", error.text);
}

void bench_check(const struct bench_run *run)
{
    struct wari_error error = {WARI_OK, ""};

    if (wari_workers_failure(&run->workers, &error) != WARI_OK)
        fail_msg("%s", error.text);
}

void bench_compare(const struct bench_run *run)
{
    const struct wari_level *level = &run->level;
    const int seeds = level->layout.seeds;
    const signed char *expected = ref_level(run->bench->reference, seeds);
    const size_t positions = (size_t)wari_level_positions(seeds);
    int8_t *values = malloc(positions);
    struct wari_position position;
    uint64_t wrong = 0;
    size_t placement = 0;

    assert_non_null(values);
    level->backend->values(level, 0, positions, values);
    ref_first(seeds, position.pits);
    do {
        if (wari_position_stored(&position))
            wrong += values[wari_layout_rank(&level->layout, &position)] != expected[placement];
        placement++;
    } while (ref_next(position.pits));
    assert_int_equal(wrong, 0);
    free(values);
}

void bench_solve(struct bench_run *run, int deepest, double events_share, double cells_share)
{
    const struct bench *bench = run->bench;
    struct wari_level *level = &run->level;

    wari_cells_init_within(&level->codes, bench->seeds, bench->variant.cycle, deepest);
    level->events.leave_share = events_share;
    level->events.only_share = cells_share;
    wari_solve_captures(level);
    while (wari_solve_next_threshold(level)) {
        do
            wari_solve_sweeps(level, WARI_GROW);
        while (wari_solve_shrink(level));
    }
    bench_check(run);
    bench_compare(run);
}

void bench_end(struct bench_run *run)
{
    wari_level_close(&run->level);
    wari_workers_destroy(&run->workers);
    wari_lower_cache_destroy(run->lower_cache);
}
